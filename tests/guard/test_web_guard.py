"""The guard as a whole: what its seam promises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import GuardError
from honeyguide.guard import MAX_LEVEL, Cause, FindingKind, Guard, LinkLevel, SeenPage, Target, WebGuard, fingerprint_of
from honeyguide.guard.bounded import Bounded, pack, unpack
from honeyguide.model import LinkId, Url
from honeyguide.settings import GuardSettings
from tiny_webs import Shown, crawl, drawn, honest_web, page_with, prose, with_trap

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.guard import Judgement

SMALL = GuardSettings(window_pages=20, memory=64, site_budget=4, maze_addresses=50)
SEED = "http://honest0.test/"
BY_SERIES = ("calendar", "pagination", "facets", "growing-query")


def troubled_web(trouble: int) -> Callable[[str], Shown | None]:
    """A small honest web with some of everything that a guard looks for."""

    def show(url: str) -> Shown | None:
        parsed = Url.parse(url)
        chance = drawn("trouble", trouble, url)
        number = chance.randrange(1000)
        match (parsed.host, number % 6):
            case ("maze.test" | "mirror.test" | "www.mirror.test", kind):
                links = [f"/{chance.randrange(10**6)}/{chance.choice('xyz')}?s={chance.randrange(9)}" for _ in range(4)]
                links += [f"http://{chance.choice(['mirror', 'www.mirror', 'maze'])}.test/p/{chance.randrange(9)}?s=1"]
                text = prose("trouble", chance.randrange(3 + 40 * kind), words=30 + kind)
                return Shown(text, tuple(links), chance.choice(["Not found", "Page", f"{number}"]))
        return None

    doors: dict[str, tuple[str, ...]] = {SEED: (f"http://maze.test/p/{trouble}", "http://mirror.test/p/1?s=2")}
    return with_trap(honest_web(hosts=4, pages=10), show, doors)


def answers(guard: Guard, shown: list[tuple[SeenPage, list[Target]]]) -> list[object]:
    answered: list[object] = []
    for page, targets in shown:
        answered.append(guard.observe(page, targets))
        answered += [guard.level(target.url, carried) for target in targets for carried in (0, 2, 5)]
    return answered


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 150))
def test_saved_and_loaded_anywhere_it_gives_the_same_answers(trouble: int, saved_after: int) -> None:
    shown = crawl(troubled_web(trouble), [SEED], 150, WebGuard(SMALL)).seen
    whole, first, second = WebGuard(SMALL), WebGuard(SMALL), WebGuard(SMALL)
    answered = answers(whole, shown)
    before = answers(first, shown[:saved_after])
    second.load(first.save())
    assert before + answers(second, shown[saved_after:]) == answered
    assert unpack(second.save()) == unpack(whole.save())


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000))
def test_levels_and_demotions_stay_in_range_and_have_reasons(trouble: int) -> None:
    result = crawl(troubled_web(trouble), [SEED], 200, WebGuard(SMALL))
    assert any(judgement.finding is not None for judgement in result.judgements)
    guard, causes = WebGuard(SMALL), set[Cause]()
    for page, targets in result.seen:
        judgement = guard.observe(page, targets)
        assert 0 <= judgement.demotion <= MAX_LEVEL
        found = judgement.finding
        if found is None or found.kind == "maze":
            assert judgement.demotion == 0
        elif found.kind not in BY_SERIES:
            assert judgement.demotion > 0
        assert page.link not in [late.link for late in judgement.earlier]
        for target in targets:
            for carried in range(MAX_LEVEL + 1):
                waits = guard.level(target.url, carried)
                assert 0 <= waits.level <= MAX_LEVEL
                assert (waits.reason is not None) == (waits.level > 0)
                causes |= set() if waits.reason is None else {waits.reason.cause}
    assert causes


def test_a_page_has_one_finding_at_most() -> None:
    result = crawl(troubled_web(3), [SEED], 300, WebGuard(replace(SMALL, memory=4096)))
    named: list[int] = []
    for (page, _), judgement in zip(result.seen, result.judgements, strict=True):
        named += [page.link] * (judgement.finding is not None) + [late.link for late in judgement.earlier]
    assert len(named) == len(set(named)) > 10


def test_asking_changes_nothing() -> None:
    result = crawl(troubled_web(5), [SEED], 120, WebGuard(SMALL))
    asked, silent = WebGuard(SMALL), WebGuard(SMALL)
    for page, targets in result.seen:
        asked.observe(page, targets)
        silent.observe(page, targets)
        for target in targets:
            asked.level(target.url, 3)
        assert asked.level(page.url, 0) == silent.level(page.url, 0)
    assert unpack(asked.save()) == unpack(silent.save())


def a_page(number: int, shown: Shown, url: str, *, moment: float | None = None) -> SeenPage:
    print_ = fingerprint_of(page_with(url, shown))
    moment = float(number) if moment is None else moment
    return SeenPage(LinkId(number), Url.parse(url), None, moment, print_, is_relevant=False)


def test_a_page_is_a_duplicate_within_the_window_only() -> None:
    shown = Shown(prose("same"), ())
    for pause, is_found in ((3599.0, True), (3601.0, False)):
        guard = WebGuard(replace(GuardSettings(), window_s=3600.0))
        guard.observe(a_page(1, shown, "http://a.test/x", moment=0.0), [])
        judgement = guard.observe(a_page(2, shown, "http://b.test/y", moment=pause), [])
        assert (judgement.finding is not None) == is_found


def test_short_pages_are_not_compared() -> None:
    guard, shown = WebGuard(GuardSettings()), Shown("not many words", ())
    for number in range(5):
        assert guard.observe(a_page(number, shown, f"http://a.test/{number}"), []).finding is None


def test_the_same_finding_along_a_chain_demotes_more() -> None:
    guard, shown = WebGuard(GuardSettings(rules=("series",))), Shown(prose("same"), ())
    demotions = []
    for number in range(5):
        page = a_page(number, shown, f"http://a{number}.test/x")
        page = replace(page, parent=LinkId(number - 1) if number else None)
        judgement = guard.observe(page, [])
        demotions.append(judgement.demotion)
    assert demotions == [0, 4, 5, 6, 6]
    assert judgement.finding is not None
    assert judgement.finding.kind == "loop"


def test_pages_that_led_to_a_copy_are_called_repetitions_only_where_they_were() -> None:
    guard = WebGuard(GuardSettings(site_budget=4))
    for number in range(40):
        page = a_page(number, Shown(prose(number), ()), f"http://maze.test/{prose('name', number, words=1)}")
        names = [prose(number, place, words=2).replace(" ", "-") for place in range(30)]
        targets = [
            Target(LinkId(1000 + 30 * number + place), Url.parse(f"http://maze.test/{name}"), is_new=True)
            for place, name in enumerate(names)
        ]
        judgement = guard.observe(replace(page, parent=LinkId(number - 1)), targets)
    assert judgement.finding is not None
    assert judgement.finding.kind == "maze"
    kinds, demotions = [], []
    for number in range(40, 43):
        page = a_page(number, Shown(prose(3), ()), f"http://maze.test/{prose('copy', number, words=1)}")
        judgement = guard.observe(replace(page, parent=LinkId(number - 1)), [])
        assert judgement.finding is not None
        kinds.append(str(judgement.finding.kind))
        demotions.append(judgement.demotion)
    assert kinds == ["duplicate", "duplicate", "loop"]
    assert judgement.finding is not None
    assert judgement.finding.numbers["copies"] == 2
    assert demotions == [6, 6, 6], "the links are demoted along a chain of findings of any kind"


def test_what_a_page_is_part_of_tells_more_than_that_it_repeats_another() -> None:
    judgements = []
    guard = WebGuard(GuardSettings(rules=("series",)))
    for number in range(16):
        month = Shown(prose("month", number % 8), ())
        page = a_page(number, month, f"http://a.test/calendar/{2026 + number // 12}/{number % 12 + 1:02}/")
        following = Url.parse(f"http://a.test/calendar/2050/{number}/")
        judgements.append(guard.observe(page, [Target(LinkId(100 + number), following, is_new=True)]))
    found = [judgement.finding for judgement in judgements if judgement.finding is not None]
    assert [str(finding.kind) for finding in found[:3]] == ["duplicate"] * 3
    assert found[-1].kind == "calendar"


def test_pages_found_out_late_have_what_was_found_out_about_them_and_not_what_the_last_page_repeats() -> None:
    guard = WebGuard(GuardSettings())
    for number in range(12):  # six months, and the same once more by https: by then half of the last pages are alike
        scheme, month = "https" if number > 5 else "http", number % 6 + 1
        page = a_page(number, Shown(prose("month", month), ()), f"{scheme}://a.test/calendar/2026/{month:02}/")
        following = Url.parse(f"http://a.test/calendar/2050/{number}/")
        judgement = guard.observe(page, [Target(LinkId(100 + number), following, is_new=True)])
    assert judgement.finding is not None
    assert judgement.finding.kind == "mirror"
    late = {each.link: (str(each.finding.kind), each.finding.about) for each in judgement.earlier}
    assert late == dict.fromkeys(map(LinkId, range(6)), ("calendar", "a.test/calendar/#/#/"))


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("http://a.test/p/x?sid=0a1b2c3d4", "http://a.test/p/x?sid=4d3c2b1a0", "session-id"),
        ("http://a.test/p/x?ref=top", "http://a.test/p/x?ref=foot", "variant"),
        ("http://a.test/p/x/", "http://a.test/p/x", "variant"),
        ("http://a.test/p/x", "http://www.a.test/p/x", "mirror"),
    ],
)
def test_a_finding_names_the_earlier_page_though_it_left_the_window_and_the_state_was_saved(
    one: str, other: str, kind: str
) -> None:
    guard, later = (WebGuard(replace(GuardSettings(), window_pages=2)) for _ in range(2))
    addresses = [one, "http://c.test/1", "http://c.test/2", "http://c.test/3", other]
    pages = [a_page(number, Shown(prose(number % 4), ()), address) for number, address in enumerate(addresses)]
    for page in pages[:4]:
        assert guard.observe(page, []).finding is None
    later.load(guard.save())
    finding = later.observe(pages[4], []).finding
    assert finding is not None
    assert finding.kind == kind
    assert (finding.like, finding.numbers) == (0, {"pairs": 1})


def test_a_path_that_repeats_itself_is_a_doubt_until_a_way_round_was_seen_to_lead_to_the_same_page() -> None:
    guard, shown = WebGuard(GuardSettings()), Shown(prose("faq"), ())
    url = Url.parse("http://a.test/help/xy/help/xy/help/")
    assert guard.level(url, 0).level == 1
    guard.observe(a_page(1, shown, "http://a.test/help/faq"), [])
    guard.observe(a_page(2, shown, "http://a.test/help/xy/help/faq"), [])
    assert guard.level(url, 0).level == 3
    assert guard.level(Url.parse("http://b.test/help/xy/help/xy/help/"), 0).level == 1


def test_a_link_that_several_firm_rules_put_low_is_put_lower() -> None:
    guard, shown = WebGuard(GuardSettings()), Shown(prose("faq"), ())
    for number, address in enumerate(("http://a.test/help/faq", "http://a.test/help/xy/help/faq")):
        guard.observe(a_page(number, shown, address), [])
    url = Url.parse("http://a.test/help/xy/help/xy/help/")
    assert guard.level(url, 3).level == 4
    assert guard.level(url, 2).level == 3


def test_an_unknown_link_waits_as_if_there_were_no_guard() -> None:
    assert WebGuard(GuardSettings()).level(Url.parse("http://a.test/x"), 0) == LinkLevel()


def test_memory_stays_within_its_bound() -> None:
    """Made-up pages of ever new hosts, sections, series, titles and forms, many times what there is room for."""
    guard = WebGuard(replace(GuardSettings(), window_pages=50, memory=256))
    print_ = fingerprint_of(page_with("http://a.test/", Shown(prose(1), ())))
    sizes = []
    for number in range(3600):
        url = Url(f"http://h{number % 1500}.test/s{number % 700}/{number}?a={number}&b=1")
        key = number * 0x9E3779B97F4A7C15 % (1 << 64)
        print_ = replace(print_, exact=key, simhash=key, title=key >> 32, sketch=(key >> 40, key >> 41))
        page = SeenPage(LinkId(number), url, LinkId(number - 1), float(number), print_, is_relevant=False)
        targets = [
            Target(LinkId(number + n), Url(f"http://h{number * n % 1600}.test/t{number}/{n}"), True) for n in (1, 2)
        ]
        guard.observe(page, targets)
        if number % 600 == 599:
            sizes.append(len(guard.save()))
    assert max(sizes[2:]) < 1.2 * sizes[2]


@pytest.mark.parametrize(
    "state",
    [b"", b"guard 6\n", b"guard 6\nrubbish", b"guard 5\n", pack([1, 2]), pack({"window": 3}), pack({"window": SMALL})],
)
def test_a_state_that_is_none_is_refused(state: bytes) -> None:
    with pytest.raises(GuardError):
        WebGuard(GuardSettings()).load(state)


def test_equal_states_are_equal_bytes() -> None:
    part = [1, "x"]
    assert pack([part, part]) == pack([part, list(part)])


@given(st.lists(st.tuples(st.integers(0, 20), st.integers()), max_size=60), st.integers(1, 10))
def test_it_never_has_more_entries_than_it_may_and_keeps_the_newest(items: list[tuple[int, int]], most: int) -> None:
    table: Bounded[int, int] = Bounded(most)
    for key, value in items:
        table.put(key, value)
        assert len(table) <= most
    newest = list(dict.fromkeys(key for key, _ in reversed(items)))[:most]
    assert set(table) == set(newest)
    smaller: Bounded[int, int] = Bounded(max(1, most // 2))
    smaller.replace(table.items())
    assert list(smaller) == list(table)[-smaller.capacity :]


class Pages:
    """Pages shown to a guard one by one, each found on the first; links are new the first time that they are shown."""

    def __init__(self, rules: GuardSettings | None = None) -> None:
        self.guard = WebGuard(rules or GuardSettings())
        self._numbers: dict[str, int] = {}
        self.fetched: list[str] = []

    def show(self, url: str, *links: str, text: str = "", title: str = "A page", is_seed: bool = False) -> Judgement:
        number, _ = self._number(url)
        self.fetched.append(url)
        page = a_page(number, Shown(text or prose(url), (), title), url)
        targets = []
        for each in links:
            link, is_new = self._number(each)
            targets.append(Target(LinkId(link), Url.parse(each), is_new))
        return self.guard.observe(replace(page, parent=None if is_seed else LinkId(0)), targets)

    def level(self, url: str, carried: int = 0) -> int:
        return self.guard.level(Url.parse(url), carried).level

    def _number(self, url: str) -> tuple[int, bool]:
        is_new = url not in self._numbers
        return self._numbers.setdefault(url, len(self._numbers) + 1), is_new


def test_pages_of_a_series_that_runs_idle_demote_the_addresses_of_the_series_and_no_others() -> None:
    pages, found = Pages(), []
    for number in range(12):
        text = f"{prose('frame', words=90)} {prose('own', number, words=40)}"
        url, following = (f"http://a.test/list?page={each}" for each in (number, number + 1))
        found.append(pages.show(url, following, text=text, title=prose("title", number, words=2)))
    found = [judgement for judgement in found if judgement.finding is not None]
    assert {judgement.finding.kind for judgement in found if judgement.finding} == {FindingKind.PAGINATION}
    assert {judgement.demotion for judgement in found} == {0}
    assert len(found) >= 4
    assert pages.level("http://a.test/list?page=99") == 3
    assert pages.level("http://a.test/about") == 0


def test_one_facet_alone_is_no_finding() -> None:
    """A list by size alone is what people choose by; by size and colour, and brand, it is a combination more."""
    pages, kinds = Pages(), {}
    both = [f"{one}={value}&{other}={value}" for value in range(1, 5)
            for one, other in (("size", "colour"), ("colour", "brand"), ("brand", "size"))]  # fmt: skip
    for query in [*both[:9], "size=7", "colour=7", *both[9:], "brand=7"]:
        goods = sorted(drawn("goods", query).sample(range(30), 12))
        text = " ".join(prose("good", good, words=8) for good in goods)
        url = f"http://a.test/shop?{query}"
        finding = pages.show(url, f"{url}&price=1", text=text, title="Shop").finding
        kinds[query] = None if finding is None else finding.kind
    assert [kinds[query] for query in ("size=7", "colour=7", "brand=7")] == [None] * 3
    assert [kinds[query] for query in both[9:]] == [FindingKind.FACETS] * 3


def test_variants_wait_at_level_6_but_for_one_in_sixteen_until_the_rule_was_probed() -> None:
    pages = Pages()
    for page in "abc":
        for value in "01":
            pages.show(f"http://a.test/x/p{page}?ref={value}", text=prose("page", page))
    variants = [f"http://a.test/x/pa?ref={value}" for value in range(10, 330)]
    levels = Counter(map(pages.level, variants))
    assert levels.keys() == {0, 6}
    assert 10 <= levels[0] <= 30
    assert pages.level("http://a.test/x/pd?ref=10") == 0, "of no page that was fetched"
    pages.show(next(url for url in variants if pages.level(url) == 0), text=prose("page", "a"))
    assert Counter(map(pages.level, variants)) == {6: 320}


def test_a_path_waits_the_deeper_the_more_often_it_says_the_same_up_to_5() -> None:
    pages = Pages()
    for url in ("http://a.test/help/faq", "http://a.test/help/xy/help/faq"):
        pages.show(url, text=prose("faq"))
    levels = [pages.level("http://a.test/help/" + "xy/help/" * times) for times in range(1, 8)]
    assert levels == [0, 3, 4, 5, 5, 5, 5]


def near_duplicate(number: int) -> str:
    return f"{prose('alike', words=400)} {prose(number, words=1)}"


def test_the_links_of_near_duplicates_wait_a_level_deeper_where_these_are_usual() -> None:
    """A quarter of the section's last sixteen pages; sixteen clean ones later one is an accident again."""
    pages = Pages()

    def demotion(section: str, number: int) -> int:
        name = prose("page", number, words=1)
        return pages.show(f"http://big.test/{section}/{name}", text=near_duplicate(number)).demotion

    assert [demotion("a", number) for number in range(7)] == [0, 2, 2, 2, 3, 3, 3]
    assert demotion("b", 50) == 1, "by its similarity, which the other shape of its address makes less"
    for number in range(100, 116):
        pages.show(f"http://big.test/a/{prose('page', number, words=1)}")
    assert demotion("a", 200) == 2


