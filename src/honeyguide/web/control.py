"""Control of crawls: start one from a form, stop, resume and extend it. A running crawl is told through its inbox."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from honeyguide.crawler import budget_asked, settings_to_resume
from honeyguide.crawler.events import StopReason
from honeyguide.errors import SettingsError, StoreError
from honeyguide.runs import RunFolder, StopRequest, is_being_crawled
from honeyguide.runs.inbox import put, withdraw
from honeyguide.settings import validate
from honeyguide.settings.sections import STAY_ON
from honeyguide.web import starting
from honeyguide.web.library import RunCard  # noqa: TC001 - FastAPI reads it
from honeyguide.web.starting import LISTS, LOG, WORLDS, WORLDS_OF_FILES, CrawlRefused, NewCrawl, read_form
from honeyguide.web.views import View

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.web.app import Dashboard
    from honeyguide.web.views import Reading


@dataclass(frozen=True, slots=True)
class RunControl:
    """What can be done with a run now."""

    can_stop: bool
    can_resume: bool
    can_extend: bool
    log: str  # file with the output of crawls that the dashboard has started; empty where there is none


def gather_control(reading: Reading) -> RunControl:
    """Read what can be done with a run."""
    card = reading.card
    log, may_go_on = reading.run.path / LOG, card.stop_reason != StopReason.EXHAUSTED
    return RunControl(
        can_stop=reading.is_running,
        can_resume=card.state == "stopped",
        can_extend=reading.is_running or may_go_on,
        log=str(log) if log.exists() else "",
    )


CONTROL: Final = View("control", RunControl, gather_control, "control.html")


@dataclass(frozen=True, slots=True)
class NewBudget:
    """A budget of fetches: a new total, or "+1000" for a thousand more."""

    budget: int | str


@dataclass(frozen=True, slots=True)
class ControlDone:
    """What was done, in a sentence."""

    message: str


def stop(path: Path) -> ControlDone:
    """Ask the crawl of a run to stop. StoreError where nobody crawls it."""
    if not is_being_crawled(path):
        raise StoreError(f"{path} is not being crawled, so there is nothing to stop")
    put(path, StopRequest())
    return ControlDone("The crawl stops when the step under way is stored.")


def extend(path: Path, budget: int | str) -> ControlDone:
    """Give a run more to spend; one that nobody crawls goes on with it. SettingsError where it is no more."""
    folder = RunFolder.open(path)
    before = settings_to_resume(folder, {}).budget.fetches
    validate(settings_to_resume(folder, {}, budget))
    asked = budget_asked(budget)
    if asked.extended(before) == before:
        raise SettingsError([f"the budget is {before:,} already: give more than that, or +1000 for a thousand more"])
    # Whoever crawls adds it up: two who extend at the same time both have their way.
    name = put(path, asked)
    try:
        if not is_being_crawled(path):
            starting.resume(path)
    except StoreError:
        withdraw(path, name)
        raise
    given = f"gets {asked.fetches:,} fetches more" if asked.is_more else f"goes on to {asked.fetches:,} fetches in all"
    return ControlDone(f"The crawl {given}.")


def resume(path: Path) -> ControlDone:
    """Go on with a run. StoreError where it is being crawled, or cannot go on."""
    if is_being_crawled(path):
        raise StoreError(f"{path} is being crawled already")
    settings_to_resume(RunFolder.open(path), {})
    starting.resume(path)
    return ControlDone("The crawl goes on.")


def control(site: Dashboard) -> APIRouter:
    """Serve the form of a new crawl, and take orders for crawls."""
    router = APIRouter()

    @router.get("/new", include_in_schema=False)
    def new_page(request: Request) -> Response:
        return site.page(request, "new.html", **_fields(site, {}, {}))

    @router.post("/new", include_in_schema=False)
    def new_crawl(values: dict[str, str]) -> dict[str, Any]:
        try:
            path = starting.start(home_of(site), read_form(values), may_name_files=site.access.is_local)
        except CrawlRefused as error:
            return {"swap": {"new-crawl": site.render("new_form.html", **_fields(site, values, error.mistakes))}}
        return {"go": f"/runs/{quote(path.name)}" if starting.has_started(path) else "/"}

    @router.post("/api/runs", summary="Start a new crawl", status_code=201, responses={422: {"model": dict[str, Any]}})
    def start_crawl(crawl: NewCrawl) -> RunCard:
        """It runs in a process of its own, which goes on without this server."""
        path = starting.start(home_of(site), crawl, may_name_files=site.access.is_local)
        return site.library.card(path.name, path)

    for prefix, is_shown in (("/api", True), ("", False)):
        _orders(site, router, f"{prefix}/runs/{{name}}", is_shown=is_shown)
    return router


def _orders(site: Dashboard, router: APIRouter, prefix: str, *, is_shown: bool) -> None:
    @router.post(f"{prefix}/stop", summary="Stop a crawl; it can be resumed", include_in_schema=is_shown)
    def stop_crawl(name: str) -> ControlDone:
        return stop(site.library.path(name))

    @router.post(f"{prefix}/resume", summary="Go on with a run", include_in_schema=is_shown)
    def resume_crawl(name: str) -> ControlDone:
        return resume(site.library.path(name))

    @router.post(f"{prefix}/extend", summary="Give a run more fetches to spend", include_in_schema=is_shown)
    def extend_budget(name: str, more: NewBudget) -> ControlDone:
        return extend(site.library.path(name), more.budget)


def refused(request: Request, error: Exception) -> Response:
    """Answer a program with all mistakes, by field."""
    del request
    assert isinstance(error, CrawlRefused)
    return JSONResponse({"detail": str(error), "mistakes": error.mistakes}, 422)


def home_of(site: Dashboard) -> Path:
    """Return the folder in which new runs begin. CrawlRefused where only single runs are shown."""
    home = site.library.home
    if home is None:
        reason = "only single runs are shown here: start honeyguide serve with a folder, and crawls begin in it"
        raise CrawlRefused({"": [reason]})
    return home


def _fields(site: Dashboard, values: dict[str, str], mistakes: dict[str, list[str]]) -> dict[str, Any]:
    """Return what the form of a new crawl shows."""
    usual = {name: "\n".join(value) if name in LISTS else str(value) for name, value in asdict(NewCrawl()).items()}
    worlds = [*WORLDS, *(f"{kind}:" for kind in WORLDS_OF_FILES if site.access.is_local)]
    return {
        "values": usual | values, "mistakes": mistakes, "worlds": worlds, "stay_on": STAY_ON,
        "home": site.library.home,
    }  # fmt: skip
