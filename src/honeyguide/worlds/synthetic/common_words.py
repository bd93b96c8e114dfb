"""The English that every page of the synthetic web shares: glue, everyday words, link-list wording, section names."""

from __future__ import annotations

from typing import Final


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
