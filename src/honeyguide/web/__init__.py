"""The dashboard: `honeyguide serve` shows runs in a browser while they are crawled.

It keeps no state of a run. Everything it shows comes from the run folder, opened for reading, and from the crawl's
`status.json`; everything it changes goes into the run's inbox. So it can be started, stopped and deleted without a
crawl noticing. `app` puts the pieces together; nothing but the command line imports this folder.

To add a view of a run: write a gatherer (`Reading` in, a frozen dataclass of plain values out), a template fragment for
it in `templates/`, and list both as a `View` (`views`). The page, the live updates, `/api/runs/NAME/VIEW` and its
description in OpenAPI follow. Pages of their own are an `APIRouter` in a module of their own, included in `app`.
"""
