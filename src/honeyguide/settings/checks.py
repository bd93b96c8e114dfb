"""The rules that make settings fit to run, in words for the person who wrote them."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import TYPE_CHECKING, Final

from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.registry import JUDGES, STRATEGIES, WORLDS
from honeyguide.settings.declaring import Setting, nearest, shown
from honeyguide.settings.guard_section import GUARD_RULES
from honeyguide.settings.judge_sections import LADDER_REWARDS
from honeyguide.settings.schema import SETTINGS_BY_KEY, Settings, merged
from honeyguide.settings.sections import PROFILES, RESTART_SOURCES, yield_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LADDER_VALUES: Final = 4  # every paper's ladder has two thresholds


def judge_mistakes(settings: Settings) -> Iterator[str]:
    """Yield what does not fit together in `[judge]`, or with the rest."""
    reward, values = settings.judge.reward, settings.judge.reward_values
    if values and reward not in LADDER_REWARDS:
        yield (
            f"judge.reward_values is given, but the reward {reward} has no such numbers: "
            f"leave it out, or choose one of {', '.join(LADDER_REWARDS)}"
        )
    elif values and len(values) != LADDER_VALUES:
        yield (
            f"judge.reward_values has {len(values)} numbers: give {LADDER_VALUES}, with a topic word, above the higher "
            "and the lower threshold, otherwise"
        )
    if settings.judge.reward == "lim2016" and not settings.crawl.strategy.startswith("parse-or-skip"):
        yield (
            "judge.reward is 'lim2016': it counts features that only the strategies parse-or-skip and parse-or-skip-q "
            f"have, and crawl.strategy is {settings.crawl.strategy!r}; choose another reward, as in score"
        )


def topic_word_mistakes(settings: Settings) -> Iterator[str]:
    """Yield the settings that go by the topic's words, where the topic has only examples.

    A topic that is empty altogether is another matter: nothing is judged relevant then, and nobody expects it.
    """
    from honeyguide.model import Topic  # noqa: PLC0415 - NumPy is heavy, and most who import settings check none

    judge, topic = settings.judge, settings.topic
    if not topic.like or not Topic(topic.name, topic.keywords).is_empty:
        return
    remedy = "give --topic or --keyword (honeyguide topic suggest proposes some)"
    by_words = "it goes by the topic's words, and there are only examples"
    if _goes_by_words(judge.kind):
        yield f"judge.kind is {judge.kind!r}: {by_words}; {remedy}, or judge by embedding"
    for part in settings.of(JUDGES["combined"].settings_type).parts if judge.kind == "combined" else ():
        if _goes_by_words(part.partition(":")[0]):
            yield f"judge.parts has {part!r}: {by_words}; {remedy}, or leave it out"
    if judge.relevant_when == "word":
        yield f"judge.relevant_when is 'word': {by_words}; {remedy}, or set it to threshold"
    if judge.reward in LADDER_REWARDS:
        yield f"judge.reward is {judge.reward!r}: {by_words}; {remedy}, or choose another reward, as in score"


def _goes_by_words(judge: str) -> bool:
    return judge in JUDGES and bool(JUDGES[judge].by_words)


_MEDIA_TYPE: Final = re.compile(r"[a-z0-9*][a-z0-9!#$&^_.+*-]*/[a-z0-9*][a-z0-9!#$&^_.+*-]*", re.ASCII)
_PROXY: Final = re.compile(
    r"http://(?P<login>[^/?#]*@)?(?:[a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?/?", re.ASCII
)
_SERVER: Final = re.compile(
    r"https?://(?P<login>[^/?#]*@)?(?:[a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?(?:/[^\s?#]*)?", re.ASCII
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
    mistakes = range_mistakes(settings, SETTINGS_BY_KEY)
    for check in _CHECKS:
        mistakes += check(settings)
    return mistakes


def range_mistakes(settings: Settings, keys: Iterable[str]) -> list[str]:
    """List the values of some settings that are out of range or not among the choices."""
    among = [SETTINGS_BY_KEY[key] for key in keys]
    return [mistake for setting in among for mistake in _outside(setting, setting.value_in(settings))]


def _outside(setting: Setting, value: object) -> Iterator[str]:
    if isinstance(value, int | float) and not setting.is_within(value):
        yield f"{setting.key} is {shown(value)}: it must be {setting.bounds}"
    for each in (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ():
        if setting.choices and each not in setting.choices:
            yield _not_a_choice(setting.key, each, setting.choices)


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


def _url_mistakes(settings: Settings) -> Iterator[str]:
    """Yield every text in a list of URLs, hosts or prefixes that is none."""
    from honeyguide.model import Url, domain_pattern, host_pattern  # noqa: PLC0415
    from honeyguide.model.url import has_login  # noqa: PLC0415

    def prefix(text: str) -> Url:
        try:
            return Url.parse(f"http://any.test{text}" if text.startswith("/") else text)
        except InvalidUrl:
            raise InvalidUrl(f"{shown(text)} begins no URL; write /docs/ or https://example.org/docs/") from None

    readers: dict[str, Callable[[str], object]] = {
        **dict.fromkeys(("crawl.seed_urls", "crawl.sitemaps", "crawl.feeds", "restart.urls"), Url.parse),
        **dict.fromkeys(("scope.allow_hosts", "scope.deny_hosts"), host_pattern),
        "scope.domains": domain_pattern,
        **dict.fromkeys(("scope.allow_prefixes", "scope.deny_prefixes"), prefix),
    }
    for key in (*readers, "topic.like", "topic.unlike"):
        if any(map(has_login, SETTINGS_BY_KEY[key].value_in(settings))):  # said without the value
            yield f"{key} has a URL with a login that the run would keep: put it in a file that --logins names"
    for key, read in readers.items():
        for text in SETTINGS_BY_KEY[key].value_in(settings):
            try:
                read(text)
            except InvalidUrl as error:
                yield f"{key}: {error}"


def _identity_mistakes(settings: Settings) -> Iterator[str]:
    # All go into request headers, where a line break would start another header.
    names = ("user_agent", "contact", "accept_language")
    sent = {f"fetch.{name}": getattr(settings.fetch, name) for name in names}
    for key, text in sent.items():
        if not (text.isascii() and text.isprintable()):
            yield f"{key} is {shown(text)}: it must be printable ASCII on one line"
    if not settings.fetch.user_agent.strip():
        yield "fetch.user_agent is empty: give the crawler a name, as in 'Honeyguide/1.0'"


def _private_mistakes(settings: Settings) -> Iterator[str]:
    from honeyguide.model import host_pattern  # noqa: PLC0415

    for text in settings.fetch.allow_private:
        try:
            ip_network(text.removeprefix("[").removesuffix("]"), strict=False)
        except ValueError:
            try:
                host_pattern(text)
            except InvalidUrl:
                yield f"fetch.allow_private: {shown(text)} is no network or host; write 10.0.0.0/8 or wiki.example.org"


def _content_type_mistakes(settings: Settings) -> Iterator[str]:
    if not settings.fetch.content_types:
        yield "fetch.content_types is empty: name a type, as in text/html, or */* for all"
    for text in settings.fetch.content_types:
        if not _MEDIA_TYPE.fullmatch(text):
            yield f"fetch.content_types: {shown(text)} is not a media type; write it as text/html or text/*"


def _proxy_mistakes(settings: Settings) -> Iterator[str]:
    if settings.fetch.proxy_login and not settings.fetch.proxies:
        yield "fetch.proxy_login has no fetch.proxies to log in to: name one, or leave both out"
    for proxy in settings.fetch.proxies:
        parts = _PROXY.fullmatch(proxy)
        # Said without the value: what is refused here may hold a password, and end up in a log.
        if parts is None:
            yield "fetch.proxies has what is not the URL of an HTTP proxy: write it as http://proxy.example:3128"
        elif parts["login"] is not None:
            yield "fetch.proxies has a password that the run would keep: put it in a file that fetch.proxy_login names"


def _ask_mistakes(settings: Settings) -> Iterator[str]:
    parts = _SERVER.fullmatch(settings.ask.server)
    if parts is None:
        yield f"ask.url is {shown(settings.ask.url)}: name the server's API, as in http://localhost:11434/v1"
    elif parts["login"] is not None:
        yield "ask.url holds a password that the run would keep: put the key into the variable HONEYGUIDE_ASK_KEY"
    if settings.ask.url and not settings.ask.model:
        yield f"ask.url is {shown(settings.ask.url)}, but no model is named that is to be asked there: add --ask-model"
    kind = settings.judge.kind
    if settings.ask.limit and kind in JUDGES and not hasattr(JUDGES[kind], "teach"):
        yield f"ask.questions is {settings.ask.limit}, but judge.kind {kind} learns from no answers: judge by learned"
    if not (settings.ask.key.isascii() and settings.ask.key.isprintable()):
        yield "the key in HONEYGUIDE_ASK_KEY must be printable ASCII on one line"  # said without the value


def _guard_mistakes(settings: Settings) -> Iterator[str]:
    for rule in settings.guard.rules:
        if rule not in GUARD_RULES:
            yield f"guard.rules: {shown(rule)} is none; choose of {', '.join(GUARD_RULES)}"


def _restart_mistakes(settings: Settings) -> Iterator[str]:
    for source in settings.restart.sources:
        if source not in RESTART_SOURCES:
            yield f"restart.sources: {shown(source)} is none; choose of {', '.join(RESTART_SOURCES)}"
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


def _yield_mistakes(settings: Settings) -> Iterator[str]:
    try:
        yield_rule(settings.budget.stop_when)
    except ValueError as error:
        yield f"budget.stop_when is {shown(settings.budget.stop_when)}: {error}"


def may_draw_links(strategy: str) -> bool:
    """Return whether `crawl.blind_spots` can be used with a strategy: whether its frontier draws among all links."""
    order = getattr(STRATEGIES[strategy], "order", None) if strategy in STRATEGIES else None  # some decide it later
    return order is None or order.name != "SHALLOWEST"


def _blind_spot_mistakes(settings: Settings) -> Iterator[str]:
    name, share = settings.crawl.strategy, settings.crawl.blind_spots
    if share and not may_draw_links(name):
        why = f"{name} would draw from the shallowest links alone, which tell nothing of the others"
        yield f"crawl.blind_spots is {share:g}, but {why}: set it to 0, or take another crawl.strategy"


def _expression_mistakes(settings: Settings) -> Iterator[str]:
    from honeyguide.model import linear_pattern  # noqa: PLC0415

    for name in ("allow_paths", "deny_paths", "allow_urls", "deny_urls", "allow_titles", "deny_titles"):
        for pattern in getattr(settings.scope, name):
            if not pattern:
                yield f"scope.{name}: an empty pattern is found in everything; leave it out"
            try:
                linear_pattern(pattern)
            except ValueError as error:
                yield f"scope.{name}: {shown(pattern)} is not a regular expression that RE2 knows: {error}"


def _vector_mistakes(settings: Settings) -> Iterator[str]:
    paths = {f"vectors.{key}": getattr(settings.vectors, key) for key in ("source", "encoder", "cache_folder")}
    for key, text in paths.items():
        if "\0" in text:
            yield f"{key} is {shown(text)}: no path has a NUL in it"
    if not settings.vectors.source.strip():
        yield "vectors.source is empty: name a file of vectors, or bundled"


def _method_mistakes(settings: Settings) -> Iterator[str]:
    """Yield what strategies and judges find wrong in their own settings."""
    for method in dict.fromkeys(each.section for each in SETTINGS_BY_KEY.values() if not isinstance(each.section, str)):
        find: Callable[[Settings], Iterable[str]] | None = getattr(settings.of(method), "mistakes", None)
        yield from find(settings) if find else ()


def _topic_mistakes(settings: Settings) -> Iterator[str]:
    from honeyguide.model import Topic  # noqa: PLC0415

    # A blind strategy may run without a topic; then nothing is judged relevant.
    topic = Topic(settings.topic.name, settings.topic.keywords, settings.topic.like)
    has_unread_example = any(example.startswith("@") for example in settings.topic.like)
    if topic.is_empty and not has_unread_example and _needs_topic(settings):
        yield "topic is empty: give --topic, --keyword or --like"


def _needs_topic(settings: Settings) -> bool:
    name = settings.crawl.strategy
    return name in STRATEGIES and bool(STRATEGIES[name].needs_topic)


def _respect_mistakes(settings: Settings) -> Iterator[str]:
    if settings.directives.is_strict and not settings.politeness.obey_robots:
        yield "directives.respect is 'strict', and politeness.obey_robots is false: leave out one of them"


_CHECKS: Final = (
    _respect_mistakes,
    _world_mistakes,
    _profile_mistakes,
    _url_mistakes,
    _identity_mistakes,
    _private_mistakes,
    _content_type_mistakes,
    _proxy_mistakes,
    _delay_mistakes,
    _yield_mistakes,
    _blind_spot_mistakes,
    _restart_mistakes,
    _expression_mistakes,
    judge_mistakes,
    _vector_mistakes,
    _method_mistakes,
    _guard_mistakes,
    _ask_mistakes,
)
