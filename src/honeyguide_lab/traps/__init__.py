"""Traps in the synthetic web, one at a time: pages computed from their URLs that a crawler should spend little on.

Each is found by its name among the entry points of the group `honeyguide.traps`. `Scenario` lists them, `Truth` says
what each page really is, and `Waste` which fetches of a crawl were wasted. `docs/explanation/lab.md` lists them.
"""

from honeyguide_lab.traps.trap import Scenario, Waste

__all__ = ["Scenario", "Waste"]
