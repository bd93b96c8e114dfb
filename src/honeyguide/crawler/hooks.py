"""Hooks: functions of the user's that look at every page, in the process that reads it.

A hook may add fields, take links away and label the page; what it said goes into the step of the page, so that a run
that is resumed does not ask it again. It runs in another process than the crawl: what else it changes is not seen
there. The crawl ends that process when a hook takes too long, whatever it is doing, and another takes its place.
"""

from __future__ import annotations

import math
import traceback
from dataclasses import replace
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from honeyguide.crawler.preparing import Prepared, Unreadable
from honeyguide.errors import SettingsError
from honeyguide.parse import decode
from honeyguide.parse.fields import FIELD_NAME, MOST_VALUES, kept_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.model import Fetched, FieldValue, Link, Page

    OnPage: TypeAlias = "Callable[[HookedPage], None]"

MOST_CHARACTERS: Final = 200
"""Of what is told of an error."""
_FIRST_TOO_LARGE: Final = 2**63  # for the whole numbers of databases


class HookedPage:
    """A page as a hook sees it. Change `fields`, `links` and `label`; the rest is to look at."""

    def __init__(self, page: Page, fetched: Fetched) -> None:
        self.url = page.url.text
        self.title = page.title
        self.text = page.text  # all visible text, white space folded
        self.media_type = page.media_type
        self.status = fetched.status
        self.body = fetched.body  # as it was received
        self.fields: dict[str, Any] = dict(page.fields)  # texts, numbers, or lists of these
        self.links: list[Link] = list(page.links)  # of which some may be taken away
        self.label: bool | None = None  # whether the page is what is wanted, as a person would answer; None for no word
        self._content_type = fetched.content_type

    @property
    def html(self) -> str:
        """The body as text."""
        return decode(self.body, self._content_type)[0]


def load_hook(name: str) -> OnPage:
    """Return the function that `module:function` or `FILE.py:function` names. SettingsError where there is none."""
    home, colon, function = name.rpartition(":")
    if not colon or not home or not function.isidentifier():
        raise SettingsError([f"crawl.on_page is {name!r}: write it as module:function or FILE.py:function"])
    try:
        module = _module_in(Path(home)) if home.endswith(".py") else import_module(home)
        found = getattr(module, function)
    except Exception as error:  # noqa: BLE001 - whatever a file of the user's does when it is loaded
        raise SettingsError([f"crawl.on_page is {name!r}: it cannot be loaded: {told(error)}"]) from None
    if not callable(found):
        raise SettingsError([f"crawl.on_page is {name!r}: {function} is no function"])
    return found


def _module_in(file: Path) -> Any:  # noqa: ANN401 - a module
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pickled_hook(hook: OnPage) -> bytes:
    """Return a function in the form in which another process can load it, whether it has a module or not."""
    import cloudpickle  # noqa: PLC0415 - few crawls have hooks

    try:
        return bytes(cloudpickle.dumps(hook))
    except Exception as error:  # noqa: BLE001 - whatever the function refers to says
        raise SettingsError(
            [f"on_page cannot be handed to the process that reads pages: {told(error)}; open what it needs inside it"]
        ) from None


def hooked(hook: OnPage, prepared: Prepared, fetched: Fetched) -> Prepared | Unreadable:
    """Show a page to a hook, and return it as the hook leaves it; one that breaks on it makes it unreadable."""
    try:
        return _shown_to(hook, prepared, fetched)
    except BaseException as error:  # noqa: BLE001 - also sys.exit: it costs this page alone
        return Unreadable(f"on_page: {told(error)}", by_hook=True)


def _shown_to(hook: OnPage, prepared: Prepared, fetched: Fetched) -> Prepared:
    page, seen = prepared.page, HookedPage(prepared.page, fetched)
    result: Any = hook(seen)  # type: ignore[func-returns-value]
    if result is not None:
        raise TypeError(f"it returned a {type(result).__name__}; change page.fields, page.links or page.label instead")
    if seen.label is not None and not isinstance(seen.label, bool):
        raise TypeError(f"page.label is {seen.label!r}: make it True, False or None")
    kept = {link.target for link in seen.links}
    if strange := kept - {link.target for link in page.links}:
        raise ValueError(f"page.links has {min(url.text for url in strange)}, which is not on the page")
    links = page.links if len(kept) == len(page.links) else tuple(link for link in page.links if link.target in kept)
    fields = tuple(_field(name, value) for name, value in seen.fields.items() if value is not None)
    described = prepared.described if links is page.links else None
    return replace(prepared, page=replace(page, fields=fields, links=links), label=seen.label, described=described)


def _field(name: object, value: object) -> tuple[str, FieldValue]:
    """Return a field as it is kept, of plain types alone. TypeError or ValueError where it cannot be."""
    if not isinstance(name, str) or not FIELD_NAME.fullmatch(name):
        raise ValueError(f"page.fields has the name {name!r}: a name is a letter, then letters, digits and _")
    if isinstance(value, list | tuple):
        return kept_text(name), tuple(_single(name, each) for each in value[:MOST_VALUES])
    return kept_text(name), _single(name, value)


def _single(name: str, value: object) -> str | int | float:
    match value:
        case str():
            return kept_text(value)
        case bool():
            return value
        case int() if abs(value) >= _FIRST_TOO_LARGE:
            raise ValueError(f"page.fields[{name!r}] is a whole number of over 64 bits: give it as text")
        case int():
            return int(value)
        case float() if not math.isfinite(value):
            raise ValueError(f"page.fields[{name!r}] is {value}: no number that can be kept")
        case float():
            return float(value)
    raise TypeError(f"page.fields[{name!r}] holds a {type(value).__name__}: give text, a number or a list of these")


def told(error: BaseException) -> str:
    """Return the last line of a traceback, with the place where it was raised."""
    (*_, last) = traceback.extract_tb(error.__traceback__) or [None]
    line = kept_text(" ".join(traceback.format_exception_only(error)[-1].split()))[:MOST_CHARACTERS]
    is_ours = last is None or last.filename == __file__ or "importlib" in last.filename
    return line if is_ours or last is None else f"{Path(last.filename).name}:{last.lineno}: {line}"
