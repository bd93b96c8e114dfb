"""What pages with a finding do to their links, and what the addresses themselves wait for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from honeyguide.guard import FindingKind, SeenPage, Target, WebGuard, fingerprint_of
from honeyguide.model import LinkId, Url
from honeyguide.settings import GuardSettings
from tiny_webs import Shown, drawn, page_with, prose

if TYPE_CHECKING:
    from honeyguide.guard import Judgement


class Pages:
    """Pages shown to a guard one by one; the links of each are new."""

    def __init__(self) -> None:
        self.guard = WebGuard(GuardSettings())
        self._shown = 0

    def show(self, url: str, text: str, *links: str, title: str = "A page") -> Judgement:
        self._shown += 1
        print_ = fingerprint_of(page_with(url, Shown(text, (), title)))
        link, moment = LinkId(self._shown), float(self._shown)
        page = SeenPage(self._shown, link, Url.parse(url), None, moment, print_, 0.0, False, False)
        targets = [Target(LinkId(1000 * self._shown + n), Url.parse(each), True) for n, each in enumerate(links)]
        return self.guard.observe(page, targets)

    def level(self, url: str, carried: int = 0) -> int:
        return self.guard.level(Url.parse(url), carried).level


def test_pages_of_a_series_that_runs_idle_demote_the_addresses_of_the_series_and_no_others() -> None:
    pages = Pages()
    found = []
    for number in range(12):
        text = f"{prose('frame', words=90)} {prose('own', number, words=40)}"
        title = prose("title", number, words=2)
        url, following = (f"http://a.test/list?page={each}" for each in (number, number + 1))
        judgement = pages.show(url, text, following, title=title)
        found += [judgement] if judgement.finding is not None else []
    assert {judgement.finding.kind for judgement in found if judgement.finding} == {FindingKind.PAGINATION}
    assert {judgement.demotion for judgement in found} == {0}
    assert len(found) >= 4
    assert pages.level("http://a.test/list?page=99") == 3
    assert pages.level("http://a.test/about", carried=found[-1].demotion) == 0


def test_one_facet_alone_is_no_finding() -> None:
    """A list by size alone is what people choose by; by size and colour, and brand, it is a combination more."""
    pages, judged = Pages(), {}
    both = [f"{one}={value}&{other}={value}" for value in range(1, 5)
            for one, other in (("size", "colour"), ("colour", "brand"), ("brand", "size"))]  # fmt: skip
    queries = [*both[:9], "size=7", "colour=7", *both[9:], "brand=7"]
    for query in queries:
        goods = sorted(drawn("goods", query).sample(range(30), 12))
        text = " ".join(prose("good", good, words=8) for good in goods)
        url = f"http://a.test/shop?{query}"
        judged[query] = pages.show(url, text, f"{url}&price=1", title="Shop").finding
    later = {query: finding for query, finding in judged.items() if query in queries[9:]}
    kinds = {query: None if finding is None else finding.kind for query, finding in later.items()}
    assert {query: kind for query, kind in kinds.items() if "&" not in query} == {
        "size=7": None, "colour=7": None, "brand=7": None,
    }  # fmt: skip
    assert Counter(kind for query, kind in kinds.items() if "&" in query) == {FindingKind.FACETS: 3}


def test_variants_wait_at_level_6_but_for_one_in_sixteen_until_the_rule_was_probed() -> None:
    pages = Pages()
    for page in "abc":
        for value in "01":
            pages.show(f"http://a.test/x/p{page}?ref={value}", prose("page", page))
    variants = [f"http://a.test/x/pa?ref={value}" for value in range(10, 330)]
    levels = Counter(map(pages.level, variants))
    assert levels.keys() == {0, 6}
    assert 10 <= levels[0] <= 30
    assert pages.level("http://a.test/x/pd?ref=10") == 0  # of no page that was fetched
    probe = next(url for url in variants if pages.level(url) == 0)
    pages.show(probe, prose("page", "a"))
    assert Counter(map(pages.level, variants)) == {6: 320}


def test_a_path_waits_the_deeper_the_more_often_it_says_the_same_up_to_5() -> None:
    pages = Pages()
    pages.show("http://a.test/help/faq", prose("faq"))
    pages.show("http://a.test/help/xy/help/faq", prose("faq"))
    levels = [pages.level("http://a.test/help/" + "xy/help/" * times) for times in range(1, 8)]
    assert levels == [0, 3, 4, 5, 5, 5, 5]
