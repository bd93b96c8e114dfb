"""The signs of Lim 5.2.4 in an address; precision on names that everybody knows."""

from __future__ import annotations

import tomllib
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chance_strings import KINDS, strings_of
from honeyguide.model import HostKey, Url
from honeyguide.text import UrlRules, url_shape
from honeyguide.text.url_shape import has_gibberish_host

WELL_KNOWN = """
wikipedia.org en.wikipedia.org bbc.co.uk nytimes.com theguardian.com washingtonpost.com arxiv.org nature.com
sciencedirect.com springer.com jstor.org pubmed.ncbi.nlm.nih.gov nih.gov nasa.gov usgs.gov noaa.gov loc.gov
archive.org gutenberg.org britannica.com merriam-webster.com tripadvisor.com booking.com airbnb.com expedia.com
youtube.com facebook.com twitter.com x.com instagram.com linkedin.com reddit.com pinterest.com tumblr.com
news.ycombinator.com stackoverflow.com github.com gitlab.com sourceforge.net bitbucket.org npmjs.com pypi.org
docs.python.org postgresql.org sqlite.org kernel.org debian.org ubuntu.com mozilla.org apache.org w3.org
developer.mozilla.org google.com bing.com duckduckgo.com yahoo.com baidu.com yandex.ru vk.com qq.com weibo.com
taobao.com alibaba.com amazon.com ebay.com etsy.com walmart.com ikea.com microsoft.com apple.com ibm.com intel.com
nvidia.com samsung.com huawei.com spotify.com netflix.com soundcloud.com imdb.com rottentomatoes.com espn.com
nbcnews.com cbsnews.com abcnews.go.com cnn.com foxnews.com huffpost.com buzzfeed.com bloomberg.com reuters.com
economist.com wsj.com ft.com forbes.com medium.com wordpress.com blogspot.com t.co xkcd.com slashdot.org
craigslist.org paypal.com dropbox.com mit.edu stanford.edu ox.ac.uk cam.ac.uk ethz.ch tu-muenchen.de
"""
NOT_ENGLISH = """
spiegel.de zeit.de faz.net sueddeutsche.de tagesschau.de wetteronline.de bundesregierung.de lemonde.fr lefigaro.fr
liberation.fr service-public.fr corriere.it repubblica.it ilsole24ore.com elpais.com elmundo.es lavanguardia.com
folha.uol.com.br publico.pt nrc.nl volkskrant.nl standaard.be przyklad.pl gazeta.pl rzeczpospolita.pl allegro.pl
seznam.cz idnes.cz hirado.hu index.hu vecernji.hr jutarnji.hr helsinginsanomat.fi yle.fi aftonbladet.se dagbladet.no
jyllands-posten.dk milliyet.com.tr hurriyet.com.tr asahi.com yomiuri.co.jp mainichi.jp hokkaido-np.co.jp naver.com
xinhuanet.com people.com.cn timesofindia.indiatimes.com detik.com kompas.com vnexpress.net kathimerini.gr
"""


def shape_of(text: str, rules: UrlRules | None = None) -> set[str]:
    """The signs that an address has, by name."""
    shape = url_shape(Url.parse(text)) if rules is None else url_shape(Url.parse(text), rules)
    return {sign for sign in shape.__slots__ if getattr(shape, sign)}


def test_well_known_hosts_are_not_gibberish() -> None:
    hosts = [*WELL_KNOWN.split(), *NOT_ENGLISH.split()]
    hosts += [f"www.{host}:8080" for host in hosts]
    assert [host for host in hosts if has_gibberish_host(HostKey(host))] == []


def test_the_starting_points_are_not_gibberish() -> None:
    tables = tomllib.loads((resources.files("honeyguide.topic") / "starting_points.toml").read_text(encoding="utf-8"))
    urls = [Url.parse(text) for table in tables.values() for text in table["urls"]]
    assert len(urls) > 100
    assert [url.text for url in urls if url_shape(url).has_gibberish_host or url_shape(url).has_gibberish_path] == []


@pytest.mark.parametrize("kind", KINDS)
def test_most_hosts_and_paths_made_by_chance_are_gibberish(kind: str) -> None:
    names = strings_of(kind, np.random.default_rng(3), 200, length=12)
    hosts = np.mean([has_gibberish_host(HostKey(f"www.{name}.com")) for name in names])
    paths = np.mean([url_shape(Url.parse(f"http://a.test/{name}.html")).has_gibberish_path for name in names])
    assert hosts >= 0.9
    assert paths == hosts


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.1:8080", "[2001:db8::ff00:42:8329]", "[::1]:8000", "localhost", "localhost:9000", "t.co",
        "x.com", "q-z.xj", "123456789.com", "2006-12-31.net", "xn--mnchen-3ya.de", "xn--80ak6aa92e.com", "xn--.com",
        "xn--999999999.com", "xn--fiqs8s", "a.xn--p1ai", "com.", ".org",
    ],
)  # fmt: skip
def test_numbers_other_scripts_and_short_names_are_too_little_to_tell(host: str) -> None:
    assert not has_gibberish_host(HostKey(host))


