"""The words of the synthetic web that all topics share, and all words as numbers in a table to draw from.

A row of the table has `COLUMNS` entries filled in proportion to a Zipf law over its words, so that drawing a word is
one look-up with ten random bits. Topics are numbered from 0; the number after the last means "no topic", and its core
and jargon are everyday words, so that code which draws words need not ask.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.worlds.synthetic.hashing import Ints
    from honeyguide.worlds.synthetic.topic_words import TopicVocabulary


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GLUE: Final = (
    "the", "of the", "and", "in the", "a", "with", "for", "to the", "on the", "from the", "by", "at the", "is", "was",
    "as", "that", "which", "or", "into the", "after the", "before", "under the", "near a", "without", "through the",
    "between", "over a", "about the", "and the", "but", "because of the", "since", "until the", "where", "when the",
    "are", "were", "has", "can", "may", "with a", "of", "in", "for a", "like the", "not", "every", "some", "this",
)  # fmt: skip

GENERAL: Final = _words(
    """
    time year people way day man thing woman life child world school state family student group country
    problem hand part place week company system program question work government number night point home water
    room mother area story fact month lot right study book eye job word business issue side kind head far
    black long little hour white friend father power minute body parent office door health person art war
    history party result change morning reason research girl guy moment air teacher force education boy age
    policy process music law sense nation plan college interest death experience effect class control field
    development role effort rate heart attention light idea town street answer letter voice paper member visit
    market service report detail example practice method event summer winter spring autumn evening weekend
    afternoon holiday village city river valley hill road path corner table chair window kitchen wooden stone
    metal glass paint colour shape size weight length height amount piece pair bottle basket bag box cup shelf
    drawer cupboard carpet lamp candle garden fence gate neighbour guest visitor traveller stranger colleague
    manager worker owner buyer seller customer volunteer expert beginner amateur professional author editor
    reader speaker listener writer artist maker builder designer good new first last great own other old
    different small large next early young important few public bad same able best better certain clear common
    current difficult easy entire exact famous final fine free fresh full general gentle happy heavy high hot
    human huge ideal late likely local low main major modern narrow natural nearby necessary normal obvious
    odd ordinary original perfect pleasant plain poor popular possible pretty private proper quick quiet rare
    ready real recent regular rich rough safe serious sharp short silent similar simple single slow smooth
    soft solid special steady strange strong sudden sweet tall thick thin tiny total typical unusual useful
    usual various warm weak whole wide wild wise wonderful wrong yellow green blue red brown grey silver
    golden accept achieve add admit agree allow appear apply argue arrive ask avoid become begin believe
    belong bring build buy call carry catch cause choose claim collect come compare consider contain continue
    cost count cover create cut decide depend describe develop discover discuss draw drive drop eat encourage
    enjoy enter exist expect explain express face fail fall feel fill find finish follow forget gather give
    grow handle happen hear help hide hold hope imagine improve include increase join keep know laugh lead
    learn leave let lie listen live look lose love make manage measure meet mention mind miss move need notice
    offer open order pay pick play prefer prepare present prevent produce promise protect prove provide pull
    push put raise reach read receive recognise record reduce remain remember remove repeat replace reply
    require rest return reveal ring rise run say search see seem sell send separate serve set settle share
    show sign sit sleep smile solve speak spend stand start stay stop suggest supply support suppose take talk
    teach tell tend thank think touch train travel treat trust try turn understand use wait walk want warn
    wash watch wear win wish wonder worry write perhaps often always never sometimes usually rarely almost
    already again ago today tomorrow yesterday soon later once twice together apart away back down forward
    here there indeed instead maybe mostly nearly only quite rather really simply still then though well yet
    photograph newspaper radio television telephone internet computer screen website page list project meeting
    club society council committee festival competition prize award museum library exhibition course lesson
    workshop guide manual handbook tool equipment machine material surface edge middle bottom top front behind
    inside outside beginning end century decade tradition culture region border north south east west price
    quality quantity choice advice opinion decision agreement argument mistake success failure chance luck
    danger risk safety trouble attempt journey trip tour weather rain snow wind cloud sunshine storm café
    naïve
    """
)

LINK_LIST: Final = _words(
    """
    links resources webring directory bookmarks collection favourites sites pages listing blogroll recommended
    catalogue index friends elsewhere visit browse category submit updated added annotated compiled maintained
    members ring random next previous portal gateway pointers references external worth useful
    """
)

PLAIN_ANCHORS: Final = (
    "read more", "here", "click here", "next page", "details", "more", "this page", "continue reading", "see also",
    "full text", "this one", "part two", "an earlier entry", "the rest", "link", "related", "full story", "view",
)  # fmt: skip

PLAIN_SLUGS: Final = ("page", "item", "entry", "note", "post", "doc", "view", "text", "part", "record")

SECTIONS: Final = (
    "notes", "archive", "journal", "articles", "reviews", "library", "guide", "features", "stories", "posts", "club",
    "reports", "letters", "essays", "almanac", "digest", "corner", "magazine", "papers", "diary", "workshop", "basics",
)  # fmt: skip

BRIDGE_SECTIONS: Final = ("links", "resources", "webring", "bookmarks")

HOST_WORDS: Final = (
    "amber", "birch", "cobble", "dapple", "ember", "fallow", "gable", "harbour", "inkwell", "juniper", "kettle",
    "lantern", "meadow", "nimbus", "orchard", "pebble", "quill", "rowan", "saffron", "thistle", "umber", "velvet",
    "willow", "yonder", "zephyr", "alder", "bramble", "copper", "drift", "elder", "finch", "grove", "hollow", "iris",
    "jasper", "kindle", "linden", "marble", "north", "oaken", "plover", "quiet", "russet", "sable", "tallow",
)  # fmt: skip

HOST_ENDINGS: Final = (
    "house", "post", "press", "lane", "works", "field", "yard", "hall", "gazette", "society", "corner", "online",
    "weekly", "circle", "letters", "review", "notebook", "almanac", "county", "institute",
)  # fmt: skip

COLUMNS: Final = 1024

# How a word can stand in a text: as it is, before a comma, at the end or at the start of a sentence.
PLAIN, COMMA, STOP, CAPITAL = range(4)
_FORMS: Final = 4
TITLE_FORMS: Final = np.array([CAPITAL, PLAIN, PLAIN])


@dataclass(frozen=True, slots=True)
class WordList:
    """Words of one kind, in order: the n-th of which is met as often as 1 / n^slope."""

    words: tuple[str, ...]
    slope: float

    def drawn(self, share: float) -> list[str]:
        """Return the words as they fill a share of a table's row."""
        columns = round(share * COLUMNS)
        weights = np.arange(1, len(self.words) + 1, dtype=np.float64) ** -self.slope
        edges = np.cumsum(weights) / weights.sum()
        places = np.searchsorted(edges, (np.arange(columns) + 0.5) / columns)
        return [self.words[place] for place in places.tolist()]


