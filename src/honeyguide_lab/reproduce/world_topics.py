"""Which of the papers' topics a world has enough pages of, where to begin with each, and what labels its pages.

A world is explored once. A topic is taken where enough pages that can be reached have its word, as the papers count;
where fewer than wanted are left, others that the world has pages of take their place, and the report says so. A topic
begins at its main page. Where a wiki lacks that, and on a synthetic web, it begins at the page with the topic's word
that links to most others with it, one with the word in its address if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.world_graph import explore, opened_world
from honeyguide.errors import SettingsError, WorldError
from honeyguide.model import Topic, Url
from honeyguide.text import words_of
from honeyguide.topic import presets
from honeyguide.worlds.wiki import WikiWorld
from honeyguide_lab.crawl_task import code_version
from honeyguide_lab.labels import KnowsTopics, LabelRule
from honeyguide_lab.survey import ListsUrls, graph_key, load_graph, save_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.crawler.world_graph import WorldGraph
    from honeyguide.worlds import World
    from honeyguide_lab.reproduce.study import StudiedWorld, Study

LEAST_WITH_WORD: Final = 50
"""Pages with its word that a topic needs."""
LEAST_LABELLED: Final = 10
"""Labelled pages below which nothing is graded by the labels."""


def at_most_a_quarter(steps: int, reachable: int) -> int:
    """Steps that visit a quarter of the pages at most, however many were asked for; at least one."""
    return max(1, min(steps, reachable // 4))


@dataclass(frozen=True, slots=True)
class CandidateTopic:
    """A topic that a world may have: one of the papers', or one to take the place of another."""

    topic: Topic  # one word, and categories
    category_pattern: str  # of the wiki categories whose articles are on topic: found in the name of one
    seed_titles: tuple[str, ...]
    step_size: float = 0.001
    is_papers: bool = False


# What the category of an article on the topic is called, for the papers' topics. Nobody in a crawl sees categories.
_PATTERNS: Final = {
    "fiction": r"fiction|novel",
    "olympics": r"olympic",
    "cancer": r"cancer|oncolog|tumou?r|carcino",
    "cameras": r"camera|photograph",
    "geology": r"geolog|mineral|volcan|petrolog|tectonic|sediment|igneous|\brocks?\b",
    "poetry": r"poet|poem|\bverse\b",
}


def _spare(name: str, pattern: str, *categories: str) -> CandidateTopic:
    return CandidateTopic(Topic(name, categories=categories), pattern, (name,))


# In the order in which they stand in; the categories are wider subjects, chosen as Han chose from an open directory.
_SPARE: Final = (
    _spare("Astronomy", r"astronom|planet|\bstars?\b|galax", "Science", "Physics"),
    _spare("Chess", r"\bchess", "Games"),
    _spare("Opera", r"opera\b|operas", "Music", "Arts"),
    _spare("Photography", r"photograph", "Arts"),
    _spare("Football", r"football", "Sports"),
    _spare("Architecture", r"architect", "Arts", "Design"),
    _spare("Finance", r"financ|bank", "Business", "Economics"),
    _spare("Cooking", r"cuisine|\bfoods?\b|cook", "Home", "Food"),
    _spare("Gardening", r"garden", "Home", "Plants"),
    _spare("Chemistry", r"chemi", "Science"),
    _spare("Biology", r"biolog", "Science"),
    _spare("Economics", r"econom", "Business", "Science"),
    _spare("Sailing", r"sail", "Sports", "Recreation"),
    _spare("Railways", r"railway|railroad", "Transport"),
    _spare("Linguistics", r"linguist|grammar", "Science", "Language"),
    _spare("Oncology", r"cancer|oncolog", "Medicine", "Health"),
)


def candidate_topics() -> tuple[CandidateTopic, ...]:
    """The six topics of the papers, in their order, then those that may stand in."""
    papers = (
        CandidateTopic(each.topic, _PATTERNS[key], each.seed_titles, each.step_size, is_papers=True)
        for key, each in presets().items()
    )
    return (*papers, *_SPARE)


@dataclass(frozen=True, slots=True)
class StudiedTopic:
    """A topic of a world, ready to be crawled and graded."""

    topic: Topic
    step_size: float  # of Han's learners for it
    seed_url: Url
    is_main_page: bool  # False where another page stands in
    is_papers: bool  # one of the six
    with_word: int  # pages that can be reached and have the topic's word
    reachable: int  # pages that can be reached
    labels: str  # the rule of the independent labels
    labelled: int  # pages that can be reached and are on topic by them
    on_topic: frozenset[str] | None = field(repr=False)  # their URLs; None where there are too few to grade by

    @property
    def slug(self) -> str:
        return "-".join(words_of(self.topic.name))


@dataclass(frozen=True, slots=True)
class WorldTopics:
    """A world as it was explored, and what is studied in it."""

    world: StudiedWorld
    topics: tuple[StudiedTopic, ...]
    left_out: tuple[str, ...]  # topics of the papers that are not among them, and why
    graph: WorldGraph = field(repr=False)
    graph_file: str  # where it is kept, below the folder of the study

    def keep_graph(self, study: Study) -> None:
        """Write the graph down, so that the world is explored once."""
        file = study.folder / self.graph_file
        if not file.exists():
            save_graph(self.graph, file)


