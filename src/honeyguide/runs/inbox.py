"""Messages to a crawl that another process is making: answers about pages, and commands.

Nobody but the crawl writes to a run. Others put messages into `RUN/inbox`, a small JSON file each, and the crawl takes
them between two steps. A file appears whole or not at all, and its name sorts by the time at which it was put.
"""

from __future__ import annotations

import json
import logging
import os
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from heapq import nsmallest
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from uuid import uuid4

from honeyguide.errors import AnswerError, StoreError
from honeyguide.model import Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import SETTINGS_BY_KEY, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import UnionType

log = logging.getLogger(__name__)

FOLDER: Final = "inbox"
SUFFIX: Final = ".json"
LARGEST_BYTES: Final = 100_000  # of a message; the longest URL fits
MOST_AT_ONCE: Final = 1000  # messages that a crawl takes together; the others wait for its next look
MOST_BYTES_AT_ONCE: Final = 2_000_000  # of these
MOST_SEEN: Final = 20_000  # files that are looked at
OLD_DRAFT_S: Final = 60.0  # after which whoever wrote it was killed
MOST_FETCHES: Final = int(SETTINGS_BY_KEY["budget.fetches"].at_most or 0)

Reply = Literal["yes", "no", "skip", "undo"]
Answerer = Literal["person", "model", "labels", "file", "hook"]


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """An answer about a page: does it belong to the topic? `undo` takes the newest answer about it back."""

    url: Url
    answer: Reply
    by: Answerer = "person"
    name: str = ""  # of the person, model or file
    description: bytes = b""  # of the page, where another run or shard has it; never sent through an inbox

    def __post_init__(self) -> None:
        """AnswerError where the answer or the kind of answerer is none."""
        if self.answer not in get_args(Reply):
            raise AnswerError(f"{self.answer!r} is no answer: say {', '.join(get_args(Reply))}")
        if self.by not in get_args(Answerer):
            raise AnswerError(f"{self.by!r} cannot answer: choose {', '.join(get_args(Answerer))}")


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Stop as soon as the step under way is stored. The run can be resumed."""


@dataclass(frozen=True, slots=True)
class BudgetExtension:
    """Go on to this many fetches in all, or by this many more."""

    fetches: int
    is_more: bool = False

    def extended(self, budget: int) -> int:
        """Return the budget of a crawl that had this one: never less, and never more than a crawl may have."""
        wanted = budget + self.fetches if self.is_more else self.fetches
        return max(budget, min(wanted, MOST_FETCHES))


Message = PageAnswer | StopRequest | BudgetExtension


@dataclass(frozen=True, slots=True)
class Letter:
    """A message as it lies in the inbox."""

    name: str  # of its file: no other has it, ever
    message: Message


def new_name() -> str:
    """Return a name for a message that is put now."""
    return f"{RealClock().now() * 1e6:020.0f}-{uuid4().hex[:12]}"


def put(run: Path, message: Message) -> str:
    """Leave a message for the crawl of a run, and return its name. Safe on disk then; StoreError where it cannot be."""
    inbox = run / FOLDER
    name = new_name()
    draft = inbox / f"{name}.draft"
    try:
        inbox.mkdir(exist_ok=True)
        with draft.open("w", encoding="utf-8") as opened:
            json.dump(_written(message), opened)
            opened.flush()
            os.fsync(opened.fileno())
        draft.rename(inbox / f"{name}{SUFFIX}")
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise StoreError(f"cannot write to {inbox}: {error.strerror}; free some space or change its rights") from error
    return f"{name}{SUFFIX}"


@contextmanager
def take(run: Path, kind: type[Message] | UnionType = Message, most: int = MOST_AT_ONCE) -> Iterator[list[Letter]]:
    """The oldest messages of a kind that wait, in order. They are deleted at the end of the block, unless it raises.

    One who is killed inside the block finds them again: `Letter.name` says which were taken in already. Files that are
    no messages are deleted, with one warning for all.
    """
    read, troubles = _read_oldest(run, most)
    if troubles:
        more = f", and {len(troubles) - 1:,} more" if troubles[1:] else ""
        log.warning("no message, and deleted: %s%s", troubles[0], more)
    taken = {name: each for name, each in read.items() if each is None or isinstance(each.message, kind)}
    yield [letter for letter in taken.values() if letter is not None]
    for name in taken:
        with suppress(OSError):
            (run / FOLDER / name).unlink()


def answers_waiting(run: Path) -> dict[str, PageAnswer]:
    """Return the answers that wait to be taken, by the name of the message, in order."""
    letters = _read_oldest(run, MOST_AT_ONCE)[0]
    return {name: each.message for name, each in letters.items() if each and isinstance(each.message, PageAnswer)}


def withdraw(run: Path, name: str) -> None:
    """Take back a message that was put, unless it was taken already."""
    with suppress(OSError):
        (run / FOLDER / name).unlink()


def with_waiting_budget(run: Path, budget: int) -> int:
    """Return the budget of fetches that a run with this one has when what waits is taken."""
    for each in _read_oldest(run, MOST_AT_ONCE)[0].values():
        if each is not None and isinstance(each.message, BudgetExtension):
            budget = each.message.extended(budget)
    return budget


def _waiting(run: Path, most: int) -> list[str]:
    """Return the names that sort first, of messages and of old drafts, which will never be any."""
    now = RealClock().now()
    try:
        with os.scandir(run / FOLDER) as entries:
            return nsmallest(most, (each.name for each in islice(filter(partial(_is_due, now), entries), MOST_SEEN)))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_due(now: float, entry: os.DirEntry[str]) -> bool:
    if not entry.is_file(follow_symlinks=False):  # to open a pipe would be to wait for whoever writes to it
        return False
    return entry.name.endswith(SUFFIX) or now - entry.stat(follow_symlinks=False).st_mtime > OLD_DRAFT_S


def _read_oldest(run: Path, most: int) -> tuple[dict[str, Letter | None], list[str]]:
    """Read messages until there are many, or they are large; None for a file that is no message, and why it is none."""
    found: dict[str, Letter | None] = {}
    troubles: list[str] = []
    bytes_left = MOST_BYTES_AT_ONCE
    for name in _waiting(run, most):
        file = run / FOLDER / name
        try:
            bytes_left -= _size(file)
            if bytes_left < 0:
                break
            name.encode()  # it is stored with the message
            with file.open("rb") as opened:  # one that has grown is cut short, and then it is no JSON
                found[name] = Letter(name, _message(json.loads(opened.read(LARGEST_BYTES))))
        except Exception as error:  # noqa: BLE001 - anyone may have written anything, and the crawl goes on
            found[name] = None
            troubles.append(f"{str(file)!r} ({error!r:.200})")
    return found, troubles


def _size(file: Path) -> int:
    """Return the bytes of a file; ValueError where no message has its name or so many."""
    if file.suffix != SUFFIX:
        raise ValueError(f"its name does not end in {SUFFIX}")
    size = file.lstat().st_size
    if size > LARGEST_BYTES:
        raise ValueError(f"{size:,} bytes, over {LARGEST_BYTES:,}")
    return size


def _written(message: Message) -> dict[str, Any]:
    match message:
        case PageAnswer():
            said = {"answer": message.answer, "by": message.by, "name": message.name}
            return {"kind": "answer", "url": message.url.text, **said}
        case StopRequest():
            return {"kind": "stop"}
        case BudgetExtension():
            return {"kind": "extend", **asdict(message)}


def _message(written: dict[str, Any]) -> Message:
    match written["kind"]:
        case "answer":
            name = str(written["name"])
            name.encode()  # a lone surrogate could not be stored
            return PageAnswer(Url.parse(written["url"]), written["answer"], written["by"], name)
        case "stop":
            return StopRequest()
        case "extend":
            fetches = written["fetches"]
            if type(fetches) is not int or not SETTINGS_BY_KEY["budget.fetches"].is_within(fetches):
                raise ValueError(f"fetches is {shown(fetches)}, no number of fetches")
            return BudgetExtension(fetches, is_more=written["is_more"] is True)
        case other:
            raise ValueError(f"no message is of kind {other!r}")
