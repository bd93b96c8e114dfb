"""Scrapy over one site, following every link: `python scrapy_site.py START_URL late|early`.

`early` takes out links that were met before as soon as they are found, as a careful user would; `late` leaves it to
Scrapy's own filter of requests. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import scrapy  # type: ignore[import-not-found]
from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]
from scrapy.linkextractors import LinkExtractor  # type: ignore[import-not-found]

if TYPE_CHECKING:
    from collections.abc import Iterator

START, FILTER = sys.argv[1:]
CONCURRENCY = 32
SETTINGS = {
    "LOG_LEVEL": "ERROR",
    "ROBOTSTXT_OBEY": False,
    "CONCURRENT_REQUESTS": CONCURRENCY,
    "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
    "DOWNLOAD_DELAY": 0,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}
found: set[str] = set()


class SiteSpider(scrapy.Spider):  # type: ignore[misc]
    """Title of every page, and on along every link."""

    name = "site"
    start_urls = (START,)

    def __init__(self) -> None:
        super().__init__()
        self._links = LinkExtractor(allow=rf"^{START}")
        self._met: set[str] = set()

    def parse(self, response: Any) -> Iterator[Any]:
        if b"html" not in response.headers.get("Content-Type", b""):
            return
        found.add(response.url)
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self._links.extract_links(response):
            if FILTER == "early":
                if link.url in self._met:
                    continue
                self._met.add(link.url)
            yield scrapy.Request(link.url, callback=self.parse)


process = CrawlerProcess(settings=SETTINGS)
started = time.perf_counter()
process.crawl(SiteSpider)
process.start()
print(json.dumps({"pages": len(found), "seconds": time.perf_counter() - started}))