Blend = tuple[tuple[WordList, float], ...]
"""Kinds of words, each with its share of what is drawn."""


class Lexicon:
    """All words of a web and the tables they are drawn from."""

    def __init__(self, topics: Sequence[TopicVocabulary]) -> None:
        shared = WordList(tuple(dict.fromkeys(word for topic in topics for word in topic.shared)), 0.0)
        general = WordList(GENERAL, 0.5)
        core = [*(WordList(topic.core, 0.6) for topic in topics), general]
        jargon = [*(WordList(topic.jargon + topic.shared, 0.3) for topic in topics), general]
        blends: list[Blend] = [((kind, 1.0),) for kind in (*core, *jargon)]
        blends += [((kind, 0.7), (shared, 0.1), (general, 0.2)) for kind in (*core, *jargon)]
        blends += [((kind, 0.6), (general, 0.4)) for kind in jargon]
        links = WordList(LINK_LIST, 0.3)
        blends += [((WordList(GLUE, 0.9), 1.0),), ((shared, 1.0),), ((links, 0.7), (general, 0.3))]
        words = tuple(dict.fromkeys(word for blend in blends for kind, _ in blend for word in kind.words))
        self.table = _table(blends, {word: number for number, word in enumerate(words)})
        # Row t holds the core words of topic t, row `jargon + t` its jargon, and so on; "no topic" comes last in each.
        rows = len(topics) + 1
        self.general = len(topics)
        self.jargon = rows
        self.titles = np.array([2 * rows, 3 * rows])  # titles in core words, titles in jargon
        self.around = 4 * rows  # what stands around links that lead to the topic
        self.glue, self.shared, self.links = range(5 * rows, 5 * rows + 3)
        self.slugs = tuple(_ascii(word) for word in words)
        self._forms = np.array(
            [form for word in words for form in (word, f"{word},", f"{word}.", _capital(word))], dtype=object
        )

    def spell(self, numbers: Ints, forms: Ints | int) -> list[Any]:
        """Return the words with these numbers in these forms, as lists nested like `numbers`."""
        spelled: list[Any] = self._forms[numbers * _FORMS + forms].tolist()
        return spelled


def _table(blends: Sequence[Blend], numbers: Mapping[str, int]) -> NDArray[np.int16]:
    """Return a row for each blend: of its kinds each has its share of the columns, filled by its own Zipf law."""
    rows = [[numbers[word] for kind, share in blend for word in kind.drawn(share)] for blend in blends]
    return np.array([row[:COLUMNS] + row[: COLUMNS - len(row)] for row in rows], dtype=np.int16)


def _ascii(word: str) -> str:
    return unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()


def _capital(word: str) -> str:
    return word[0].upper() + word[1:]
