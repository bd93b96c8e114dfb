"""One page of a run: why it was fetched and judged so, its text, and its stored copy in a frame that can do nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse  # noqa: TC002 - FastAPI reads it

from honeyguide.crawler import Explanation, RunExplainer
from honeyguide.errors import HoneyguideError, PageError
from honeyguide.model import Url
from honeyguide.runs import PageTexts, open_run
from honeyguide.runs.copies import StoredCopy, stored_copy
from honeyguide.web.library import MOST_JUDGES, KeptByRun
from honeyguide.web.searching import time_text

if TYPE_CHECKING:
    from honeyguide.web.app import Dashboard

TERMS_SHOWN: Final = 12
LONGEST_TEXT: Final = 1_000_000  # characters
COPY_HEADERS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-DNS-Prefetch-Control": "off",
}
"""A copy runs no script, submits no form, opens no window and loads nothing but what it holds itself."""

PageUrl = Annotated[str, Query(max_length=5000, description="The URL of the page.")]


@dataclass(frozen=True, slots=True)
class PageText:
    """The main text of a page, without navigation, header and footer."""

    url: str
    title: str
    relevance: float  # probability that it belongs to the topic, by the newest judgement
    is_relevant: bool
    fetched_at: str | None  # ISO 8601; simulated clocks begin in 1970
    text: str
    is_cut: bool  # whether the text goes on


def page_text(site: Dashboard, name: str, url: str, longest: int) -> PageText:
    """Read the text of a page of a run. PageError where there is none."""
    asked = Url.parse(url)
    with open_run(site.library.path(name)) as run, run.at_one_moment():
        page = run.page(asked)
        if page is None:
            raise PageError(f"the run {name!r} has no page {asked}; take the URL of a hit")
        text = PageTexts(run, run.crawled_pages()).main_text(page)
        if text is None:
            raise PageError(f"the run {name!r} has stored no body of {asked}")
        return PageText(
            page.url.text, page.title, round(page.relevance, 6), page.is_relevant, time_text(page.fetched_at),
            text[:longest], len(text) > longest,
        )  # fmt: skip


def _copy_of(site: Dashboard, name: str, url: str) -> StoredCopy:
    with open_run(site.library.path(name)) as run, run.at_one_moment():
        return stored_copy(run, Url.parse(url))


def page_routes(site: Dashboard) -> APIRouter:
    """Serve what is known of one page, and its copy."""
    router = APIRouter()
    explainers = KeptByRun(RunExplainer, MOST_JUDGES)

    @router.get("/runs/{name}/page", include_in_schema=False)
    def page(request: Request, name: str, url: PageUrl) -> HTMLResponse:
        path = site.library.path(name)
        with explainers.of(path) as explainer:
            why = explainer.explain(url)
        return site.page(
            request, "page_of_run.html", card=site.library.card(name, path), tab="/page", why=why,
            terms_shown=TERMS_SHOWN, time_text=time_text,
        )  # fmt: skip

    @router.get("/runs/{name}/copy", include_in_schema=False)
    def copy(name: str, url: PageUrl) -> Response:
        try:
            found = _copy_of(site, name, url)
        except HoneyguideError as error:  # in the frame, where the page beside it can still be read
            found = StoredCopy(str(error), is_html=False, is_there=False)
        kind = "text/html" if found.is_html else "text/plain"
        body = found.text.encode("utf-8", "replace")
        return Response(body, 200 if found.is_there else 404, COPY_HEADERS, f"{kind}; charset=utf-8")

    @router.get("/api/runs/{name}/page", summary="Explain a page", tags=["pages"])
    def explain_page(name: str, url: PageUrl) -> Explanation:
        """Say why a URL was fetched and judged so: the path from a seed, prediction and outcome, evidence, answers."""
        with explainers.of(site.library.path(name)) as explainer:
            return explainer.explain(url)

    @router.get("/api/runs/{name}/text", summary="The main text of a page", tags=["pages"])
    def text(
        name: str,
        url: PageUrl,
        longest: Annotated[int, Query(ge=1, le=LONGEST_TEXT, description="Characters at most.")] = LONGEST_TEXT,
    ) -> PageText:
        """Return the text of a page outside navigation, header and footer, as the judge read it."""
        return page_text(site, name, url, longest)

    return router
