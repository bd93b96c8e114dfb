"""Questions and answers: what a person says changes the run, at once or through its inbox."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from shutil import rmtree
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

import honeyguide
from honeyguide.crawler import RunToAnswer
from honeyguide.runs import PageAnswer, RunFolder, RunLock, open_run
from honeyguide.runs.inbox import put
from honeyguide.web.answering import QUESTION_VIEWS
from honeyguide.web.safety import Access
from honeyguide.web.views import Readings
from web.conftest import Serve, settings_of, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

ANSWERS = "/api/runs/geology/answers"


def relevant_page(run: Path) -> str:
    """Return the address of a page that the run calls relevant."""
    with open_run(run) as opened:
        return next(page.url.text for page in opened.pages(best_first=True) if page.is_relevant)


def relevance(run: Path, url: str) -> tuple[float, bool]:
    with open_run(run) as opened:
        return next((page.relevance, page.is_relevant) for page in opened.pages() if page.url.text == url)


def test_a_question_shows_the_page_with_the_telling_words_highlighted(serve: Serve, run: Path) -> None:
    client = serve(run)
    assert 'data-load="/runs/geology/question"' in client.get("/runs/geology/questions").text
    (asked,) = client.get("/api/runs/geology/questions?count=1").json()
    assert 0 < asked["relevance"] < 1
    marked = [asked["text"][start:end].lower() for start, end in asked["highlights"]]
    assert any(word in marked for word in asked["words_for"])
    assert not {"the", "and"} & {*marked, *asked["words_for"]}
    part = client.get("/runs/geology/question").text
    assert f"<mark>{asked['text'][slice(*asked['highlights'][0])]}</mark>" in part
    assert all(f'data-key="{key}"' in part for key in "yns")


def newest_effect(client: httpx.Client) -> dict[str, Any]:
    """Return what the newest answers have changed, when the run has taken all in."""
    wait_until(lambda: client.get("/api/runs/geology/effect").json()["waiting"] == 0)
    return dict(client.get("/api/runs/geology/effect").json()["effect"])


def test_an_answer_changes_the_judgement_and_says_what_it_changed(serve: Serve, run: Path) -> None:
    client, url = serve(run), relevant_page(run)
    before = relevance(run, url)
    assert client.get("/api/runs/geology/effect").json() == {"waiting": 0, "effect": None}
    assert client.post(ANSWERS, json={"url": url, "answer": "no"}).json() == {"pages": 1, "answers": 1}
    effect = newest_effect(client)
    assert relevance(run, url) == (0.0, False)
    assert (effect["answers"], effect["changed"] >= 1) == (1, True)
    told = {each["url"]: each for each in effect["judgements"]}[url]
    assert (told["before"], told["after"]) == (before[0], 0.0)
    assert (told["was_relevant"], told["is_relevant"]) == (True, False)
    assert effect["relevant"] < effect["relevant_before"]
    assert effect["moved_up"]
    assert all(each["place"] < each["place_before"] for each in effect["moved_up"])
    assert newest_effect(serve(run)) == effect, "the same for whoever looks, whenever"
    client.post(ANSWERS, json={"url": url, "answer": "undo"})
    undone = newest_effect(client)
    assert relevance(run, url) == before
    assert undone["relevant"] == effect["relevant_before"]
    assert client.get(ANSWERS).json() == []
    client.post(ANSWERS, json={"url": url, "answer": "skip"})
    skipped = newest_effect(client)
    assert (skipped["changed"], skipped["judgements"], skipped["moved_up"]) == (0, [], [])


def test_an_answer_that_is_taken_in_while_somebody_looks_is_shown(run: Path) -> None:
    with open_run(run) as opened:
        page = next(opened.pages(limit=1))
    put(run, PageAnswer(page.url, "yes"))
    with Readings().open("geology", run) as reading:
        RunToAnswer(run).close()
        views = {view.name: view.gather(reading) for view in QUESTION_VIEWS}
    assert [(each.url, each.step) for each in views["given"].answers] == [(page.url.text, None)]
    assert views["effect"].waiting == 1, "it is looked for again"


def test_the_page_goes_on_to_the_next_question_and_back_again(serve: Serve, run: Path) -> None:
    client = serve(run)
    (asked,) = client.get("/api/runs/geology/questions?count=1").json()
    post = "/runs/geology/answers?asks=true"
    found = client.post(post, json={"url": asked["url"], "answer": "yes"}).json()["swap"]
    assert "are relevant" in found["effect"] or "being taken in" in found["effect"]
    assert asked["url"] not in found["question"]
    assert asked["url"] in found["given"]
    assert 'data-key="u"' in found["given"]
    back = client.post(post, json={"url": asked["url"], "answer": "undo"}).json()["swap"]
    assert f'value="{asked["url"]}"' in back["question"]
    skipped = client.post(post, json={"url": asked["url"], "answer": "skip"}).json()["swap"]
    assert f'value="{asked["url"]}"' not in skipped["question"]


def test_a_crawl_that_goes_on_takes_answers_through_its_inbox(serve: Serve, tmp_path: Path) -> None:
    run, is_over = tmp_path / "geology", Event()
    honeyguide.crawl(run, settings_of(60)).close()
    client, url = serve(run), relevant_page(run)
    crawl = Thread(target=lambda: honeyguide.resume(run, budget=100_000, is_interrupted=is_over.is_set).close())
    crawl.start()
    try:
        while client.get("/api/runs/geology").json()["state"] != "running":
            pass
        client.post(ANSWERS, json={"url": url, "answer": "no"})
        effect = newest_effect(client)
        assert crawl.is_alive()
        assert relevance(run, url) == (0.0, False)
        assert url in [each["url"] for each in effect["judgements"]]
        (given,) = client.get(ANSWERS).json()
        assert (given["url"], given["answer"], given["by"]) == (url, "no", "person")
        client.post(ANSWERS, json={"url": url, "answer": "skip"})
        skipped = newest_effect(client)
        assert (skipped["changed"], skipped["moved_up"]) == (0, []), "links that were fetched meanwhile do not count"
    finally:
        is_over.set()
        crawl.join()


def test_answers_to_a_run_that_is_held_wait_for_nobody_and_are_taken_in_together(serve: Serve, run: Path) -> None:
    client = serve(run)
    post = "/runs/geology/answers?asks=true"
    with RunLock(RunFolder(run)):  # as a crawl that takes long over a step
        asked = [each["url"] for each in client.get("/api/runs/geology/questions?count=1").json()]
        for reply in ("yes", "no", "skip"):
            shown = client.post(post, json={"url": asked[-1], "answer": reply}).json()["swap"]
            asked.append(re.findall(r'name="url" value="([^"]+)"', shown["question"])[0])
        assert "3 answers being taken in" in shown["effect"]
        assert len(set(asked)) == 4, "no page is asked about twice"
        given = client.get(ANSWERS).json()
        assert [(each["url"], each["answer"], each["step"]) for each in given] == [
            (asked[2], "skip", None), (asked[1], "no", None), (asked[0], "yes", None),
        ]  # fmt: skip
        back = client.post(post, json={"url": asked[2], "answer": "undo"}).json()["swap"]
        assert f'value="{asked[2]}"' in back["question"]
        assert [each["answer"] for each in client.get(ANSWERS).json()] == ["no", "yes"]
        assert client.post(ANSWERS, json={"url": asked[3], "answer": "undo"}).status_code == 409
    effect = newest_effect(client)
    assert effect["answers"] == 4
    assert [(each["url"], each["answer"]) for each in client.get(ANSWERS).json()] == [
        (asked[1], "no"),
        (asked[0], "yes"),
    ]
    assert (relevance(run, asked[0])[0], relevance(run, asked[1])[0]) == (1.0, 0.0)
    with closing(sqlite3.connect(run / "crawl.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM effects").fetchone() == (1,), "judged again once for all"


def test_an_effect_that_no_crawl_wrote_is_not_shown(serve: Serve, run: Path) -> None:
    client = serve(run)
    for number, text in enumerate(("{", '{"answers": "<script>"}', "[1, 2]")):
        with closing(sqlite3.connect(run / "crawl.sqlite")) as database, database:
            database.execute("INSERT INTO effects VALUES (?, ?)", (number, text))
        assert client.get("/api/runs/geology/effect").json()["effect"] is None
        assert "<script>" not in client.get("/runs/geology/questions").text.partition("<main")[2]


def test_every_answer_can_be_taken_back(serve: Serve, run: Path) -> None:
    client, bulk = serve(run), {"search": "?q=rock", "answer": "skip"}
    pages = client.post(f"{ANSWERS}/bulk", json={**bulk, "pages": 12}).json()["answers"]
    assert pages > 10
    given = client.get("/runs/geology/questions").text.partition('id="given"')[2]
    assert given.count('value="undo"') == pages


def test_answers_about_a_host_are_counted_first_and_given_when_confirmed(serve: Serve, run: Path) -> None:
    client, host = serve(run), relevant_page(run).split("/")[2]
    with open_run(run) as opened:
        pages = sum(page.url.host == host for page in opened.pages())
    asked = client.post(f"{ANSWERS}/bulk", json={"host": host, "answer": "no"}).json()
    assert asked == {"pages": pages, "answers": 0}
    assert client.get(ANSWERS).json() == []
    shown = client.post("/runs/geology/answers/bulk", json={"host": host, "answer": "no"}).json()
    assert shown["confirm"] == f"Answer no about {pages} page{'s' if pages > 1 else ''} on {host}?"
    given = client.post(f"{ANSWERS}/bulk", json={"host": host, "answer": "no", "pages": pages}).json()
    assert given == {"pages": pages, "answers": pages}
    assert newest_effect(client)["answers"] == pages
    with open_run(run) as opened:
        assert not any(page.is_relevant for page in opened.pages() if page.url.host == host)
    back = {"host": host, "answer": "undo"}
    shown = client.post("/runs/geology/answers/bulk", json=back).json()
    assert shown["confirm"].startswith(f"Take back the answers about {pages} page")
    client.post("/runs/geology/answers/bulk", json={**back, "pages": pages})
    newest_effect(client)
    assert client.get(ANSWERS).json() == []
    assert client.post(f"{ANSWERS}/bulk", json=back).status_code == 409


def test_a_bulk_answer_is_about_the_search_as_it_was_narrowed(serve: Serve, run: Path) -> None:
    client, host = serve(run), relevant_page(run).split("/")[2]
    narrow = f"q=rock+mineral&any_word=true&host={host}"
    total = client.get(f"/api/runs/geology/search?{narrow}").json()["total"]
    found = client.post(f"{ANSWERS}/bulk", json={"search": narrow, "answer": "yes"}).json()["pages"]
    everywhere = client.post(f"{ANSWERS}/bulk", json={"search": "q=rock+mineral&any_word=true", "answer": "yes"}).json()
    assert 0 < found == total < everywhere["pages"]
    assert "/answers/bulk" in client.get(f"/runs/geology/search?{narrow}").text


def test_answers_about_what_a_search_finds_never_exceed_the_number_confirmed(serve: Serve, run: Path) -> None:
    client, bulk = serve(run), {"search": "?q=rock", "answer": "yes"}
    found = client.post(f"{ANSWERS}/bulk", json=bulk).json()["pages"]
    assert found > 2
    client.post(f"{ANSWERS}/bulk", json={**bulk, "pages": 2})
    assert len(client.get(ANSWERS).json()) == 2


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("", {"url": "https://nowhere.test/", "answer": "yes"}, 409, "has no page https://nowhere.test/"),
        ("", {"url": "no address", "answer": "yes"}, 400, "no address"),
        ("", {"url": "https://nowhere.test/", "answer": "maybe"}, 422, "answer"),
        ("", {"answer": "yes"}, 422, "url"),
        ("/bulk", {"answer": "yes"}, 409, "name a host or a search"),
        ("/bulk", {"answer": "yes", "host": "nowhere.test"}, 409, "no pages on nowhere.test"),
        ("/bulk", {"answer": "yes", "search": "q=zzzzzz"}, 409, "no pages of this search"),
    ],
)
def test_an_answer_that_is_none_is_refused_with_the_reason(
    serve: Serve, run: Path, path: str, body: dict[str, Any], status: int, message: str
) -> None:
    answer = serve(run).post(ANSWERS + path, json=body)
    assert (answer.status_code, message in answer.text) == (status, True)


def test_nothing_is_undone_where_nobody_has_answered(serve: Serve, run: Path) -> None:
    answer = serve(run).post(ANSWERS, json={"url": relevant_page(run), "answer": "undo"})
    assert answer.status_code == 409
    assert "nothing to undo" in answer.json()["detail"]


def test_a_judge_that_learns_nothing_is_told_of_in_place_of_the_question(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "geology"
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock"]},
            "crawl": {"world": "synthetic:pages=2000,hosts=20", "workers": 0},
            "judge": {"kind": "keyword"},
            "budget": {"fetches": 20},
        }
    )
    honeyguide.crawl(path, settings).close()
    client = serve(path)
    assert client.get("/runs/geology/questions").status_code == 200
    assert "learns from no answers" in client.get("/runs/geology/question").text


def test_what_a_page_calls_itself_runs_no_script(serve: Serve, run: Path) -> None:
    hostile = "<script>alert(1)</script>"
    with closing(sqlite3.connect(run / "crawl.sqlite")) as database, database:
        database.execute("UPDATE pages SET title = ?", (hostile,))
    client = serve(run)
    asked = client.get("/runs/geology/question").text
    url = client.get("/api/runs/geology/questions?count=1").json()[0]["url"]
    found = client.post("/runs/geology/answers?asks=true", json={"url": url, "answer": "no"}).json()["swap"]
    newest_effect(client)
    taken_in = client.get("/runs/geology/parts?names=effect,given").json()
    for html in (asked, found["question"], *taken_in.values(), client.get("/runs/geology/questions").text):
        assert hostile not in html
        assert "&lt;script&gt;alert(1)" in html


def test_a_run_that_vanishes_is_told_of(serve: Serve, run: Path) -> None:
    client: httpx.Client = serve(run.parent)
    url = relevant_page(run)
    rmtree(run)
    answers = [client.get("/runs/geology/questions"), client.post(ANSWERS, json={"url": url, "answer": "yes"})]
    for answer in answers:
        assert answer.status_code == 404
        assert "moved or deleted" in answer.text


def test_cards_and_hosts_can_be_answered_where_they_are_listed(serve: Serve, run: Path) -> None:
    page = serve(run).get("/runs/geology").text
    assert f'name="url" value="{relevant_page(run)}"' in page
    assert f'<option id="host-{relevant_page(run).split("/")[2]}"' in page
    assert "/answers" not in serve(run, access=Access(read_only=True)).get("/runs/geology").text


def test_a_read_only_dashboard_asks_and_takes_no_answer(serve: Serve, run: Path) -> None:
    client = serve(run, access=Access(read_only=True))
    assert "data-key" not in client.get("/runs/geology/question").text
    assert client.post(ANSWERS, json={"url": relevant_page(run), "answer": "yes"}).status_code == 403
    with open_run(run) as opened:
        assert not any(opened.answers())
