"""The guard as a whole: what its seam promises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import GuardError
from honeyguide.guard import MAX_LEVEL, Guard, SeenPage, Standing, Target, WebGuard, fingerprint_of
from honeyguide.guard.bounded import pack, unpack
from honeyguide.model import LinkId, Url
from honeyguide.model.guard_words import Cause, Reason
from honeyguide.settings import GuardSettings
from tiny_webs import Shown, crawl, drawn, honest_web, page_with, prose, with_trap

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = replace(GuardSettings(), window_pages=20, memory=64, allowance=4, series_pages=3, folding_pairs=2)
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
    told: list[object] = []
    for page, targets in shown:
        told.append(guard.observe(page, targets))
        told += [guard.level(target.url, carried) for target in targets for carried in (0, 2, 5)]
    return told


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 150))
def test_saved_and_loaded_anywhere_it_gives_the_same_answers(trouble: int, saved_after: int) -> None:
    shown = crawl(troubled_web(trouble), [SEED], 150, WebGuard(SMALL)).seen
    whole, first, second = WebGuard(SMALL), WebGuard(SMALL), WebGuard(SMALL)
    told = answers(whole, shown)
    before = answers(first, shown[:saved_after])
    second.load(first.save())
    assert before + answers(second, shown[saved_after:]) == told
    assert unpack(second.save()) == unpack(whole.save())


@settings(max_examples=15, deadline=None)
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
                standing = guard.level(target.url, carried)
                assert 0 <= standing.level <= MAX_LEVEL
                assert bool(standing.reason) == (standing.level > 0)
                if standing.reason:
                    reason = Reason.read(standing.reason)
                    assert reason is not None, f"no run that says {standing.reason!r} can be read"
                    causes.add(reason.cause)
    assert len(causes) > 1


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
    return SeenPage(number, LinkId(number), Url.parse(url), None, moment, print_, 0.0, False, False)


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
    guard, shown = WebGuard(replace(GuardSettings(), folding=False)), Shown(prose("same"), ())
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
    guard = WebGuard(replace(GuardSettings(), allowance=4))
    for number in range(40):
        page = a_page(number, Shown(prose(number), ()), f"http://maze.test/{prose('name', number, words=1)}")
        names = [prose(number, place, words=2).replace(" ", "-") for place in range(30)]
        targets = [
            Target(LinkId(1000 + 30 * number + place), Url.parse(f"http://maze.test/{name}"), is_new=True)
            for place, name in enumerate(names)
        ]
        judgement = guard.observe(replace(page, parent=LinkId(number - 1) if number else None), targets)
    assert judgement.finding is not None
    assert judgement.finding.kind == "maze"
    kinds, demotions = [], []
    for number in range(40, 43):
        page = a_page(number, Shown(prose(3), ()), f"http://maze.test/{prose('copy', number, words=1)}")
        judgement = guard.observe(replace(page, parent=LinkId(number - 1)), [])
        assert judgement.finding is not None
        kinds.append(str(judgement.finding.kind))
        demotions.append(judgement.demotion)
        evidence = judgement.finding.evidence
    assert kinds == ["duplicate", "duplicate", "loop"]
    assert evidence.endswith("; the 2 pages that led here were repetitions, too")
    assert demotions == [6, 6, 6], "the links are demoted along a chain of findings of any kind"


def test_what_a_page_is_part_of_tells_more_than_that_it_repeats_another() -> None:
    judgements = []
    guard = WebGuard(replace(GuardSettings(), folding=False))
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
    late = {link: (str(finding.kind), finding.about) for link, finding, _ in judgement.earlier}
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
def test_the_evidence_names_the_earlier_page_though_it_left_the_window_and_the_state_was_saved(
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
    evidence = finding.told(lambda link: Url.parse(addresses[link]))
    assert evidence.endswith(f"; 1 such pair; the earlier page is {one}")


def test_evidence_that_has_its_address_is_told_as_it_is() -> None:
    guard, shown = WebGuard(GuardSettings()), Shown(prose("same"), ())
    guard.observe(a_page(0, shown, "http://a.test/x"), [])
    finding = guard.observe(a_page(1, shown, "http://b.test/y"), []).finding
    assert finding is not None
    assert finding.told(lambda link: Url.parse(f"http://nobody.test/{link}")) == finding.evidence
    assert finding.evidence.endswith(" words is that of http://a.test/x")


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


def test_what_is_unknown_stands_as_if_there_were_no_guard() -> None:
    assert WebGuard(GuardSettings()).level(Url.parse("http://a.test/x"), 0) == Standing(0, "")


def test_memory_stays_within_its_bound() -> None:
    """Made-up pages of ever new hosts, sections, series, titles and forms, many times what there is room for."""
    guard = WebGuard(replace(GuardSettings(), window_pages=50, memory=256))
    print_ = fingerprint_of(page_with("http://a.test/", Shown(prose(1), ())))
    sizes = []
    for number in range(6000):
        url = Url(f"http://h{number % 1500}.test/s{number % 700}/{number}?a={number}&b=1")
        key = number * 0x9E3779B97F4A7C15 % (1 << 64)
        print_ = replace(print_, exact=key, simhash=key, title=key >> 32, sketch=(key >> 40, key >> 41))
        page = SeenPage(number, LinkId(number), url, LinkId(number - 1), float(number), print_, 0.0, False, False)
        targets = [
            Target(LinkId(number + n), Url(f"http://h{number * n % 1600}.test/t{number}/{n}"), True) for n in (1, 2)
        ]
        guard.observe(page, targets)
        if number % 1000 == 999:
            sizes.append(len(guard.save()))
    assert max(sizes[2:]) < 1.2 * sizes[2]


@pytest.mark.parametrize(
    "state", [b"", b"guard 5\n", b"guard 5\nrubbish", b"guard 4\n", pack([1, 2]), pack({"window": 3})]
)
def test_what_is_no_state_is_refused(state: bytes) -> None:
    with pytest.raises(GuardError):
        WebGuard(GuardSettings()).load(state)


def test_a_state_that_names_a_class_is_refused() -> None:
    with pytest.raises(GuardError, match="does not belong there"):
        WebGuard(GuardSettings()).load(pack({"window": GuardSettings()}))


def test_the_section_of_a_seed_is_never_a_maze() -> None:
    """Nor is its site; other sections of it may be."""
    levels = {}
    for section in ("texts", "other"):
        guard = WebGuard(GuardSettings())
        for number in range(200):
            url = f"http://a.test/{'texts' if number == 0 else section}/{prose('name', number, words=1)}"
            page = replace(a_page(number, Shown(prose(number), ()), url), is_seed=number == 0)
            new = [f"http://a.test/{section}/{prose(number, place, words=2).replace(' ', '-')}" for place in range(20)]
            guard.observe(page, [Target(LinkId(1000 + 20 * number + place), Url.parse(each), is_new=True)
                                 for place, each in enumerate(new)])  # fmt: skip
        levels[section] = guard.level(Url.parse(f"http://a.test/{section}/new"), 0).level
    assert levels["texts"] == 0
    assert levels["other"] > 0


def test_a_link_that_was_known_before_a_rule_held_is_not_new_after_it() -> None:
    """Or the honest site whose parameter was found not to matter would seem to grow with every page."""
    guard, known = WebGuard(GuardSettings()), Url.parse("http://a.test/p/known")
    for number in range(6):
        shown = Shown(prose("copied", number // 2), ())
        guard.observe(a_page(number, shown, f"http://a.test/p/x{number // 2}?ref={number % 2}"), [])
    site = guard._tables.groups.find(known.host)
    assert site is not None
    for number in range(10, 13):
        page = a_page(number, Shown(prose("page", number), ()), f"http://a.test/p/y{number}")
        guard.observe(page, [Target(LinkId(500), known, is_new=False)])
    assert guard._tables.folding.has_rules(known.host)
    assert (site.account.fresh, site.account.crossing) == (0, 1)


def test_when_a_site_is_liable_for_its_group_no_longer_its_links_are_looked_at_again() -> None:
    guard = WebGuard(GuardSettings())
    met = iter(range(10_000, 100_000))

    def see(number: int, url: str, *links: str, known: tuple[int, str] | None = None) -> tuple[str, ...]:
        targets = [Target(LinkId(next(met)), Url.parse(link), is_new=True) for link in links]
        targets += [] if known is None else [Target(LinkId(known[0]), Url.parse(known[1]), is_new=False)]
        page = replace(a_page(number, Shown(prose(number), ()), url), parent=LinkId(number - 1))
        return guard.observe(page, targets).reconsider

    see(0, "http://maze.test/", "http://honest.test/")
    for number in range(1, 40):
        see(number, f"http://maze.test/{number}", *(f"http://maze.test/{number}-{place}" for place in range(20)))
    honest = Url.parse("http://honest.test/new")
    assert guard.level(honest, 0).level == 3
    see(100, "http://honest.test/0", *(f"http://honest.test/x{number}" for number in range(6)))
    raised = [
        see(101 + number, f"http://honest.test/{number + 1}", known=(5000 + number, f"http://honest.test/x{number}"))
        for number in range(5)
    ]
    assert any("honest.test" in hosts for hosts in raised)
    assert guard.level(honest, 0).level == 0
    assert guard.level(Url.parse("http://maze.test/new"), 0).level == 3
