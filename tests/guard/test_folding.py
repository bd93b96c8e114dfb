"""What does not matter in an address is learned from equal pages, host by host, and unlearned from different ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.guard import FindingKind
from honeyguide.guard.bounded import pack, unpack
from honeyguide.guard.folding import Folding, Learned
from honeyguide.guard.url_pattern import forms_of
from honeyguide.model import LinkId, Url

MEMORY = 4096


def url(address: str, host: str = "a.test", scheme: str = "http") -> Url:
    return Url.parse(f"{scheme}://{host}{address}")


def show(folding: Folding, address: Url, exact: int, link: int = 0) -> Learned:
    return folding.learn(address, exact, LinkId(link))


def taught(*pages: tuple[str, int]) -> Folding:
    """A folding that has seen pages of one host: address and exact print."""
    folding = Folding(MEMORY, pairs=3)
    for address, exact in pages:
        show(folding, url(address), exact)
    return folding


SESSIONS = [(f"/p/{page}?sid={'ab'[visit]}f00d5e55{page}{visit}", page) for page in range(3) for visit in range(2)]


def test_a_parameter_that_never_mattered_is_folded() -> None:
    folding = taught(*SESSIONS, ("/p/9?sid=beef1234", 9))
    assert folding.has_rules(url("/").host)
    assert folding.fold(url("/p/9?sid=0dd00000")) == "http://a.test/p/9"
    assert folding.variant_of(url("/p/9?sid=0dd00000")) == "parameter sid"
    assert folding.variant_of(url("/p/1?sid=0dd00000")) == "parameter sid"


def test_what_was_not_fetched_under_any_address_is_no_variant() -> None:
    assert taught(*SESSIONS).variant_of(url("/p/77?sid=0dd00000")) is None


def test_two_pairs_are_not_enough() -> None:
    assert taught(*SESSIONS[:4]).variant_of(url("/p/1?sid=0dd00000")) is None


def test_one_pair_that_differs_keeps_a_rule_from_holding() -> None:
    folding = taught(("/p/8?sid=1", 8), ("/p/8?sid=2", 88), *SESSIONS)
    assert folding.variant_of(url("/p/1?sid=3")) is None


def test_other_parameters_go_on_to_matter() -> None:
    lists = [(f"/p/{page}?page={number}", 100 * page + number) for page in range(4) for number in range(3)]
    folding = taught(*SESSIONS, *lists)
    assert folding.fold(url("/p/1?page=2&sid=77")) == "http://a.test/p/1?page=2"
    assert folding.variant_of(url("/p/1?page=9")) is None


def test_that_one_parameter_does_not_matter_says_nothing_of_another() -> None:
    assert taught(*SESSIONS).variant_of(url("/p/1?page=2")) is None


def test_a_rule_of_one_host_says_nothing_of_another() -> None:
    folding = taught(*SESSIONS)
    assert not folding.has_rules(url("/", "b.test").host)
    assert folding.fold(url("/p/1?sid=3", "b.test")) == "http://b.test/p/1?sid=3"


def test_a_rule_seen_in_one_section_holds_there_and_one_seen_in_two_on_the_whole_host() -> None:
    assert taught(*SESSIONS).fold(url("/q/1?sid=3")) == "http://a.test/q/1?sid=3"
    elsewhere = [(f"/q/1?sid={visit}", 7) for visit in range(2)]
    assert taught(*SESSIONS, *elsewhere).fold(url("/r/1?sid=3")) == "http://a.test/r/1"


def test_a_counter_example_unfolds_and_it_then_takes_four_times_as_many_pairs() -> None:
    folding = taught(*SESSIONS)
    learned = show(folding, url("/p/1?sid=other"), 1001)
    assert learned.unfolded == (url("/").host,)
    assert learned.copy is None
    assert folding.variant_of(url("/p/2?sid=3")) is None
    for page in range(20, 31):
        show(folding, url(f"/p/{page}?sid=1"), page)
        show(folding, url(f"/p/{page}?sid=2"), page)
    assert not folding.has_rules(url("/").host)
    show(folding, url("/p/31?sid=1"), 31)
    assert show(folding, url("/p/31?sid=2"), 31).has_new_rule
    assert folding.variant_of(url("/p/20?sid=3")) == "parameter sid"


def test_it_takes_four_times_as_many_again_after_every_counter_example() -> None:
    folding = taught(*((f"/p/{page}?sid={visit}", 1000 * page + visit) for page in (901, 902) for visit in range(2)))
    for page in range(48):
        assert not folding.has_rules(url("/").host), "3 x 4 x 4 pairs after two that differ"
        show(folding, url(f"/p/{page}?sid=1"), page)
        show(folding, url(f"/p/{page}?sid=2"), page)
    assert folding.has_rules(url("/").host)


def test_a_copy_is_named_by_what_differs() -> None:
    folding = taught(("/p/1?sid=a1", 1), ("/p/2?ref=x", 2), ("/p/3/", 3), ("/p/4/", 4))
    copies = [
        show(folding, url(address), exact).copy
        for address, exact in (("/p/1?sid=b2", 1), ("/p/2?ref=y", 2), ("/p/3", 3), ("/p/4/index.html", 4))
    ]
    answered = [(copy.kind, copy.rule) for copy in copies if copy is not None]
    assert (FindingKind.SESSION_ID, "parameter sid") in answered
    assert [kind for kind, _ in answered].count(FindingKind.VARIANT) == 3
    assert {"slash", "index"} <= {rule for _, rule in answered}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/d{}/", "/d{}"),
        ("/d{}/", "/d{}/index.html"),
        ("/d{};jsessionid=0f0f0f0f1", "/d{};jsessionid=1234abcd5"),
        ("/s/0123456789abcdef/d{}", "/s/fedcba9876543210/d{}"),
        ("/d{}?a=1&b=2", "/d{}?b=2&a=1"),
        ("/d{}?x1=1", "/d{}?y2=2"),
    ],
)
def test_every_kind_of_part_can_turn_out_not_to_matter(one: str, other: str) -> None:
    folding = taught(*[(form.format(page), page) for page in range(4) for form in (one, other)], (one.format(7), 7))
    assert folding.variant_of(url(other.format(7))) is not None
    assert folding.variant_of(url(other.format(8))) is None


def teach_hosts(folding: Folding, hosts: list[str], pages: int) -> None:
    for page in range(pages):
        for host in hosts:
            show(folding, Url.parse(f"{host}/p/{page}"), page)


@pytest.mark.parametrize("mirror", ["http://www.a.test", "https://a.test", "http://b.test:8080"])
def test_mirrors_are_found_across_hosts_and_schemes(mirror: str) -> None:
    folding = Folding(MEMORY, pairs=3)
    teach_hosts(folding, ["http://a.test", mirror], 3)
    show(folding, url("/p/9"), 9)
    assert folding.variant_of(Url.parse(f"{mirror}/p/9")) == "http://a.test"
    assert folding.variant_of(Url.parse(f"{mirror}/p/9/")) == "http://a.test"
    assert folding.variant_of(Url.parse(f"{mirror}/p/10")) is None


def test_hosts_that_differ_in_one_page_are_no_mirrors() -> None:
    folding = Folding(MEMORY, pairs=3)
    teach_hosts(folding, ["http://a.test", "http://b.test"], 5)
    show(folding, url("/"), 100)
    learned = show(folding, url("/", "b.test"), 101)
    assert set(learned.unfolded) == {"a.test", "b.test"}, "the links of both have waited for the other"
    assert folding.variant_of(url("/p/3", "b.test")) is None


@pytest.mark.parametrize("others", [["x"], ["x", "y"]])
def test_mirrors_are_found_where_other_sites_had_their_paths_first(others: list[str]) -> None:
    folding = Folding(MEMORY, pairs=3)
    for number, name in enumerate(others):
        for page in range(4):
            show(folding, url(f"/p/{page}", f"{name}.test"), 1000 * (1 + number) + page)
    teach_hosts(folding, ["http://a.test", "http://b.test"], 3)
    show(folding, url("/p/3"), 3)
    assert folding.variant_of(url("/p/3", "b.test")) == "http://a.test"
    assert not any(folding.has_rules(url("/", f"{name}.test").host) for name in others)


def test_mirrors_are_found_where_another_site_shows_each_path_in_between() -> None:
    folding = Folding(MEMORY, pairs=3)
    for page in range(4):
        show(folding, url(f"/p/{page}"), page)
        show(folding, url(f"/p/{page}", "x.test"), 1000 + page)
        if page < 3:
            show(folding, url(f"/p/{page}", "b.test"), page)
    assert folding.variant_of(url("/p/3", "b.test")) == "http://a.test"


def test_a_page_that_differs_parts_mirrors_even_where_another_site_showed_the_path_last() -> None:
    folding = Folding(MEMORY, pairs=3)
    teach_hosts(folding, ["http://a.test", "http://b.test"], 3)
    show(folding, url("/p/9"), 9)
    show(folding, url("/p/9", "x.test"), 1000)
    assert folding.variant_of(url("/p/9", "b.test")) == "http://a.test"
    assert set(show(folding, url("/p/9", "b.test"), 99).unfolded) == {"a.test", "b.test"}
    assert folding.variant_of(url("/p/2", "b.test")) is None


def test_what_is_met_on_mirrors_is_one_address() -> None:
    folding = Folding(MEMORY, pairs=3)
    teach_hosts(folding, ["http://a.test", "http://b.test"], 3)
    assert [folding.meet(url("/p/50", f"{name}.test")) for name in "abab"] == [0, 1, 2, 3]


def test_few_pages_of_mirrors_are_fetched_all_the_same() -> None:
    folding = Folding(MEMORY, pairs=3)
    teach_hosts(folding, ["http://a.test", "http://b.test"], 3)
    for page in range(3, 400):
        show(folding, url(f"/p/{page}"), page)
    pages = {page: url(f"/p/{page}", "b.test") for page in range(3, 400)}
    probes = [page for page, address in pages.items() if folding.is_probe(address)]
    assert 5 <= len(probes) <= 60
    show(folding, pages[probes[0]], probes[0])
    assert not any(map(folding.is_probe, pages.values())), "one for the first 64 pairs"


@pytest.mark.parametrize(
    ("longer", "other"),
    [("/p/{}?sid=1f00d5e55", "/p/{}?sid=2f00d5e55"), ("/p{}/", "/p{}"), ("/q{}/index.html", "/q{}/")],
)
@pytest.mark.parametrize("is_early", [True, False])
def test_few_shorter_addresses_of_pages_known_by_longer_ones_are_fetched_all_the_same(
    longer: str, other: str, is_early: bool
) -> None:
    """Whether the longer ones were fetched before there was a rule, or after."""
    pages = [(longer.format(page), page) for page in range(200)]
    pairs = [(address.format(page), page) for page in range(300, 303) for address in (longer, other)]
    folding = taught(*pages, *pairs) if is_early else taught(*pairs, *pages)
    shorter = [url(other.format(page).partition("?")[0]) for page in range(200)]
    assert all(map(folding.variant_of, shorter))
    probes = [page for page, address in enumerate(shorter) if folding.is_probe(address)]
    assert 3 <= len(probes) <= 30
    assert show(folding, shorter[probes[0]], probes[0]).copy is not None
    assert not any(map(folding.is_probe, shorter)), "one for the first 64 pairs"


def test_hosts_that_differed_at_first_take_four_times_as_many_pages_to_be_mirrors() -> None:
    folding = Folding(MEMORY, pairs=3)
    show(folding, url("/"), 1000)
    show(folding, url("/", "b.test"), 1001)
    teach_hosts(folding, ["http://a.test", "http://b.test"], 11)
    assert not folding.has_rules(url("/").host)
    teach_hosts(folding, ["http://a.test", "http://b.test"], 12)
    assert folding.has_rules(url("/").host)


def test_a_rule_with_many_pairs_is_probed_more_than_once() -> None:
    folding = Folding(MEMORY, pairs=64)
    for page in range(64):
        for visit in range(2):
            show(folding, url(f"/p/{page}?sid={visit}"), page)
    probes = [address for number in range(2, 400) if folding.is_probe(address := url(f"/p/1?sid={number}"))]
    for probe in probes[:2]:
        assert folding.is_probe(probes[-1])
        show(folding, probe, 1)
    assert not folding.is_probe(probes[-1])


def test_few_variants_are_fetched_all_the_same() -> None:
    folding = taught(*SESSIONS)
    probes = [address for number in range(400) if folding.is_probe(address := url(f"/p/1?sid={number}"))]
    assert 5 <= len(probes) <= 60
    learned = show(folding, probes[0], 1)
    assert learned.copy is not None
    assert not any(folding.is_probe(probe) for probe in probes)


def test_variants_are_met_as_one_address() -> None:
    folding = taught(*SESSIONS)
    assert [folding.meet(url(f"/p/50?sid={number}")) for number in range(3)] == [0, 1, 2]
    assert folding.meet(url("/p/51?sid=0")) == 0


@pytest.mark.parametrize(
    "address", ["/", "/?", "/?&", "/?=&==", "/a//", "/;", "/;=", "/a?" + "&".join(map(str, range(50)))]
)
def test_awkward_addresses_have_forms(address: str) -> None:
    parsed = url(address)
    for form in forms_of(parsed.text):
        assert form.text.startswith("http://a.test/")
    show(Folding(MEMORY, pairs=3), parsed, 1)


PAGES = st.lists(
    st.tuples(
        st.sampled_from(["a.test", "b.test"]),
        st.sampled_from(["/x", "/x/", "/x/index.html", "/y", "/"]),
        st.sampled_from(["", "?s=1", "?s=2", "?s=1&t=1", "?t=1&s=2"]),
        st.integers(0, 2),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(PAGES, st.integers(0, 40))
def test_saved_and_loaded_anywhere_it_learns_the_same(pages: list[tuple[str, str, str, int]], saved_after: int) -> None:
    one, other = Folding(64, pairs=2), Folding(64, pairs=2)
    for number, (host, path, query, exact) in enumerate(pages):
        address = Url.parse(f"http://{host}{path}{query}")
        assert one.variant_of(address) == other.variant_of(address)
        assert show(one, address, exact, number) == show(other, address, exact, number)
        assert one.meet(address) == other.meet(address)
        if number == saved_after:
            state = pack(other.state())
            other = Folding(64, pairs=2)
            other.restore(unpack(state))
    assert pack(one.state()) == pack(other.state())


@settings(deadline=None)
@given(PAGES)
def test_a_host_whose_addresses_all_differ_in_text_is_never_folded(pages: list[tuple[str, str, str, int]]) -> None:
    folding = Folding(MEMORY, pairs=2)
    for host, path, query, _ in pages:
        address = Url.parse(f"http://{host}{path}{query}")
        assert folding.variant_of(address) is None
        assert show(folding, address, hash(address)).copy is None


def test_a_copy_names_the_other_half_of_its_pair_and_the_first_where_there_are_many() -> None:
    folding = Folding(MEMORY, pairs=3)
    show(folding, url("/elsewhere"), 1, link=10)  # the same text at an address that has nothing to do with it
    for page in range(1, 6):
        for visit in range(4):
            copy = show(folding, url(f"/p/{page}?sid={visit}f00d5e55{page}"), page, link=100 * page + visit).copy
            assert (None if copy is None else copy.like) == (100 * page if visit else None)
    assert folding.variant_of(url("/p/5?sid=x")) == "parameter sid", "a rule that holds says so as well"


def test_a_mirror_names_the_page_on_the_other_host() -> None:
    folding = Folding(MEMORY, pairs=3)
    for page in range(5):
        assert show(folding, url(f"/p/{page}"), page, link=page).copy is None
        copy = show(folding, url(f"/p/{page}", "b.test"), page, link=50 + page).copy
        assert copy is not None
        assert (copy.kind, copy.like) == (FindingKind.MIRROR, page)


def test_of_a_path_and_a_longer_way_round_to_it_either_may_come_first() -> None:
    pages = ["press", "jobs", "faq", "terms"]
    round_first = taught(*((f"/help/x/help/{page}/", number) for number, page in enumerate(pages)))
    for number, page in enumerate(pages):
        copy = show(round_first, url(f"/help/{page}/"), number).copy
        assert copy is not None
        assert copy.kind is FindingKind.REPEATING_PATH
    assert round_first.variant_of(url("/help/y/help/faq/")) is not None
    different = taught(("/help/x/help/faq/", 1))
    assert show(different, url("/help/faq/"), 2).copy is None


def test_what_was_fetched_at_a_longer_address_by_a_rule_that_holds_is_no_other_page_at_the_shorter_one() -> None:
    folding = taught(*SESSIONS, ("/p/9?sid=beef1234", 9))
    assert folding.variant_of(url("/p/9")) == "parameter sid"
    copy = show(folding, url("/p/9"), 9).copy
    assert copy is not None
    assert copy.rule == "parameter sid"


def test_a_shorter_address_with_another_text_ends_the_rule() -> None:
    folding = taught(*SESSIONS, ("/p/9?sid=beef1234", 9), ("/p/9", 99))
    assert folding.variant_of(url("/p/9?sid=0dd00000")) is None
    assert folding.variant_of(url("/p/1")) is None


def mirrored_three_ways() -> Folding:
    """A and b were seen to be mirrors, and then b and c."""
    folding = Folding(MEMORY, pairs=3)
    for number, hosts in enumerate([("a", "b")] * 3 + [("b", "c")] * 3):
        for name in hosts:
            show(folding, url(f"/page{number}", f"{name}.test"), number)
    show(folding, url("/only", "a.test"), 99)
    return folding


def test_mirrors_of_a_mirror_are_mirrors() -> None:
    folding = mirrored_three_ways()
    for name in ("b", "c"):
        assert folding.variant_of(url("/only", f"{name}.test")) == "http://a.test"


def test_a_first_page_that_is_the_same_on_two_mirrors_of_one_parts_nobody() -> None:
    folding = mirrored_three_ways()
    learned = show(folding, url("/only", "c.test"), 99)
    assert learned.unfolded == ()
    assert learned.copy is not None
    assert folding.variant_of(url("/only", "b.test")) == "http://a.test"


def test_nor_does_it_when_there_is_no_room_for_the_one_pair_that_they_had() -> None:
    folding = Folding(64, pairs=2)  # room for eight rules
    for page, hosts in enumerate(("ac", "ab", "ab", "bc", "bc")):
        for name in hosts:
            show(folding, url(f"/page{page}", f"{name}.test"), page)
    for number in range(6):
        for visit in range(2):
            learned = show(folding, url(f"/x{number}", f"h{2 * number + visit}.test"), 100 + 2 * number + visit)
            assert learned.unfolded == ()
    assert all(folding.has_rules(url("/", f"{name}.test").host) for name in "abc")


def test_when_two_of_them_part_all_are_seen_anew() -> None:
    folding = mirrored_three_ways()
    show(folding, url("/other", "b.test"), 1000)
    learned = show(folding, url("/other", "c.test"), 1001)
    assert set(learned.unfolded) == {"a.test", "b.test", "c.test"}
    assert folding.variant_of(url("/only", "b.test")) is None
    assert not any(folding.has_rules(url("/", f"{name}.test").host) for name in "abc")


def test_a_rule_that_there_is_no_room_for_keeps_nothing_behind() -> None:
    folding = Folding(64, pairs=3)  # room for eight rules
    for address, exact in SESSIONS:
        show(folding, url(address), exact)
    assert folding.has_rules(url("/").host)
    released: list[str] = []
    for number in range(20):
        for visit in range(2):
            page = url(f"/x?p{number}={visit}", f"h{number}.test")
            released += show(folding, page, number).unfolded
    assert "a.test" in released
    assert not folding.has_rules(url("/").host)


def test_restored_where_there_is_less_room_rules_that_were_let_go_hold_no_longer() -> None:
    folding = Folding(MEMORY, pairs=3)
    for address, exact in SESSIONS:
        show(folding, url(address), exact)
    teach_hosts(folding, ["http://b.test", "http://c.test"], 3)
    for number in range(20):  # newer rules
        for visit in range(2):
            show(folding, url(f"/x?p{number}={visit}", f"h{number}.test"), number)
            show(folding, url("/y", f"m{number}.test"), 100 + number + visit)
    state = pack(folding.state())
    for memory, expected in ((MEMORY, True), (64, False)):  # room for 512 rules, or for eight
        again = Folding(memory, pairs=3)
        again.restore(unpack(state))
        assert [again.has_rules(url("/", f"{name}.test").host) for name in "abc"] == [expected] * 3
        assert (again.fold(url("/p/9?sid=0dd00000")) == "http://a.test/p/9") is expected
        again.learn(url("/p/1?sid=0dd00000"), 1, LinkId(1))
