"""The leaderboard: all strategies on several webs, then the best of them on more, and one table of it all.

`leaderboard_from` reads what is compared, `make_leaderboard` makes the crawls and can be killed at any moment, and
`standings` turn the results into tables.
"""

from honeyguide_lab.leaderboard.making import make_leaderboard
from honeyguide_lab.leaderboard.spec import SYNTHETIC_WEBS, Leaderboard, leaderboard_from
from honeyguide_lab.leaderboard.standings import Standings

__all__ = ["SYNTHETIC_WEBS", "Leaderboard", "Standings", "leaderboard_from", "make_leaderboard"]
