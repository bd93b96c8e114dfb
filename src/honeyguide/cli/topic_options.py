"""Flags that say what to look for: the same for every command that takes a topic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from honeyguide.cli.options import setting_option
from honeyguide.errors import SettingsError
from honeyguide.settings import Settings, load_topic, with_overrides
from honeyguide.settings.profiles import VALUES_BY_PROFILE

PANEL: Final = "What to look for"
_EXAMPLE_FORMS: Final = "a text, @FILE for a file of HTML or text, or a URL; may be given several times."

TopicName: TypeAlias = Annotated[str | None, setting_option("topic.name", "--topic", metavar="TEXT", panel=PANEL)]
Keywords: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "topic.keywords",
        "--keyword",
        metavar="WORD",
        panel=PANEL,
        help_text="A word that belongs to the topic; may be given several times.",
    ),
]
Like: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "topic.like",
        "--like",
        metavar="EXAMPLE",
        panel=PANEL,
        help_text=f"An example of what is wanted: {_EXAMPLE_FORMS}",
    ),
]
Unlike: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "topic.unlike",
        "--unlike",
        metavar="EXAMPLE",
        panel=PANEL,
        help_text="An example of what is not wanted, given in the same way.",
    ),
]
Categories: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "topic.categories",
        "--category",
        metavar="NAME",
        panel=PANEL,
        help_text="A wider subject that the topic belongs to, as Medicine for cancer, for the strategies lfa-sync, "
        "lfa-async and lfa-moderated; may be given several times.",
    ),
]
TopicFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        rich_help_panel=PANEL,
        help="A topic saved by honeyguide topic suggest; the flags above go over it, list by list.",
    ),
]
PresetName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        show_default=False,
        rich_help_panel=PANEL,
        help="A shipped topic with its categories, seeds and step size for the lfa strategies; honeyguide topic list "
        "names them.",
    ),
]


def topic_flags(
    topic: str | None,
    keywords: list[str] | None,
    like: list[str] | None,
    unlike: list[str] | None,
    categories: list[str] | None,
) -> dict[str, Any]:
    """The flags by the settings they stand for."""
    return {
        "topic.name": topic,
        "topic.keywords": keywords,
        "topic.like": like,
        "topic.unlike": unlike,
        "topic.categories": categories,
    }


def topic_values(topic_file: Path | None, preset: str | None) -> dict[str, Any]:
    """What a topic file or a preset says, by setting."""
    if topic_file is not None and preset is not None:
        raise SettingsError([f"--topic-file {topic_file} and --preset {preset} each name a topic: give one of them"])
    if topic_file is not None:
        return load_topic(topic_file)
    if preset is None:
        return {}
    from honeyguide import topics  # noqa: PLC0415 - only where it is asked for

    chosen = topics.preset(preset)
    return {
        "topic.name": chosen.topic.name,
        "topic.keywords": list(chosen.topic.keywords),
        "topic.categories": list(chosen.topic.categories),
    }


def with_preset_step_size(settings: Settings, preset: str | None) -> Settings:
    """The settings with Han's step size for a preset, unless one is set or a profile brings another paper's."""
    key = "lfa.step_size"
    if preset is None or key in settings.set_keys or key in VALUES_BY_PROFILE.get(settings.crawl.profile, {}):
        return settings
    from honeyguide import topics  # noqa: PLC0415

    return with_overrides(settings, {key: topics.preset(preset).step_size})


def with_preset_seeds(settings: Settings, preset: str | None) -> Settings:
    """The settings with the seeds of a preset, unless others are given."""
    if preset is None or settings.crawl.seed_urls:
        return settings
    from honeyguide import topics  # noqa: PLC0415
    from honeyguide.engine import preset_seed_urls  # noqa: PLC0415 - numpy and the rest take a while to load

    seed_urls = preset_seed_urls(topics.preset(preset), settings.crawl.world)
    return with_overrides(settings, {"crawl.seed_urls": list(seed_urls)})
