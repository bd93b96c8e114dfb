"""What happens in an episode: rewards, ends, errors and repetition."""

from __future__ import annotations

import re

import pytest
from gymnasium.error import InvalidAction
from gymnasium.utils.env_checker import data_equivalence

from honeyguide.errors import SettingsError, WorldError
from honeyguide.model import Failed, FailureReason, LinkId, Unknown
from honeyguide_lab.environment import STATE_COLUMNS, FocusedCrawlEnv, TableSpec
from lab.environment.practice import play, rocks_with, scripted_env, settings_for, small_env
from scripted_world import ScriptedWorld, page_with, redirect_to, taking
from vectors_by_hash import hashed_vectors

START = "http://a.test/"


def test_the_same_seed_and_actions_give_the_same_everything() -> None:
    one, two = play(small_env(), seed=11), play(small_env(), seed=11)
    assert len(one) == 40
    assert data_equivalence(one, two, exact=True)


def test_a_second_episode_with_the_seed_repeats_the_first() -> None:
    env = small_env(TableSpec(rows=16, scorer="online-ridge"))
    first = play(env, seed=11)
    play(env, seed=12, steps=20)
    assert data_equivalence(first, play(env, seed=11), exact=True)


def test_another_seed_shows_other_links() -> None:
    assert not data_equivalence(play(small_env(), seed=1, steps=20), play(small_env(), seed=2, steps=20))


def test_the_judge_pays_for_a_page_and_info_tells_of_it() -> None:
    env = scripted_env({START: rocks_with("/b"), "http://a.test/b": page_with("/c")}, judge__reward="hit")
    _, before = env.reset(seed=0)
    assert (before["url"], before["outcome"], before["steps"]) == ("", "", 0)
    _, reward, *_, info = env.step(0)
    assert reward == 1.0
    assert info["url"] == START
    assert info["outcome"] == "fetched"
    assert info["relevance"] > 0.5
    assert info["is_relevant"] is True
    assert (info["steps"], info["relevant"], info["waiting"]) == (1, 1, 1)
    _, reward, *_, info = env.step(0)
    assert (reward, info["is_relevant"], info["steps"], info["relevant"]) == (0.0, False, 2, 1)


def test_a_redirect_and_a_failure_cost_a_fetch_and_pay_nothing() -> None:
    env = scripted_env(
        {START: redirect_to("http://a.test/b"), "http://a.test/b": Failed(FailureReason.TIMEOUT, "too slow")}
    )
    env.reset(seed=0)
    steps = [env.step(0), env.step(0)]
    assert [(reward, info["outcome"], info["steps"]) for _, reward, _, _, info in steps] == [
        (0.0, "redirected", 1),
        (0.0, "failed", 2),
    ]


def test_a_link_that_the_world_does_not_know_costs_nothing() -> None:
    env = scripted_env({START: Unknown("never fetched")}, budget__fetches=1)
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["outcome"]) == (0.0, True, False, "unknown")
    assert observation["state"][STATE_COLUMNS.index("share_spent")] == 0.0


def test_an_episode_terminates_when_nothing_is_left_to_crawl() -> None:
    seen = play(scripted_env({START: page_with("/b")}), seed=0)
    assert [(terminated, truncated) for _, _, terminated, truncated, _ in seen] == [(False, False), (True, False)]


def test_an_episode_is_truncated_when_the_budget_is_spent() -> None:
    seen = play(scripted_env({START: page_with("/b", "/c")}, budget__fetches=2), seed=0)
    assert [(terminated, truncated) for _, _, terminated, truncated, _ in seen] == [(False, False), (False, True)]


def test_the_last_page_for_the_last_fetch_ends_both_ways() -> None:
    (only,) = play(scripted_env({START: page_with()}, budget__fetches=1), seed=0)
    assert only[2:4] == (True, True)


def test_simulated_seconds_count_the_rest_that_a_host_needs() -> None:
    world = {START: taking(1.0, page_with("/b", "/c")), "http://a.test/b": taking(1.0, page_with())}
    seen = play(scripted_env(world, budget__seconds=11, politeness__delay_s=10), seed=0)
    assert [truncated for _, _, _, truncated, _ in seen] == [False, True]


def test_a_masked_action_raises_and_changes_nothing() -> None:
    env = small_env()
    _, before = env.reset(seed=0)
    for action in (len(before["action_mask"]) - 1, -1, 16):
        with pytest.raises(InvalidAction, match=rf"action {action} is masked: \d+ of 16 rows hold a link"):
            env.step(action)
    assert env.step(0)[4]["steps"] == 1


def test_the_mask_stands_in_the_observation_and_in_info() -> None:
    for observation, *_, info in play(small_env(), seed=0, steps=5):
        assert (observation["mask"] == info["action_mask"]).all()
        assert ((info["links"] >= 0) == observation["mask"]).all()
        assert not observation["candidates"][observation["mask"] == 0].any()


def test_state_features_tell_of_the_last_page() -> None:
    env = scripted_env({START: rocks_with("/b"), "http://a.test/b": page_with()}, budget__fetches=4)
    env.reset(seed=0)
    state = dict(zip(STATE_COLUMNS, env.step(0)[0]["state"].tolist(), strict=True))
    assert state["share_spent"] == 0.25
    assert state["harvest_rate"] == state["is_relevant"] == state["has_page"] == 1.0
    assert state["relevant_nearness"] == state["seed_nearness"] == 1.0
    assert state["recent_harvest"] == pytest.approx(0.1)
    assert state["new_links"] == pytest.approx(1 / 21)


def test_a_link_outside_the_table_can_be_followed_by_number() -> None:
    env = small_env(TableSpec(rows=1, newest=1.0, best=0.0))
    play(env, seed=0, steps=3)
    view = env.frontier_view()
    assert len(view.links) == len(view.rows) == len(view.scores) > 1
    oldest = LinkId(int(view.links[0]))
    url = env.url(oldest).text
    assert env.step_link(oldest)[4]["url"] == url
    with pytest.raises(InvalidAction, match=f"link {oldest} does not wait"):
        env.step_link(oldest)


def test_a_world_that_is_not_offline_is_refused() -> None:
    world = ScriptedWorld({START: page_with()}, is_offline=False)
    with pytest.raises(WorldError, match="not offline"):
        FocusedCrawlEnv(settings_for(), world=world, vectors=hashed_vectors())


@pytest.mark.parametrize("world", ["live", "synthetic+http:pages=200"])
def test_a_live_world_is_refused_by_name(world: str) -> None:
    with pytest.raises(WorldError, match=f"{re.escape(world)} is not offline"):
        FocusedCrawlEnv(settings_for(crawl__world=world), vectors=hashed_vectors())


def test_a_crawl_without_a_topic_is_refused() -> None:
    with pytest.raises(SettingsError, match="topic is empty"):
        small_env(TableSpec(scorer="breadth-first"), topic__name="", topic__keywords=())


def test_an_unknown_scorer_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="'guesswork'"):
        small_env(TableSpec(scorer="guesswork"))
