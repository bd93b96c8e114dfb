"""What makes settings fit to run, in words for the person who wrote them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Topic, Url, domain_pattern, host_pattern
from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.settings.crawl_tables import PROFILES, WORLDS
from honeyguide.settings.frontier_tables import RESTART_SOURCES
from honeyguide.settings.guard_table import BY_PAGERANK
from honeyguide.settings.judge_checks import judge_mistakes, topic_word_mistakes
from honeyguide.settings.known import SETTINGS_BY_KEY, Setting
from honeyguide.settings.merging import merged, nearest, shown
from honeyguide.settings.schema import Settings
from honeyguide.settings.strategy_tables import STRATEGIES_NEEDING_A_TOPIC, LfaSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_MEDIA_TYPE: Final = re.compile(r"[a-z0-9*][a-z0-9!#$&^_.+*-]*/[a-z0-9*][a-z0-9!#$&^_.+*-]*", re.ASCII)
_PROXY: Final = re.compile(
    r"http://(?P<login>[^/?#]*@)?(?:[a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?/?", re.ASCII
)


def validate(settings: Settings) -> None:
    """Raise `SettingsError` with every mistake in `settings`; return when a crawl can be built from them."""
    values = {key: setting.value_in(settings) for key, setting in SETTINGS_BY_KEY.items()}
    checkable, mistakes = merged(Settings(), values)
    mistakes += value_mistakes(checkable)
    mistakes += _topic_mistakes(checkable)
    mistakes += topic_word_mistakes(checkable)
    if mistakes:
        raise SettingsError(mistakes)


def value_mistakes(settings: Settings) -> list[str]:
    """List values that are wrong whatever flags follow: out of range, not among the choices, or at odds."""
    mistakes: list[str] = []
    for setting in SETTINGS_BY_KEY.values():
        mistakes += _outside(setting, setting.value_in(settings))
    for check in _CHECKS:
        mistakes += check(settings)
    return mistakes


def _outside(setting: Setting, value: object) -> Iterator[str]:
    if isinstance(value, int | float) and not setting.is_within(value):
        yield f"{setting.key} is {shown(value)}: it must be {setting.bounds}"
    if isinstance(value, str) and setting.choices and value not in setting.choices:
        yield _not_a_choice(setting.key, value, setting.choices)


def _not_a_choice(key: str, value: str, choices: Iterable[str]) -> str:
    mistake = f"{key} is {shown(value)}: choose one of {', '.join(choices)}"
    return "; ".join(filter(None, (mistake, nearest(value, choices))))


def _world_mistakes(settings: Settings) -> Iterator[str]:
    kind = settings.crawl.world.partition(":")[0]
    if kind not in WORLDS:
        yield _not_a_choice("crawl.world", kind, WORLDS)


def _profile_mistakes(settings: Settings) -> Iterator[str]:
    profile = settings.crawl.profile
    if profile and profile not in PROFILES:
        yield f"crawl.profile is {shown(profile)}: choose one of {', '.join(PROFILES)}, or leave it empty"


def _seed_url_mistakes(settings: Settings) -> Iterator[str]:
    for name in ("seed_urls", "sitemaps", "feeds"):
        for text in getattr(settings.crawl, name):
            try:
                Url.parse(text)
            except InvalidUrl as error:
                yield f"crawl.{name}: {error}"


def _identity_mistakes(settings: Settings) -> Iterator[str]:
    # All go into request headers, where a line break would start another header.
    names = ("user_agent", "contact", "accept_language")
    sent = {f"fetch.{name}": getattr(settings.fetch, name) for name in names}
    for key, text in sent.items():
        if not (text.isascii() and text.isprintable()):
            yield f"{key} is {shown(text)}: it must be printable ASCII on one line"
    if not settings.fetch.user_agent.strip():
        yield "fetch.user_agent is empty: give the crawler a name, as in 'Honeyguide/1.0'"


def _content_type_mistakes(settings: Settings) -> Iterator[str]:
    if not settings.fetch.content_types:
        yield "fetch.content_types is empty: name a type, as in text/html, or */* for all"
    for text in settings.fetch.content_types:
        if not _MEDIA_TYPE.fullmatch(text):
            yield f"fetch.content_types: {shown(text)} is not a media type; write it as text/html or text/*"


def _proxy_mistakes(settings: Settings) -> Iterator[str]:
    if settings.fetch.proxy_login and not settings.fetch.proxy:
        yield "fetch.proxy_login has no fetch.proxy to log in to: name it, or leave both out"
    if not settings.fetch.proxy:
        return
    parts = _PROXY.fullmatch(settings.fetch.proxy)
    if parts is None:
        yield "fetch.proxy is not the URL of an HTTP proxy: write it as http://proxy.example:3128"
    elif parts["login"] is not None:
        # Said without the value: what is refused here may end up in a log.
        yield "fetch.proxy holds a password that the run would keep: put it in a file that fetch.proxy_login names"


def _rank_mistakes(settings: Settings) -> Iterator[str]:
    if settings.guard.on and settings.guard.importance == BY_PAGERANK and not settings.ranks.every:
        yield "guard.importance = pagerank looks at ranks that nobody computes: set ranks.every, such as 100"
    if settings.ridge.page_rank and not settings.ranks.every:
        yield "online_ridge.page_rank looks at ranks that nobody computes: set ranks.every, such as 100"


def _restart_mistakes(settings: Settings) -> Iterator[str]:
    for source in settings.restart.sources:
        if source not in RESTART_SOURCES:
            yield f"restart.sources: {shown(source)} is none; choose of {', '.join(RESTART_SOURCES)}"
    for text in settings.restart.urls:
        try:
            Url.parse(text)
        except InvalidUrl as error:
            yield f"restart.urls: {error}"
    if settings.restart.is_on and not _can_restart(settings):
        sources = shown(list(settings.restart.sources))
        yield f"restart.sources is {sources}, which has nowhere to begin anew: add unexplored, or turn restarts off"
    if settings.restart.urls and not settings.restart.is_on:
        yield "restart.urls are given, but nothing restarts: set restart.every_fetches, or another of its occasions"


def _can_restart(settings: Settings) -> bool:
    """Whether one of the sources may have something; those that do not exist are told of elsewhere."""
    has_none = {"urls": not settings.restart.urls, "starting-points": not settings.crawl.has_starting_points}
    return any(not has_none.get(source, False) for source in settings.restart.sources)


def _delay_mistakes(settings: Settings) -> Iterator[str]:
    delay_s, max_delay_s = settings.politeness.delay_s, settings.politeness.max_delay_s
    if max_delay_s < delay_s:
        yield f"politeness.max_delay_s is {max_delay_s:g}: it must be at least delay_s, here {delay_s:g}"
    pause_from_s, pause_to_s = settings.politeness.pause_from_s, settings.politeness.pause_to_s
    if pause_to_s < pause_from_s:
        yield f"politeness.pause_to_s is {pause_to_s:g}: it must be at least pause_from_s, here {pause_from_s:g}"


def _pattern_mistakes(settings: Settings) -> Iterator[str]:
    scope = settings.scope
    for name, pattern_of in (("allow_hosts", host_pattern), ("deny_hosts", host_pattern), ("domains", domain_pattern)):
        for text in getattr(scope, name):
            try:
                pattern_of(text)
            except InvalidUrl as error:
                yield f"scope.{name}: {error}"
    yield from _expression_mistakes(settings)
    yield from _prefix_mistakes(settings)


def _expression_mistakes(settings: Settings) -> Iterator[str]:
    for name in ("allow_paths", "deny_paths", "allow_urls", "deny_urls", "allow_titles", "deny_titles"):
        for pattern in getattr(settings.scope, name):
            if not pattern:
                yield f"scope.{name}: an empty pattern is found in everything; leave it out"
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                yield f"scope.{name}: {shown(pattern)} is not a regular expression: {error}"


def _prefix_mistakes(settings: Settings) -> Iterator[str]:
    for name in ("allow_prefixes", "deny_prefixes"):
        for text in getattr(settings.scope, name):
            try:
                Url.parse(f"http://any.test{text}" if text.startswith("/") else text)
            except InvalidUrl:
                yield f"scope.{name}: {shown(text)} begins no URL; write /docs/ or https://example.org/docs/"


def _vector_mistakes(settings: Settings) -> Iterator[str]:
    paths = {"vectors.source": settings.vectors.source, "vectors.cache_folder": settings.vectors.cache_folder}
    for key, text in paths.items():
        if "\0" in text:
            yield f"{key} is {shown(text)}: no path has a NUL in it"
    if not settings.vectors.source.strip():
        yield "vectors.source is empty: name a file of vectors, or wordllama"


def _network_mistakes(settings: Settings) -> Iterator[str]:
    layers = settings.dqn.layers
    if not layers or not all(1 <= units <= 4096 for units in layers):
        yield f"dqn.layers is {list(layers)}: give at least one layer, each of 1 to 4096 units"


def _topic_mistakes(settings: Settings) -> Iterator[str]:
    # A blind strategy may run without a topic; then nothing is judged relevant.
    topic = Topic(settings.topic.name, settings.topic.keywords, settings.topic.like)
    has_unread_example = any(example.startswith("@") for example in settings.topic.like)
    if topic.is_empty and not has_unread_example and settings.crawl.strategy in STRATEGIES_NEEDING_A_TOPIC:
        yield "topic is empty: give --topic, --keyword or --like"


def _schedule_mistakes(settings: Settings) -> Iterator[str]:
    """An end of exploration that nothing leads to; the default, and what it begins with, do no harm."""
    lfa = settings.lfa
    if not lfa.exploration_steps and lfa.exploration_end not in (LfaSettings().exploration_end, lfa.exploration):
        yield (
            f"lfa.exploration_end is {shown(lfa.exploration_end)}: give lfa.exploration_steps, too, "
            "or lfa.exploration alone"
        )


_CHECKS: Final = (
    _world_mistakes,
    _profile_mistakes,
    _seed_url_mistakes,
    _identity_mistakes,
    _content_type_mistakes,
    _proxy_mistakes,
    _delay_mistakes,
    _restart_mistakes,
    _pattern_mistakes,
    judge_mistakes,
    _vector_mistakes,
    _network_mistakes,
    _schedule_mistakes,
    _rank_mistakes,
)
