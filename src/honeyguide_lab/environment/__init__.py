"""The crawl as a Gymnasium environment, for agents that choose the links themselves.

`FocusedCrawlEnv` is a translation and nothing more: an `Episode` drives the same core as every other crawl, a
`TableSpec` says which of the waiting links the agent is shown, `CrawlState` is what it knows besides. Importing this
package registers `honeyguide/FocusedCrawl-v0`. Needs the extra `gym`.
"""

try:
    import gymnasium
except ModuleNotFoundError as missing:
    if missing.name != "gymnasium":
        raise
    from honeyguide.extras import install_hint

    raise ModuleNotFoundError(
        f"honeyguide_lab.environment needs gymnasium: {install_hint('gym')}", name="gymnasium"
    ) from None

from honeyguide_lab.environment.episode import STATE_COLUMNS, CrawlState
from honeyguide_lab.environment.focused_crawl import PRACTICE, FocusedCrawlEnv, FrontierView, TableSpec

ENV_ID = "honeyguide/FocusedCrawl-v0"

if ENV_ID not in gymnasium.registry:
    gymnasium.register(id=ENV_ID, entry_point="honeyguide_lab.environment.focused_crawl:FocusedCrawlEnv")

__all__ = ["ENV_ID", "PRACTICE", "STATE_COLUMNS", "CrawlState", "FocusedCrawlEnv", "FrontierView", "TableSpec"]
