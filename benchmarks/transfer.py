"""Does a crawl find more when it begins with what was learned about other topics?

Run `python benchmarks/transfer.py COMPARISON [--train OTHER] [--seeds 0,1] [--set KEY=VALUE] [--json]`. COMPARISON is a
folder that `honeyguide lab compare` has made with one strategy, on wikis graded by categories or on synthetic webs.
Each of its crawls is made once more, begun with all runs of OTHER, or of COMPARISON itself, about another topic.
On-topic pages found, as a share of the oracle, are compared in pairs, with a 95% bootstrap interval over topics.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.crawler import crawl, learned_weights, word_vectors
from honeyguide.model import linear_pattern
from honeyguide.registry import WORLDS
from honeyguide.runs import Run, open_run
from honeyguide.settings import Settings, with_overrides
from honeyguide_lab.labels import CategoryLabels, KnowsCategories, KnowsTopics, Labels, TruthLabels
from machine import machine

if TYPE_CHECKING:
    from honeyguide.text import WordVectors
    from honeyguide.worlds import World


@cache
def vectors() -> WordVectors:
    return word_vectors(Settings().chosen_vectors)


@cache
def world(name: str) -> World:
    kind, _, spec = name.partition(":")
    opened: World = WORLDS[kind](spec, Settings())
    return opened


def labels_of(entry: dict[str, Any]) -> Labels:
    """The labels of one topic in one world, as `summary.json` names them."""
    web, (kind, _, pattern) = world(entry["world"]), entry["labels"].partition(":")
    if kind == "category" and isinstance(web, KnowsCategories):
        return CategoryLabels(web, linear_pattern(f"(?i){pattern}"))
    if kind == "truth" and isinstance(web, KnowsTopics):
        return TruthLabels(web, entry["topic"])
    raise SystemExit(f"labels {entry['labels']}: name a comparison on a wiki with categories, or on a synthetic web")


def runs_in(comparison: Path) -> list[tuple[Path, Settings]]:
    """All runs of a comparison, with their settings."""
    found = []
    for file in sorted(comparison.glob("runs/*/*/run/settings.toml")):
        with open_run(file.parent) as run:
            found.append((file.parent, run.settings))
    if not found:
        raise SystemExit(f"{comparison} holds no runs; make it with honeyguide lab compare")
    return found


def on_topic_in(run: Run, labels: Labels) -> int:
    return sum(labels.is_on_topic(step.url) for step in run.steps() if step.outcome == "fetched")


def pairs(args: argparse.Namespace, folder: Path) -> dict[str, list[tuple[float, float]]]:
    """Shares of the oracle found before and now, by topic and world."""
    summary = json.loads((args.comparison / "summary.json").read_text())
    entries = {(each["world"], each["topic"]): each for each in summary["worlds"]}
    learned: list[tuple[str, str]] = []  # topic and file
    for number, (run, settings) in enumerate(runs_in(args.train or args.comparison)):
        file = folder / f"{number}.npz"
        file.write_bytes(learned_weights(run).save())
        learned.append((settings.topic.name, str(file)))
    found: dict[str, list[tuple[float, float]]] = {}
    for run, settings in runs_in(args.comparison):
        if settings.crawl.seed not in args.seeds:
            continue
        topic = settings.topic.name
        entry = entries[settings.crawl.world, topic]
        labels = labels_of(entry)
        oracle = next(each["oracle"] for each in entry["starts"] if each["seed"] == settings.crawl.seed)
        earlier = [file for about, file in learned if about != topic]
        again = with_overrides(settings, {"crawl.learn_from": earlier, "store.archive": "none", **args.set})
        with tempfile.TemporaryDirectory() as place, open_run(run) as before:
            options = {"world": world(settings.crawl.world), "vectors": vectors()}
            with crawl(Path(place) / "run", again, **options) as now:  # type: ignore[arg-type]
                shares = on_topic_in(before, labels) / oracle, on_topic_in(now, labels) / oracle
        found.setdefault(f"{topic} in {settings.crawl.world}", []).append(shares)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("comparison", type=Path)
    parser.add_argument("--train", type=Path, help="a comparison whose runs to begin with")
    parser.add_argument("--seeds", type=lambda text: [int(part) for part in text.split(",")], default=[0])
    parser.add_argument("--set", action="append", default=[], help="a setting of the crawls that are made again")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    args.set = {key: json.loads(value) for key, _, value in (each.partition("=") for each in args.set)}
    with tempfile.TemporaryDirectory() as folder:
        found = pairs(args, Path(folder))
    gains = np.array([np.mean([now - before for before, now in each]) for each in found.values()])
    draws = np.random.default_rng(0).choice(gains, (10_000, len(gains))).mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    means = np.mean([np.mean(each, axis=0) for each in found.values()], axis=0)
    if args.json:
        print(json.dumps({"machine": machine(), "pairs": found, "gain": gains.mean(), "interval": [low, high]}))
        return
    for name, each in found.items():
        before, now = np.mean(each, axis=0)
        print(f"| {name} | {before:.1%} | {now:.1%} |")
    print(f"without {means[0]:.1%}, with {means[1]:.1%} of the oracle: {gains.mean():+.1%} [{low:+.1%}, {high:+.1%}]")


if __name__ == "__main__":
    main()
