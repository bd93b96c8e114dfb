"""Flags that several commands share, and flags that stand for a setting.

The settings that a command line stands for: its files, its flags and `--set`, laid over one another.

Flags that say what to look for: the same for every command that takes a topic.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from honeyguide.errors import SettingsError
from honeyguide.settings import SETTINGS_BY_KEY, Settings, load_settings, with_overrides
from honeyguide.settings.profiles import VALUES_BY_PROFILE
from honeyguide.topic import load_topic

if TYPE_CHECKING:
    from collections.abc import Mapping

OUTPUT_PANEL: Final = "Output"

RunArgument: TypeAlias = Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.", show_default=False)]
JsonFlag: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--json",
        metavar="",
        help="Print one JSON document on stdout and nothing else there.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Verbosity: TypeAlias = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        metavar="",
        show_default=False,
        help="Tell the story of the crawl on stderr; -vv follows every URL.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
LogFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Append the story to this file as well; with -vv every URL.",
        show_default=False,
        rich_help_panel=OUTPUT_PANEL,
    ),
]

AnySetting: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        show_default=False,
        help="Any other setting, as in --set fetch.timeout_s=5; may be given several times.",
    ),
]


def setting_option(key: str, *names: str, metavar: str, panel: str, help_text: str = "") -> Any:  # noqa: ANN401
    """A flag for one setting. Its default is None, so that a flag nobody gave leaves the config file standing."""
    setting = SETTINGS_BY_KEY[key]
    meaning = help_text or f"{setting.meaning[0].upper()}{setting.meaning[1:]}."
    default = f" [dim]\\[default: {setting.default}][/dim]" if setting.default not in ("", ()) else ""
    return typer.Option(*names, metavar=metavar, help=meaning + default, show_default=False, rich_help_panel=panel)


Vectors: TypeAlias = Annotated[
    str | None,
    setting_option(
        "vectors.source",
        "--vectors",
        metavar="FILE",
        panel="Options",
        help_text="Word vectors: wordllama, or a GloVe, word2vec or fastText .vec file.",
    ),
]


def whole_number(text: str | None) -> int | str | None:
    """A flag's number; what is none stays text, so that the settings refuse it along with everything else."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text


def settings_of(
    config: Path | None, assignments: list[str], flags: Mapping[str, Any], topic: Mapping[str, Any]
) -> Settings:
    """The config file, then the topic file or preset, `--set`, and the other flags; each over what came before.

    Of flags only None counts as not given.
    """
    base = Settings() if config is None else load_settings(config)
    given = {key: value for key, value in flags.items() if value is not None}
    return with_overrides(base, dict(topic) | dict(map(parse_assignment, assignments)) | given)


def parse_assignment(text: str) -> tuple[str, Any]:
    """Read `section.key=value`. The value is TOML where it can be, else the text as it stands."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise SettingsError([f"--set {text}: write it as section.key=value, as in politeness.delay_s=2"])
    try:
        document = tomllib.loads(f"value = {value}")
    except ValueError:
        document = {}
    return key.strip(), document["value"] if document.keys() == {"value"} else value


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
    from honeyguide import topic as topics  # noqa: PLC0415 - only where it is asked for

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
    from honeyguide import topic as topics  # noqa: PLC0415

    return with_overrides(settings, {key: topics.preset(preset).step_size})


def with_preset_seeds(settings: Settings, preset: str | None) -> Settings:
    """The settings with the seeds of a preset, unless others are given."""
    if preset is None or settings.crawl.seed_urls:
        return settings
    from honeyguide import topic as topics  # noqa: PLC0415
    from honeyguide.crawler import preset_seed_urls  # noqa: PLC0415 - numpy and the rest take a while to load

    seed_urls = preset_seed_urls(topics.preset(preset), settings.crawl.world)
    return with_overrides(settings, {"crawl.seed_urls": list(seed_urls)})
