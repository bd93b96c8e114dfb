"""Flags that several commands share, flags that stand for a setting, and the settings that a command line gives."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from honeyguide.errors import SettingsError
from honeyguide.settings import SETTINGS_BY_KEY, Settings, load_settings, with_overrides
from honeyguide.topic import load_topic
from honeyguide.topic import preset as preset_topic

OUTPUT_PANEL: Final = "Output"
TOPIC_PANEL: Final = "What to look for"

RunArgument: TypeAlias = Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.", show_default=False)]
JsonFlag: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--json", metavar="", rich_help_panel=OUTPUT_PANEL, help="Print one JSON document on stdout, nothing else."
    ),
]
Verbosity: TypeAlias = Annotated[
    int,
    typer.Option(
        "--verbose", "-v", count=True, metavar="", show_default=False, rich_help_panel=OUTPUT_PANEL,
        help="Log the crawl on stderr; -vv logs every URL.",
    ),
]  # fmt: skip
LogFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", show_default=False, rich_help_panel=OUTPUT_PANEL, help="Append the log to this file."),
]
AnySetting: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", show_default=False,
        help="Any other setting, as in --set fetch.timeout_s=5; repeatable.",
    ),
]  # fmt: skip
TrustFlag: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--trust", metavar="",
        help="Use the code, files, logins and private addresses that a run of someone else names.",
    ),
]  # fmt: skip
ClusterOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="WHERE", show_default=False,
        help="Crawl on Ray: auto, an address, or local:4.",
    ),
]  # fmt: skip
TopicFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", show_default=False, rich_help_panel=TOPIC_PANEL,
        help="A topic saved by honeyguide topic suggest; flags override it.",
    ),
]  # fmt: skip
PresetName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--preset", metavar="NAME", show_default=False, rich_help_panel=TOPIC_PANEL,
        help="A shipped topic with categories and seeds; honeyguide topic list names them.",
    ),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag that stands for one setting. A flag that is not given leaves the config file's value."""

    name: str
    key: str
    metavar: str
    panel: str
    help: str = ""  # the setting's own meaning where empty
    is_everyday: bool = True  # others show with --help-all
    text_default: str = ""  # the setting's default, for one whose settings would load the strategies first

    def parameter(self) -> inspect.Parameter:
        """Return the flag as a parameter of the function that typer reads."""
        default = "" if self.metavar == "SIZE" else self._default  # it has a unit
        meaning = self.help or SETTINGS_BY_KEY[self.key].meaning + "."
        meaning = meaning[0].upper() + meaning[1:]
        is_shown = not isinstance(default, bool) and default not in ("", (), 0)
        shown = f" [dim]\\[default: {default}][/dim]" if is_shown else ""
        option = typer.Option(
            self.name, metavar=self.metavar, help=meaning + shown, show_default=False, rich_help_panel=self.panel,
            hidden=not self.is_everyday,
        )  # fmt: skip
        annotation = Annotated[_flag_type(default), option]  # type: ignore[valid-type]
        return inspect.Parameter(
            self.parameter_name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
        )

    @property
    def _default(self) -> Any:  # noqa: ANN401 - the type is the setting's own
        return self.text_default or SETTINGS_BY_KEY[self.key].default

    @property
    def parameter_name(self) -> str:
        return self.key.replace(".", "_")

    def value(self, given: Any) -> Any:  # noqa: ANN401 - the type is the setting's own
        """Return the value for the settings; what is no number stays text, for the settings to refuse."""
        if self.metavar == "SIZE" and given is not None:
            return _megabytes(self.name, given)
        return whole_number(given) if type(self._default) is int else given


def _flag_type(default: object) -> Any:  # noqa: ANN401
    if isinstance(default, tuple):
        return list[str] | None
    if isinstance(default, bool | float):
        return type(default) | None
    return str | None


def _show_everything(context: typer.Context, wanted: bool) -> None:
    if wanted:
        for parameter in context.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]
        print(context.get_help())
        raise typer.Exit


def takes_flags(flags: Sequence[Flag]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a parameter per flag; it receives the values that were given as `given`, by setting."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function, eval_str=True).parameters

        def called(**values: Any) -> None:  # noqa: ANN401
            values.pop("help_all", None)
            found = {flag.key: flag.value(values.pop(flag.parameter_name)) for flag in flags}
            function(given={key: value for key, value in found.items() if value is not None}, **values)

        parameters = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in own.items()
            for each in ([flag.parameter() for flag in flags] if name == "given" else [parameter])
        ]
        if not all(flag.is_everyday for flag in flags):
            parameters.append(_HELP_ALL)
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        called.__doc__ = function.__doc__
        return called

    return decorate


_HELP_ALL: Final = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option("--help-all", metavar="", callback=_show_everything, is_eager=True, help="Show every flag."),
    ],
)

