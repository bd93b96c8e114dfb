"""URLs get numbers, for good."""

from __future__ import annotations

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier import SeenUrls
from honeyguide.model import Url

urls = st.builds(
    lambda host, path: Url(f"https://{host}.example/{path}"),
    st.sampled_from(["a", "b", "münchen"]),
    st.text(alphabet="abc/?=é漢", max_size=6),
)


def met(urls: list[Url]) -> SeenUrls:
    seen = SeenUrls()
    for url in urls:
        seen.add(url)
    return seen


def check_numbers(urls: list[Url]) -> None:
    """Dense, in order of discovery, stable, and they lead back to the URL."""
    seen = SeenUrls()
    number_by_url: dict[Url, int] = {}
    for url in urls:
        assert seen.find(url) == number_by_url.get(url)
        assert seen.add(url) == number_by_url.setdefault(url, len(number_by_url))
    assert len(seen) == len(number_by_url)
    assert list(seen) == list(number_by_url)
    for url, number in number_by_url.items():
        link = seen.find(url)
        assert link == number
        assert link is not None
        assert seen.url(link) == url


@given(st.lists(urls, max_size=60))
def test_numbers_are_dense_stable_and_lead_back(urls: list[Url]) -> None:
    check_numbers(urls)


@given(st.lists(urls, max_size=60), st.integers(1, 8))
def test_texts_with_the_same_hash_still_get_their_own_numbers(urls: list[Url], hashes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xxhash, "xxh3_64_intdigest", lambda text, seed=0: sum(text) % hashes)
        check_numbers(urls)


@given(st.lists(urls, max_size=30), st.lists(urls, max_size=60), st.sampled_from([3, 2**64]))
def test_urls_added_together_get_the_numbers_that_they_get_one_by_one(
    before: list[Url], after: list[Url], hashes: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        digest = xxhash.xxh3_64_intdigest
        patch.setattr(xxhash, "xxh3_64_intdigest", lambda text, seed=0: digest(text, seed) % hashes)
        together, one_by_one = met(before), met([*before, *after])
        together.add_new([url for url in dict.fromkeys(after) if url not in before])
        assert list(together) == list(one_by_one)
        assert [together.find(url) for url in one_by_one] == list(range(len(one_by_one)))
        together.add_new([Url(f"https://more.example/{number}") for number in range(600)])
        assert together.find(Url("https://more.example/599")) == len(one_by_one) + 599


def test_many_urls_outgrow_the_first_columns() -> None:
    urls = [Url(f"https://host-{number % 7}.example/page/{number}") for number in range(5000)]
    seen = met(urls)
    assert list(seen) == urls
    assert [seen.find(url) for url in urls] == list(range(5000))


def test_a_url_never_met_has_no_number() -> None:
    assert SeenUrls().find(Url("https://a.example/")) is None
    assert met([Url("https://a.example/")]).find(Url("https://a.example/b")) is None


def test_one_url_may_begin_with_another() -> None:
    urls = [Url("https://a.example/b"), Url("https://a.example/"), Url("https://a.example/bc")]
    assert list(met(urls)) == urls
