"""`honeyguide ask` and `honeyguide answer`: tell a run which of its pages you mean."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast, get_args

import typer
from rich.console import Console

from honeyguide.ask.asking import Asking, Respondent, user
from honeyguide.ask.language_model import LanguageModel
from honeyguide.ask.questions import RunQuestions
from honeyguide.cli.asking import Keys, TerminalQuestions
from honeyguide.cli.options import JsonFlag, RunArgument, TrustFlag
from honeyguide.cli.output import command, print_json
from honeyguide.cli.progress import CrawlScreen
from honeyguide.crawler import RunToAnswer, judge_of
from honeyguide.crawler import answer as give_answer
from honeyguide.errors import AnswerError, RunBusy, SettingsError
from honeyguide.model import Topic
from honeyguide.model.counts import count_of
from honeyguide.runs import RunFolder, open_run, trust_run
from honeyguide.runs.inbox import Reply, put
from honeyguide.settings import validate, with_overrides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.crawler import AnswersTaken
    from honeyguide.runs import PageAnswer

_REPLIES: Final = get_args(Reply)
_IN_THE_INBOX: Final = "the crawl takes it in between two steps"


def answer(
    run: RunArgument,
    url: Annotated[str, typer.Argument(metavar="URL", help="A page of the run.", show_default=False)],
    reply: Annotated[str, typer.Argument(metavar="yes|no|skip|undo", help="The answer.", show_default=False)],
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", show_default=False, help="Whose answer it is; else yours.")
    ] = None,
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Say whether a page of a run belongs to its topic.

    The judge learns from it, and all pages are judged again. While the run is being crawled the answer goes into its
    inbox, and the crawl takes it in between two steps. [bold]undo[/bold] takes back the newest answer about the page.

    [bold]Example[/bold]

      honeyguide answer my-run https://example.org/reef yes
    """
    said = reply.strip().lower()
    if said not in _REPLIES:
        raise AnswerError(f"{reply!r} is no answer: say {', '.join(_REPLIES)}")
    if trust:
        trust_run(run)
    taken = give_answer(run, url, cast("Reply", said), name=user() if name is None else name)
    if as_json:
        print_json({"url": url, "answer": said, "in_inbox": taken is None, **_changes(taken)})
    else:
        print(f"{said}: {url}; {_IN_THE_INBOX if taken is None else _told(taken)}")


def _changes(taken: AnswersTaken | None) -> dict[str, Any]:
    if taken is None:
        return {}
    return {"changed": taken.changed, "relevant": taken.progress.relevant, "pages": taken.progress.pages}


def _told(taken: AnswersTaken) -> str:
    if not taken.has_learned:
        return "noted; no page is judged otherwise"
    return (
        f"{count_of(taken.changed, 'page')} judged otherwise, {taken.progress.relevant:,} of "
        f"{taken.progress.pages:,} relevant"
    )


def ask(
    run: RunArgument,
    count: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How many questions at most.")] = 10,
    model: Annotated[
        str, typer.Option("--ask-model", metavar="NAME", show_default=False, help="Let this language model answer.")
    ] = "",
    url: Annotated[
        str,
        typer.Option(
            "--ask-url", metavar="URL", show_default=False,
            help="Its OpenAI-compatible server. \\[default: http://localhost:11434/v1]",
        ),
    ] = "",
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Answer the most useful questions about a run.

    Shows pages whose answer helps most, one after another, with title, address and the part about the topic. One key
    answers: y, n, s (skip), u (take back the last answer), q (stop). Works while the run is being crawled, too.
    --json prints the questions instead.

    [bold]Example[/bold]

      honeyguide ask my-run --count 5
    """
    RunFolder.open(run)  # which RUN@1 does not name
    if trust:
        trust_run(run)
    questions = RunQuestions(run, lambda: judge_of(run))
    if as_json:
        found = questions.best(count)
        print_json({"run": str(run), "is_enough": not found, "questions": [_document(each) for each in found]})
        return
    if model or url:
        with _taking_answers(run) as give:
            asking = Asking(questions.best, _language_model(run, model, url), give, count)
            while not asking.is_over and asking.ask():
                pass
        for each in asking.given:
            print(f"{each.answer:4} {each.url}")
        _print_summary(run, asking)
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise SettingsError(
            [f"ask needs a terminal: --json prints the questions, and {command('answer', run)} URL yes answers one"]
        )
    with _taking_answers(run) as give:
        asking = _ask_in_terminal(questions, give, count)
    _print_summary(run, asking)


def _language_model(run: Path, model: str, url: str) -> Respondent:
    with open_run(run) as opened:
        settings = with_overrides(opened.settings, {"ask.model": model, "ask.url": url})
    validate(settings)
    topic = settings.topic
    asked = LanguageModel(settings.ask, Topic(topic.name, topic.keywords, topic.like, topic.unlike))
    return Respondent("model", model, asked.reply)


def _document(question: PageQuestion) -> dict[str, Any]:
    return {
        "url": question.url.text,
        "title": question.title,
        "snippet": None if question.snippet is None else question.snippet.text,
        "relevance": round(question.relevance, 6),
        "step": question.step,
    }


@contextmanager
def _taking_answers(run: Path) -> Iterator[Callable[[PageAnswer], object]]:
    """Give the way into a run: into it at once, or into its inbox while it is being crawled."""
    with ExitStack() as opened:
        try:
            ours = opened.enter_context(RunToAnswer(run))
        except RunBusy:
            yield lambda answer: put(run, answer)
        else:
            yield ours.give


def _ask_in_terminal(questions: RunQuestions, give: Callable[[PageAnswer], object], count: int) -> Asking:
    console = Console(stderr=True)
    screen = CrawlScreen(console=console, auto_refresh=False, transient=True)
    with Keys() as keys, screen:
        terminal = TerminalQuestions(keys, screen.show_question, lambda: False, count)
        asking = Asking(questions.best, Respondent("person", user(), terminal.reply), give, count)
        while not asking.is_over and asking.ask():
            pass
    return asking


def _print_summary(run: Path, asking: Asking) -> None:
    counts = Counter(each.answer for each in asking.given)
    said = ", ".join(f"{times} {answer}" for answer, times in counts.items())
    if not asking.is_over:
        print("No question is left whose answer would change anything.")
    with open_run(run) as opened:
        progress = opened.progress
        print(f"{count_of(len(asking.given), 'answer')}{f' ({said})' if said else ''}")
        print(f"{progress.relevant:,} of {progress.pages:,} pages are relevant; see: {command('results', run)}")
