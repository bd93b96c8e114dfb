"""What is remembered of every URL, beside its number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawler.links import LinkTable
from honeyguide.model import HostKey, LinkState, Url

PAGE = Url("https://a.example/page")


def test_a_url_is_new_once() -> None:
    links = LinkTable()
    assert links.meet(PAGE, depth=1, distance=0) == (0, True)
    assert links.meet(PAGE, depth=9, distance=9) == (0, False)
    assert len(links) == 1


def test_meeting_a_url_again_does_not_move_it() -> None:
    links = LinkTable()
    link, _ = links.meet(PAGE, depth=3, distance=2, hops=1)
    links.meet(PAGE, depth=9, distance=9, hops=9)
    assert (links.depth(link), links.distance(link), links.hops(link)) == (3, 2, 1)


def test_placing_a_link_moves_it() -> None:
    links = LinkTable()
    link, _ = links.meet(PAGE, depth=3, distance=2)
    links.place(link, depth=1, distance=0, hops=4)
    assert (links.depth(link), links.distance(link), links.hops(link)) == (1, 0, 4)


def test_a_new_link_waits_until_told_otherwise() -> None:
    links = LinkTable()
    link, _ = links.meet(PAGE, depth=0, distance=0)
    assert links.state(link) is LinkState.WAITING
    links.set_state(link, LinkState.DONE)
    assert links.state(link) is LinkState.DONE


def test_depths_beyond_any_site_are_cut_rather_than_wrapped() -> None:
    links = LinkTable()
    link, _ = links.meet(PAGE, depth=10**6, distance=10**6)
    assert links.depth(link) == links.distance(link) == 32_767


def test_a_host_may_be_known_before_its_first_url() -> None:
    links = LinkTable()
    host = links.host_id(HostKey("b.example"))
    links.meet(PAGE, depth=0, distance=0)
    link, _ = links.meet(Url("https://b.example/x"), depth=0, distance=0)
    assert links.hosts([link]) == [host] == [0]
    assert links.host_key(host) == "b.example"


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(0, 50)), max_size=80))
def test_every_column_keeps_what_the_first_meeting_said(meetings: list[tuple[int, int, int]]) -> None:
    links = LinkTable()
    first: dict[Url, tuple[str, int]] = {}
    for host, page, depth in meetings:
        url = Url(f"https://{host}.example/{page}")
        link, is_new = links.meet(url, depth=depth, distance=depth + 1)
        assert is_new == (url not in first)
        assert links.find(url) == link
        first.setdefault(url, (f"{host}.example", depth))
    assert len(links) == len(first)
    for url, (key, depth) in first.items():
        link, _ = links.meet(url, depth=0, distance=0)
        assert links.url(link) == url
        assert links.host_key(links.hosts([link])[0]) == key
        assert (links.depth(link), links.distance(link)) == (depth, depth + 1)
    keys = list(dict.fromkeys(key for key, _ in first.values()))
    assert [links.host_id(HostKey(key)) for key in keys] == list(range(len(keys)))


def test_columns_grow_with_the_urls() -> None:
    links = LinkTable()
    for number in range(3000):
        links.meet(Url(f"https://h{number % 9}.example/{number}"), depth=number, distance=number % 5, hops=number % 3)
    for number in range(3000):
        link = links.find(Url(f"https://h{number % 9}.example/{number}"))
        assert link == number
        assert link is not None
        assert (links.depth(link), links.distance(link), links.hops(link)) == (number, number % 5, number % 3)