@pytest.mark.parametrize(
    "host",
    ["xqzvkjwp.com", "d3f8a9b7c6e1.example.net", "www.zvbxrpl.co.uk", "asdfghjkl.org", "mail.qxjzkvbw-news.com:1"],
)
def test_any_label_before_the_last_can_give_a_host_away(host: str) -> None:
    assert has_gibberish_host(HostKey(host))


def test_the_last_label_of_a_host_does_not_count() -> None:
    assert not has_gibberish_host(HostKey("rocks.xqzvkjwp"))


def test_an_international_name_is_read_as_it_is_meant() -> None:
    name = "grünkohlküche".encode("punycode").decode()
    assert not has_gibberish_host(HostKey(f"xn--{name}.de"))
    nonsense = "xqzvkjwpü".encode("punycode").decode()
    assert has_gibberish_host(HostKey(f"xn--{nonsense}.de"))


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("http://a.test/", set()),
        ("http://a.test/rocks/basalt.html", set()),
        ("http://a.test/?q=basalt", {"has_query"}),
        ("http://a.test/basalt.JPG", {"has_non_text_type"}),
        ("http://a.test/song.mp3?play=1", {"has_non_text_type", "has_query"}),
        ("http://a.test/film.wmv", {"has_non_text_type"}),
        ("http://a.test/paper.pdf", {"has_non_text_type"}),
        ("http://a.test/gif", set()),
        ("http://a.test/png/", set()),
        ("http://a.test/basalt.jpg.html", set()),
        ("http://a.test/show.php?file=basalt.jpg", {"has_query"}),
        ("http://a.test/wiki/File:Basalt.jpg", set()),
        ("http://a.test/wiki/Mount_St._Helens", set()),
        ("http://www.gif.com", set()),
        ("http://a.test/1/2/3/4/5/6/7/8", set()),
        ("http://a.test/1/2/3/4/5/6/7/8/", set()),
        ("http://a.test/1/2/3/4/5/6/7/8/9", {"is_too_deep"}),
        ("http://a.test/" + "rock-" * 27 + "r", set()),  # 150 characters
        ("http://a.test/" + "rock-" * 27 + "ro", {"is_too_long"}),
        ("http://a.test/7dd97c937216e32fca256bbe008371f0", {"has_gibberish_path"}),
        ("http://a.test/msg/bc8a60ab89926a4b.txt", {"has_gibberish_path"}),
        ("http://a.test/dQw4w9WgXcQ", {"has_gibberish_path"}),
        ("http://a.test/GeologyOfIcelandAndNorway", set()),
        ("http://a.test/%D0%B3%D0%B5%D0%BE%D0%BB%D0%BE%D0%B3%D0%B8%D1%8F", set()),  # Cyrillic
        ("http://a.test/Gro%C3%9Fewerkzeuge", set()),
        ("http://a.test/%FF%FE%FA", set()),  # not UTF-8
        ("http://a.test/20061231/1234567890", set()),
        ("http://a.test/watch?v=dQw4w9WgXcQ", {"has_query"}),  # the query says nothing about the path
    ],
)
def test_signs_of_an_address(text: str, signs: set[str]) -> None:
    assert shape_of(text) == signs
    assert url_shape(Url.parse(text)).is_suspicious == bool(signs)


def test_the_rules_can_be_others() -> None:
    rules = UrlRules(longest=20, deepest=1, file_types=frozenset({"html"}))
    assert shape_of("http://a.test/b/c.html", rules) == {"is_too_long", "is_too_deep", "has_non_text_type"}
    assert shape_of("http://a.test/b.mp3", rules) == set()


@settings(deadline=None)
@given(st.text("abcz019-", max_size=30))
def test_no_host_is_too_odd_to_be_looked_at(label: str) -> None:
    assert has_gibberish_host(HostKey(f"xn--{label}.com")) in (True, False)


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_address_is_too_odd_to_be_looked_at(path: str, query: str) -> None:
    shape = url_shape(Url.parse(f"http://a.test/{path}?{query}"))
    assert not shape.has_gibberish_host
