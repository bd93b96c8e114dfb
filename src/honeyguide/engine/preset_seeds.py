"""Where a preset topic starts in a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.errors import WorldError

if TYPE_CHECKING:
    from honeyguide.topics import Preset


def preset_seed_urls(preset: Preset, world: str) -> tuple[str, ...]:
    """The page of the preset's title in a wiki world, its URL on the live web; none in a world with its own entry.

    WorldError if the wiki has no such page, because a crawl from anywhere else would be another experiment.
    """
    kind, _, path = world.partition(":")
    if kind == "live":
        return preset.seed_urls
    if kind != "wiki":
        return ()
    from honeyguide.worlds.wiki import WikiWorld  # noqa: PLC0415 - SQLite and zstandard, for this world alone

    with WikiWorld(path) as wiki:
        for title in preset.seed_titles:
            number = wiki.number_titled(title)
            if number is not None:
                return (wiki.url_of(number).text,)
    titles = " or ".join(preset.seed_titles)
    raise WorldError(f"{world} has no article {titles} for the preset {preset.key}; give --seed-url")
