"""Answers from the command line: into a run, into its inbox while it is crawled, and from one run to another."""

from __future__ import annotations

import csv
import json
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from ask.chat_server import chat_server
from honeyguide.ask.questions import RunQuestions
from honeyguide.cli.main import main
from honeyguide.crawler import judge_of
from honeyguide.runs import BudgetExtension, RunFolder, RunLock, open_run
from honeyguide.runs.inbox import put, take

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, Refusal

GEOLOGY = "--world synthetic:pages=2000,hosts=20 --topic geology --keyword rock --judge learned"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run, and the address of a page worth a question."""
    run = tmp_path_factory.mktemp("answers") / "run"
    assert main(["crawl", str(run), *GEOLOGY.split(), "--budget", "60"]) == 0
    (question,) = RunQuestions(run, lambda: judge_of(run)).best()
    return run, question.url.text


@pytest.fixture
def crawled(tmp_path: Path, made: tuple[Path, str]) -> str:
    """A copy of that run in the folder of the test; the address of the page."""
    shutil.copytree(made[0], tmp_path / "run")
    return made[1]


def test_an_answer_changes_the_judgement_and_undo_brings_it_back(cli: Cli, crawled: str, tmp_path: Path) -> None:
    before = relevances(tmp_path / "run")
    assert f"yes: {crawled}; " in cli(f"answer run {crawled} YES --name Ada")
    after = relevances(tmp_path / "run")
    assert after[crawled] == 1.0
    assert sum(after[url] != before[url] for url in before) > 1
    with open_run(tmp_path / "run") as run:
        (kept,) = run.answers()
        assert (kept.url.text, kept.answer, kept.by, kept.name) == (crawled, "yes", "person", "Ada")
    assert cli.json(f"answer run {crawled} undo")["in_inbox"] is False
    assert relevances(tmp_path / "run") == before


def test_a_budget_that_waits_in_the_inbox_lets_a_finished_run_go_on(cli: Cli, crawled: str, tmp_path: Path) -> None:
    assert "nothing to do" in cli("resume run")
    put(tmp_path / "run", BudgetExtension(65))
    assert f"yes: {crawled}" in cli(f"answer run {crawled} yes")
    assert cli.json("resume run")["fetches"] == 65


def relevances(path: Path) -> dict[str, float]:
    with open_run(path) as run:
        return {page.url.text: page.relevance for page in run.pages()}


def test_a_run_that_is_being_crawled_gets_it_by_its_inbox(cli: Cli, crawled: str, tmp_path: Path) -> None:
    before = relevances(tmp_path / "run")
    with RunLock(RunFolder.open(tmp_path / "run")):
        assert "the crawl takes it in between two steps" in cli(f"answer run {crawled} no")
        assert cli.json("ask run --count 1")["questions"]  # reading needs no lock
    assert relevances(tmp_path / "run") == before
    with take(tmp_path / "run") as letters:
        assert [(each.message.url.text, each.message.answer) for each in letters] == [(crawled, "no")]  # type: ignore[union-attr]


def test_answers_go_from_one_run_to_another_by_folder_and_by_file(cli: Cli, crawled: str, tmp_path: Path) -> None:
    cli(f"answer run {crawled} yes --name Ada")
    cli("export run --format answers answers.csv")
    (tmp_path / "more.csv").write_text("url,answer\nhttp://nowhere.test/,no\n", encoding="utf-8")
    for name, source in (("second", "run"), ("third", "answers.csv"), ("fourth", "more.csv")):
        cli(f"crawl {name} {GEOLOGY} --budget 5 --answers {source}")
    for name in ("second", "third"):
        with open_run(tmp_path / name) as run:
            (kept,) = run.answers()
            assert (kept.url.text, kept.answer, kept.by, kept.name, kept.step) == (crawled, "yes", "person", "Ada", 0)
    with open_run(tmp_path / "fourth") as run:
        (kept,) = run.answers()
        assert (kept.link, kept.by, kept.name) == (None, "file", "more.csv")


def test_a_model_answers_while_the_crawl_goes_on(cli: Cli, tmp_path: Path) -> None:
    world = "--world synthetic+http:pages=2000,hosts=20 --topic geology --keyword rock --judge learned"
    with chat_server(lambda shown: "yes" if "rock" in shown["page"]["text"] else "no") as server:
        model = f"--ask 2 --ask-model small --ask-url {server.url}"
        told = cli(f"crawl run {world} --budget 60 --set politeness.delay_s=0.05 {model}")
    with open_run(tmp_path / "run") as run:
        answers = list(run.answers())
        assert f"  answers       {len(answers)} of 2 questions answered: " in told
        assert 1 <= len(answers) <= 2
        assert {(each.by, each.name) for each in answers} == {("model", "small")}
        assert {each.answer for each in answers} <= {"yes", "no"}
    assert server.sent()["topic"] == {"name": "geology", "words": ["rock"]}


def test_the_summary_counts_the_answers_given_in_the_run_alone(cli: Cli, crawled: str, tmp_path: Path) -> None:
    urls = [each["url"] for each in cli.json("ask run --count 4")["questions"]]
    for url, reply in zip(urls, ("yes", "no", "no", "skip"), strict=True):
        cli(f"answer run {url} {reply}")
    cli(f"answer run {urls[2]} undo")
    shown = cli("resume run --budget +1")
    assert "  answers       2 of 3 questions answered: 1 yes, 1 no; 1 skipped\n" in shown
    assert cli.json("resume run --budget +1")["questions"] == {"asked": 0, "yes": 1, "no": 1, "skip": 1}
    status = json.loads((tmp_path / "run" / "status.json").read_text())["progress"]
    assert (status["questions"], status["answered"]) == (3, 2)
    assert "questions answered" not in cli(f"crawl next {GEOLOGY} --budget 5 --answers run")


def test_a_model_answers_about_a_run_that_is_there(cli: Cli, crawled: str, tmp_path: Path) -> None:
    with chat_server(lambda _: "No.") as server:
        shown = cli(f"ask run --count 2 --ask-model small --ask-url {server.url}")
    assert shown.startswith(f"no   {crawled}\n")
    with open_run(tmp_path / "run") as run:
        assert [(each.answer, each.by, each.name) for each in run.answers()] == [("no", "model", "small")] * 2


def test_questions_as_json_have_what_it_takes_to_answer_them(cli: Cli, crawled: str) -> None:
    shown = cli.json("ask run --count 3")
    assert len(shown["questions"]) == 3
    assert shown["questions"][0].keys() == {"url", "title", "snippet", "relevance", "step"}


def test_without_a_terminal_there_is_one_clear_line(crawled: str, refusal: Refusal) -> None:
    for command, remedy in (("ask run", "--json"), (f"crawl next {GEOLOGY} --ask 3", "honeyguide ask next")):
        said = refusal(command)
        assert "needs a terminal" in said
        assert remedy in said


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("answer run http://nowhere.test/ yes", "has no page http://nowhere.test/"),
        ("answer run nonsense yes", "nonsense"),
        ("answer run {url} perhaps", "'perhaps' is no answer: say yes, no, skip, undo"),
        ("answer run {url} undo", "nothing to undo"),
        ("answer nowhere {url} yes", "is not a run folder"),
        ("ask nowhere", "nowhere is not a run folder"),
        ("ask nowhere --json", "is not a run folder"),
        ("ask run --ask-url http://a.test/v1", "add --ask-model"),
        ("ask run --ask-model m --ask-url a.test", "name the server's API"),
        ("crawl next {geology} --answers missing.csv", "cannot read the answers in"),
        ("crawl next {geology} --answers odd.csv", "has no column answer"),
        ("crawl next {geology} --answers folder", "is not a run folder"),
        ("crawl next {geology} --judge keyword --ask-model m", "judge.kind keyword learns from no answers"),
        ("crawl next {geology} --ask-url http://a.test/v1", "add --ask-model"),
        ("crawl next {geology} --ask -1", "ask.questions is -1"),
        ("crawl next {geology} --like 'coral reefs' --unlike 'coral reefs'", "is given as topic.like, too"),
        ("crawl next {geology} --ask many", "ask.questions is 'many'"),
        ("export run --format answers", "has no answers; give some: honeyguide ask run"),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing_behind(
    refusal: Refusal, crawled: str, tmp_path: Path, command: str, complaint: str
) -> None:
    (tmp_path / "odd.csv").write_text("url,label\nhttp://a.test/,yes\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    assert complaint in refusal(command.format(url=crawled, geology=GEOLOGY))


def test_a_csv_of_answers_is_safe_and_complete(cli: Cli, crawled: str, tmp_path: Path) -> None:
    before = datetime.now(UTC)
    cli(f"answer run {crawled} yes --name =1+1")
    cli("export run --format answers answers.csv")
    with (tmp_path / "answers.csv").open(newline="") as lines:
        (row,) = csv.DictReader(lines)
    assert (row["url"], row["answer"], row["by"], row["name"]) == (crawled, "yes", "person", "'=1+1")
    assert before <= datetime.fromisoformat(row["given_at"]) <= datetime.now(UTC)
    assert json.loads(cli("results run --json"))["results"][0]["relevance"] == 1.0


def test_judge_shows_what_the_answers_of_a_run_taught_and_those_nearest(cli: Cli, crawled: str) -> None:
    untaught = cli.json(f"judge --run run {crawled}")["pages"][0]
    assert untaught["answers"] == []
    other = next(each["url"] for each in cli.json("ask run --count 5")["questions"] if each["url"] != crawled)
    cli(f"answer run {crawled} no")
    cli(f"answer run {other} yes")
    taught = cli.json(f"judge --run run {crawled}")["pages"][0]
    assert taught["relevance"] < untaught["relevance"]
    assert [(each["url"], each["answer"]) for each in taught["answers"]] == [(crawled, "no"), (other, "yes")]
    same, unlike = (each["nearness"] for each in taught["answers"])
    assert same == pytest.approx(1.0, abs=0.001)
    assert unlike < 0.98
    shown = cli(f"judge --run run {crawled}")
    assert f"   1.00  no   {taught['answers'][0]['title']}  {crawled}\n" in shown
    assert "evidence by learned" in shown
    cli(f"answer run {crawled} undo")
    assert [each["url"] for each in cli.json(f"judge --run run {crawled}")["pages"][0]["answers"]] == [other]


def test_answers_of_a_run_teach_no_other_judge(refusal: Refusal, crawled: str) -> None:
    assert "leave out what changes its topic, judge or vectors" in refusal(f"judge --run run --topic tea {crawled}")
    assert "each name settings" in refusal(f"judge --run run --config run/settings.toml {crawled}")
