"""Every exception Honeyguide raises on purpose.

HoneyguideError
├── InvalidUrl        text that is not a usable http(s) URL (also a ValueError)
├── SettingsError     settings or flags that cannot be run; carries every mistake found
├── WorldError        a world that cannot be opened or named
├── DocumentError     a document, such as a PDF, of which no text can be read
├── PageError         a page that a person named and that cannot be read
├── GraphError        a link graph that cannot be read or ranked, or a page that is not in it
├── QueryError        a query that cannot be understood, or a page to compare with that no run has
├── VectorsError      word vectors that cannot be read, kept, trained, or are not those that a run began with
├── StoreError        a run folder that cannot be made, opened or written
│   ├── RunExists     the folder is there already and is not empty
│   ├── RunBusy       another process is crawling into it
│   ├── RunDamaged    the folder is not a run, is newer than this program, or is broken
│   └── DiskFull      there is no room to write the next step
├── ExportError       a run that cannot be written in the form asked for
├── AnswerError       an answer that is none, or about a page that the run does not have
├── StrategyError     a strategy that cannot load its saved state or lacks what it needs
├── JudgeError        a judge that cannot load its saved state, breaks on page after page, or has not a run's own files
├── ProxyError        proxies none of which answers
├── HookError         a function of the user's that breaks on page after page
├── GuardError        a guard that cannot load its saved state
├── ServeError        a dashboard that cannot be served
├── ClusterError      a cluster that cannot be reached, or whose workers cannot do their work
└── WorkerError       processes that read pages beside the crawl and cannot be started

Every message names the offending value and the remedy, on one line, because the command line prints it as it is.
What is ordinary on the web (a 404, a robots refusal, bad markup) is a value in `model`, never an exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class HoneyguideError(Exception):
    """The root of the tree: catch this to catch everything raised on purpose."""


class InvalidUrl(HoneyguideError, ValueError):  # noqa: N818 - reads as a statement about the text
    """Text that is not a usable http(s) URL."""


class SettingsError(HoneyguideError):
    """Settings that cannot be run. `mistakes` lists all of them, not just the first."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("; ".join(self.mistakes))

    def __reduce__(self) -> tuple[type[SettingsError], tuple[tuple[str, ...]]]:
        """Come whole out of another process."""
        return type(self), (self.mistakes,)


class WorldError(HoneyguideError):
    """A world that cannot be opened or named."""


class PageError(HoneyguideError):
    """A page that a person named, by file or URL, and that cannot be read."""


class DocumentError(HoneyguideError):
    """A document, such as a PDF, of which no text can be read: damaged, encrypted, too large, or no extra."""


class GraphError(HoneyguideError):
    """A link graph that cannot be read or ranked, or a page that is not in it."""


class QueryError(HoneyguideError):
    """A query that cannot be understood, or that asks for what no searched run has."""


class VectorsError(HoneyguideError):
    """Word vectors that cannot be read, kept or trained, or that are not those a run began with."""


class StoreError(HoneyguideError):
    """A run folder that cannot be made, opened or written."""


class RunExists(StoreError):  # noqa: N818
    """The folder is there already and is not empty."""


class RunBusy(StoreError):  # noqa: N818
    """Another process is crawling into this folder."""


class RunDamaged(StoreError):  # noqa: N818
    """The folder is not a run, was written by a newer program, or is broken."""


class DiskFull(StoreError):  # noqa: N818
    """There is no room to write the next step; what was committed before is safe."""


class ExportError(HoneyguideError):
    """A run that cannot be written in the form asked for: it has nothing to write, or something is missing here."""


class AnswerError(HoneyguideError):
    """An answer that is none, or about a page that the run does not have."""


class StrategyError(HoneyguideError):
    """A strategy that cannot load its saved state or lacks what it needs."""


class JudgeError(HoneyguideError):
    """A judge that cannot load its saved state, breaks on page after page, or whose files are not those of the run."""


class ProxyError(HoneyguideError):
    """Proxies none of which answers."""


class HookError(HoneyguideError):
    """A function of the user's that breaks on page after page."""


class GuardError(HoneyguideError):
    """A guard that cannot load its saved state."""


class WorkerError(HoneyguideError):
    """Processes that read pages beside the crawl and cannot be started."""


class ClusterError(HoneyguideError):
    """A cluster that cannot be reached, that lacks what a crawl needs, or whose workers die again and again."""


class ServeError(HoneyguideError):
    """A dashboard that cannot be served: its port is taken, or what it needs is not installed."""
