"""The verdict at the end of a crawl, on crawls that really have what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide import crawl, settings_from, with_overrides
from honeyguide.model import Failed, FailureReason, RefusalReason, Refused, Unknown
from honeyguide.runs.advice import Advice, Situation, advise
from scripted_world import ScriptedWorld

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.model import Outcome

ROCK, SOUP = "rock basalt granite " * 20, "soup onion carrot " * 20
FORBIDDEN = Refused(RefusalReason.ROBOTS, "the robots.txt forbids it")


def page(text: str, *targets: str) -> str:
    links = "".join(f'<p><a href="{target}">link</a></p>' for target in targets)
    return f"<html><head><title>{text[:10]}</title></head><body><p>{text}</p>{links}</body></html>"


def host(name: str, text: str, pages: int, *further: str) -> dict[str, str | Outcome]:
    """A host whose pages link to the next two of their kind, and its first one elsewhere too."""
    urls = [f"http://{name}/{number}" for number in range(pages)]
    return {
        url: page(f"{text} {number}", *urls[number + 1 : number + 3], *(further if number == 0 else ()))
        for number, url in enumerate(urls)
    }


def advice_on(path: Path, script: dict[str, str | Outcome], **overrides: object) -> Advice:
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "basalt"]},
            "crawl": {"strategy": "breadth-first"},
            "judge": {"kind": "keyword"},
            "politeness": {"delay_s": 0.0},
            "guard": {"on": False},
        }
    )
    settings = with_overrides(settings, {key.replace("__", "."): value for key, value in overrides.items()})
    with crawl(path, settings, world=ScriptedWorld(script)) as run:
        advice = advise(run)
    assert advice is not None
    return advice


def sites(kinds: dict[str, str], pages: int) -> dict[str, str | Outcome]:
    """Hosts of so many pages each, and a first page that leads to all of them."""
    script: dict[str, str | Outcome] = {"http://start.test/": page(SOUP, *(f"http://{name}/0" for name in kinds))}
    for name, text in kinds.items():
        script |= host(name, text, pages)
    return script


def test_the_few_hosts_that_paid_are_named(tmp_path: Path) -> None:
    kinds = {"rocks.test": ROCK} | {f"soup{number}.test": SOUP for number in range(4)}
    advice = advice_on(tmp_path / "run", sites(kinds, 10), budget__fetches=51)
    assert advice.situation is Situation.UNPAID_HOSTS
    assert advice.words == "80% of the fetches went to hosts that never paid: stay on the 1 host that did."
    assert advice.arguments[-2:] == ("--allow-host", "rocks.test")


def test_hosts_that_never_paid_are_named_where_too_many_others_did(tmp_path: Path) -> None:
    kinds = {f"rock{number}.test": ROCK for number in range(8)}
    script = sites(kinds | {"soup.test": SOUP}, 2) | host("soup.test", SOUP, 40)
    advice = advice_on(tmp_path / "run", script, budget__fetches=57)
    assert advice.situation is Situation.UNPAID_HOSTS
    assert advice.arguments[-4:-2] == ("--deny-host", "soup.test")


def test_refusals_by_robots_txt_name_the_host(tmp_path: Path) -> None:
    closed: dict[str, str | Outcome] = {f"http://closed.test/{number}": FORBIDDEN for number in range(30)}
    script = {"http://start.test/": page(ROCK, *closed), **closed}
    advice = advice_on(tmp_path / "run", script)
    assert advice.situation is Situation.ROBOTS
    assert advice.words == "97% of the fetches were refused by robots.txt, most by that of closed.test: leave it out."
    assert advice.arguments[-2:] == ("--deny-host", "closed.test")


def test_hosts_that_were_left_out_already_stay_out(tmp_path: Path) -> None:
    closed: dict[str, str | Outcome] = {f"http://closed.test/{number}": FORBIDDEN for number in range(30)}
    script = {"http://start.test/": page(ROCK, *closed), **closed}
    advice = advice_on(tmp_path / "run", script, scope__deny_hosts=["never.test"])
    assert advice.arguments[-4:] == ("--deny-host", "never.test", "--deny-host", "closed.test")


def test_where_the_robots_txt_of_a_seed_refuses_the_crawl_is_to_start_elsewhere(tmp_path: Path) -> None:
    closed: dict[str, str | Outcome] = {f"http://rocks.test/{number}": FORBIDDEN for number in range(30)}
    advice = advice_on(tmp_path / "run", {"http://rocks.test/": page(ROCK, *closed), **closed})
    assert advice.situation is Situation.ROBOTS
    assert advice.words.endswith("most by that of rocks.test: start elsewhere.")
    assert advice.arguments[-2:] == ("--seed-url", "URL")


def test_other_failures_are_not_blamed_on_robots_txt(tmp_path: Path) -> None:
    closed: dict[str, str | Outcome] = {f"http://closed.test/{number}": FORBIDDEN for number in range(15)}
    missing = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)
    mixed: dict[str, str | Outcome] = {f"http://mixed.test/{number}": missing for number in range(16)}
    mixed |= {f"http://mixed.test/closed/{number}": FORBIDDEN for number in range(14)}
    script = {"http://start.test/": page(ROCK, *closed, *mixed), **closed, **mixed}
    advice = advice_on(tmp_path / "run", script)
    assert advice.situation is Situation.ROBOTS
    assert advice.arguments[-2:] == ("--deny-host", "closed.test")


def test_a_folder_that_is_there_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "run-2").mkdir()
    advice = advice_on(tmp_path / "run", {"http://rocks.test/": FORBIDDEN})
    assert advice.arguments[1] == str(tmp_path / "run-3")


@pytest.mark.parametrize(
    ("overrides", "flags"),
    [
        ({"scope__stay_on": "seed-hosts"}, ("--stay-on-domain",)),
        ({"scope__allow_hosts": ["rocks.test"]}, ("--allow-host", "*")),
        ({"scope__allow_prefixes": ["http://rocks.test/"]}, ("--under", "/")),
    ],
)
def test_a_crawl_kept_in_a_small_place_is_told_how_to_widen_it(
    tmp_path: Path, overrides: dict[str, object], flags: tuple[str, ...]
) -> None:
    elsewhere = [f"http://other{number}.test/" for number in range(60)]
    advice = advice_on(tmp_path / "run", host("rocks.test", ROCK, 25, *elsewhere), **overrides)
    assert advice.situation is Situation.OUT_OF_SCOPE
    assert "56% of the links on its pages lead out of it" in advice.words  # 60 beside 47 of one page to another
    assert advice.arguments[-len(flags) :] == flags


def test_a_judge_that_finds_nothing_needs_other_words_or_answers(tmp_path: Path) -> None:
    script = host("soup.test", SOUP, 30)
    advice = advice_on(tmp_path / "words", script)
    assert advice.situation is Situation.NOTHING_RELEVANT
    assert advice.words.startswith("None of 30 pages is relevant")
    assert advice.command == "honeyguide topic suggest geology"
    advice = advice_on(tmp_path / "answers", script, judge__kind="learned")
    assert advice.arguments == ("ask", str(tmp_path / "answers"))


def test_a_crawl_that_still_finds_is_to_go_on(tmp_path: Path) -> None:
    advice = advice_on(tmp_path / "run", host("rocks.test", ROCK, 300), budget__fetches=150)
    assert advice.situation is Situation.PAYS
    assert "of the next 2 fetches would be relevant" in advice.words
    assert advice.arguments == ("resume", str(tmp_path / "run"), "--budget", "+1000")


def test_the_verdict_looks_as_far_ahead_as_the_summary(tmp_path: Path) -> None:
    urls = [f"http://rocks.test/{number}" for number in range(900)]
    script: dict[str, str | Outcome] = {"http://rocks.test/": page(ROCK, *urls), **{url: page(ROCK) for url in urls}}
    advice = advice_on(tmp_path / "run", script, budget__fetches=300)
    assert "of the next 500 fetches would be relevant" in advice.words


def test_a_crawl_that_finds_no_more_is_to_stop(tmp_path: Path) -> None:
    urls = [f"http://mixed.test/{number}" for number in range(400)]
    script: dict[str, str | Outcome] = {
        url: page(ROCK if number < 10 else SOUP, *urls[number + 1 : number + 3]) for number, url in enumerate(urls)
    }
    advice = advice_on(tmp_path / "run", script, budget__fetches=300)
    assert advice.situation is Situation.DRY
    assert advice.words.endswith("of the next 2 fetches would be relevant: stop here.")
    assert advice.arguments[0] == "results"


def test_a_crawl_of_everything_has_nothing_left(tmp_path: Path) -> None:
    advice = advice_on(tmp_path / "run", host("rocks.test", ROCK, 25))
    assert (advice.situation, advice.words) == (Situation.DRY, "Nothing is left to fetch; 25 pages are relevant.")


@pytest.mark.parametrize(
    ("outcome", "words", "arguments"),
    [
        (Refused(RefusalReason.ADDRESS, "private"), "not on the public internet", ("--allow-private", "rocks.test")),
        (FORBIDDEN, "The robots.txt of rocks.test:81 forbids", ("--seed-url", "URL")),
        (Refused(RefusalReason.ROBOTS, "robots.txt cannot be had"), "cannot be reached", ("doctor", "rocks.test:81")),
        (Failed(FailureReason.DNS, "unknown"), "cannot be reached", ("doctor", "rocks.test:81")),
        (Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404), "gave no page: 404", ("--seed-url", "URL")),
    ],
)
def test_a_crawl_without_a_page_says_what_to_do(
    tmp_path: Path, outcome: Outcome, words: str, arguments: tuple[str, ...]
) -> None:
    advice = advice_on(tmp_path / "run", {"http://rocks.test:81/": outcome})
    assert advice.situation is Situation.NO_PAGE
    assert words in advice.words
    assert advice.arguments[-2:] == arguments


def test_nothing_is_said_of_a_few_fetches(tmp_path: Path) -> None:
    settings = settings_from({"topic": {"keywords": ["rock"]}, "judge": {"kind": "keyword"}, "budget": {"fetches": 5}})
    with crawl(tmp_path / "run", settings, world=ScriptedWorld(host("rocks.test", ROCK, 25))) as run:
        assert advise(run) is None


def test_nothing_is_said_of_a_crawl_that_was_stopped_before_its_first_answer(tmp_path: Path) -> None:
    settings = settings_from({"topic": {"name": "geology", "keywords": ["rock"]}, "judge": {"kind": "keyword"}})
    world = ScriptedWorld({"http://a.test/": page(ROCK)})
    with crawl(tmp_path / "run", settings, world=world, is_interrupted=lambda: True) as run:
        assert (run.progress.stop_reason, run.progress.fetches) == ("interrupted", 0)
        assert advise(run) is None


def test_seeds_that_a_world_never_recorded_are_told_as_such(tmp_path: Path) -> None:
    advice = advice_on(tmp_path / "run", {"http://rocks.test/": Unknown("no file")}, budget__fetches=5)
    assert advice.situation is Situation.NO_PAGE
    assert advice.words == "No seed is a page that this world has recorded."
