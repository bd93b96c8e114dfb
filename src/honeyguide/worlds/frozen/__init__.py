"""A frozen part of the web: pages that lie on disk, crawled as if their hosts still answered.

`open_site` takes what a user writes after `site:` and opens one of two worlds. `FolderWorld` is a folder of files under
a base URL: `file_urls` goes between file names and URLs, `folder_index` knows which files there are, `content_types`
says what is in one, `folder_robots` what its robots.txt forbids. `WarcWorld` is any number of WARC files: `warc_scan`
reads one from end to end for its captures, `warc_sidecar` keeps them beside it, `warc_index` chooses one capture for
each URL, and `warc_record` turns that one into an outcome. Both take the time that `latency` simulates, and both keep
only places in memory, never pages.
"""

from honeyguide.worlds.frozen.folder import FolderWorld
from honeyguide.worlds.frozen.opening import open_site
from honeyguide.worlds.frozen.warc import WarcWorld

__all__ = [
    "FolderWorld",
    "WarcWorld",
    "open_site",
]
