"""Crawlee over one site with its Parsel crawler, following every link: `python crawlee_site.py START_URL`.

Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from typing import Any

from crawlee import ConcurrencySettings  # type: ignore[import-not-found]
from crawlee.crawlers import ParselCrawler  # type: ignore[import-not-found]
from crawlee.storage_clients import MemoryStorageClient  # type: ignore[import-not-found]

CONCURRENCY = 32


async def crawl(start: str) -> int:
    crawler = ParselCrawler(
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=CONCURRENCY, desired_concurrency=CONCURRENCY, max_concurrency=CONCURRENCY
        ),
        max_request_retries=0,
        configure_logging=False,
    )
    found: set[str] = set()

    @crawler.router.default_handler  # type: ignore[untyped-decorator]
    async def handle(context: Any) -> None:
        if "html" in context.http_response.headers.get("content-type", ""):
            found.add(context.request.url)
        await context.push_data({"url": context.request.url, "title": context.selector.css("title::text").get()})
        await context.enqueue_links(strategy="same-hostname")

    await crawler.run([start])
    return len(found)


logging.disable(logging.ERROR)  # it reports each of the site's dead links with a traceback
started = time.perf_counter()
pages = asyncio.run(crawl(sys.argv[1]))
print(json.dumps({"pages": pages, "seconds": time.perf_counter() - started}))
