"""A frozen part of the web: pages that lie on disk, crawled as if their hosts still answered.

`open_site` takes what a user writes after `site:` and opens one of two worlds. `FolderWorld` is a folder of files under
a base URL. `WarcWorld` is any number of WARC files: `warc_scan` reads one from end to end for its captures and keeps
them beside it, and `warc` chooses one capture for each URL. Both simulate latency (`answers`), and both keep only
places in memory, never pages.
"""

from honeyguide.worlds.frozen.folder import FolderWorld
from honeyguide.worlds.frozen.opening import open_site
from honeyguide.worlds.frozen.warc import WarcWorld

__all__ = [
    "FolderWorld",
    "WarcWorld",
    "open_site",
]
