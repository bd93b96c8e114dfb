"""Train a small agent on the Gymnasium environment, and see whether it beats chance on webs it has never crawled.

    python examples/train_agent.py [--episodes 8] [--repeats 4]

The agent is a linear value function over the features of a link, Q(link) = w·x, learned by semi-gradient SARSA:

    w ← w + step · (r + discount · Q(next link) - Q(link)) · x

Each episode crawls another synthetic web. Afterwards the agent and three others crawl webs that were not trained on,
and are graded by what those webs know of their own pages, which neither the judge nor the agent sees. The defaults take
a few seconds; `--episodes 80 --repeats 20` takes about a minute. Needs: pip install 'honeyguide[gym]'
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import honeyguide
from honeyguide.learn.features import COLUMNS
from honeyguide.model import LinkId, Url
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.environment import FocusedCrawlEnv

Observation: TypeAlias = dict[str, NDArray[Any]]
Chooser: TypeAlias = Callable[[FocusedCrawlEnv, Observation, np.random.Generator], LinkId]

TOPIC = "geology"
FETCHES = 150
DISCOUNT = 0.3
LEARNING_RATE = 0.03
EXPLORATION = 0.1  # share of rows drawn at random while training
FIRST_TEST_WEB = 1000  # webs from this number on are for testing only


def web(number: int) -> SyntheticWorld:
    return SyntheticWorld(SyntheticSpec(seed=number, pages=4000))


def environment(world: SyntheticWorld, vectors: WordVectors) -> FocusedCrawlEnv:
    """A crawl of one web; the vectors are loaded once and shared by all of them."""
    topic = {"name": TOPIC, "keywords": world.keywords_for(TOPIC)}
    settings = honeyguide.settings_from({"topic": topic, "budget": {"fetches": FETCHES}})
    return FocusedCrawlEnv(settings, world=world, vectors=vectors)


def train(episodes: int, vectors: WordVectors) -> NDArray[np.float64]:
    """The weights after so many crawls, each of another web."""
    chance = np.random.default_rng(0)
    weights, after_episode = np.zeros(len(COLUMNS)), []
    for number in range(episodes):
        env = environment(web(number), vectors)
        observation, _ = env.reset(seed=number)
        action = greedy_row(observation, weights, chance, EXPLORATION)
        is_over = False
        while not is_over:
            features = observation["candidates"][action].astype(np.float64)
            observation, reward, terminated, truncated, _ = env.step(action)
            is_over = terminated or truncated
            target = reward
            if not terminated:  # a crawl cut short by its budget still had something to come
                action = greedy_row(observation, weights, chance, EXPLORATION)
                target += DISCOUNT * float(observation["candidates"][action] @ weights)
            weights += LEARNING_RATE * (target - features @ weights) * features
        env.close()
        after_episode.append(weights.copy())
    # Each web pulls the weights its own way: the mean over the later half is steadier than the last.
    return np.mean(after_episode[episodes // 2 :], axis=0)


def greedy_row(
    observation: Observation, weights: NDArray[np.float64], chance: np.random.Generator, exploration: float
) -> int:
    """The row with the highest value, or now and then any."""
    is_open = observation["mask"].astype(bool)
    if chance.random() < exploration:
        return int(chance.choice(np.flatnonzero(is_open)))
    return int(np.argmax(np.where(is_open, observation["candidates"] @ weights, -np.inf)))


def any_waiting_link(env: FocusedCrawlEnv, _: Observation, chance: np.random.Generator) -> LinkId:
    return LinkId(int(chance.choice(env.frontier_view().links)))


def any_row(env: FocusedCrawlEnv, observation: Observation, chance: np.random.Generator) -> LinkId:
    return env.link_in(int(chance.choice(np.flatnonzero(observation["mask"]))))


def best_score(env: FocusedCrawlEnv, _: Observation, __: np.random.Generator) -> LinkId:
    view = env.frontier_view()
    return LinkId(int(view.links[np.argmax(view.scores)]))


def on_topic_pages(choose: Chooser, world: SyntheticWorld, vectors: WordVectors) -> int:
    """What a crawl of one web finds, by the web's own account."""
    chance = np.random.default_rng(world.spec.seed)
    env = environment(world, vectors)
    observation, _ = env.reset(seed=world.spec.seed)
    found, is_over = 0, False
    while not is_over:
        observation, _, terminated, truncated, info = env.step_link(choose(env, observation, chance))
        found += info["outcome"] == "fetched" and world.topic_of(Url.parse(info["url"])) == TOPIC
        is_over = terminated or truncated
    env.close()
    return found


def main(episodes: int, repeats: int) -> None:
    """Train, then compare."""
    vectors = WordVectors(EnglishVectors())
    weights = train(episodes, vectors)
    agents: dict[str, Chooser] = {
        "any waiting link": any_waiting_link,
        "any row of the table": any_row,
        "best-first": best_score,
        "trained agent": lambda env, seen, chance: env.link_in(greedy_row(seen, weights, chance, 0.0)),
    }
    print(f"on-topic pages in {FETCHES} fetches, mean and spread over {repeats} webs never trained on")
    webs = [web(FIRST_TEST_WEB + repeat) for repeat in range(repeats)]
    for name, choose in agents.items():
        found = [on_topic_pages(choose, world, vectors) for world in webs]
        print(f"  {name:22}{np.mean(found):6.1f} ± {np.std(found):.1f}")
    telling = np.argsort(-np.abs(weights))[:5]
    print("what weighs most:", ", ".join(f"{COLUMNS[column]} {weights[column]:+.2f}" for column in telling))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train a small agent and compare it with chance.")
    parser.add_argument("--episodes", type=int, default=8, help="crawls to learn from")
    parser.add_argument("--repeats", type=int, default=4, help="webs to be tested on")
    arguments = parser.parse_args()
    main(arguments.episodes, arguments.repeats)
