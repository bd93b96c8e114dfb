"""What a crawler can fall into on the synthetic web: the same every time, endless where it says so, truly graded."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections import Counter, deque
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from yarl import URL

from honeyguide.errors import InvalidUrl
from honeyguide.fetch.addresses import PinnedResolver
from honeyguide.model import Failed, Fetched, Url
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.synthetic.server import SyntheticServer
from honeyguide.worlds.synthetic.trap import Truth, trap_names
from honeyguide_lab.traps import Scenario, Waste
from worlds.synthetic.browsing import html, links, main_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from _pytest.mark import ParameterSet

TRAPS = [scenario for scenario in Scenario if scenario is not Scenario.NONE]
SAMPLED = (Scenario.NONE, Scenario.CALENDAR, Scenario.SESSION_IDS, Scenario.MAZE)


def sampled(scenarios: Iterable[Scenario], *more: Scenario) -> list[Scenario | ParameterSet]:
    """Return scenarios for a test, most of them behind `thorough`."""
    return [each if each in (*SAMPLED, *more) else pytest.param(each, marks=pytest.mark.thorough) for each in scenarios]


BESIDE_HONEST_PAGES = (
    Scenario.SELF_LINK, Scenario.RING, Scenario.CALENDAR, Scenario.FACETS, Scenario.SOFT_404, Scenario.PAGINATION,
    Scenario.REPEATING_SEGMENTS,
)  # fmt: skip
WORTHLESS = (Scenario.DYNAMIC, Scenario.SOFT_404, Scenario.MAZE, Scenario.MAZE_HOSTS)
COPYING = (Scenario.SELF_LINK, Scenario.RING, Scenario.SESSION_IDS, Scenario.REPEATING_SEGMENTS, Scenario.MIRRORS)


def spec_of(scenario: Scenario, seed: int = 0) -> SyntheticSpec:
    return SyntheticSpec(seed=seed, pages=600, hosts=12, trap=scenario, encyclopaedia_pages=700, robots_share=0.3)


WORLDS = {scenario: SyntheticWorld(spec_of(scenario)) for scenario in Scenario}


def trap_pages(world: SyntheticWorld, most: int) -> Iterator[tuple[Url, Truth]]:
    """Pages of the trap, breadth first from what the honest web shows of it."""
    found, more = _walk(world)
    found += islice(more, max(0, most - len(found)))
    return iter(found[:most])


@cache
def _walk(world: SyntheticWorld) -> tuple[list[tuple[Url, Truth]], Iterator[tuple[Url, Truth]]]:
    """Return the pages of a trap that were walked to up to now, and a walk that goes on to others."""
    return [], _walk_on(world)


def _walk_on(world: SyntheticWorld) -> Iterator[tuple[Url, Truth]]:
    waiting = deque(_entrances(world))
    met = {url.text for url in waiting}
    while waiting:
        url = waiting.popleft()
        truth = world.truth(url)
        if truth is None or not truth.trap:
            continue
        yield url, truth
        for target, _ in links(_markup(world, url), url):
            if target.text not in met:
                met.add(target.text)
                waiting.append(target)


def _markup(world: SyntheticWorld, url: Url) -> str:
    return html(world, url).replace("&amp;", "&")


@cache
def _entrances(world: SyntheticWorld) -> list[Url]:
    """Every link of an honest page, of those that one meets first, that leads to the trap."""
    found: dict[str, Url] = {}
    waiting, met = deque(world.entry_urls()), {url.text for url in world.entry_urls()}
    while waiting and len(met) < 1500:
        url = waiting.popleft()
        for target, _ in links(_markup(world, url), url):
            if target.text in met or target.text in found:
                continue
            truth = world.truth(target)
            if truth is not None and truth.trap:
                found[target.text] = target
            else:
                met.add(target.text)
                waiting.append(target)
    return list(found.values())


def test_every_scenario_is_found_by_its_name() -> None:
    assert set(trap_names()) == {scenario.value for scenario in Scenario}


@pytest.mark.parametrize("scenario", sampled(TRAPS))
def test_the_honest_web_leads_into_the_trap_from_its_front_pages_and_from_others(scenario: Scenario) -> None:
    world = WORLDS[scenario]

    on_front = [
        target
        for front in world.entry_urls()
        for target, _ in links(_markup(world, front), front)
        if (truth := world.truth(target)) is not None and truth.trap
    ]

    assert len(on_front) == len(world.entry_urls())
    assert len(_entrances(world)) > 5


@pytest.mark.thorough
@pytest.mark.parametrize("scenario", [Scenario.CALENDAR, Scenario.SOFT_404, Scenario.MAZE, Scenario.ENCYCLOPAEDIA])
def test_entrances_are_as_many_as_the_spec_says(scenario: Scenario) -> None:
    """Of the encyclopaedia there are many more: hosts all over the web refer to it."""
    more = SyntheticWorld(SyntheticSpec(pages=600, hosts=12, trap=scenario, trap_entrances=60))
    none = SyntheticWorld(SyntheticSpec(pages=600, hosts=12, trap=scenario, trap_entrances=0))

    if scenario is Scenario.ENCYCLOPAEDIA:
        referring = {
            url.host
            for url in map(more.url_of, range(600))
            if any(target.path.startswith("/wiki/") for target, _ in links(_markup(more, url), url))
        }
        assert len(referring) >= 9
    else:
        found = len(_entrances(more)) - len(_entrances(none))
        assert 12 <= found <= 60
        if scenario not in BESIDE_HONEST_PAGES:
            assert not _entrances(none)


@pytest.mark.parametrize("scenario", sampled(TRAPS))
def test_a_trap_takes_no_link_from_the_honest_web_and_changes_no_address(scenario: Scenario) -> None:
    """So what can be reached without it can be reached with it."""
    world, honest = WORLDS[scenario], WORLDS[Scenario.NONE]

    for url in [*honest.entry_urls(), *map(honest.url_of, range(0, 600, 3))]:
        before = {target.text for target, _ in links(_markup(honest, url), url)}
        assert before <= {target.text for target, _ in links(_markup(world, url), url)}
    assert world.url_of(123) == honest.url_of(123)
    assert set(honest.host_names) <= set(world.host_names)


@pytest.mark.thorough
def test_ten_thousand_honest_pages_can_be_reached_from_the_default_entry_pages() -> None:
    world = SyntheticWorld(SyntheticSpec(trap=Scenario.CALENDAR, mean_links=4))
    waiting, met, pages, hosts = deque(world.entry_urls()), set(world.entry_urls()), 0, set()

    while waiting and pages < 10_000:
        url = waiting.popleft()
        truth, markup = world.truth(url), html(world, url)
        if truth is None or truth.trap or not markup:
            continue
        pages += 1
        hosts.add(url.host)
        new = {target for target, _ in links(markup, url)} - met
        met |= new
        waiting.extend(sorted(new, key=str))

    assert pages == 10_000
    assert len(hosts) > 100


@pytest.mark.parametrize("scenario", sampled(TRAPS))
@pytest.mark.parametrize("seed", [0, pytest.param(7, marks=pytest.mark.thorough)])
def test_traps_are_the_same_for_the_same_seed_and_another_for_another(scenario: Scenario, seed: int) -> None:
    one = SyntheticWorld(spec_of(scenario, seed)) if seed else WORLDS[scenario]
    same = SyntheticWorld(spec_of(scenario, seed))
    urls = [url for url, _ in trap_pages(one, 40)]

    assert [same.answer(url) for url in reversed(urls)] == [one.answer(url) for url in reversed(urls)]
    assert [same.truth(url) for url in urls] == [one.truth(url) for url in urls]
    other = SyntheticWorld(spec_of(scenario, seed + 1))
    assert any(other.answer(url) != one.answer(url) for url in urls)


@pytest.mark.parametrize("scenario", sampled(TRAPS))
def test_there_is_no_end_to_a_trap_that_has_none(scenario: Scenario) -> None:
    has_end = scenario is Scenario.ENCYCLOPAEDIA
    most = 800 if scenario in (Scenario.ENCYCLOPAEDIA, Scenario.MIRRORS) else 300  # copies come late
    found = list(trap_pages(WORLDS[scenario], most))

    wasted = Waste()
    count = sum(wasted.is_wasted(truth) for _, truth in found)

    assert len(found) == (721 if has_end else most)  # 700 articles, 20 lists, one front page
    assert {truth.trap for _, truth in found} == {scenario}
    assert count == 0 if has_end else count > 100


@pytest.mark.thorough
@pytest.mark.parametrize("scenario", sampled(TRAPS))
def test_every_page_of_a_trap_arrives_and_is_graded(scenario: Scenario) -> None:
    world = WORLDS[scenario]

    for url, truth in trap_pages(world, 100):
        answer = world.answer(url)
        assert isinstance(answer.outcome, Fetched)
        assert 0 < answer.elapsed_s <= 15
        assert len(main_words(_markup(world, url))) > 5
        assert truth.is_worthless or scenario not in WORTHLESS
        assert world.topic_of(url) is None
        # A page is a page of itself.
        assert truth.page.startswith("http://")
        assert scenario in WORTHLESS or world.truth(Url.parse(truth.page)) in (truth, None)


@pytest.mark.parametrize("scenario", sampled(COPYING, Scenario.MIRRORS))
def test_copies_of_a_page_say_the_same_and_different_pages_do_not(scenario: Scenario) -> None:
    world = WORLDS[scenario]
    texts: dict[str, set[str]] = {}
    for url, truth in trap_pages(world, 150):
        paragraphs = _markup(world, url).partition("<main>")[2].partition("<ul>")[0]
        texts.setdefault(truth.page, set()).add(paragraphs)

    assert all(len(each) == 1 for each in texts.values())
    assert len({text for each in texts.values() for text in each}) == len(texts)


@pytest.mark.parametrize("scenario", sampled(BESIDE_HONEST_PAGES, Scenario.SOFT_404))
def test_a_trap_beside_honest_pages_looks_like_a_part_of_their_host(scenario: Scenario) -> None:
    world = WORLDS[scenario]
    url = next(url for url, _ in trap_pages(world, 1))
    home = Url.parse(f"http://{url.host}/")

    navigation = _markup(world, home).partition("<nav>")[2].partition("</nav>")[0]

    assert world.host_names == WORLDS[Scenario.NONE].host_names
    assert navigation
    assert navigation in _markup(world, url)
    door = [target for target, _ in links(navigation, home) if (truth := world.truth(target)) and truth.trap]
    assert len(door) == (0 if scenario is Scenario.SOFT_404 else 1)


@pytest.mark.parametrize("scenario", sampled(Scenario))
def test_what_robots_txt_says_is_served_on_every_host(scenario: Scenario) -> None:
    world = WORLDS[scenario]

    for name, text in world.robots_txt_by_host.items():
        outcome = world.serve(Url.parse(f"http://{name}/robots.txt")).outcome
        assert outcome == Fetched(200, "text/plain; charset=utf-8", text.encode())
    assert set(world.robots_txt_by_host) == set(world.host_names)


@pytest.mark.thorough
def test_the_markov_maze_has_as_many_hosts_as_the_spec_says() -> None:
    world = SyntheticWorld(SyntheticSpec(pages=600, hosts=12, trap=Scenario.MAZE_HOSTS))
    hosts = Counter(url.host for url, _ in trap_pages(world, 1500))

    assert len(hosts) == 100
    assert len(world.host_names) == len(WORLDS[Scenario.NONE].host_names) + 100
    assert {url.host for url in _entrances(world)} < set(hosts)
    assert len({url.host for url in _entrances(world)}) <= 3


def test_a_maze_has_topical_words_in_the_share_that_was_asked_for() -> None:
    def words_with(share: float) -> list[str]:
        world = SyntheticWorld(SyntheticSpec(pages=600, hosts=12, trap=Scenario.MAZE, maze_topical_share=share))
        pages = [_markup(world, url).partition("</h1>")[2].partition("<ul>")[0] for url, _ in trap_pages(world, 60)]
        return main_words(f"<main>{' '.join(pages)}</main>")

    general, words = set(words_with(0.0)), words_with(0.4)
    assert 0.25 < sum(word not in general for word in words) / len(words) < 0.5


def test_half_of_the_pages_of_a_trap_are_about_the_topic_whose_crawlers_it_is_for() -> None:
    world = WORLDS[Scenario.SESSION_IDS]
    other = SyntheticWorld(replace(spec_of(Scenario.SESSION_IDS), trap_topic_share=0.0))
    keywords = set(world.keywords_for(world.trap_topic))

    def share(web: SyntheticWorld) -> float:
        told = [bool(keywords & set(main_words(_markup(web, url)))) for url, _ in trap_pages(web, 150)]
        return sum(told) / len(told)

    assert world.trap_topic == WORLDS[Scenario.NONE].trap_topic
    assert share(world) > 1.5 * share(other)


def test_a_page_of_the_honest_web_that_nearly_repeats_another_names_it() -> None:
    world = WORLDS[Scenario.NONE]
    truths = [world.truth(world.url_of(page)) for page in range(600)]

    nearly = [truth for truth in truths if truth is not None and truth.nearly]

    assert all(truth is not None and not truth.trap and not truth.is_worthless for truth in truths)
    assert 10 < len(nearly) < 60
    assert all(isinstance(world.serve(Url.parse(truth.nearly)).outcome, Fetched) for truth in nearly)


def test_months_and_days_with_events_are_worth_having_and_the_others_are_not() -> None:
    world = WORLDS[Scenario.CALENDAR]
    found = list(trap_pages(world, 3000))

    for url, truth in found:
        is_empty = " No events in " in f" {' '.join(_markup(world, url).split())} ".replace("<p>", "<p> ")
        assert truth.is_worthless == is_empty
    kept = {truth.page for _, truth in found if not truth.is_worthless}
    # 14 months, 42 events, and the days on which they are, some of which have two.
    assert 14 + 42 + 30 <= len(kept) <= 14 + 42 + 42


@pytest.mark.thorough
def test_a_list_is_worth_having_while_it_has_entries_of_its_own() -> None:
    endings: set[str] = set()
    for seed in (0, 4, 8):
        world = SyntheticWorld(spec_of(Scenario.PAGINATION, seed))
        entries: dict[str, list[bool]] = {}
        for url, truth in trap_pages(world, 150):
            text = _markup(world, url)
            endings.update({"empty"} if "There are no entries here" in text else {"full"} if truth.is_worthless else ())
            entries.setdefault(truth.page, []).append(truth.is_worthless)
        assert sum(not each[0] for each in entries.values()) >= 12 + 20
    assert endings == {"empty", "full"}


def test_what_one_property_narrows_is_worth_having_once_and_two_are_not() -> None:
    world = WORLDS[Scenario.FACETS]
    home = next(url for url, _ in trap_pages(world, 1))
    shop = f"http://{home.host}{home.path}"

    def truth(query: str) -> Truth | None:
        return world.truth(Url.parse(f"{shop}?{query}"))

    red = truth("colour=red")
    assert red is not None
    assert not red.is_worthless
    assert truth("sort=name&colour=red") == red
    assert truth("colour=red&view=list&sort=price&page=1") == red
    assert truth("colour=red&size=m") == truth("size=m&colour=red")
    assert all(each is not None and each.is_worthless for each in (truth("colour=red&size=m"), truth("page=11")))
    assert [truth(query) for query in ("colour=pink", "colour=red&colour=red", "x=1", "page=0", "colour")] == [None] * 5


@pytest.mark.thorough
def test_the_site_under_session_ids_has_no_page_without_one_but_the_first() -> None:
    for seed in range(3):
        world = SyntheticWorld(spec_of(Scenario.SESSION_IDS, seed))
        found = [(url, truth) for url, truth in trap_pages(world, 1500) if url.path_and_query != "/"]

        assert 350 < len({truth.page for _, truth in found}) <= 400
        sessions = {url.text for url, _ in found}
        assert len(sessions) == len(found)
        for url, truth in found[:50]:
            assert url.text != truth.page
            if Url.parse(truth.page).path != "/":
                assert isinstance(world.serve(Url.parse(truth.page)).outcome, Failed)


@pytest.mark.thorough
def test_a_mirrored_page_has_fifteen_addresses() -> None:
    world = WORLDS[Scenario.MIRRORS]
    addresses: dict[str, set[str]] = {}
    for url, truth in trap_pages(world, 10_000):
        addresses.setdefault(truth.page, set()).add(url.text)

    assert len(addresses) == 400
    assert Counter(len(each) for each in addresses.values()).most_common(1)[0][0] == 15
    hosts = {Url.parse(text).host for each in addresses.values() for text in each}
    assert len(hosts) == 5
    assert sum(host.startswith("www.") and host[4:] in hosts for host in hosts) == 1


def test_all_articles_of_the_encyclopaedia_can_be_reached_and_are_honest() -> None:
    world = WORLDS[Scenario.ENCYCLOPAEDIA]
    found = list(trap_pages(world, 5000))

    assert sum("/wiki/" in url.path for url, _ in found) == 700
    waste = Waste()
    assert not any(waste.is_wasted(truth) for _, truth in found)
    assert SyntheticSpec().encyclopaedia_pages >= 10_000


def test_the_soft_404_answers_for_everything_that_its_host_does_not_have() -> None:
    world, honest = WORLDS[Scenario.SOFT_404], WORLDS[Scenario.NONE]
    host = next(url for url, _ in trap_pages(world, 1)).host
    own = next(url for url in map(honest.url_of, range(600)) if url.host == host and html(honest, url))

    truth = world.truth(Url.parse(f"{own.text}-old"))

    assert truth is not None
    assert truth.is_worthless
    assert world.truth(own) == Truth("", own.text, nearly=getattr(honest.truth(own), "nearly", ""))
    assert isinstance(honest.serve(Url.parse(f"{own.text}-old")).outcome, Failed)


def test_a_fetch_is_wasted_on_a_second_copy_and_on_what_is_worthless() -> None:
    waste = Waste()
    first, again = Truth("mirrors", "http://a.test/"), Truth("mirrors", "http://a.test/")

    assert not waste.is_wasted(first)
    assert waste.is_wasted(again)
    assert waste.is_wasted(Truth("maze", "http://m.test/", is_worthless=True))
    assert not waste.is_wasted(Truth("", "http://b.test/", nearly="http://a.test/"))
    assert waste.worthwhile == 2


AWKWARD = [
    "a" * 3900, "a/" * 1900, "help/faq/" * 400, "?" + "x=1&" * 900, "%00", "%FF%FE", "%", "%zz", "é", "日本", "//",
    "/./../..", ";jsessionid=", "?sid=", "?page=99999999999999999999", "?page=-1", "calendar/0000/00/",
    "calendar/9999/12/31/", "calendar/?year=2020&month=2&day=31", "latest/page/0/", "'\"<script>", "<b>", "&amp;&",
    "?&&==&", "wiki/A_b_" + "z" * 8, "index.html/index.html", "INDEX.HTML", "robots.txt?x", " ", "\t",
    "?colour=red&colour=blue", "stop-٣",
]  # fmt: skip


@pytest.mark.parametrize("scenario", sampled(Scenario))
def test_awkward_addresses_are_answered_and_graded_alike(scenario: Scenario) -> None:
    world = WORLDS[scenario]
    hosts = {url.host for url, _ in trap_pages(world, 3)} | {world.host_names[0]}
    paths = {url.path_and_query.lstrip("/") for url, _ in trap_pages(world, 5)}
    for host in hosts:
        for tail in [*AWKWARD, *(f"{path}{each}" for path in paths for each in AWKWARD)]:
            try:
                url = Url.parse(f"http://{host}/{tail}")
            except InvalidUrl:
                continue
            _check_alike(world, url)


@pytest.mark.parametrize("scenario", sampled(TRAPS))
@settings(deadline=None, max_examples=40)  # the first of a scenario walks to its trap
@given(place=st.integers(0, 30), tail=st.text(max_size=60), cut=st.integers(0, 40))
def test_any_address_near_a_trap_is_answered_and_graded_alike(
    scenario: Scenario, place: int, tail: str, cut: int
) -> None:
    world = WORLDS[scenario]
    base = _near(scenario)[place % 30]
    try:
        url = Url.parse(base.text[: max(len(base.origin) + 1, len(base.text) - cut)] + tail)
    except InvalidUrl:
        return
    _check_alike(world, url)


@cache
def _near(scenario: Scenario) -> list[Url]:
    return [url for url, _ in trap_pages(WORLDS[scenario], 30)]


def _check_alike(world: SyntheticWorld, url: Url) -> None:
    outcome, truth = world.serve(url).outcome, world.truth(url)
    assert outcome == world.serve(url).outcome
    if isinstance(outcome, Fetched):
        assert truth is not None
        # Every link of a page can be followed.
        assert all(target.scheme == "http" for target, _ in links(_markup(world, url), url))
    else:
        assert truth is None or not truth.trap


@pytest.mark.parametrize("scenario", sampled(TRAPS))
def test_a_trap_remembers_nothing(scenario: Scenario) -> None:
    world = SyntheticWorld(spec_of(scenario))
    urls = [url for url, _ in trap_pages(WORLDS[scenario], 200)]
    for url in urls[:50]:
        world.answer(url)
    tracemalloc.start()
    for url in urls:
        world.answer(url)
        world.truth(url)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert held < 40_000


@pytest.mark.parametrize("scenario", sampled(TRAPS))
def test_over_http_a_trap_shows_the_same_bytes(scenario: Scenario) -> None:
    world = WORLDS[scenario]
    urls = [url for url, _ in trap_pages(world, 60)][::4]
    odd = [Url.parse(f"http://{url.host}/{tail}") for url in urls[:1] for tail in ("%00", "x" * 3000, "?a=%FF&b='")]

    async def ask() -> list[tuple[int, bytes]]:
        got = []
        async with SyntheticServer(world) as server:
            connector = aiohttp.TCPConnector(resolver=PinnedResolver(server.addresses), force_close=True)
            async with aiohttp.ClientSession(connector=connector) as client:
                for url in [*urls, *odd]:
                    port = server.addresses[url.host][1]
                    target = f"http://{url.host}:{port}{url.path_and_query}"
                    # Its path is not to be normalised once more.
                    async with client.get(URL(target, encoded=True), headers={"Host": url.host}) as response:
                        got.append((response.status, await response.read()))
        return got

    for url, (status, body) in zip([*urls, *odd], asyncio.run(ask()), strict=True):
        outcome = world.serve(url).outcome
        if isinstance(outcome, Fetched):
            assert (status, body) == (200, outcome.body)
        else:
            assert status == 404
