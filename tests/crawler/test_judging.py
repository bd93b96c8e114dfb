"""Pages judged by hand are judged as a crawl judges them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import honeyguide
from crawler.small_crawls import settings_for
from honeyguide.crawler import JudgedPage, UnreadablePage, judge_page, judge_pages, judge_pages_async
from honeyguide.errors import PageError, SettingsError
from honeyguide.judge import KeywordJudge
from honeyguide.settings import settings_from, with_overrides
from scripted_world import ScriptedWorld, redirect_to

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.model import Page

GEOLOGY = settings_from({"topic": {"name": "geology", "keywords": ["rock", "mineral"]}, "judge": {"kind": "keyword"}})
ROCKS = """<html><head><title>Rocks</title></head><body><nav>rock <a href="/rock">rock</a></nav><main>
<p>A rock is a mineral or many. See <a href="/minerals">minerals and rock</a> or <a href="/football">football</a>.</p>
</main></body></html>"""
WORLD = ScriptedWorld(
    {
        "http://rocks.test/": ROCKS,
        "http://rocks.test/old": redirect_to("http://rocks.test/"),
        "http://x.test/": "<p></p>",
    }
)


def test_a_page_of_a_crawl_gets_the_verdict_it_got_there(tmp_path: Path) -> None:
    settings = settings_for(budget=30)
    with honeyguide.crawl(tmp_path / "run", settings) as run:
        pages = list(run.pages(limit=10))
    assert pages
    for page in pages:
        judged = judge_page(page.url.text, settings)
        assert judged.verdict.relevance == page.relevance
        assert judged.verdict.is_relevant == page.is_relevant
        assert judged.title == page.title


def test_a_file_is_judged_by_its_main_text(tmp_path: Path) -> None:
    (tmp_path / "rocks.html").write_text(ROCKS, encoding="utf-8")
    judged = judge_page(str(tmp_path / "rocks.html"), GEOLOGY)
    # 13 words in the main text; "rock" twice and "mineral" once, 300/13 in a hundred.
    assert (judged.title, judged.words) == ("Rocks", 13)
    assert judged.verdict.relevance == pytest.approx(1 - 1 / (1 + 300 / 13))
    assert judged.evidence.relevance == judged.verdict.relevance
    assert {row.term: row.count for row in judged.evidence.rows} == {"rock": 2, "mineral": 1}


def test_a_redirect_is_followed_and_the_end_is_told() -> None:
    judged = judge_page("http://rocks.test/old", GEOLOGY, world=WORLD)
    assert (judged.name, judged.url) == ("http://rocks.test/old", "http://rocks.test/")


def test_a_page_on_which_the_judge_breaks_does_not_keep_the_others_from_being_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(self: KeywordJudge, page: Page) -> float:
        if "football" in page.title:
            raise ZeroDivisionError("no goals")
        return 1.0

    monkeypatch.setattr(KeywordJudge, "relevance", judge)
    for name in ("rock", "football", "mineral"):
        (tmp_path / f"{name}.html").write_text(f"<title>{name}</title><p>{name}", encoding="utf-8")
    bad = str(tmp_path / "football.html")
    first, second, third = judge_pages([str(tmp_path / "rock.html"), bad, str(tmp_path / "mineral.html")], GEOLOGY)
    assert isinstance(first, JudgedPage)
    assert second == UnreadablePage(bad, f"{bad} could not be judged: ZeroDivisionError: no goals")
    assert isinstance(third, JudgedPage)


def test_links_are_scored_best_first() -> None:
    judged = judge_page("http://rocks.test/", GEOLOGY, links=2, world=WORLD)
    assert len(judged.links) == 2
    assert judged.links[0].score >= judged.links[1].score
    everything = judge_page("http://rocks.test/", GEOLOGY, links=10, world=WORLD).links
    assert [link.url for link in everything][-1] == "http://rocks.test/football"
    assert {link.anchor for link in everything} == {"rock", "minerals and rock", "football"}
    assert judge_page("http://rocks.test/", GEOLOGY, world=WORLD).links == ()


def test_one_bad_page_does_not_keep_the_others_from_being_judged() -> None:
    found = judge_pages(["http://x.test/", "http://rocks.test/", "/no/such/file"], GEOLOGY, world=WORLD)
    assert [type(each) for each in found] == [UnreadablePage, JudgedPage, UnreadablePage]
    with pytest.raises(PageError, match="has no words in it"):
        judge_page("http://x.test/", GEOLOGY, world=WORLD)


def test_a_judge_that_learns_sees_the_pages_in_their_order() -> None:
    world = ScriptedWorld(
        {f"http://rocks.test/{number}": f"<p>{text}</p>" for number, text in enumerate(["a rock here", "tea and cake"])}
    )
    settings = with_overrides(GEOLOGY, {"judge.kind": "tfidf"})
    rock, tea = world.script
    first = judge_pages([rock.text, tea.text], settings, world=world)[0]
    then = judge_pages([tea.text, rock.text], settings, world=world)[1]
    assert isinstance(first, JudgedPage)
    assert isinstance(then, JudgedPage)
    assert first.verdict.relevance != then.verdict.relevance


def test_examples_of_the_topic_are_read_before_judging(tmp_path: Path) -> None:
    (tmp_path / "like.txt").write_text("telescopes show galaxies", encoding="utf-8")
    settings = settings_from({"topic": {"like": [f"@{tmp_path}/like.txt"]}})
    (tmp_path / "page.txt").write_text("galaxies in telescopes", encoding="utf-8")
    judged = judge_page(str(tmp_path / "page.txt"), settings)
    assert judged.verdict.relevance > 0.7
    assert judged.evidence.threshold == 0.2


def test_without_a_topic_nothing_is_judged() -> None:
    with pytest.raises(SettingsError, match="topic is empty"):
        judge_page("http://rocks.test/", settings_from({}), world=WORLD)


def test_a_notebook_is_told_what_to_await() -> None:
    async def inside() -> None:
        with pytest.raises(RuntimeError, match=r"await honeyguide\.judge_pages_async"):
            judge_page("http://rocks.test/", GEOLOGY, world=WORLD)
        assert len(await judge_pages_async(["http://rocks.test/"], GEOLOGY, world=WORLD)) == 1

    asyncio.run(inside())
