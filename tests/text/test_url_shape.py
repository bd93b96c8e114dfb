"""The signs of Lim 5.2.4 in an address, and the model that tells words from chance."""

from __future__ import annotations

import math
import tomllib
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chance_strings import KINDS, strings_of
from honeyguide.model import HostKey, Url
from honeyguide.text import LetterModel, UrlRules, english_letters, plain_runs, url_shape
from honeyguide.text.url_shape import SHORTEST, has_gibberish_host

CELLS = 28 * 28 * 27
ALL_ALIKE = LetterModel("8" * CELLS)  # "8" is 8 eighths of a nat: every letter costs 1


@pytest.mark.parametrize(
    ("word", "nats_of_chance"),
    [("granite", math.log(26)), ("rock101", math.log(36)), ("defaced", math.log(16)), ("0ff1ce5", math.log(16))],
)
def test_surplus_is_the_cost_of_the_letters_less_that_of_the_cheapest_chance(word: str, nats_of_chance: float) -> None:
    assert ALL_ALIKE.surplus(word) == pytest.approx(7 * 1.0 - 7 * nats_of_chance)


def test_a_letter_is_priced_by_the_two_before_it() -> None:
    def cell(before: int, last: int, symbol: int) -> int:
        return (before * 28 + last) * 27 + symbol

    cells = ["0"] * CELLS
    start, a, b, c, digit = 27, 0, 1, 2, 26
    cells[cell(start, start, a)] = "8"  # 1 nat for an a in front
    cells[cell(start, a, b)] = "@"  # 2 nats for a b after it
    cells[cell(a, b, c)] = "H"  # 3 nats for a c after a and b
    cells[cell(b, c, digit)] = "P"  # 4 nats for a digit after b and c
    model = LetterModel("".join(cells))
    assert model.surplus("abc7") == pytest.approx(1 + 2 + 3 + 4 - 4 * math.log(16))
    assert model.surplus("bc7") == pytest.approx(0 + 0 + 4 - 3 * math.log(16))


def test_the_shipped_costs_are_those_of_chances() -> None:
    lines = (resources.files("honeyguide.text") / "letter_costs.txt").read_text(encoding="ascii").splitlines()[1:]
    costs = (np.frombuffer("".join(lines).encode(), dtype=np.uint8).reshape(28, 28, 27) - 48.0) / 8
    ways = np.array([1.0] * 26 + [10.0])  # the last symbol stands for ten digits
    assert np.abs((np.exp(-costs) * ways).sum(axis=2) - 1).max() < 0.07  # a cost is rounded to an eighth of a nat


@pytest.mark.parametrize("text", ["", "8" * (CELLS - 1), "8" * (CELLS + 1), "é" * CELLS, " " * CELLS, "~" * CELLS])
def test_a_table_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"letter costs|ascii"):
        LetterModel(text)


def test_the_shipped_table_is_small() -> None:
    assert len((resources.files("honeyguide.text") / "letter_costs.txt").read_bytes()) < 30_000


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("Basalt-Säulen_2", ["basalt", "saulen", "2"]),
        ("Straße Łódź Æsir", ["strasse", "lodz", "aesir"]),
        ("геология 地質学", []),
        ("İstanbul", ["istanbul"]),
        ("ｆｕｌｌ width", ["full", "width"]),
        ("", []),
    ],
)
def test_runs_are_plain_letters_and_digits(text: str, runs: list[str]) -> None:
    assert plain_runs(text) == runs


@settings(deadline=None)
@given(st.text())
def test_any_text_has_runs_that_the_model_can_price(text: str) -> None:
    for run in plain_runs(text):
        assert math.isfinite(english_letters().surplus(run))


@settings(deadline=None)
@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", max_size=SHORTEST - 1))
def test_a_short_run_is_too_little_to_tell(run: str) -> None:
    assert not english_letters().is_gibberish(run)


@pytest.mark.parametrize(
    "word",
    [
        "geology", "wikipedia", "rhythms", "schwarzenegger", "thermodynamics", "nationalgeographic", "worldwarii",
        "twentythousandleaguesunderthesea", "20061231", "1234567890", "covid19vaccines", "jyllandsposten",
        "zeitschrift", "rzeczpospolita", "universiteit", "hokkaidouniversity", "programmation", "przedsiebiorstwo",
        "paivalehti",
    ],
)  # fmt: skip
def test_words_names_and_numbers_are_not_gibberish(word: str) -> None:
    assert not english_letters().is_gibberish(word)


# Measured by benchmarks/gibberish.py on 2,000 strings of each kind and length; the floors leave room for the draw.
FLOOR_BY_KIND = {"letters": 0.85, "hexadecimal": 0.9, "base32": 0.9, "consonants": 0.97, "keyboard": 0.85}


@pytest.mark.parametrize("kind", KINDS)
def test_strings_made_by_chance_are_gibberish(kind: str) -> None:
    strings = strings_of(kind, np.random.default_rng(1), 400, length=10)
    share = np.mean([english_letters().is_gibberish(string) for string in strings])
    assert share >= FLOOR_BY_KIND[kind]


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
