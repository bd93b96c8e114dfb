"""Each thing that makes crawling hard is there, in about the share that was asked for."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np
import pytest
from protego import Protego

from honeyguide.errors import WorldError
from honeyguide.model import Failed, FailureReason, Fetched, Redirected, RefusalReason, Refused, Url
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.synthetic.words import PLAIN_ANCHORS
from worlds.synthetic.browsing import crawl, html, links, main_html, main_words

if TYPE_CHECKING:
    from honeyguide.model import Answer

    Sampled = tuple[Url, str, list[tuple[Url, str]]]

pytestmark = pytest.mark.thorough

SPEC = SyntheticSpec(pages=3000, hosts=40, robots_share=0.4)


@pytest.fixture(scope="module")
def world() -> SyntheticWorld:
    return SyntheticWorld(SPEC)


@pytest.fixture(scope="module")
def answers(world: SyntheticWorld) -> dict[str, Answer]:
    return crawl(world)


@pytest.fixture(scope="module")
def pages(world: SyntheticWorld) -> list[Sampled]:
    """One page in five: its URL, its markup and the links in its main part."""
    urls = [world.url_of(number) for number in range(0, SPEC.pages, 5)]
    markups = [(url, markup) for url in urls if (markup := html(world, url))]
    return [(url, markup, links(main_html(markup), url)) for url, markup in markups]


def test_nearly_every_page_on_a_topic_can_be_reached(world: SyntheticWorld, answers: dict[str, Answer]) -> None:
    reached = sum(
        isinstance(answer.outcome, Fetched) and world.topic_of(Url.parse(url)) is not None
        for url, answer in answers.items()
    )

    total = sum(world.on_topic_pages(topic) for topic in world.topic_names)
    assert 0.97 * total <= reached <= total


def test_each_topic_has_about_its_share_of_the_pages(world: SyntheticWorld) -> None:
    counts = [world.on_topic_pages(topic) for topic in world.topic_names]

    assert len(counts) == 20
    assert min(counts) > 0.015 * SPEC.pages
    assert max(counts) < 0.12 * SPEC.pages


def test_links_mostly_stay_on_their_topic_and_otherwise_lead_to_a_few_others(
    world: SyntheticWorld, pages: list[Sampled]
) -> None:
    names = {name: number for number, name in enumerate(world.topic_names)}
    flows = np.zeros((20, 20))
    stays: Counter[bool] = Counter()
    for url, _, found in pages:
        topic = world.topic_of(url)
        if topic is None:
            continue
        for led_to in [world.topic_of(target) for target, _ in found]:
            stays[led_to == topic] += 1
            if led_to is not None and led_to != topic:
                flows[names[topic], names[led_to]] += 1

    assert 0.35 < stays[True] / stays.total() < 0.60
    shares = np.sort(flows / flows.sum(axis=1, keepdims=True), axis=1)
    assert shares[:, -3:].sum(axis=1).mean() > 2 * 3 / 19, "three times nineteen other topics, by chance"


def test_some_pages_are_linked_to_far_more_than_most(answers: dict[str, Answer], pages: list[Sampled]) -> None:
    indegree = Counter(address for _, _, found in pages for address in {target.text for target, _ in found})

    counts = sorted(indegree.values(), reverse=True)
    assert counts[0] > 20 * np.median(counts)
    assert len(answers) > SPEC.pages


def test_islands_are_entered_through_bridges_alone(world: SyntheticWorld) -> None:
    without = SyntheticWorld(SyntheticSpec(pages=1000, hosts=20, bridge_share=0.0, island_share=0.4))

    reached = sum(without.topic_of(Url.parse(url)) is not None for url in crawl(without))

    total = sum(without.on_topic_pages(topic) for topic in without.topic_names)
    assert reached < 0.93 * total


def test_bridges_are_about_nothing_and_lead_to_pages_on_a_topic(world: SyntheticWorld, pages: list[Sampled]) -> None:
    bridges = [(url, found) for url, _, found in pages if "/webring/" in url.path or "/links/" in url.path]

    assert bridges
    for url, found in bridges:
        assert world.topic_of(url) is None
        assert len({world.topic_of(target) for target, _ in found}) > 1


def test_anchors_are_plain_for_a_good_part(pages: list[Sampled]) -> None:
    anchors = [anchor for _, _, found in pages for _, anchor in found]

    plain = sum(anchor in PLAIN_ANCHORS for anchor in anchors) / len(anchors)
    assert 0.30 < plain < 0.50


def test_some_pages_nearly_repeat_another_under_their_own_address(world: SyntheticWorld) -> None:
    texts: dict[tuple[str, ...], list[tuple[Url, list[str]]]] = {}
    for number in range(SPEC.pages):
        url = world.url_of(number)
        words = main_words(html(world, url))
        for start in (20, 40):
            texts.setdefault(tuple(words[start : start + 8]), []).append((url, words))
    groups = [group for key, group in texts.items() if len(key) == 8 and len({url for url, _ in group}) > 1]

    ratios = [SequenceMatcher(None, one[1], other[1]).ratio() for one, other, *_ in groups]

    assert len(groups) > 0.02 * SPEC.pages
    assert np.median(ratios) > 0.85
    assert all(one[1] != other[1] for one, other, *_ in groups)


def test_dead_links_redirects_files_and_failures_are_met_on_the_way(answers: dict[str, Answer]) -> None:
    met: Counter[str] = Counter()
    for answer in answers.values():
        match answer.outcome:
            case Fetched(_, content_type, _):
                met[content_type.partition(";")[0]] += 1
            case Redirected(status, _):
                met[str(status)] += 1
            case Failed(reason, _, status):
                met[str(status or reason)] += 1
            case Refused(reason, _):
                met[reason] += 1

    expected = {"text/html", "application/pdf", "image/png", "301", "302", "404", "500", "503"}
    assert set(met) == expected | {FailureReason.TIMEOUT, FailureReason.CONNECTION, RefusalReason.ROBOTS}


def test_redirects_end_at_a_page_after_one_or_two_hops_or_go_round(
    world: SyntheticWorld, answers: dict[str, Answer]
) -> None:
    ends: Counter[str] = Counter()
    for text, answer in answers.items():
        if not isinstance(answer.outcome, Redirected) or "/go/" not in text:
            continue
        target = answer.outcome.target
        second = world.serve(target).outcome
        if not isinstance(second, Redirected):
            ends["one hop"] += 1
        elif second.target.text == text:
            ends["loop"] += 1
        else:
            ends["two hops"] += 1

    assert ends["one hop"] > ends["two hops"] > ends["loop"] > 0
    redirects = {url: answer.outcome for url, answer in answers.items() if isinstance(answer.outcome, Redirected)}
    assert any(redirect.target.host != Url.parse(url).host for url, redirect in redirects.items())


def test_latency_has_a_heavy_tail(answers: dict[str, Answer]) -> None:
    times = np.array([a.elapsed_s for a in answers.values() if isinstance(a.outcome, Fetched)])

    assert 0.03 < np.median(times) < 0.5
    assert times.max() > 2.0
    assert times.max() <= 15.0


def test_a_refusal_is_what_the_served_robots_txt_says(world: SyntheticWorld, answers: dict[str, Answer]) -> None:
    rules = {name: Protego.parse(text) for name, text in world.robots_txt_by_host.items()}

    for text, answer in answers.items():
        allowed = rules[Url.parse(text).host].can_fetch(text, "honeyguide")
        assert isinstance(answer.outcome, Refused) == (not allowed)


def test_a_crawl_delay_is_in_robots_txt_and_in_the_answer(world: SyntheticWorld) -> None:
    delays = {}
    for name, text in world.robots_txt_by_host.items():
        delays[name] = Protego.parse(text).crawl_delay("honeyguide") or 0.0
        assert world.answer(Url.parse(f"http://{name}/")).host_delay_s == delays[name]

    assert any(delays.values())


def test_robots_txt_is_a_page_of_its_host(world: SyntheticWorld) -> None:
    name, text = next(iter(world.robots_txt_by_host.items()))

    outcome = world.answer(Url.parse(f"http://{name}/robots.txt")).outcome

    assert outcome == Fetched(200, "text/plain; charset=utf-8", text.encode())


def test_only_the_exact_address_of_a_page_leads_to_it(world: SyntheticWorld, pages: list[Sampled]) -> None:
    url = pages[0][0]
    other_host = next(name for name in world.host_names if name != url.host)
    wrong = [
        f"{url.text}x",
        f"{url.text}?a=1",
        url.text.replace(url.host, other_host),
        f"{url.text}/",
        url.text.upper(),
    ]

    for text in wrong:
        assert isinstance(world.serve(Url.parse(text)).outcome, Failed)
        assert world.topic_of(Url.parse(text)) is None


def test_no_page_carries_its_label_outside_its_words(pages: list[Sampled]) -> None:
    for _, markup, _ in pages[:100]:
        head = markup[: markup.index("<title>")]
        assert head == '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        assert not any(word in markup for word in ("data-", "class=", "id=", "<meta name", "<!--"))


def test_the_name_of_a_topic_is_rare_on_its_own_pages(world: SyntheticWorld, pages: list[Sampled]) -> None:
    shares = []
    for url, markup, _ in pages:
        topic = world.topic_of(url)
        if topic is not None:
            words = main_words(markup)
            shares.append(sum(topic in word for word in words) / len(words))

    assert np.mean(shares) < 0.02


def test_keywords_are_a_few_of_the_words_and_unknown_topics_are_refused(world: SyntheticWorld) -> None:
    assert all(3 <= len(world.keywords_for(topic)) <= 4 for topic in world.topic_names)
    with pytest.raises(WorldError, match="no topic 'alchemy'"):
        world.keywords_for("alchemy")


def test_hosts_and_sections_can_be_gone_and_links_to_them_stay() -> None:
    world = SyntheticWorld(SyntheticSpec(seed=2, pages=4000, hosts=120, gone_share=0.5, lost_share=0.3))
    outcomes = {url: world.serve(url).outcome for url in map(world.url_of, range(0, 4000, 7))}
    by_host: dict[str, list[bool]] = {}
    for url, outcome in outcomes.items():
        by_host.setdefault(url.host, []).append(isinstance(outcome, Failed) and outcome.status == 404)
        if by_host[url.host][-1]:
            assert world.topic_of(url) is None
    gone = [host for host, are_missing in by_host.items() if all(are_missing)]
    assert 0.35 < len(gone) / len(by_host) < 0.7
    partly = [missing for host, missing in by_host.items() if host not in gone and len(missing) > 5]
    assert 0.15 < np.mean([np.mean(missing) for missing in partly]) < 0.45
    counted = sum(world.on_topic_pages(topic) for topic in world.topic_names)
    can_be_had = [
        url
        for url in map(world.url_of, range(4000))
        if world.topic_of(url) and world.answer(url).outcome.__class__ is Fetched
    ]
    assert counted == len(can_be_had)
    assert isinstance(world.serve(world.entry_urls()[0]).outcome, Fetched)
