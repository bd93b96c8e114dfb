"""The dashboard as a web application: pages for people, the same values under `/api` for programs.

This is where a view or a router of another module is wired in: `VIEWS` and `routers`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata, resources
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from jinja2 import ChoiceLoader, PackageLoader
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.routing import Route

from honeyguide.errors import HoneyguideError, InvalidUrl, PageError, QueryError, SettingsError
from honeyguide.runs.report.writing import templates
from honeyguide.web import answering, control, describing, finds, insights, numbers, traffic
from honeyguide.web.library import Library, RunCard, RunUnknown
from honeyguide.web.live import Watcher
from honeyguide.web.mcp import McpEndpoint
from honeyguide.web.safety import ASSISTANTS_PATH, Access, Guarded, csrf_of
from honeyguide.web.searching import IndexUnderway, Searchers, search_routes
from honeyguide.web.starting import CrawlRefused
from honeyguide.web.views import Readings, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from jinja2 import Environment
    from starlette.types import ASGIApp

    from honeyguide.web.views import Reading

VIEWS: Final = (
    control.CONTROL,
    numbers.FIGURES,
    numbers.HARVEST,
    numbers.OUTLOOK,
    finds.FINDS,
    traffic.WAITING,
    insights.WEIGHTS,
    finds.MAP,
    traffic.UNDERWAY,
    numbers.SPENDING,
    traffic.HOSTS,
    insights.TRAPS,
    traffic.LOG,
)
"""The views on the page of a run, in their order."""
_VIEWS_BY_NAME: Final = {view.name: view for view in (*VIEWS, *answering.QUESTION_VIEWS)}
SHARED_S: Final = 0.2  # while a run is crawled, a part of its page is made at most so often, however many look at it
TABS: Final = (("Live", ""), ("Questions", "/questions"), ("Search", "/search"))
"""Pages of a run: the name of each, and its address below that of the run."""


@dataclass(frozen=True)
class Dashboard:
    """Everything that routes share: the runs, how they are opened, the templates, and what is allowed."""

    library: Library
    access: Access
    readings: Readings
    watcher: Watcher

    @cached_property
    def templates(self) -> Environment:
        """The templates of the report and those of the dashboard: autoescaping, no undefined names."""
        shared = templates()
        assert shared.loader is not None
        environment = shared.overlay(loader=ChoiceLoader([shared.loader, PackageLoader("honeyguide.web")]))
        environment.globals |= {"tabs": TABS, "version": metadata.version("honeyguide"), "map_places": finds.map_places}
        return environment

    @cached_property
    def searchers(self) -> Searchers:
        """The runs that somebody has searched, kept open."""
        return Searchers()

    def render(self, template: str, **values: object) -> str:
        return self.templates.get_template(template).render(read_only=self.access.read_only, **values)

    def page(self, request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
        """Answer with a whole page."""
        return HTMLResponse(self.render(template, csrf=csrf_of(request), **values), status)

    def part(self, view: View, reading: Reading) -> str:
        """Return the HTML of one part of a run's page; all who ask within a moment get the same."""
        made_at, html = reading.memory.get(view.template, (0.0, ""))
        if not reading.is_running or monotonic() - made_at > SHARED_S:
            html = self.render(view.template, view=view.gather(reading), reading=reading)
            reading.memory[view.template] = monotonic(), html
        return html


def build_app(
    places: Sequence[Path], access: Access | None = None, is_ending: Callable[[], bool] = lambda: False
) -> ASGIApp:
    """Return the dashboard over these folders, behind its rules of access. Events end when `is_ending` says so."""
    site = Dashboard(
        Library(places), access or Access(), Readings(), Watcher(tuple(_VIEWS_BY_NAME.values()), is_ending)
    )
    app = FastAPI(
        title="Honeyguide", version=metadata.version("honeyguide"), openapi_url="/api/openapi.json",
        docs_url=None, redoc_url=None,
    )  # fmt: skip
    for make in routers():
        app.include_router(make(site))
    app.router.routes.append(Route(ASSISTANTS_PATH, McpEndpoint(site), methods=["POST"], include_in_schema=False))
    made = app.openapi
    app.openapi = lambda: app.openapi_schema or describing.complete(made())  # type: ignore[method-assign]
    app.add_exception_handler(CrawlRefused, control.refused)
    app.add_exception_handler(HoneyguideError, lambda request, error: _sorry(site, request, str(error), _status(error)))
    app.add_exception_handler(
        RequestValidationError, lambda request, error: _sorry(site, request, _mistakes(error), 422)
    )
    app.add_exception_handler(
        StarletteHTTPException, lambda request, error: _sorry(site, request, error.detail, error.status_code)
    )
    return Guarded(app, site.access)


def routers() -> tuple[Callable[[Dashboard], APIRouter], ...]:
    """Return what makes the routes of each module. Imported here, so that a module may import `Dashboard`."""
    from honeyguide.web.explaining import page_routes  # noqa: PLC0415
    from honeyguide.web.questions import questions  # noqa: PLC0415

    return (static_files, pages, search_routes, page_routes, questions, control.control, api)


