"""Questions about the pages of a run, and the answers to them: pages for people, the same under `/api`.

Answers go where `honeyguide answer` puts them (`answering`). The script of the page posts JSON and gets back HTML for
the elements that it names, so that nothing is loaded again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from honeyguide.ask.asking import user
from honeyguide.ask.questions import RunQuestions
from honeyguide.crawler import judge_of
from honeyguide.errors import AnswerError, HoneyguideError
from honeyguide.model import Url
from honeyguide.model.counts import count_of
from honeyguide.runs import PageAnswer, Snippet, open_run
from honeyguide.runs.inbox import Reply, answers_waiting
from honeyguide.runs.snippets import SnippetMaker
from honeyguide.search import search_runs
from honeyguide.text import Stems, stop_words, words_of
from honeyguide.web.answering import QUESTION_VIEWS, Answering, GivenAnswer, given_answers
from honeyguide.web.library import MOST_JUDGES, KeptByRun
from honeyguide.web.searching import asked_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.web.app import Dashboard

LONGEST_TEXT: Final = 6_000  # characters of a page that are shown
TELLING_WORDS: Final = 12
MOST_QUESTIONS: Final = 50
MOST_PAGES: Final = 500
"""Pages that one answer may be about."""


@dataclass(frozen=True, slots=True)
class AskedPage:
    """A page about which an answer helps: does it belong to the topic?"""

    url: str
    title: str
    relevance: float  # by the newest judgement
    step: int  # that brought the page
    text: str  # its beginning; empty where no body is stored
    highlights: tuple[tuple[int, int], ...]  # half-open ranges of the text: words of the topic, and the telling ones
    words_for: tuple[str, ...]  # that make it more relevant, the most telling first
    words_against: tuple[str, ...]

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the text in order, each piece with whether it is highlighted."""
        return Snippet(self.text, self.highlights).pieces()


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """An answer about one page."""

    url: str
    answer: Reply


@dataclass(frozen=True, slots=True)
class BulkAnswer:
    """One answer about all pages of a host, or about all that a search finds."""

    answer: Reply
    host: str = ""
    search: str = ""  # the parameters of a search, as in its address: q=basalt&host=example.org
    pages: int = 0  # how many at most; 0 asks how many there are, and gives no answer

    @property
    def about(self) -> str:
        """The words for the pages that are meant."""
        return f"on {self.host}" if self.host else "of this search"


@dataclass(frozen=True, slots=True)
class AnswersNoted:
    """How many pages an answer is about, and how many answers were given: none where it is to be confirmed first."""

    pages: int
    answers: int


class QuestionFinder:
    """Finds the questions about runs. Keeps their judges. For several threads."""

    def __init__(self) -> None:
        self._kept = KeptByRun(lambda run: RunQuestions(run, lambda: judge_of(run)), MOST_JUDGES)

    def best(self, run: Path, count: int = 1) -> list[AskedPage]:
        """Return the most useful questions, besides those whose answers wait to be taken in.

        SettingsError where the judge of the run learns from no answers.
        """
        besides = [each.url for each in answers_waiting(run).values()]
        with self._kept.of(run) as questions:
            return [_asked(run, questions, each) for each in questions.best(count, besides)]

    def about(self, run: Path, url: Url) -> list[AskedPage]:
        """Return the question about one page; none where it cannot be judged again."""
        with self._kept.of(run) as questions:
            question = questions.about(url)
            return [] if question is None else [_asked(run, questions, question)]


def _asked(run: Path, questions: RunQuestions, question: PageQuestion) -> AskedPage:
    with open_run(run) as opened:
        topic, language = opened.settings.topic, opened.settings.judge.language
    rows = [row for row in questions.telling_words(question.url) if row.term not in stop_words(language)]
    words_for = [row.term for row in rows if row.contribution > 0][:TELLING_WORDS]
    words_against = [row.term for row in reversed(rows) if row.contribution < 0][:TELLING_WORDS]
    phrases = (topic.name, *topic.keywords, *words_for)
    marked = _maker(phrases, language).whole(question.text.removeprefix(question.title).lstrip(), LONGEST_TEXT)
    return AskedPage(
        question.url.text, question.title, question.relevance, question.step, marked.text, marked.highlights,
        tuple(words_for), tuple(words_against),
    )  # fmt: skip


def _maker(phrases: Sequence[str], language: str) -> SnippetMaker:
    stems = Stems(language)
    terms = {word for phrase in phrases for word in words_of(phrase)} - stop_words(language)
    return SnippetMaker(stems.of(sorted(terms)), lambda text: stems.of(words_of(text)))


def pages_meant(run: Path, bulk: BulkAnswer) -> list[Url]:
    """Return the pages that a bulk answer is about. AnswerError where there are none, or too many."""
    if bool(bulk.host) == bool(bulk.search):
        raise AnswerError("name a host or a search, and not both")
    if bulk.host:
        with open_run(run) as opened:
            found, total = opened.urls_on_host(bulk.host.lower(), MOST_PAGES + 1), 0
    else:
        asked = replace(asked_in(bulk.search), page=1, per_page=MOST_PAGES)
        results = search_runs(run, asked.q, asked.overrides, **asked.question)
        found, total = [Url.parse(hit.url) for hit in results.hits], results.total
    about = bulk.about
    if max(len(found), total) > MOST_PAGES:
        raise AnswerError(f"there are more than {MOST_PAGES} pages {about}: answer about fewer at once")
    if not found:
        raise AnswerError(f"the run has no pages {about}")
    if bulk.answer == "undo":
        waiting = answers_waiting(run)
        with open_run(run) as opened:
            answered = {each.url for each in given_answers(opened, waiting)}
        found = [url for url in found if url.text in answered]
        if not found:
            raise AnswerError(f"nobody has answered about the pages {about}, so there is nothing to undo")
    return found


