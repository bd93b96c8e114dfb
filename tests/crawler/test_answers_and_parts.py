"""A person's answers turn a crawl towards a part of a site, though another part was fetched first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import honeyguide
from honeyguide.crawler import answer
from honeyguide.runs import open_run
from honeyguide.settings import settings_from
from scripted_world import ScriptedWorld

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

WORDS = {
    "cats": ["cat", "forest", "prey", "hunt", "wild", "river", "cub", "paw", "claw", "rainforest"],
    "cars": ["car", "engine", "gearbox", "saloon", "wheel", "dealer", "petrol", "coupe", "chassis", "speed"],
}
PAGES = 200  # of each kind
LOOKED_AT = 20  # fetches


def jaguars() -> Script:
    """Pages about jaguars: the animals below /cats/, the cars below /cars/, each linking to both kinds."""
    pages: dict[str, str] = {}
    for kind, words in WORDS.items():
        for here in range(PAGES):
            text = " ".join(f"jaguar {words[(here + place) % 10]}" for place in range(60))
            links = "".join(
                f'<p><a href="/{name}/{(here * 3 + place) % PAGES}">jaguar {own[(here + place) % 10]}</a></p>'
                for place in range(1, 7)
                for name, own in WORDS.items()
            )
            pages[f"http://j.test/{kind}/{here}"] = f"<title>Jaguar {words[here % 10]}</title><p>{text}</p>{links}"
    return pages


def test_six_answers_turn_a_crawl_to_the_folder_that_it_had_left_aside(tmp_path: Path) -> None:
    world, run = ScriptedWorld(jaguars()), tmp_path / "run"
    settings = settings_from(
        {
            "topic": {"name": "jaguar", "keywords": ["jaguar"]},
            "crawl": {"seed_urls": ["http://j.test/cars/0"]},
            "online_ridge": {"exploration": 0.1},  # so that it meets a few of both
            "budget": {"fetches": 60},
            "guard": {"on": False},
            "politeness": {"delay_s": 0.0},
        }
    )
    honeyguide.crawl(run, settings, world=world).close()
    with open_run(run) as opened:
        before = [step.url.text for step in opened.steps()]
    cats, cars = ([url for url in before if f"/{kind}/" in url][:3] for kind in WORDS)
    assert cats, "the crawl has met none to be told of"
    for url in (*cats, *cars):
        answer(run, url, "yes" if url in cats else "no")
    honeyguide.resume(run, budget=100, world=world).close()
    with open_run(run) as opened:
        after = [step.url.text for step in opened.steps()][-LOOKED_AT:]
    cats_before, cats_after = (sum("/cats/" in url for url in urls) for urls in (before[-LOOKED_AT:], after))
    assert cats_after >= cats_before + LOOKED_AT // 2, (before[-LOOKED_AT:], after)