def test_sites_that_others_refer_to_are_forgiven_near_duplicates_and_never_copies() -> None:
    """One level from 8 referrers on, all of it from 16 on; the site is looked at again when that happens."""
    pages = Pages(GuardSettings(rules=()))
    pages.show("http://big.test/")
    levels, raised = [], []
    for number in range(17):
        levels.append([pages.level("http://big.test/a/x", carried) for carried in (1, 2, 3, 4)])
        judgement = pages.show(f"http://seed{number}.test/", "http://big.test/", is_seed=True)
        raised += [number + 1] if judgement.raised == ("big.test",) else []
    assert levels == [[1, 2, 3, 4]] * 8 + [[0, 1, 2, 4]] * 8 + [[0, 0, 0, 4]]
    assert raised == [8, 16]


def test_a_series_that_brings_something_again_is_looked_at_again() -> None:
    pages, raised = Pages(GuardSettings(rules=("series",))), set[str]()
    for number in range(12):
        text = prose("nothing")
        pages.show(f"http://a.test/list/{number}", f"http://a.test/list/{number + 1}", text=text)
    assert pages.level("http://a.test/list/999") == 3
    for number in range(12, 32):
        raised |= set(
            pages.show(f"http://a.test/list/{number}", f"http://a.test/goods/{prose(number, words=1)}").raised
        )
    assert pages.level("http://a.test/list/999") == 0
    assert raised == {"a.test"}