class Answers:
    """Takes answers that come from the dashboard."""

    def __init__(self) -> None:
        self._answering = Answering()

    def give(self, run: Path, urls: Sequence[Url], reply: Reply) -> AnswersNoted:
        """Give the same answer about some pages of a run."""
        self._answering.give(run, [PageAnswer(url, reply, name=user()) for url in urls])
        return AnswersNoted(len(urls), len(urls))

    def give_bulk(self, run: Path, bulk: BulkAnswer) -> AnswersNoted:
        """Count the pages that are meant; once that is confirmed, answer about as many at most."""
        found = pages_meant(run, bulk)
        if not bulk.pages:
            return AnswersNoted(len(found), 0)
        return replace(self.give(run, found[: bulk.pages], bulk.answer), pages=len(found))


def questions(site: Dashboard) -> APIRouter:
    """Serve questions and take answers."""
    router = APIRouter()
    finder, answers = QuestionFinder(), Answers()
    router.include_router(_pages(site, finder, answers))
    router.include_router(_api(site, finder, answers))
    return router


def _pages(site: Dashboard, finder: QuestionFinder, answers: Answers) -> APIRouter:
    router = APIRouter(prefix="/runs/{name}", include_in_schema=False)

    def question_html(name: str, path: Path, again: Url | None = None) -> str:
        try:
            found = finder.about(path, again) if again else finder.best(path)
            return site.render("question.html", name=name, page=found[0] if found else None, problem="")
        except HoneyguideError as error:  # shown in place of the question
            return site.render("question.html", name=name, page=None, problem=str(error))

    def parts(name: str, path: Path) -> dict[str, str]:
        """Make the views below a question anew: others may share what is some moments old, whoever answers may not."""
        with site.readings.open(name, path) as reading:
            return {
                view.name: site.render(view.template, view=view.gather(reading), reading=reading)
                for view in QUESTION_VIEWS
            }

    @router.get("/questions")
    def questions_page(request: Request, name: str) -> HTMLResponse:
        path = site.library.path(name)
        with site.readings.open(name, path) as reading:
            card = reading.card
        return site.page(request, "questions.html", card=card, tab="/questions", parts=parts(name, path))

    @router.get("/question")
    def question_part(name: str) -> HTMLResponse:
        return HTMLResponse(question_html(name, site.library.path(name)))

    @router.post("/answers")
    def take_answer(name: str, answer: OneAnswer, *, asks: bool = False) -> dict[str, Any]:
        path, url = site.library.path(name), Url.parse(answer.url)
        noted = answers.give(path, [url], answer.answer)
        swap = {}
        if asks:
            question = question_html(name, path, url if answer.answer == "undo" else None)
            swap = parts(name, path) | {"question": question}
        return {"message": told(answer.answer, noted), "swap": swap}

    @router.post("/answers/bulk")
    def take_bulk(name: str, answer: BulkAnswer) -> dict[str, Any]:
        path = site.library.path(name)
        found = answers.give_bulk(path, answer)
        if not found.answers:
            does = "Take back the answers" if answer.answer == "undo" else f"Answer {answer.answer}"
            about = f"about {count_of(found.pages, 'page')} {answer.about}"
            return {"confirm": f"{does} {about}?", "pages": found.pages}
        return {"message": told(answer.answer, found)}

    return router


def _api(site: Dashboard, finder: QuestionFinder, answers: Answers) -> APIRouter:
    router = APIRouter(prefix="/api/runs/{name}")

    @router.get("/questions", summary="Pages about which an answer helps most")
    def best_questions(
        name: str, count: Annotated[int, Query(ge=1, le=MOST_QUESTIONS, description="How many at most.")] = 5
    ) -> list[AskedPage]:
        return finder.best(site.library.path(name), count)

    @router.get("/answers", summary="Answers that stand or wait to be taken in, the newest first")
    def standing_answers(
        name: str, count: Annotated[int, Query(ge=1, le=10_000, description="How many at most.")] = 100
    ) -> list[GivenAnswer]:
        path = site.library.path(name)
        waiting = answers_waiting(path)
        with open_run(path) as opened:
            return given_answers(opened, waiting)[:count]

    @router.post("/answers", summary="Answer about a page: yes, no, skip or undo")
    def post_answer(name: str, answer: OneAnswer) -> AnswersNoted:
        """It is noted at once; `effect` says what it has changed as soon as the run has taken it in."""
        return answers.give(site.library.path(name), [Url.parse(answer.url)], answer.answer)

    @router.post("/answers/bulk", summary="Answer about all pages of a host or a search")
    def post_bulk(name: str, answer: BulkAnswer) -> AnswersNoted:
        """With `pages` 0 it says how many there are; an answer is given about that many at most."""
        return answers.give_bulk(site.library.path(name), answer)

    return router


def told(reply: str, noted: AnswersNoted) -> str:
    """Return in a few words what was answered."""
    return f"{reply} about {count_of(noted.answers, 'page')}: noted" if noted.answers > 1 else f"{reply}: noted"