LANGUAGE: Final = Flag(
    "--language", "judge.language", "NAME", "Options", "The language of topic and pages, in English: german, french."
)
VECTORS: Final = Flag(
    "--vectors",
    "vectors.source",
    "FILE",
    "Options",
    "Word vectors: english, wordllama, or a GloVe, word2vec or fastText file.",
)
ENCODER: Final = Flag(
    "--encoder",
    "vectors.encoder",
    "NAME|FOLDER",
    "Options",
    "Read texts with a sentence encoder too: minilm or a folder.",
)
_EXAMPLE_FORMS: Final = "text, @FILE or URL; repeatable."
LIKE: Final = Flag("--like", "topic.like", "EXAMPLE", TOPIC_PANEL, f"An example of what is wanted: {_EXAMPLE_FORMS}")
UNLIKE: Final = Flag(
    "--unlike", "topic.unlike", "EXAMPLE", TOPIC_PANEL, f"An example of what is not wanted: {_EXAMPLE_FORMS}"
)
TOPIC_FLAGS: Final = (
    Flag("--topic", "topic.name", "TEXT", TOPIC_PANEL, "The topic, in a few words or a sentence."),
    Flag("--keyword", "topic.keywords", "WORD", TOPIC_PANEL, "A word of the topic; repeatable."),
    LIKE,
    UNLIKE,
    Flag(
        "--category", "topic.categories", "NAME", TOPIC_PANEL, is_everyday=False,
        help="A wider subject, as Medicine for cancer, for the lfa strategies; repeatable.",
    ),
)  # fmt: skip


def stop_flags(panel: str) -> tuple[Flag, Flag]:
    """Return the flags of every command that crawls for when it has found enough."""
    return (
        Flag("--target", "budget.relevant", "PAGES", panel, "Stop at so many relevant pages."),
        Flag(
            "--stop-when", "budget.stop_when", "RULE", panel,
            "Stop when yields fall: 'yield < 2% over 500'.",
        ),
    )  # fmt: skip


def limit_flags(panel: str, *, are_everyday: bool = True) -> tuple[Flag, Flag]:
    """Return the flags of every command that crawls for what it may take of the machine."""
    return (
        Flag(
            "--max-disk", "budget.disk_megabytes", "SIZE", panel, "Stop when the run takes so much, as in 2GB.",
            is_everyday=are_everyday,
        ),
        Flag(
            "--max-memory", "budget.memory_megabytes", "SIZE", panel,
            "Stop when the process takes so much, as in 2GB.", is_everyday=are_everyday,
        ),
    )  # fmt: skip


def whole_number(text: str | None) -> int | str | None:
    """Return a flag's number; what is none stays text, so that the settings refuse it with everything else."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text


_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?", re.IGNORECASE)


def _megabytes(flag: str, text: str) -> float:
    """Read a size such as 500MB, 2GB or 1.5GiB."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise SettingsError([f"{flag} is {text!r}: give a size with its unit, as in 500MB or 2GB"])
    number, unit, is_binary = found.groups()
    power = "kmgt".index(unit.lower()) + 1
    return float(number) * (1024 if is_binary else 1000) ** power / 1e6


def settings_of(
    config: Path | None, assignments: list[str] | None, given: Mapping[str, Any], topic: Mapping[str, Any]
) -> Settings:
    """Return the config file's settings, overridden by the topic, then by `--set`, then by the other flags."""
    base = Settings() if config is None else load_settings(config)
    return with_overrides(base, overrides_of(assignments, given, topic))


def overrides_of(assignments: list[str] | None, given: Mapping[str, Any], topic: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the topic, overridden by `--set`, then by the other flags."""
    return dict(topic) | dict(map(parse_assignment, assignments or ())) | dict(given)


def parse_assignment(text: str) -> tuple[str, Any]:
    """Read `section.key=value`. The value is TOML where it can be, else the text as it stands.

    So is a number where a text is wanted.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise SettingsError([f"--set {text}: write it as section.key=value, as in politeness.delay_s=2"])
    try:
        document = tomllib.loads(f"value = {value}")
    except ValueError:
        document = {}
    read = document["value"] if document.keys() == {"value"} else value
    setting = SETTINGS_BY_KEY.get(key.strip())
    is_text = setting is not None and isinstance(setting.default, str)
    return key.strip(), value.strip() if is_text and isinstance(read, int | float) else read


def topic_values(topic_file: Path | None, preset: str | None) -> dict[str, Any]:
    """Return the values of a topic file or a preset, by setting."""
    if topic_file is not None and preset is not None:
        raise SettingsError([f"--topic-file {topic_file} and --preset {preset} each name a topic: give one of them"])
    if topic_file is not None:
        return load_topic(topic_file)
    if preset is None:
        return {}
    topic = preset_topic(preset).topic
    return {
        "topic.name": topic.name,
        "topic.keywords": list(topic.keywords),
        "topic.categories": list(topic.categories),
    }