def static_files(site: Dashboard) -> APIRouter:
    """Serve our own script and style sheets; nothing is loaded from anywhere else."""
    del site
    router = APIRouter(include_in_schema=False)
    files = {
        "style.css": ("honeyguide.runs.report", "templates", "text/css"),
        "dashboard.css": ("honeyguide.web", "static", "text/css"),
        "search.css": ("honeyguide.web", "static", "text/css"),
        "dashboard.js": ("honeyguide.web", "static", "text/javascript"),
    }

    @router.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in files:
            raise HTTPException(404, f"there is no file {name!r}")
        package, folder, kind = files[name]
        return Response(resources.files(package).joinpath(folder, name).read_bytes(), media_type=kind)

    return router


def pages(site: Dashboard) -> APIRouter:
    """Serve the list of runs, and each run's page with its parts."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def runs_page(request: Request) -> HTMLResponse:
        return site.page(request, "runs.html", cards=site.library.cards(), home=site.library.home)

    @router.get("/parts/runs")
    def runs_part() -> HTMLResponse:
        return HTMLResponse(site.render("runs_list.html", cards=site.library.cards()))

    @router.get("/runs/{name}")
    def run_page(request: Request, name: str) -> HTMLResponse:
        with site.readings.open(name, site.library.path(name)) as reading:
            parts = [(view, site.part(view, reading)) for view in VIEWS]
            return site.page(request, "run.html", card=reading.card, tab="", parts=parts)

    @router.get("/runs/{name}/parts")
    def run_parts(name: str, names: Annotated[str, Query(max_length=1000)]) -> dict[str, str]:
        """The parts that were asked for, by name, all of one moment."""
        wanted = [_view(each) for each in names.split(",") if each]
        with site.readings.open(name, site.library.path(name)) as reading:
            return {view.name: site.part(view, reading) for view in wanted}

    return router


def api(site: Dashboard) -> APIRouter:
    """Serve the same as JSON, and events for programs."""
    router = APIRouter(prefix="/api")

    @router.get("", include_in_schema=False)
    def api_page(request: Request) -> HTMLResponse:
        document = request.app.openapi()
        return site.page(
            request, "api.html", about=describing.ABOUT, operations=describing.operations(document),
            types=describing.types(document),
        )  # fmt: skip

    @router.get("/runs", summary="All runs")
    def runs() -> list[RunCard]:
        """Those that are being crawled first, then the newest; a run that cannot be read says why."""
        return site.library.cards()

    @router.get("/runs/{name}", summary="One run")
    def run(name: str) -> RunCard:
        """Its state, topic and counts; its views have more."""
        return site.library.card(name, site.library.path(name))

    @router.get(
        "/runs/{name}/events", summary="Server-sent events: which views of a run have changed",
        description=describing.EVENTS, response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": describing.EVENT_STREAM}}},
    )  # fmt: skip
    async def events(name: str) -> StreamingResponse:
        path = await asyncio.to_thread(site.library.path, name)
        return StreamingResponse(site.watcher.events(path), media_type="text/event-stream")

    for view in _VIEWS_BY_NAME.values():
        router.add_api_route(
            f"/runs/{{name}}/{view.name}", _json_of(site, view), response_model=view.shape, name=view.name,
            summary=(view.shape.__doc__ or "").strip(),
            description=f"Named {view.name!r} in the events of the run, at most every {view.every_s:g} s.",
        )  # fmt: skip
    return router


def _json_of(site: Dashboard, view: View) -> Callable[[str], Any]:
    def values(name: str) -> Any:  # noqa: ANN401 - of the view's shape
        with site.readings.open(name, site.library.path(name)) as reading:
            return view.gather(reading)

    return values


def _view(name: str) -> View:
    if name not in _VIEWS_BY_NAME:
        raise HTTPException(404, f"there is no view {name!r}; there are {', '.join(_VIEWS_BY_NAME)}")
    return _VIEWS_BY_NAME[name]


def _status(error: HoneyguideError) -> int:
    if isinstance(error, QueryError | InvalidUrl | SettingsError):
        return 400
    if isinstance(error, IndexUnderway):
        return 503
    return 404 if isinstance(error, RunUnknown | PageError) else 409


def _mistakes(error: RequestValidationError) -> str:
    """Say what is wrong with the parameters of a request, all on one line."""
    return "; ".join(f"{each['loc'][-1]} is {each.get('input')!r:.80}: {each['msg']}" for each in error.errors())


def _sorry(site: Dashboard, request: Request, message: str, status: int) -> Response:
    """Answer with what went wrong: as JSON to a program or the script, else as a page."""
    path, wants_json = request.url.path, "application/json" in request.headers.get("accept", "")
    if wants_json or path.startswith(("/api/", "/search")) or path.endswith("/parts"):
        return JSONResponse({"detail": message}, status)
    return site.page(request, "sorry.html", status, message=message)