def world_topics(study: Study, studied: StudiedWorld, *, wanted: int = 6, least: int = LEAST_WITH_WORD) -> WorldTopics:
    """Explore a world and choose at most `wanted` topics that have `least` pages. Writes nothing.

    SettingsError where it has enough pages of no topic at all.
    """
    candidates = candidate_topics()
    with opened_world(studied.name) as world:
        roots = list(world.urls()) if isinstance(world, ListsUrls) else list(world.entry_urls())
        words = [each.topic.name.lower() for each in candidates]
        file = f"graphs/{graph_key(studied.name, roots, words, code_version())}.npz"
        graph = load_graph(study.folder / file)
        if graph is None:
            graph = explore(
                world, roots, words=words, on_progress=lambda done, known: study.tell("exploring", done, known)
            )
        found: list[StudiedTopic] = []
        left_out: list[str] = []
        for candidate in candidates:
            if not candidate.is_papers and len(found) >= wanted:
                break
            topic, why_not = _studied(candidate, world, graph, least)
            if topic is not None and len(found) < wanted:
                found.append(topic)
            elif candidate.is_papers and why_not:
                left_out.append(f"{candidate.topic.name} on `{studied.name}`: {why_not}.")
    if not found:
        raise SettingsError(
            [f"world {studied.name} has {least} pages of none of the topics; take a larger one, or another"]
        )
    return WorldTopics(studied, tuple(found), tuple(left_out), graph, file)


def _studied(candidate: CandidateTopic, world: World, graph: WorldGraph, least: int) -> tuple[StudiedTopic | None, str]:
    """The topic as this world has it, or why it is left out."""
    name = candidate.topic.name
    rule = _labels(candidate, world)
    if rule is None:
        return None, "the web has no such topic"
    has_word = graph.has_word[name.lower()] & graph.is_page
    seed, is_main_page = _seed(candidate, world, graph, has_word)
    if seed is None:
        return None, "no page has its word and a link to another that has it"
    reachable = graph.reachable([seed]) & graph.is_page
    with_word = int((has_word & reachable).sum())
    if with_word < least:
        return None, f"of {least} pages with its word that a topic needs, {with_word} can be reached"
    labels = rule.applied_to(world, graph, name.lower())
    on_topic = frozenset(
        graph.urls[node] for node in np.flatnonzero(reachable).tolist() if labels.is_on_topic(Url(graph.urls[node]))
    )
    topic = StudiedTopic(
        topic=candidate.topic,
        step_size=candidate.step_size,
        seed_url=Url(graph.urls[seed]),
        is_main_page=is_main_page,
        is_papers=candidate.is_papers,
        with_word=with_word,
        reachable=int(reachable.sum()),
        labels=str(rule),
        labelled=len(on_topic),
        on_topic=on_topic if len(on_topic) >= LEAST_LABELLED else None,
    )
    return topic, ""


def _labels(candidate: CandidateTopic, world: World) -> LabelRule | None:
    """Return the rule for the world's own labels of a topic; None where the world does not know the topic."""
    if not isinstance(world, KnowsTopics):
        return LabelRule("category", candidate.category_pattern)
    try:
        world.keywords_for(candidate.topic.name.lower())
    except WorldError:
        return None
    return LabelRule("truth")


def _seed(
    candidate: CandidateTopic, world: World, graph: WorldGraph, has_word: NDArray[np.bool_]
) -> tuple[int | None, bool]:
    """The node to begin at, and whether it is the topic's main page."""
    if isinstance(world, WikiWorld):
        titled = (world.number_titled(title) for title in candidate.seed_titles)
        urls = (world.url_of(number) for number in titled if number is not None)
        nodes = (graph.number_by_url.get(url.text) for url in urls)
        main_page = next((node for node in nodes if node is not None and _links_out(graph, node)), None)
        if main_page is not None:
            return main_page, True
    return _hub(candidate.topic.name, graph, has_word), False


def _links_out(graph: WorldGraph, node: int) -> int:
    return int(graph.starts[node + 1] - graph.starts[node])


def _hub(name: str, graph: WorldGraph, has_word: NDArray[np.bool_]) -> int | None:
    """The page with the word that links to most others with it; pages with the word in their address come first."""
    source = np.repeat(np.arange(len(graph.urls)), np.diff(graph.starts))
    counts = np.where(has_word[source] & has_word[graph.targets] & (source != graph.targets), 1, 0)
    links = np.bincount(source, weights=counts, minlength=len(graph.urls))
    in_address = np.array([name.lower() in url.lower() for url in graph.urls])
    for eligible in (has_word & in_address & (links > 0), has_word & (links > 0)):
        if eligible.any():
            return int(np.argmax(np.where(eligible, links, 0)))
    return None
