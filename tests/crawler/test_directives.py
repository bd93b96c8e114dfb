"""What pages ask of a crawl, done or not as the settings say, and the same after a kill."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from crawler.driving import ByAnchorNumber, HandWired, everything, script_settings
from honeyguide.crawler import StopReason, crawl
from honeyguide.model import Answer, Fetched, Redirected, Url
from honeyguide.runs import RunTotals, open_run
from honeyguide.worlds.replay import ReplayWorld
from scripted_world import ScriptedWorld, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://s.test/"
TEXT = " ".join(f"rock{number}" for number in range(30))


def page(*links: str, head: str = "", text: str = "rock mineral") -> str:
    items = "".join(f'<a href="{link}">link</a> ' for link in links)
    return f"<html><head>{head}</head><body><main><p>{text}</p><p>{items}</p></main></body></html>"


def canonical(to: str, text: str = TEXT, *links: str) -> str:
    return page(*links, head=f'<link rel="canonical" href="{to}">', text=text)


def run_script(path: Path, script: Script, **overrides: Any) -> HandWired:
    overrides = {"judge__kind": "keyword", "politeness__delay_s": 0.0, **overrides}
    wired = HandWired(path, ScriptedWorld(script), script_settings(**overrides))
    assert wired.run() is StopReason.EXHAUSTED
    return wired


def paths(wired: HandWired) -> set[str]:
    return {url.removeprefix("http://s.test") for url in wired.world.fetches}


def outcomes(path: Path) -> dict[str, tuple[str, str]]:
    with open_run(path) as run:
        return {step.url.text.removeprefix("http://s.test"): (step.outcome, step.detail) for step in run.steps()}


class TestNofollow:
    LINKS = (
        '<a rel="nofollow" href="/own">a</a> <a rel="UGC noopener" href="http://www.s.test/site">b</a> '
        '<a rel="sponsored" href="http://t.test/">c</a> <a rel="noopener" href="/plain">d</a>'
    )

    @pytest.mark.parametrize(
        ("which", "followed"),
        [
            ("same-site", {"/plain", "http://t.test/"}),
            ("all", {"/plain"}),
            ("none", {"/plain", "http://t.test/", "/own", "http://www.s.test/site"}),
        ],
    )
    def test_of_links(self, tmp_path: Path, which: str, followed: set[str]) -> None:
        wired = run_script(tmp_path / "run", {SEED: self.LINKS}, directives__nofollow_links=which)
        assert paths(wired) == {"/", *followed}
        assert wired.core.progress.out_of_scope == 4 - len(followed)

    def test_a_link_that_stands_there_once_without_it_is_followed(self, tmp_path: Path) -> None:
        wired = run_script(tmp_path / "run", {SEED: '<a rel=nofollow href="/a">a</a> <a href="/a">a</a>'})
        assert paths(wired) == {"/", "/a"}

    @pytest.mark.parametrize(("is_obeyed", "followed"), [(True, set[str]()), (False, {"/b"})])
    def test_of_a_page(self, tmp_path: Path, is_obeyed: bool, followed: set[str]) -> None:
        head = "<meta name=robots content=nofollow>"
        script: Script = {SEED: page("/a"), "http://s.test/a": page("/b", head=head)}
        wired = run_script(tmp_path / "run", script, directives__obey=("noindex", "nofollow") if is_obeyed else ())
        assert paths(wired) == {"/", "/a", *followed}
        assert wired.core.progress.pages_not_followed == is_obeyed
        with open_run(tmp_path / "run") as run:
            assert len(list(run.pages())) == 2 + len(followed) - (not is_obeyed), "the page itself is kept"

    def test_in_a_header_is_remembered_when_the_run_is_taken_up(self, tmp_path: Path) -> None:
        html = page("/b", "/c").encode()
        tagged = Fetched(200, "text/html", html, robots_tag="nofollow")
        script: Script = {SEED: page("/a", "/b"), "http://s.test/a": tagged}
        chosen = script_settings(store__snapshot_every=100)
        wired = HandWired(tmp_path / "run", ScriptedWorld(script), chosen, ByAnchorNumber())
        for url in (SEED, "http://s.test/a"):
            wired.follow(url)
        wired.close()
        again = HandWired(tmp_path / "run", ScriptedWorld(script), chosen, ByAnchorNumber())
        again.close()
        assert isinstance(again.strategy, ByAnchorNumber)
        assert [len(told.next_rows) for told in again.strategy.told] == [2, 0]


class TestNoindex:
    HEAD = "<title>Secret rock</title><meta name=robots content=noindex>"
    SCRIPT: Script = {  # noqa: RUF012
        SEED: page("/hidden"),
        "http://s.test/hidden": page("/b", head=HEAD, text="rock mineral secret"),
        "http://s.test/b": page(),
    }

    def bodies(self, path: Path) -> list[bool]:
        database = sqlite3.connect(path / "crawl.sqlite")
        kept = [
            is_here
            for (is_here,) in database.execute("SELECT link IN (SELECT link FROM bodies) FROM pages ORDER BY step")
        ]
        titles = [title for (title,) in database.execute("SELECT title FROM pages")]
        database.close()
        assert "Secret rock" not in titles
        return kept

    def test_a_page_is_followed_and_not_kept(self, tmp_path: Path) -> None:
        wired = run_script(tmp_path / "run", self.SCRIPT)
        assert paths(wired) == {"/", "/hidden", "/b"}
        progress = wired.core.progress
        assert (progress.pages, progress.relevant, progress.unindexed, progress.fetches) == (2, 2, 1, 3)
        assert outcomes(tmp_path / "run")["/hidden"] == ("fetched", "noindex")
        hidden = Url.parse("http://s.test/hidden")
        with open_run(tmp_path / "run") as run:
            assert hidden not in [each.url for each in run.pages()]
            with pytest.raises(KeyError):
                run.body(hidden)
            recorded = run.recorded_answers()
            assert recorded.answer(hidden) is None
            assert hidden not in list(ReplayWorld(recorded, "run").urls())
            with run.at_one_moment():
                totals = RunTotals(run)
            assert sum(pages for pages, _ in totals.bins) == len(list(run.judgements())) == 2
        assert self.bodies(tmp_path / "run") == [True, False, True]

    def test_unless_the_settings_say_otherwise(self, tmp_path: Path) -> None:
        run_script(tmp_path / "run", self.SCRIPT, directives__obey=())
        with open_run(tmp_path / "run") as run:
            assert len(list(run.pages(relevant_only=True))) == 3
            assert b"secret" in run.body(Url.parse("http://s.test/hidden"))

    def test_in_an_archive_only_its_headers_are(self, tmp_path: Path) -> None:
        chosen = script_settings(store__archive="warc", judge__kind="keyword")
        crawl(tmp_path / "run", chosen, world=ScriptedWorld(self.SCRIPT), vectors=hashed_vectors()).close()
        (file,) = (tmp_path / "run" / "archive").iterdir()
        with file.open("rb") as opened:
            records = {
                record.rec_headers.get_header("WARC-Target-URI"): (
                    record.rec_headers.get_header("WARC-Truncated"),
                    record.content_stream().read(),
                )
                for record in ArchiveIterator(opened)
                if record.rec_type == "response"
            }
        assert records["http://s.test/hidden"] == ("unspecified", b"")
        assert b"rock" in records["http://s.test/b"][1]
        assert self.bodies(tmp_path / "run") == [False, False, False]

    @pytest.mark.parametrize("snapshot_every", [1, 2, 100])
    def test_what_was_learned_from_it_is_learned_again_after_a_kill(self, tmp_path: Path, snapshot_every: int) -> None:
        chosen = script_settings("online-ridge", store__snapshot_every=snapshot_every, judge__kind="keyword")
        wired = HandWired(tmp_path / "run", ScriptedWorld(self.SCRIPT), chosen)
        for url in (SEED, "http://s.test/hidden"):
            wired.follow(url)
        wired.close()
        again = HandWired(tmp_path / "run", ScriptedWorld(self.SCRIPT), chosen)
        assert everything(again) == everything(wired)
        again.follow("http://s.test/b")
        again.store.record(again.core.stop(StopReason.INTERRUPTED, 0.0).record)
        again.close()
        assert self.bodies(tmp_path / "run") == [True, False, True]


class TestBeingSentOn:
    def refresh(self, to: str, delay: str = "0") -> str:
        return page("/ignored", head=f"<meta http-equiv=refresh content='{delay};url={to}'>")

    def test_within_seconds_is_a_redirect(self, tmp_path: Path) -> None:
        script: Script = {
            SEED: self.refresh("/a"),
            "http://s.test/a": self.refresh("/b", "600"),
            "http://s.test/b": "x",
        }
        wired = run_script(tmp_path / "run", script)
        assert paths(wired) == {"/", "/a", "/ignored"}
        assert outcomes(tmp_path / "run")["/"] == ("redirected", "http://s.test/a")
        assert wired.core.progress.body_bytes > len(self.refresh("/a"))
        assert wired.parts.links.hops(wired.link("http://s.test/a")) == 1

    def test_or_not_if_so_set(self, tmp_path: Path) -> None:
        wired = run_script(tmp_path / "run", {SEED: self.refresh("/a")}, directives__refresh_s=-1.0)
        assert paths(wired) == {"/", "/ignored"}

    def test_for_ever_ends_with_the_redirects_allowed(self, tmp_path: Path) -> None:
        script: dict[str, Any] = {f"http://s.test/{n}": self.refresh(f"/{n + 1}") for n in range(50)}
        run_script(tmp_path / "run", script, crawl__seed_urls=["http://s.test/0"], fetch__max_redirects=4)
        seen = outcomes(tmp_path / "run")
        assert [kind for kind, _ in seen.values()] == ["redirected"] * 4 + ["failed"]
        assert seen["/4"][1].startswith("too-many-redirects: 4 redirects and one more to http://s.test/5")

    def test_in_a_circle_ends_by_itself(self, tmp_path: Path) -> None:
        script = {SEED: self.refresh("/a"), "http://s.test/a": self.refresh("/")}
        wired = run_script(tmp_path / "run", script)
        assert wired.world.fetches == {SEED: 1, "http://s.test/a": 1}

    def test_out_of_scope_is_refused(self, tmp_path: Path) -> None:
        run_script(tmp_path / "run", {SEED: self.refresh("http://evil.test/")}, scope__deny_hosts=["evil.test"])
        assert outcomes(tmp_path / "run")["/"][0] == "refused"


class TestCanonical:
    def test_the_same_text_under_the_address_it_names_is_the_same_page(self, tmp_path: Path) -> None:
        script: Script = {
            SEED: page("/a", "/a?print", "/a?ref=1"),
            "http://s.test/a": page("/more", text=TEXT),
            "http://s.test/a?print": canonical("/a", TEXT, "/more"),
            "http://s.test/a?ref=1": canonical("/a", TEXT, "/more"),
        }
        wired = run_script(tmp_path / "run", script)
        seen = outcomes(tmp_path / "run")
        assert seen["/a?print"] == seen["/a?ref=1"] == ("redirected", "http://s.test/a")
        assert wired.core.progress.pages == 2
        with open_run(tmp_path / "run") as run:
            assert {url.path_and_query for url in run.discovered_graph().vertices()} == {"/", "/a", "/more"}
            answer = run.recorded_answers().answer(Url.parse("http://s.test/a?print"))
        assert isinstance(answer, Answer)
        assert answer.outcome == Redirected(200, Url.parse("http://s.test/a"))

    def test_whichever_address_comes_first_has_the_page(self, tmp_path: Path) -> None:
        script: Script = {
            SEED: page("/a?x", "/a?y", "/a"),
            "http://s.test/a?x": canonical("/a"),
            "http://s.test/a?y": canonical("/a"),
            "http://s.test/a": page(text=TEXT),
        }
        run_script(tmp_path / "run", script)
        seen = outcomes(tmp_path / "run")
        assert seen["/a?x"][0] == "fetched"
        assert seen["/a?y"] == seen["/a"] == ("redirected", "http://s.test/a?x")
        with open_run(tmp_path / "run") as run:
            (named,) = [each.canonical for each in run.pages() if each.url.text == "http://s.test/a?x"]
        assert named == Url.parse("http://s.test/a")

    def test_a_site_whose_pages_all_name_the_front_page_loses_none_of_them(self, tmp_path: Path) -> None:
        links = [f"/{n}" for n in range(6)]
        script: dict[str, Any] = {
            f"http://s.test{at}": canonical("/", f"{TEXT} {at} x{at[1:]}", *links) for at in links
        }
        script[SEED] = canonical("/", f"{TEXT} front", *links)
        wired = run_script(tmp_path / "run", script, crawl__seed_urls=["http://s.test/3", SEED])
        assert wired.core.progress.pages == 7
        assert {kind for kind, _ in outcomes(tmp_path / "run").values()} == {"fetched"}

    def test_pages_that_name_one_another_in_a_circle_are_one(self, tmp_path: Path) -> None:
        script: Script = {
            SEED: page("/a", "/b", "/c"),
            "http://s.test/a": canonical("/b"), "http://s.test/b": canonical("/c"), "http://s.test/c": canonical("/a"),
        }  # fmt: skip
        run_script(tmp_path / "run", script)
        kinds = [kind for kind, _ in outcomes(tmp_path / "run").values()]
        assert kinds == ["fetched", "fetched", "redirected", "redirected"]

    @pytest.mark.parametrize(
        "script",
        [
            {SEED: page("/a", "http://t.test/", text="x"), "http://s.test/a": page(text=TEXT),
             "http://t.test/": canonical("http://s.test/a")},
            {SEED: page("/a", "/b"), "http://s.test/a": page(text="few words"),
             "http://s.test/b": canonical("/a", "few words")},
            {SEED: page("/a", "/b"), "http://s.test/a": page(text=TEXT), "http://s.test/b": page(text=TEXT)},
        ],
        ids=["of another site", "by a few words", "by chance"],
    )  # fmt: skip
    def test_no_page_is_taken_for_one(self, tmp_path: Path, script: Script) -> None:
        wired = run_script(tmp_path / "run", script)
        assert wired.core.progress.pages == 3

    def test_nor_is_any_where_the_settings_say_so(self, tmp_path: Path) -> None:
        script: Script = {
            SEED: page("/a", "/b"),
            "http://s.test/a": page(text=TEXT),
            "http://s.test/b": canonical("/a"),
        }
        wired = run_script(tmp_path / "run", script, directives__canonical=False)
        assert wired.core.progress.pages == 3

    def test_it_counts_after_a_redirect_too_however_many_hops(self, tmp_path: Path) -> None:
        script: Script = {
            SEED: page("/a", "/r"),
            "http://s.test/a": page(text=TEXT),
            "http://s.test/r": redirect_to("http://s.test/b"),
            "http://s.test/b": canonical("/a"),
        }
        run_script(tmp_path / "run", script, fetch__max_redirects=1)
        assert outcomes(tmp_path / "run")["/b"] == ("redirected", "http://s.test/a")

    addresses = st.sampled_from([f"/{n}" for n in range(5)])

    @pytest.mark.thorough
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        pages=st.dictionaries(addresses, st.tuples(addresses, st.sampled_from("xyz")), min_size=2),
        steps=st.integers(1, 6),
    )
    def test_no_text_is_lost_and_a_run_taken_up_goes_on_alike(
        self, tmp_path_factory: pytest.TempPathFactory, pages: dict[str, tuple[str, str]], steps: int
    ) -> None:
        script: Script = {
            SEED: page(*pages),
            **{f"http://s.test{at}": canonical(to, f"{TEXT} {word}") for at, (to, word) in pages.items()},
        }
        folder = tmp_path_factory.mktemp("runs")
        whole = run_script(folder / "whole", script)
        chosen = script_settings(judge__kind="keyword", politeness__delay_s=0.0, budget__fetches=steps)
        HandWired(folder / "halves", ScriptedWorld(script), chosen).run()
        run_script(folder / "halves", script)
        assert outcomes(folder / "halves") == outcomes(folder / "whole")
        texts = {word for _, word in pages.values()}
        with open_run(folder / "whole") as run:
            kept = {run.body(each.url).decode().partition("</p>")[0][-1] for each in run.pages()}
        assert texts <= kept, "every text is there, once at least"
        assert whole.core.progress.fetches == len(pages) + 1
