"""Where a crawl may go: rules for hosts, paths, titles, depth and the number of pages, in any crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from honeyguide.crawler import PageJudged, StopReason, crawl, resume
from honeyguide.crawler.scope import Scope
from honeyguide.errors import SettingsError
from honeyguide.model import RefusalReason, Refused, Url
from honeyguide.runs import open_run
from honeyguide.settings import ScopeSettings, settings_from, validate
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://s.test/"


def objection(url: str, depth: int = 0, **rules: Any) -> str | None:
    return Scope(ScopeSettings(**rules)).objection(Url.parse(url), depth=depth)


def titled(title: str, page: str) -> str:
    return page.replace("<body>", f"<head><title>{title}</title></head><body>")


def run_script(path: Path, script: Script, **overrides: Any) -> HandWired:
    wired = HandWired(path, ScriptedWorld(script), script_settings(**overrides))
    assert wired.run() is StopReason.EXHAUSTED
    return wired


@pytest.mark.parametrize(
    ("rules", "kept_out_by"),
    [
        ({}, None),
        ({"allow_hosts": ("s.test", "t.test")}, None),
        ({"allow_hosts": ("t.test",)}, "scope.allow_hosts"),
        ({"deny_hosts": ("*.test",)}, "scope.deny_hosts"),
        ({"allow_hosts": ("s.test",), "deny_hosts": ("s.test",)}, "scope.deny_hosts"),
        ({"allow_paths": ("^/wiki/",)}, None),
        ({"allow_paths": ("^/news/", "Rock")}, None),
        ({"allow_paths": ("^/news/",)}, "scope.allow_paths"),
        ({"deny_paths": (r"[?&]sort=",)}, "scope.deny_paths"),
        ({"deny_paths": ("Café",)}, "scope.deny_paths"),
        ({"deny_paths": ("Caf%C3%A9",)}, "scope.deny_paths"),
        ({"deny_paths": ("rock",)}, None),
        ({"deny_paths": ("news", "(?i)rock")}, "scope.deny_paths"),
        ({"allow_paths": ("(z)", "(o)ck_.*s(o)rt")}, None),
        ({"domains": ("s.test",)}, None),
        ({"domains": ("test", "x.org")}, None),
        ({"domains": ("t.test",)}, "scope.domains"),
        ({"domains": ("t.test",), "allow_hosts": ("u.test",)}, "scope.allow_hosts"),
        ({"domains": ("t.test",), "allow_hosts": ("s.test",)}, None),
        ({"domains": ("s.test",), "deny_hosts": ("s.test",)}, "scope.deny_hosts"),
        ({"allow_prefixes": ("/wiki/",)}, None),
        ({"allow_prefixes": ("/wiki/Rock_Café",)}, None),
        ({"allow_prefixes": ("/news/", "http://s.test:8080/wiki/")}, None),
        ({"allow_prefixes": ("http://s.test/wiki/",)}, "scope.allow_prefixes"),
        ({"deny_prefixes": ("/wiki/Rock",)}, "scope.deny_prefixes"),
        ({"deny_prefixes": ("/Rock",)}, None),
        ({"allow_urls": (r"^http://s\.test:8080/.*sort=up$",)}, None),
        ({"allow_urls": ("^https:",)}, "scope.allow_urls"),
        ({"deny_urls": ("test.*Café",)}, "scope.deny_urls"),
        ({"deny_paths": ("s.test",)}, None),
        ({"max_depth": 3}, None),
        ({"max_depth": 2}, "scope.max_depth"),
    ],
)
def test_a_link_is_kept_out_by(rules: dict[str, Any], kept_out_by: str | None) -> None:
    assert objection("http://s.test:8080/wiki/Rock_Caf%C3%A9?sort=up", depth=3, **rules) == kept_out_by


@pytest.mark.parametrize(
    ("rules", "objects"),
    [
        ({"allow_titles": ("Basalt", "Granite")}, None),
        ({"allow_titles": ("Gneiss",)}, "scope.allow_titles"),
        ({"deny_titles": ("^List of",)}, None),
        ({"deny_titles": ("^On",)}, "scope.deny_titles"),
        ({"allow_titles": ("Basalt",), "deny_titles": ("Basalt",)}, "scope.deny_titles"),
        ({"deny_titles": ("on basalt", "(?i)ON BASALT")}, "scope.deny_titles"),
    ],
)
def test_a_title_is_objected_to_by(rules: dict[str, Any], objects: str | None) -> None:
    assert Scope(ScopeSettings(**rules)).objection_to_title("On Basalt") == objects


def test_links_kept_out_are_never_met_and_counted_each_time(tmp_path: Path) -> None:
    script = {
        SEED: page_with("http://a.test/", "http://b.test/", "/private/1"),
        "http://a.test/": page_with("http://b.test/", SEED),
    }
    wired = run_script(tmp_path / "run", script, scope__deny_hosts=["b.test"], scope__deny_paths=["^/private"])
    assert wired.world.fetches == {SEED: 1, "http://a.test/": 1}
    assert wired.core.progress.out_of_scope == 3
    assert wired.parts.links.find(Url.parse("http://b.test/")) is None
    with open_run(tmp_path / "run") as run:
        assert {target.text for _, target in run.edges()} == {SEED, "http://a.test/"}


def test_what_is_too_deep_on_one_page_may_be_near_enough_on_another(tmp_path: Path) -> None:
    script = {
        SEED: page_with("http://a.test/", "http://b.test/"),
        "http://a.test/": page_with("http://c.test/"),
        "http://c.test/": page_with("http://d.test/", "http://b.test/"),
        "http://b.test/": page_with("http://d.test/"),
        "http://d.test/": page_with("http://e.test/"),
    }
    wired = run_script(tmp_path / "run", script, crawl__strategy="depth-first", scope__max_depth=2)
    assert set(wired.world.fetches) == {SEED, *(f"http://{name}.test/" for name in "abcd")}
    assert wired.core.progress.out_of_scope == 2, "d as seen from c, and e"
    with open_run(tmp_path / "run") as run:
        assert max(page.depth for page in run.pages()) == 2


def test_a_page_with_a_denied_title_counts_and_gives_nothing(tmp_path: Path) -> None:
    rock = titled("Rock index", page_with("http://a.test/rock-mineral", **{"rock mineral": "http://b.test/"}))
    script = {SEED: page_with("http://list.test/", "http://a.test/"), "http://list.test/": rock, "http://a.test/": "x"}
    wired = run_script(tmp_path / "run", script, scope__deny_titles=["index$"], judge__kind="keyword")
    (judged,) = [event for event in wired.events if isinstance(event, PageJudged) and event.title == "Rock index"]
    assert (judged.verdict.relevance, judged.verdict.is_relevant, judged.verdict.reward) == (0.0, False, 0.0)
    assert judged.new_links == 0
    assert wired.core.progress.pages_not_followed == 1
    assert set(wired.world.fetches) == {SEED, "http://list.test/", "http://a.test/"}


def test_only_pages_with_an_allowed_title_give_links(tmp_path: Path) -> None:
    script = {
        SEED: titled("Rocks", page_with("http://a.test/", "http://b.test/")),
        "http://a.test/": titled("Soup", page_with("http://c.test/")),
        "http://b.test/": titled("More Rocks", page_with("http://d.test/")),
    }
    wired = run_script(tmp_path / "run", script, scope__allow_titles=["Rocks"])
    assert set(wired.world.fetches) == {SEED, "http://a.test/", "http://b.test/", "http://d.test/"}
    assert wired.core.progress.ran_out_of_links


def test_a_share_of_all_urls_is_the_same_for_everyone_and_grows_with_its_size() -> None:
    urls = [f"http://s.test/{number}" for number in range(2000)]
    tenth = {url for url in urls if objection(url, depth=1, share=0.1) is None}
    third = {url for url in urls if objection(url, depth=1, share=0.3) is None}
    other = {url for url in urls if objection(url, depth=1, share=0.1, share_seed=1) is None}
    assert 150 < len(tenth) < 250
    assert tenth < third
    assert len(tenth & other) < 60, "a tenth of a tenth is 20"
    assert all(objection(url, depth=1, share=1.0) is None for url in urls)


def test_a_seed_is_in_any_share_and_links_outside_it_are_none(tmp_path: Path) -> None:
    links = [f"http://s.test/{number}" for number in range(40)]
    inside = {url for url in links if objection(url, depth=1, share=0.2) is None}
    script: Script = {SEED: page_with(*links), **{url: page_with(SEED, *links) for url in links}}
    assert objection(SEED, depth=1, share=0.2) == "scope.share"
    wired = run_script(tmp_path / "run", script, scope__share=0.2)
    assert set(wired.world.fetches) == {SEED, *inside}
    assert 0 < len(inside) < 20


def test_of_a_page_without_expansion_known_links_still_have_their_edges(tmp_path: Path) -> None:
    script = {SEED: page_with("http://a.test/"), "http://a.test/": titled("No", page_with(SEED, "http://new.test/"))}
    run_script(tmp_path / "run", script, scope__deny_titles=["No"])
    with open_run(tmp_path / "run") as run:
        edges = {(source.text, target.text) for source, target in run.edges()}
    assert edges == {(SEED, "http://a.test/"), ("http://a.test/", SEED)}


def test_a_redirect_out_of_scope_is_refused_and_teaches_that(tmp_path: Path) -> None:
    script: Script = {SEED: page_with("http://r.test/"), "http://r.test/": redirect_to("http://evil.test/")}
    strategy = ByAnchorNumber()
    settings = script_settings(scope__deny_hosts=["evil.test"])
    wired = HandWired(tmp_path / "run", ScriptedWorld(script), settings, strategy)
    wired.run()
    assert "http://evil.test/" not in wired.world.fetches
    assert wired.parts.links.find(Url.parse("http://evil.test/")) is None
    with open_run(tmp_path / "run") as run:
        step = list(run.steps())[-1]
    assert (step.outcome, step.reward) == ("refused", 0.0)
    assert step.detail == "scope: leads to http://evil.test/, against scope.deny_hosts"
    assert [told.reward for told in strategy.told][1:] == [0.0]


def test_a_redirect_inside_the_scope_is_followed_at_the_largest_depth(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with("/r"),
        "http://s.test/r": redirect_to("http://s.test/t"),
        "http://s.test/t": "end",
    }
    wired = run_script(tmp_path / "run", script, scope__max_depth=1, scope__allow_hosts=["s.test"])
    assert "http://s.test/t" in wired.world.fetches


FIVE_PAGES: Script = {
    SEED: page_with("/1", "/2", "/3"),
    "http://s.test/1": page_with("/4", "/2"),
    "http://s.test/2": redirect_to("http://s.test/5"),
    "http://s.test/3": redirect_to("http://s.test/1"),
}


class TestNumberOfPages:
    def test_only_the_first_that_are_met_are_considered(self, tmp_path: Path) -> None:
        wired = run_script(tmp_path / "run", FIVE_PAGES, scope__max_pages=3)
        assert wired.world.fetches == {SEED: 1, "http://s.test/1": 1, "http://s.test/2": 1}
        assert wired.core.progress.out_of_scope == 2, "3 and 4"

    def test_a_redirect_to_another_page_is_refused_one_to_a_page_met_is_not(self, tmp_path: Path) -> None:
        run_script(tmp_path / "run", FIVE_PAGES, scope__max_pages=4)
        with open_run(tmp_path / "run") as run:
            outcomes = {step.url.path: (step.outcome, step.detail) for step in run.steps()}
        assert outcomes["/2"] == ("refused", "scope: leads to http://s.test/5, against scope.max_pages")
        assert outcomes["/3"][0] == "redirected"

    def test_what_brings_no_page_keeps_its_place(self, tmp_path: Path) -> None:
        script: Script = {
            SEED: page_with("/1", "/2", "/3", "/4"),
            "http://s.test/1": redirect_to("http://s.test/moved"),
            "http://s.test/2": Refused(RefusalReason.ROBOTS, "not this"),
            **{f"http://s.test/{name}": "rock" for name in ("3", "4", "moved")},
        }
        wired = run_script(tmp_path / "run", script, scope__max_pages=4)
        assert set(wired.world.fetches) == {SEED, *(f"http://s.test/{number}" for number in (1, 2, 3))}
        assert wired.core.progress.pages == 2

    def test_seeds_count_too(self, tmp_path: Path) -> None:
        seeds = [SEED, "http://s.test/1", SEED, "http://s.test/2"]
        wired = run_script(tmp_path / "run", FIVE_PAGES, scope__max_pages=2, crawl__seed_urls=seeds)
        assert wired.core.progress.seeds == 2
        assert wired.world.fetches == {SEED: 1, "http://s.test/1": 1}


class TestSeeds:
    def test_a_seed_out_of_scope_is_refused_before_anything_is_written(self, tmp_path: Path) -> None:
        settings = script_settings(
            crawl__seed_urls=[SEED, "http://t.test/x"], scope__allow_hosts=["s.test"], scope__max_depth=1
        )
        with pytest.raises(SettingsError) as caught:
            crawl(tmp_path / "run", settings, world=ScriptedWorld({SEED: "x"}), vectors=hashed_vectors())
        assert caught.value.mistakes == (
            "seed URL http://t.test/x is out of scope: scope.allow_hosts keeps it out; change one of them",
        )
        assert list(tmp_path.iterdir()) == []

    def test_entry_pages_out_of_scope_are_left_out(self, tmp_path: Path) -> None:
        world = ScriptedWorld({SEED: "x", "http://t.test/": "y"}, entry_urls=[SEED, "http://t.test/"])
        settings = script_settings(scope__deny_hosts=["s.test"])
        with crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()) as run:
            assert run.progress.seeds == 1
        assert world.fetches == {"http://t.test/": 1}

    def test_where_no_entry_page_is_in_scope_the_remedy_is_a_seed(self, tmp_path: Path) -> None:
        settings = script_settings(scope__deny_paths=["^/$"])
        with pytest.raises(SettingsError, match=r"no entry page is in scope: http://s.test/ .*give --seed-url"):
            crawl(tmp_path / "run", settings, world=ScriptedWorld({SEED: "x"}), vectors=hashed_vectors())
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("steps", [1, 3, 4])
def test_a_resumed_crawl_keeps_to_the_same_rules(tmp_path: Path, steps: int) -> None:
    script = {
        SEED: page_with("/a", "/private/b", "http://x.test/"),
        "http://s.test/a": titled("List", page_with("/hidden")),
        "http://x.test/": page_with("/c", "/private/d", "/e"),
    }
    rules: dict[str, Any] = {
        "scope__deny_paths": ["^/private"], "scope__deny_titles": ["List"], "scope__max_pages": 5,
        "store__snapshot_every": 2,
    }  # fmt: skip
    whole = ScriptedWorld(script)
    crawl(tmp_path / "whole", script_settings(**rules), world=whole, vectors=hashed_vectors()).close()
    world = ScriptedWorld(script)
    settings = script_settings(**rules, budget__fetches=steps)
    crawl(tmp_path / "halves", settings, world=world, vectors=hashed_vectors()).close()
    again = resume(tmp_path / "halves", budget=100, world=world, vectors=hashed_vectors())
    with again as halves, open_run(tmp_path / "whole") as other:
        assert [step.url for step in halves.steps()] == [step.url for step in other.steps()]
        assert halves.progress.out_of_scope == other.progress.out_of_scope
        assert halves.progress.pages_not_followed == other.progress.pages_not_followed == 1
    assert world.fetches == whole.fetches


@pytest.mark.parametrize("kind", ["paths", "urls", "titles"])
def test_no_pattern_takes_longer_than_its_text_is_long(kind: str) -> None:
    """Another engine would try 2 to the power of 4,000 ways to read this."""
    rules: dict[str, Any] = {f"deny_{kind}": ("(a+)+$",)}
    scope = Scope(ScopeSettings(**rules))
    text = "a" * 4000 + "!"
    assert scope.objection(Url.parse(f"http://s.test/{text}"), depth=1) is None
    assert scope.objection_to_title(text) is None
    assert scope.objection_to_title(text[:-1]) == ("scope.deny_titles" if kind == "titles" else None)


def test_no_pattern_of_hosts_does_either() -> None:
    scope = Scope(ScopeSettings(deny_hosts=("*a" * 30 + "*b",)))
    assert scope.objection(Url.parse(f"http://{'.'.join(['a' * 60] * 4)}/"), depth=1) is None


@pytest.mark.parametrize("pattern", ["(?=a)", "(?<!a)b", r"(a)\1", "a{1001}"])
def test_what_has_no_linear_time_is_refused_on_one_line(pattern: str) -> None:
    with pytest.raises(SettingsError, match="is not a regular expression that RE2 knows: ") as caught:
        validate(settings_from({"topic": {"name": "x"}, "scope": {"deny_paths": [pattern]}}))
    assert "\n" not in str(caught.value)
