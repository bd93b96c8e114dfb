"""Scrapy over a web of many hosts that are served on loopback: `python scrapy_web.py TASK.json`.

The task names the address and port of every host, where to start, after how many answers to stop, the order and the
limit of depth. Names are looked up in the task and nowhere else; everything else is Scrapy's own: its filter of
requests met before, its limit of the length of URLs, robots.txt, redirects. `breadth-first` has the three settings that
its documentation gives for that order; `default` is the order that Scrapy has out of the box.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy  # type: ignore[import-not-found]
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler  # type: ignore[import-not-found]
from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]
from scrapy.exceptions import IgnoreRequest  # type: ignore[import-not-found]
from scrapy.linkextractors import LinkExtractor  # type: ignore[import-not-found]

if TYPE_CHECKING:
    from collections.abc import Iterator

TASK = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
BREADTH_FIRST = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class PinnedHandler(HTTP11DownloadHandler):  # type: ignore[misc]
    """Asks each host at the address that the task gives for it."""

    async def download_request(self, request: Any) -> Any:
        parts = urlsplit(request.url)
        if parts.netloc not in TASK["addresses"]:
            raise IgnoreRequest(f"no such host: {parts.netloc}")
        address, port = TASK["addresses"][parts.netloc]
        headers = request.headers.copy()
        headers["Host"] = parts.netloc
        asked = parts._replace(netloc=f"{address}:{port}").geturl()
        response = await super().download_request(request.replace(url=asked, headers=headers))
        return response.replace(url=request.url)


class WebSpider(scrapy.Spider):  # type: ignore[misc]
    """On along every link."""

    name = "web"
    start_urls = tuple(TASK["start_urls"])

    def __init__(self) -> None:
        super().__init__()
        self._links = LinkExtractor()

    def parse(self, response: Any) -> Iterator[Any]:
        if b"html" not in response.headers.get("Content-Type", b""):
            return
        for link in self._links.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


settings: dict[str, object] = {
    "LOG_LEVEL": "CRITICAL",
    "ROBOTSTXT_OBEY": True,
    "DEPTH_LIMIT": TASK["depth_limit"],
    "CLOSESPIDER_PAGECOUNT": TASK["answers"],
    "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_HANDLERS": {"http": PinnedHandler},
}
process = CrawlerProcess(settings=settings | (BREADTH_FIRST if TASK["order"] == "breadth-first" else {}))
process.crawl(WebSpider)
process.start()
