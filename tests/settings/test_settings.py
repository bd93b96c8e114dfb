"""Settings: TOML and flags in, every mistake told at once, and TOML out that reads back."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import SettingsError
from honeyguide.learn import LfaSettings, OnlineRidgeSettings
from honeyguide.settings import (
    JUDGES,
    SETTINGS_BY_KEY,
    STRATEGIES,
    WORLDS,
    BudgetSettings,
    FetchSettings,
    Settings,
    TopicSettings,
    everyday_settings,
    load_settings,
    settings_from,
    to_toml,
    validate,
    with_overrides,
)
from honeyguide.settings.checks import judge_mistakes
from honeyguide.settings.profiles import VALUES_BY_PROFILE
from honeyguide.settings.sections import PROFILES

if TYPE_CHECKING:
    from pathlib import Path

RUNNABLE = Settings(topic=TopicSettings(name="geology"))

VALUES_BY_KIND: dict[str, st.SearchStrategy[Any]] = {
    "text in quotes": st.text(),
    "true or false": st.booleans(),
    "a whole number": st.integers(),
    "a finite number": st.floats(allow_nan=False, allow_infinity=False),
    'a list of texts, as in ["one", "two"]': st.lists(st.text(), max_size=3),
    "a list of whole numbers, as in [128, 256]": st.lists(st.integers(), max_size=3),
    "a list of numbers, as in [0.5, 0.4]": st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6), max_size=4
    ),
}
ANY_VALUES = st.fixed_dictionaries(
    {}, optional={key: VALUES_BY_KIND[setting.kind.words] for key, setting in SETTINGS_BY_KEY.items()}
)


def mistakes_of(values: dict[str, Any]) -> tuple[str, ...]:
    """List what is wrong with these values over settings that are otherwise fit to run."""
    with pytest.raises(SettingsError) as caught:
        validate(with_overrides(RUNNABLE, values))
    return caught.value.mistakes


def mistakes_in(settings: Settings) -> tuple[str, ...]:
    """List what keeps a crawl from being built; nothing where it can be."""
    try:
        validate(settings)
    except SettingsError as error:
        return error.mistakes
    return ()


class TestReading:
    def test_what_is_left_out_keeps_its_default(self) -> None:
        settings = settings_from({"budget": {"fetches": 7}})

        assert settings == Settings(budget=BudgetSettings(fetches=7))

    def test_a_file_is_read_into_the_tree(self, tmp_path: Path) -> None:
        path = tmp_path / "run.toml"
        path.write_text('[topic]\nname = "geology"\nkeywords = ["rock"]\n[online_ridge]\nexploration = 0.2\n')

        settings = load_settings(path)

        assert settings.topic == TopicSettings("geology", ("rock",))
        assert settings.of(OnlineRidgeSettings).exploration == 0.2

    def test_a_byte_order_mark_is_no_obstacle(self, tmp_path: Path) -> None:
        path = tmp_path / "run.toml"
        path.write_bytes(b"\xef\xbb\xbf[budget]\nfetches = 5\n")

        assert load_settings(path).budget.fetches == 5

    def test_a_whole_number_does_for_any_number(self) -> None:
        timeout_s = settings_from({"fetch": {"timeout_s": 5}}).fetch.timeout_s

        assert isinstance(timeout_s, float)
        assert timeout_s == 5.0

    def test_flags_go_over_the_file_and_none_is_a_flag_not_given(self) -> None:
        from_file = settings_from({"budget": {"fetches": 7, "seconds": 9}})

        settings = with_overrides(from_file, {"budget.fetches": 50, "budget.seconds": None})

        assert settings.budget == BudgetSettings(fetches=50, seconds=9.0)

    def test_invalid_toml_is_one_line_that_says_where(self, tmp_path: Path) -> None:
        path = tmp_path / "run.toml"
        path.write_text("[budget]\nfetches = \n")

        with pytest.raises(SettingsError, match=r"run\.toml is not valid TOML: .*line 2") as caught:
            load_settings(path)
        assert "\n" not in str(caught.value)

    def test_a_file_that_is_not_utf8_is_one_line_that_says_where(self, tmp_path: Path) -> None:
        path = tmp_path / "run.toml"
        path.write_bytes(b'[topic]\nname = "g\xe9ologie"\n')

        with pytest.raises(SettingsError, match=r"not UTF-8 text \(at line 2\)"):
            load_settings(path)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"cannot read .*absent\.toml: No such file"):
            load_settings(tmp_path / "absent.toml")


class TestRefusedKeysAndTypes:
    @pytest.mark.parametrize(
        ("document", "mistake"),
        [
            ({"fetch": {"timeot_s": 3}}, "unknown setting fetch.timeot_s; did you mean timeout_s?"),
            ({"crawl": {"timeout_s": 3}}, "unknown setting crawl.timeout_s; did you mean fetch.timeout_s?"),
            ({"fetches": 3}, "unknown setting fetches; did you mean budget.fetches?"),
            ({"bugdet": {"fetches": 3}}, "unknown table [bugdet]; did you mean budget?"),
            (
                {"online-ridge": {"exploration": 0.1}},
                "unknown table [online-ridge]; did you mean online_ridge?",
            ),
            ({"frontier": {"zzz": 1}}, "unknown setting frontier.zzz; [frontier] has found_again"),
            ({"budget": 5}, "budget is a table of settings: write [budget] and its settings below it"),
        ],
    )
    def test_an_unknown_key_is_refused_with_the_nearest_one(self, document: dict[str, Any], mistake: str) -> None:
        with pytest.raises(SettingsError) as caught:
            settings_from(document)

        assert caught.value.mistakes == (mistake,)

    @pytest.mark.parametrize(
        ("key", "value", "mistake"),
        [
            ("budget.fetches", "many", "budget.fetches is 'many': it must be a whole number"),
            ("budget.fetches", True, "budget.fetches is true: it must be a whole number"),
            ("budget.fetches", 1.5, "budget.fetches is 1.5: it must be a whole number"),
            ("fetch.timeout_s", False, "fetch.timeout_s is false: it must be a finite number"),
            ("fetch.timeout_s", float("nan"), "fetch.timeout_s is nan: it must be a finite number"),
            ("fetch.timeout_s", float("inf"), "fetch.timeout_s is inf: it must be a finite number"),
            ("politeness.obey_robots", 1, "politeness.obey_robots is 1: it must be true or false"),
            ("topic.name", 3, "topic.name is 3: it must be text in quotes"),
            (
                "topic.keywords",
                "rock",
                'topic.keywords is \'rock\': it must be a list of texts, as in ["one", "two"]',
            ),
            (
                "judge.reward_values",
                [1, float("nan")],
                "judge.reward_values is [1, nan]: it must be a list of numbers, as in [0.5, 0.4]",
            ),
            (
                "judge.reward_values",
                [True],
                "judge.reward_values is [True]: it must be a list of numbers, as in [0.5, 0.4]",
            ),
            (
                "judge.reward_values",
                0.5,
                "judge.reward_values is 0.5: it must be a list of numbers, as in [0.5, 0.4]",
            ),
        ],
    )
    def test_a_value_of_the_wrong_type_is_a_mistake_in_words(self, key: str, value: object, mistake: str) -> None:
        assert mistakes_of({key: value}) == (mistake,)

    def test_a_number_too_large_for_a_float_is_refused(self) -> None:
        (mistake,) = mistakes_of({"fetch.timeout_s": 10**400})

        assert mistake.endswith("it must be a finite number")

    def test_text_that_cannot_be_written_is_refused(self) -> None:
        (mistake,) = mistakes_of({"topic.name": "g\udce9ologie"})

        assert mistake.endswith("it must be text in quotes")

    def test_wrong_types_in_settings_built_by_hand_are_mistakes_too(self) -> None:
        wrong: Any = "many"

        with pytest.raises(SettingsError, match="'many': it must be a whole number"):
            validate(replace(RUNNABLE, budget=BudgetSettings(fetches=wrong)))


class TestValidation:
    def test_the_defaults_with_a_topic_are_fit_to_run(self) -> None:
        assert mistakes_in(RUNNABLE) == ()

    def test_all_mistakes_are_listed_together(self) -> None:
        mistakes = mistakes_of(
            {
                "budget.fetches": 0,
                "judge.kind": "embeding",
                "crawl.seed": -1,
                "fetch.timeout_s": 0,
                "topic.name": "",
            }
        )

        assert mistakes == (
            "crawl.seed is -1: it must be at least 0",
            "budget.fetches is 0: it must be at least 1 and at most 1,000,000,000",
            "fetch.timeout_s is 0.0: it must be above 0",
            f"judge.kind is 'embeding': choose one of {', '.join(JUDGES)}; did you mean embedding?",
            "topic is empty: give --topic, --keyword or --like",
        )

    def test_a_refused_key_does_not_hide_a_wrong_value(self) -> None:
        with pytest.raises(SettingsError) as caught:
            settings_from({"budget": {"fetchs": 3, "seconds": -1, "megabytes": "all"}})

        assert len(caught.value.mistakes) == 3

    @pytest.mark.parametrize(
        ("key", "value", "mistake"),
        [
            (
                "crawl.strategy",
                "best-frist",
                f"crawl.strategy is 'best-frist': choose one of {', '.join(STRATEGIES)}; did you mean best-first?",
            ),
            (
                "crawl.world",
                "sinthetic:small",
                f"crawl.world is 'sinthetic': choose one of {', '.join(WORLDS)}; did you mean synthetic?",
            ),
            (
                "online_ridge.exploration",
                1.5,
                "online_ridge.exploration is 1.5: it must be at least 0 and at most 1",
            ),
            (
                "crawl.seed_urls",
                ["ftp://example.org/"],
                "crawl.seed_urls: not an http or https URL: 'ftp://example.org/'",
            ),
            (
                "politeness.max_delay_s",
                0.5,
                "politeness.max_delay_s is 0.5: it must be at least delay_s, here 1",
            ),
            (
                "beam.width",
                0,
                "beam.width is 0: it must be at least 1 and at most 1,000,000",
            ),
            (
                "beam.heuristic",
                "similarty",
                "beam.heuristic is 'similarty': choose one of similarity, url; did you mean similarity?",
            ),
            (
                "modified_depth_first.patience",
                0,
                "modified_depth_first.patience is 0: it must be at least 1 and at most 1,000",
            ),
            (
                "scope.deny_hosts",
                ["https://example.org/"],
                (
                    "scope.deny_hosts: not a host: 'https://example.org/'; write its name alone, as in example.org or "
                    "*.example.org"
                ),
            ),
            (
                "scope.allow_paths",
                ["(unclosed"],
                "scope.allow_paths: '(unclosed' is not a regular expression that RE2 knows: missing ): (unclosed",
            ),
            (
                "scope.deny_titles",
                [""],
                "scope.deny_titles: an empty pattern is found in everything; leave it out",
            ),
            (
                "scope.max_depth",
                -1,
                "scope.max_depth is -1: it must be at least 0",
            ),
            (
                "lfa.exploration_end",
                0.05,
                "lfa.exploration_end is 0.05: give lfa.exploration_steps, too, or lfa.exploration alone",
            ),
            (
                "lfa.small_change",
                0.5,
                "lfa.small_change is 0.5: it must be at most lfa.large_change, here 0.3",
            ),
            (
                "dqn.large_change",
                0.05,
                "dqn.small_change is 0.1: it must be at most dqn.large_change, here 0.05",
            ),
            (
                "politeness.pause_to_s",
                0.5,
                "politeness.pause_to_s is 0.5: it must be at least pause_from_s, here 1",
            ),
            (
                "crawl.profile",
                "wikipeda",
                f"crawl.profile is 'wikipeda': choose one of {', '.join(PROFILES)}, or leave it empty",
            ),
            (
                "fetch.contact",
                "me\r\nX-Evil: 1",
                "fetch.contact is 'me\\r\\nX-Evil: 1': it must be printable ASCII on one line",
            ),
            (
                "fetch.user_agent",
                " ",
                "fetch.user_agent is empty: give the crawler a name, as in 'Honeyguide/1.0'",
            ),
            (
                "fetch.accept_language",
                "en\nX: 1",
                "fetch.accept_language is 'en\\nX: 1': it must be printable ASCII on one line",
            ),
            (
                "fetch.content_types",
                ["html"],
                "fetch.content_types: 'html' is not a media type; write it as text/html or text/*",
            ),
            ("fetch.content_types", [], "fetch.content_types is empty: name a type, as in text/html, or */* for all"),
        ],
    )
    def test_a_wrong_value_is_named_with_what_is_allowed(self, key: str, value: object, mistake: str) -> None:
        assert mistakes_of({key: value}) == (mistake,)

    def test_a_world_may_carry_its_own_specification(self) -> None:
        assert mistakes_in(with_overrides(RUNNABLE, {"crawl.world": "synthetic:pages=50"})) == ()

    @pytest.mark.parametrize("strategy", sorted(name for name in STRATEGIES if not STRATEGIES[name].needs_topic))
    def test_a_blind_strategy_runs_without_a_topic(self, strategy: str) -> None:
        assert mistakes_in(with_overrides(Settings(), {"crawl.strategy": strategy})) == ()

    @pytest.mark.parametrize("strategy", sorted(name for name in STRATEGIES if STRATEGIES[name].needs_topic))
    def test_a_strategy_that_looks_for_a_topic_needs_one(self, strategy: str) -> None:
        with pytest.raises(SettingsError, match=r"^topic is empty: give --topic, --keyword or --like$"):
            validate(with_overrides(Settings(), {"crawl.strategy": strategy}))

    @pytest.mark.parametrize(
        ("values", "mistake"),
        [
            (
                {"reward": "han2018", "reward_values": [3, 2, 1]},
                (
                    "judge.reward_values has 3 numbers: give 4, with a topic word, above the higher and the lower "
                    "threshold, otherwise"
                ),
            ),
            (
                {"reward": "hit", "reward_values": [1, 0]},
                (
                    "judge.reward_values is given, but the reward hit has no such numbers: leave it out, or choose one "
                    "of han2018, pertejo-30-30-20, pertejo-30-20-10, pertejo-code"
                ),
            ),
            ({"lower": 0.8, "upper": 0.6}, "judge.lower is 0.8: it must be below judge.upper, here 0.6"),
            (
                {"reward": "lim2016"},
                (
                    "judge.reward is 'lim2016': it counts features that only the strategies parse-or-skip and "
                    "parse-or-skip-q have, and crawl.strategy is 'online-ridge'; choose another reward, as in score"
                ),
            ),
        ],
    )
    def test_judge_settings_must_agree(self, values: dict[str, Any], mistake: str) -> None:
        assert mistakes_of({f"judge.{name}": value for name, value in values.items()}) == (mistake,)

    @pytest.mark.parametrize("strategy", ["parse-or-skip", "parse-or-skip-q"])
    def test_the_reward_of_lim_goes_with_the_strategies_of_lim(self, strategy: str) -> None:
        chosen = with_overrides(RUNNABLE, {"judge.reward": "lim2016", "crawl.strategy": strategy})
        assert not list(judge_mistakes(chosen))

    @pytest.mark.parametrize("topic", [{"keywords": ["rock"]}, {"like": ["Rocks are old."]}, {"like": ["@-"]}])
    def test_keywords_or_examples_alone_are_a_topic(self, topic: dict[str, list[str]]) -> None:
        assert mistakes_in(settings_from({"topic": topic})) == ()

    @pytest.mark.parametrize(
        ("judge", "words"),
        [
            ({"kind": "keyword"}, "judge.kind is 'keyword': it goes by the topic's words"),
            ({"kind": "tfidf"}, "or judge by embedding"),
            ({"kind": "rake"}, "honeyguide topic suggest proposes some"),
            ({"kind": "combined", "parts": ["embedding:2", "tfidf:1"]}, "judge.parts has 'tfidf:1': it goes by"),
            ({"relevant_when": "word"}, "judge.relevant_when is 'word': it goes by"),
            ({"reward": "han2018"}, "judge.reward is 'han2018': it goes by"),
        ],
    )
    def test_what_goes_by_topic_words_needs_some(self, judge: dict[str, Any], words: str) -> None:
        told_by_examples = {"topic": {"name": " ", "like": ["Rocks are old."]}, "judge": judge}
        with pytest.raises(SettingsError) as caught:
            validate(settings_from(told_by_examples))
        (mistake,) = caught.value.mistakes
        assert words in mistake
        for word in ({"name": "geology"}, {"keywords": ["rock"]}):
            validate(settings_from({**told_by_examples, "topic": {"like": ["Rocks are old."], **word}}))

    @pytest.mark.parametrize("kind", ["embedding", "embedding-tfidf", "classifier", "neural"])
    def test_examples_alone_do_for_judges_that_compare_meanings(self, kind: str) -> None:
        assert mistakes_in(settings_from({"topic": {"like": ["Rocks are old."]}, "judge": {"kind": kind}})) == ()

    def test_a_blind_crawl_without_any_topic_may_have_any_judge(self) -> None:
        assert mistakes_in(settings_from({"crawl": {"strategy": "breadth-first"}, "judge": {"kind": "tfidf"}})) == ()


@pytest.mark.parametrize(
    "lfa",
    [
        {"exploration_end": 0.05, "exploration_steps": 100},
        {"exploration": 0.3},
        {"exploration": 0.0, "exploration_end": 0.0},
    ],
)
def test_an_end_of_exploration_may_be_left_as_it_is(lfa: dict[str, float]) -> None:
    assert mistakes_in(settings_from({"lfa": lfa}, base=RUNNABLE)) == ()


class TestProfiles:
    def test_a_profile_brings_its_settings_along(self) -> None:
        assert settings_from({"crawl": {"profile": "wikipedia"}}).politeness.pause_every == 10
        assert with_overrides(Settings(), {"crawl.profile": "wikipedia"}).politeness.pause_every == 10
        assert Settings().politeness.pause_every == 0

    @pytest.mark.parametrize("pause_every", [0, 3])
    def test_what_stands_beside_the_profile_goes_over_it(self, pause_every: int) -> None:
        document = {"crawl": {"profile": "wikipedia"}, "politeness": {"pause_every": pause_every}}

        assert settings_from(document).politeness.pause_every == pause_every

    def test_what_was_set_before_stays_and_what_is_set_later_goes_over_it(self) -> None:
        before = settings_from({"politeness": {"pause_every": 3, "delay_s": 2}})

        profiled = with_overrides(before, {"crawl.profile": "wikipedia"})

        assert profiled == replace(before, crawl=replace(before.crawl, profile="wikipedia"))
        assert with_overrides(profiled, {"politeness.pause_every": 0}).politeness.pause_every == 0

    def test_what_was_set_to_its_default_stays_too(self) -> None:
        before = with_overrides(settings_from({"lfa": {"discount": 0.9}}), {"lfa.draws": "pair"})

        lfa = with_overrides(before, {"crawl.profile": "pertejo2021"}).of(LfaSettings)

        assert (lfa.discount, lfa.draws, lfa.features) == (0.9, "pair", "pertejo")

    def test_what_a_profile_brought_is_not_set_by_anybody(self) -> None:
        settings = with_overrides(Settings(), {"crawl.profile": "pertejo2021", "lfa.draws": "link"})

        assert settings.set_keys == {"crawl.profile", "lfa.draws"}
        assert settings == settings_from(tomllib.loads(to_toml(settings)))

    def test_settings_written_down_bring_nothing_along_when_they_are_read_again(self) -> None:
        settings = with_overrides(Settings(), {"crawl.profile": "wikipedia", "politeness.pause_every": 0})

        assert settings_from(tomllib.loads(to_toml(settings))) == settings

    def test_a_profile_nobody_knows_or_that_is_no_text_is_a_mistake_and_brings_nothing(self) -> None:
        assert settings_from({"crawl": {"profile": "wiki"}}).politeness.pause_every == 0
        with pytest.raises(SettingsError, match=r"crawl\.profile is \['wikipedia'\]: it must be text in quotes"):
            settings_from({"crawl": {"profile": ["wikipedia"]}})

    def test_profiles_bring_only_settings_that_exist_and_fit(self) -> None:
        assert set(VALUES_BY_PROFILE) == set(PROFILES)
        for name in PROFILES:
            validate(with_overrides(RUNNABLE, {"crawl.profile": name}))


class TestWriting:
    @given(ANY_VALUES)
    def test_settings_written_as_toml_read_back_the_same(self, values: dict[str, Any]) -> None:
        settings = with_overrides(Settings(), values)

        assert settings_from(tomllib.loads(to_toml(settings))) == settings

    def test_awkward_text_survives(self) -> None:
        name = 'quote " backslash \\ line\r\nbreak tab\t bell\x07 delete\x7f separator\u2028 bird 🐦'
        settings = Settings(topic=TopicSettings(name))

        assert settings_from(tomllib.loads(to_toml(settings))).topic.name == name

    def test_every_setting_is_written(self) -> None:
        written = tomllib.loads(to_toml(Settings()))

        assert {f"{table}.{name}" for table in written for name in written[table]} == set(SETTINGS_BY_KEY)


class TestSchema:
    def test_every_setting_says_what_it_means(self) -> None:
        assert all(setting.meaning for setting in SETTINGS_BY_KEY.values())

    def test_some_forty_settings_are_for_every_day(self) -> None:
        keys = [setting.key for setting in everyday_settings()]
        assert 35 <= len(keys) <= 50
        assert {"topic.name", "budget.fetches", "crawl.strategy", "politeness.delay_s", "judge.kind"} <= set(keys)

    def test_the_contact_is_sent_inside_the_default_user_agent(self) -> None:
        identity = FetchSettings(contact="crawl@example.org").identity

        assert identity.startswith("Honeyguide/")
        assert identity.endswith("(focused crawler; crawl@example.org)")

    def test_the_contact_is_added_to_a_user_agent_of_ones_own(self) -> None:
        settings = FetchSettings(user_agent="Surveyor/2", contact="crawl@example.org")

        assert settings.identity == "Surveyor/2 (crawl@example.org)"

    def test_importing_settings_loads_nothing_heavy_and_no_strategy(self) -> None:
        heavy = "{'aiohttp', 'numpy', 'honeyguide.learn', 'honeyguide.judge', 'honeyguide.model'}"
        script = f"import sys, honeyguide.settings; print(bool({heavy} & sys.modules.keys()))"

        answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

        assert answer.stdout.strip() == "False"


@pytest.mark.parametrize("key", ["crawl.seed_urls", "crawl.feeds", "topic.like"])
def test_a_url_with_a_password_which_the_run_would_keep_is_refused_without_telling_it(key: str) -> None:
    with pytest.raises(SettingsError, match=f"{key} has a URL with a login .* --logins") as told:
        validate(with_overrides(RUNNABLE, {key: ["http://ann:hunter2@example.org/"]}))
    assert "hunter2" not in str(told.value)
    validate(with_overrides(RUNNABLE, {key: ["http://example.org/@ann:hunter2"]}))