def dig(pages: Pages, place: str, count: int) -> list[str]:
    """Show pages of a space that only grows, each found on the last; gives back addresses of it that wait."""
    waiting: list[str] = []
    page = f"{place}entrance"
    for number in range(count):
        names = (f"{place}{prose(place, number, each, words=2).replace(' ', '-')}" for each in range(21))
        deeper, *new = names
        pages.show(page, deeper, *new)
        waiting += new
        page = deeper
    return waiting


def test_a_maze_is_found_with_all_its_pages_and_its_links_wait_and_carry_nothing() -> None:
    pages = Pages()
    dig(pages, "http://maze.test/", 29)
    judgement = pages.show("http://maze.test/one", "http://maze.test/n1", "http://maze.test/n2")
    assert judgement.finding is not None
    assert (judgement.finding.kind, judgement.finding.about) == (FindingKind.MAZE, "maze.test")
    assert (judgement.demotion, len(judgement.earlier)) == (0, 29)
    assert pages.level("http://www.maze.test/x") == 3
    later = pages.show("http://maze.test/two", "http://maze.test/n3")
    assert later.finding is not None
    assert later.earlier == ()


def test_pages_that_a_second_page_shows_cost_nothing_before_and_after_they_are_fetched() -> None:
    pages = Pages()
    waiting = dig(pages, "http://maze.test/", 40)
    assert pages.level("http://maze.test/new") == 3
    assert not pages.guard.is_shown_twice(LinkId(2))
    raised = set[str]()
    for number in range(30):
        judgement = pages.show(f"http://else.test/{number}", *pages.fetched[number : number + 2], waiting[number])
        raised |= set(judgement.raised)
        pages.show(waiting[number], f"{waiting[number]}/1", f"{waiting[number]}/2")
    assert raised == {"maze.test"}
    assert pages.level("http://maze.test/new") == 0


def test_when_a_part_of_addresses_turns_out_not_to_matter_the_site_counts_again() -> None:
    pages = Pages()
    dig(pages, "http://a.test/", 30)
    assert pages.level("http://a.test/new") == 3
    raised = set[str]()
    for number in range(3):
        for visit in "ab":
            raised |= set(pages.show(f"http://a.test/forum/p{number}?ref={visit}", text=prose("thread", number)).raised)
    assert pages.level("http://a.test/new") == 0
    assert raised == {"a.test"}
    assert not pages.guard.is_shown_twice(LinkId(999))
