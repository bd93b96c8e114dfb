"""Flags of benchmarks that run long are looked at before anything begins; and what a site is that is no seed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crawler.small_crawls import settings_for
from honeyguide.crawler import crawl
from honeyguide.runs import forecast, open_run
from honeyguide.worlds.wiki import build_wiki
from vectors_by_hash import hashed_vectors
from worlds.wiki.dumps import Written, write_dump

TRAPS = Path(__file__).parent.parent / "benchmarks" / "traps.py"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--sites", "nowhere"), "argument --sites: nowhere has no index.html: name a folder of HTML"),
        (("--links", "1,x"), "argument --links: '1,x' is not a list of numbers from 1 on, as in 1,4,15"),
        (("--links", "0"), "argument --links: '0' is not a list of numbers from 1 on, as in 1,4,15"),
        (("--links", "4"), "--links is about --sites or --wiki: name one of them"),
        (("--wiki", "nowhere"), "argument --wiki: nowhere is not a wiki world; make one with honeyguide wiki build "),
        (("--strategies", "breadth-first,nope"), "argument --strategies: no strategy is called 'nope'; known are "),
    ],
)
def test_what_does_not_exist_is_refused_in_a_line(tmp_path: Path, flags: tuple[str, ...], told: str) -> None:
    command = [sys.executable, str(TRAPS), "--out", str(tmp_path / "out.jsonl"), *flags]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


WORDS = ("slate", "lamp", "orchard", "signal", "cotton", "planet", "ladder", "copper", "window", "anchor", "velvet")
LETTERS = "abcdefghijklmnopqr"


def tree_of_pages(folder: Path) -> None:
    """A site of which no address is named twice: folders of pages with links to further ones, which are not there."""
    chance = random.Random(7)
    pages = {"index": [f"f{first}/index" for first in LETTERS]}
    for first in LETTERS:
        pages[f"f{first}/index"] = [f"p{second}" for second in LETTERS]
        pages |= {f"f{first}/p{second}": [f"q{second}{third}" for third in LETTERS] for second in LETTERS}
    for name, below in pages.items():
        links = " ".join(f'<a href="{target}.html">more</a>' for target in below)
        text = " ".join(chance.choices(WORDS, k=90))
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.html").write_text(f"<title>{name}</title><p>{text}</p>{links}", encoding="utf-8")


@pytest.mark.thorough
def test_a_site_that_is_met_through_links_is_not_trusted_and_one_that_is_a_seed_is(tmp_path: Path) -> None:
    tree_of_pages(tmp_path)

    def graded(*flags: str) -> list[dict[str, Any]]:
        command = [sys.executable, str(TRAPS), "--sites", str(tmp_path), "--strategies", "breadth-first", "--json"]
        done = subprocess.run([*command, *flags], capture_output=True, text=True, check=True, timeout=300)
        crawls: list[dict[str, Any]] = json.loads(done.stdout)["crawls"]
        return crawls

    (alone,) = graded("--arms", "on")
    assert alone["site"].endswith(", alone")
    assert alone["pages"] == 1 + 18 + 18 * 18
    assert all("/f" in other for other in alone["others"]), "only what is beside the section of the seed is judged"
    off, on, *two = graded("--links", "1,2")
    assert [(row["site"].rpartition(", ")[2], row["arm"]) for row in (off, on, *two)] == [
        ("1 link", "off"),
        ("1 link", "on"),
        ("2 links", "off"),
        ("2 links", "on"),
    ]
    assert off["findings"] == 0
    assert on["findings"] == len(on["others"]) > 20
    assert all(other.startswith("maze http://site0.test/") for other in on["others"])
    assert on["pages"] < off["pages"], "what was let wait made room for the web beside it"


@pytest.mark.thorough
def test_a_wiki_is_met_through_one_link(tmp_path: Path) -> None:
    articles = [Written("War", "An [[army]] goes to [[battle]]."), Written("Army", "It has a [[war]]. [[Battle]].")]
    dump = write_dump(tmp_path / "dump.xml", [*articles, Written("Battle", "Of an [[army]] in a [[war]].")])
    build_wiki(dump, tmp_path / "small")
    command = [sys.executable, str(TRAPS), "--wiki", str(tmp_path / "small"), "--strategies", "breadth-first"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    rows = [line.split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [row[0].removeprefix("| ") for row in rows] == ["wiki small, 1 link"] * 2
    assert [(row[2], row[4]) for row in rows] == [("off", "3"), ("on", "3")]


@pytest.mark.thorough
def test_forecasts_of_a_run_are_held_against_what_came(tmp_path: Path) -> None:
    forecasts = str(TRAPS.with_name("forecast.py"))
    refused = subprocess.run([sys.executable, forecasts, str(tmp_path)], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f"{tmp_path} is neither a run nor a folder that honeyguide lab compare has written" in refused.stderr
    settings = settings_for(budget=320)
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    done = subprocess.run(
        [sys.executable, forecasts, "--json", str(tmp_path / "run")], capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    with open_run(tmp_path / "run") as run:
        flags = [step.is_relevant for step in run.steps()]
    assert [(each["after"], each["truth"]) for each in told["points"]] == [
        (after, sum(flags[after : after + 100])) for after in (100, 200)
    ]
    for each in told["points"]:
        estimate = forecast(flags[: each["after"]], each["after"], 100)
        assert estimate is not None
        assert (each["low"], each["high"]) == (estimate.relevant.low, estimate.relevant.high)
    holds = [each["low"] <= each["truth"] <= each["high"] for each in told["points"]]
    assert told["rows"][-1]["holds"] == pytest.approx(sum(holds) / 2)
