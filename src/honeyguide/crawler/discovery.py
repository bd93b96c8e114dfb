"""Meets links: the seeds, those of a new page, and those that redirects lead to.

A link met for the first time is described, scored, numbered and starts to wait. One that waits already is found again,
and `FoundAgain` says what that means. One that was pruned is offered again. One that was fetched, skipped or is in
flight adds only an edge. A link that the scope rules keep out is not met at all, and neither is a new one for which a
bounded frontier has no room: it gets no number, so a beam costs memory for what waits and what was visited, not for all
that pages have shown.

Where a run has several shards, a link whose host another shard has is numbered and described like any other, and then
goes to that shard in a parcel, every time that a page shows it. `take_over` meets the links of many such parcels at
once, since most of what admitting links costs does not depend on how many they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.crawler.parents import link_context
from honeyguide.crawler.rows import RowsUnderWay, described_as, description_kind, rows_described, scores_of
from honeyguide.frontier import Arrivals, LevelledFrontier, Pairs
from honeyguide.learn import FoundAgain, Order
from honeyguide.model import Candidates, LinkId, LinkState, Origin, ParentFacts
from honeyguide.runs import FoundLink, PairRecord, RedirectedLink
from honeyguide.runs.parcels import HandedDown, Parcel, SightingRecord, TravellingLink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.guarding import AnyGuarding, PageLevels
    from honeyguide.crawler.parts import Parts
    from honeyguide.crawler.scope import Scope
    from honeyguide.learn import Strategy
    from honeyguide.model import LinkDescriptions, Page, Row, Rows, Url

UNVISITED: Final = (LinkState.WAITING, LinkState.PRUNED)


@dataclass(frozen=True, slots=True, eq=False)
class FoundLinks:
    """The links of a page, or of pages that other shards have told of, sorted. Columns run over the unvisited ones.

    No link is there twice. New links have the numbers that they get if all of them are met; `Discovery.admit` decides.
    """

    candidates: Candidates
    described: LinkDescriptions  # as they are stored
    rows: Rows
    links: NDArray[np.int64]
    pages: NDArray[np.int64]  # that show them
    hops: NDArray[np.int64]  # redirects on the way, where another shard has followed them; then rows are stored
    is_new: NDArray[np.bool_]
    is_pruned: NDArray[np.bool_]  # met before, but there was no room for it
    visited: tuple[LinkId, ...]  # the other links that were met before
    visited_on: tuple[LinkId, ...]  # the pages that show those
    visited_targets: tuple[Url, ...]  # their addresses
    is_elsewhere: NDArray[np.bool_]  # another shard has its host; may have been met before
    kept_out: int  # links that the scope rules do not let in
    left_alone: int  # unvisited links that would have been let in, had the page been expanded


@dataclass(frozen=True, slots=True, eq=False)
class _Parted:
    """Links that are shown, told apart by what is known of them."""

    places: list[int]  # of the unvisited ones
    numbers: list[LinkId]
    states: list[LinkState | None]
    are_elsewhere: list[bool]
    visited_places: list[int]
    visited: list[LinkId]
    kept_out: int
    left_alone: int

    def columns(self) -> dict[str, Any]:
        """The fields of `FoundLinks` that follow."""
        return {
            "links": np.array(self.numbers, dtype=np.int64),
            "is_new": np.array([state is None for state in self.states], dtype=np.bool_),
            "is_pruned": np.array([state is LinkState.PRUNED for state in self.states], dtype=np.bool_),
            "visited": tuple(self.visited),
            "is_elsewhere": np.array(self.are_elsewhere, dtype=np.bool_),
            "kept_out": self.kept_out,
            "left_alone": self.left_alone,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Admitted:
    """The changes that meeting links made, as records for the store."""

    targets: tuple[LinkId, ...]  # the links of the page that are met by now, the seeds, or where a redirect led
    new: tuple[FoundLink, ...] = ()
    again: tuple[FoundLink, ...] = ()
    redirect: RedirectedLink | None = None
    pruned: tuple[LinkId, ...] = ()  # links met that no longer wait, or could not begin to
    times_pruned: int = 0  # these, and the links that were left unmet
    pairs: tuple[PairRecord, ...] = ()
    elsewhere: tuple[LinkId, ...] = ()  # of the new ones, those whose hosts other shards have
    outbox: tuple[Parcel, ...] = ()  # for these shards


class Discovery:
    """Lets the links of new pages into the frontier."""

    def __init__(
        self,
        parts: Parts,
        found_again: FoundAgain,
        has_tried: Callable[[LinkId], bool],
        guarding: AnyGuarding,
    ) -> None:
        """A link that `has_tried` knows waits to be tried again, and stays as it was when it was first chosen."""
        self._links = parts.links
        self._frontier = parts.frontier
        self._strategy = parts.strategy
        self._scope = parts.scope
        self._parents = parts.parents
        self._counts_parents = parts.parents is not None and parts.parents.rules.is_newest
        self._ranks = parts.ranks
        self._window_words = parts.window_words
        self._may_wait_again = parts.is_live
        self._is_elsewhere = parts.is_elsewhere or (lambda _: False)
        self._found_again = found_again
        self._has_tried = has_tried
        self._under_way = RowsUnderWay()
        self._guarding = guarding

    @property
    def keeps_pairs(self) -> bool:
        """Whether a link waits with a row for every page that shows it."""
        return self._found_again is FoundAgain.EVERY

    def meet_seeds(self, urls: Sequence[Url], step: int) -> Admitted:
        """Let URLs wait at which the crawl begins, or begins anew; one that waits already waits on as it did."""
        met = [self._links.meet(url, depth=0, distance=0) for url in urls]
        numbers = [link for link, _ in met]
        is_new = np.array([new for _, new in met], dtype=np.bool_)
        was_pruned = np.array([self._links.state(link) is LinkState.PRUNED for link in numbers], dtype=np.bool_)
        candidates = Candidates.seeds(urls)
        described = self._strategy.describe(candidates)
        rows = self._strategy.rows(described, candidates.parents)
        scores = scores_of(self._strategy, rows, numbers, step=step, depth=0)
        entering = np.flatnonzero(is_new | was_pruned)
        for place in np.flatnonzero(was_pruned).tolist():
            self._links.place(numbers[place], depth=0, distance=0)
        arriving = [numbers[place] for place in entering.tolist()]
        pruned = self._push(arriving, scores[entering], rows[entering])

        def record(place: int) -> FoundLink:
            kept = described[place].tobytes()
            return FoundLink(numbers[place], urls[place], None, "", kept, float(scores[place]))

        new = tuple(map(record, np.flatnonzero(is_new).tolist()))
        again = tuple(map(record, np.flatnonzero(was_pruned).tolist()))
        pairs = self._pairs(arriving, scores[entering], rows[entering])
        return Admitted(tuple(numbers), new, again, pruned=pruned, times_pruned=len(pruned), pairs=pairs)

    def sort(
        self,
        page: Page,
        link: LinkId,
        origin: Origin,
        *,
        is_relevant: bool,
        is_expanded: bool,
        described: LinkDescriptions | None = None,
    ) -> FoundLinks:
        """Tell the links of a page apart and describe the unvisited ones. Nothing is met yet.

        Of a page that is not expanded, links met before count as visited. `described` are all its links, where that was
        done ahead.
        """
        depth, is_open = origin.depth + 1, self._scope.is_open(origin.depth + 1)

        def is_in_scope(place: int) -> bool:
            shown = page.links[place]
            return (is_open and not shown.rel) or self._scope.objection_to_link(shown, depth=depth) is None

        parted = self._part([shown.target for shown in page.links], is_in_scope, is_expanded=is_expanded)
        numbers = parted.numbers
        context = None
        if self._parents is not None:
            verdict = origin.relevance, is_relevant
            targets = [*parted.visited, *numbers]
            context = link_context(
                self._parents, self._strategy, page, link, verdict, targets=targets, unvisited=numbers
            )
        at_first = self._strategy.reads_first_occurrence
        importance = 0.0 if self._ranks is None else self._ranks.importance(link)
        candidates = Candidates.on_page(
            page,
            [page.links[place] for place in parted.places],
            origin,
            at_first_occurrence=at_first,
            context=context,
            importance=importance,
            window_words=self._window_words,
        )
        described = self._strategy.describe(candidates) if described is None else described[parted.places]
        return FoundLinks(
            candidates=candidates,
            described=described,
            rows=self._strategy.rows(described, candidates.parents),
            pages=np.full(len(numbers), link, dtype=np.int64),
            hops=np.zeros(len(numbers), dtype=np.int64),
            visited_on=(link,) * len(parted.visited),
            visited_targets=tuple([page.links[place].target for place in parted.visited_places]),
            **parted.columns(),
        )

    def _part(self, targets: Sequence[Url], is_in_scope: Callable[[int], bool], *, is_expanded: bool = True) -> _Parted:
        """Tell links apart, none of them there twice; `is_in_scope` is asked by place. Nothing is met yet."""
        places, numbers, states, elsewhere, visited_places, visited = [], [], [], [], [], []
        met = len(self._links)
        kept_out = left_alone = 0
        for place, target in enumerate(targets):
            number = self._links.find(target)
            state = None if number is None else self._links.state(number)
            is_elsewhere = self._is_elsewhere(target)
            if is_expanded and number is not None and state not in UNVISITED and not is_elsewhere:
                visited_places.append(place)  # whatever the scope says: most links of most pages
                visited.append(number)
                continue
            is_in = is_in_scope(place)
            is_welcome = is_expanded and is_in
            if not is_expanded and is_in and self._scope.follows_links:
                left_alone += self._scope.has_room(met) if number is None else state is LinkState.PRUNED
            if number is None and not (is_welcome and self._scope.has_room(met)):
                kept_out += is_expanded
            elif number is None or (is_welcome and (is_elsewhere or state in UNVISITED)):
                places.append(place)
                elsewhere.append(is_elsewhere)
                numbers.append(LinkId(met) if number is None else number)
                states.append(state)
                met += number is None
            else:
                visited_places.append(place)
                visited.append(number)
        return _Parted(places, numbers, states, elsewhere, visited_places, visited, kept_out, left_alone)

    def take_over(
        self, parcels: Sequence[Parcel], step: int, hear: Callable[[FoundLinks, NDArray[np.int64]], PageLevels]
    ) -> tuple[list[Admitted], list[SightingRecord]]:
        """Meet links that other shards have found; also says which page shows which of them.

        `hear` says at which levels they wait, whose pages have these demotions.
        """
        pages, new = [], []
        for parcel in parcels:
            page, is_new = self._links.meet(parcel.page, depth=0, distance=0)
            pages.append(page)
            if is_new:
                new.append(FoundLink(page, parcel.page, None, "", b"", 0.0))
                self._links.set_state(page, LinkState.ELSEWHERE)
        admitted = [Admitted((), tuple(new), elsewhere=tuple(each.link for each in new))]
        for shown in _each_link_once(parcels):
            found, demotions = self._sort_shown(shown, parcels, pages)
            admitted.append(self.admit(found, step, hear(found, demotions)))
        find = self._links.find
        sightings = [
            SightingRecord(page, parcel, tuple(link for each in parcel.links if (link := find(each.url)) is not None))
            for page, parcel in zip(pages, parcels, strict=True)
        ]
        return admitted, sightings

    def _sort_shown(
        self, shown: Sequence[tuple[int, TravellingLink]], parcels: Sequence[Parcel], pages: Sequence[LinkId]
    ) -> tuple[FoundLinks, NDArray[np.int64]]:
        """Tell links of some parcels apart, as `sort` does those of a page, with the demotions of their pages."""

        def is_in_scope(place: int) -> bool:
            number, link = shown[place]
            return self._scope.objection(link.url, depth=parcels[number].depth + 1) is None

        parted = self._part([link.url for _, link in shown], is_in_scope)
        unvisited = [shown[place][1] for place in parted.places]
        told = [parcels[shown[place][0]] for place in parted.places]
        parents = None
        if self._parents is not None:
            self._add_parents(shown, parcels, parted)
            parents = self._parents.parents(parted.numbers)
        facts = ParentFacts(
            np.array([parcel.relevance for parcel in told], dtype=np.float64),
            np.array([parcel.distance for parcel in told], dtype=np.int64),
            np.array([parcel.depth + 1 for parcel in told], dtype=np.int64),
            parents,
        )
        descriptions = [link.description for link in unvisited]
        rows = [np.frombuffer(link.row, dtype=np.float16) if link.row else None for link in unvisited]
        found = FoundLinks(
            candidates=_told(unvisited, facts),
            described=described_as(self._strategy, descriptions),
            rows=rows_described(self._strategy, descriptions, facts, rows),
            pages=np.array([pages[shown[place][0]] for place in parted.places], dtype=np.int64),
            hops=np.array([link.hops for link in unvisited], dtype=np.int64),
            visited_on=tuple(pages[shown[place][0]] for place in parted.visited_places),
            visited_targets=tuple(shown[place][1].url for place in parted.visited_places),
            **parted.columns(),
        )
        return found, np.array([parcel.demotion for parcel in told], dtype=np.int64)

    def _add_parents(
        self, shown: Sequence[tuple[int, TravellingLink]], parcels: Sequence[Parcel], parted: _Parted
    ) -> None:
        """Let links have the pages of other shards that show them as parents."""
        assert self._parents is not None
        places, links = [*parted.visited_places, *parted.places], [*parted.visited, *parted.numbers]
        told = [(link, parcels[shown[place][0]].handed_down) for place, link in zip(places, links, strict=True)]
        by_link = {link: down for link, down in told if down is not None}
        if by_link:
            self._parents.add_parents(list(by_link), *map(np.array, zip(*by_link.values(), strict=True)))

    def admit(self, found: FoundLinks, step: int, seen: PageLevels) -> Admitted:
        """Let new links wait where there is room, and change those found again where that counts.

        `seen` says at which levels they wait.
        """
        own_scores = scores_of(self._strategy, found.rows, found.links, step=step, depth=found.candidates.depth)
        rows, scores, changed = self._change_waiting(found, own_scores)
        are_merged = self._found_again is FoundAgain.MERGE

        gives_rows = self._found_again is FoundAgain.EVERY
        levels, is_dropped = seen.levels, seen.is_dropped
        is_entering = found.is_new | found.is_pruned | gives_rows
        if not is_entering.any():  # most pages show nothing new
            self._place(found, found.links, changed)
            return Admitted(
                targets=(*found.visited, *_listed(found.links)),
                again=self._records(found, changed, found.links, scores, rows, are_merged=are_merged),
                outbox=self._parcels(found, seen),
            )
        arriving = np.flatnonzero(is_entering & ~is_dropped & ~found.is_elsewhere)
        has_room = ~is_dropped
        has_room[arriving] = self._would_keep(scores[arriving], None if levels is None else levels[arriving])
        is_met = has_room | ~found.is_new | (not leaves_unmet(self._strategy, self._scope))
        links = self._meet_new(found, is_met)
        self._guarding.note_admitted(found, links, seen, is_met, has_room)

        again = np.concatenate((changed, np.flatnonzero(found.is_pruned & has_room)))
        self._place(found, links, np.concatenate((again, np.flatnonzero(found.is_new & is_met & (found.hops > 0)))))
        entering = arriving[has_room[arriving]]
        pushed_out = self._push(
            _listed(links[entering]), scores[entering], rows[entering], None if levels is None else levels[entering]
        )
        turned_away = _listed(links[found.is_new & is_met & ~has_room & ~is_dropped])
        self._links.set_states(turned_away, LinkState.PRUNED)
        is_here = ~found.is_elsewhere
        elsewhere = _listed(links[found.is_new & ~is_here])
        self._links.set_states(elsewhere, LinkState.ELSEWHERE)
        new = np.flatnonzero(found.is_new & is_met)
        return Admitted(
            targets=(*found.visited, *_listed(links[is_met])),
            new=self._records(found, new, links, scores, rows),
            again=self._records(found, again, links, scores, rows, are_merged=are_merged),
            pruned=(*pushed_out, *turned_away),
            times_pruned=len(pushed_out) + int((~has_room & ~is_dropped).sum()),
            pairs=self._pairs(_listed(links[is_here]), scores[is_here], rows[is_here]),
            elsewhere=tuple(elsewhere),
            outbox=self._parcels(found, seen),
        )

    def _place(self, found: FoundLinks, links: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """Note from where some links are now expected to be followed."""
        columns = found.candidates.depth, found.candidates.distance, found.hops
        at = zip(_listed(links[places]), *(column[places].tolist() for column in columns), strict=True)
        for link, depth, distance, hops in at:
            self._links.place(link, depth=depth, distance=distance, hops=hops)

    def _parcels(self, found: FoundLinks, seen: PageLevels) -> tuple[Parcel, ...]:
        """The parcel of those links of a page whose hosts other shards have; none where there are none."""
        places = np.flatnonzero(found.is_elsewhere)
        if not len(places):
            return ()
        candidates, first, down = found.candidates, int(places[0]), None  # one page shows them all
        page, relevance = LinkId(int(found.pages[first])), float(candidates.relevance[first])
        distance, depth = int(candidates.distance[first]), int(candidates.depth[first]) - 1
        is_relevant = distance == 0
        if self._parents is not None:
            facts = self._parents.facts(page, relevance, is_relevant=is_relevant)
            down = HandedDown(facts.relevance, facts.is_relevant, facts.smoothed, facts.distance)
        shown = zip(places.tolist(), _bytes_of(found.described[places]), strict=True)
        links = tuple(
            TravellingLink(candidates.targets[place], candidates.anchor(place), described) for place, described in shown
        )
        about = relevance, is_relevant, distance, depth, int(seen.demotions[first])
        return (Parcel(self._links.url(page), *about, down, links),)

    def _follow_elsewhere(self, source: LinkId, row: Row, score: float, target_url: Url) -> Admitted:
        """A link has led to a host that another shard has: that one is told, and follows it."""
        links = self._links
        depth, distance, hops = links.depth(source), links.distance(source), links.hops(source) + 1
        found_on = links.found_on(source)
        target, is_new = links.meet(target_url, depth=depth, distance=distance, hops=hops, found_on=found_on)
        redirect, down = None, None
        if is_new:
            links.set_state(target, LinkState.ELSEWHERE)
            redirect = RedirectedLink(source, target, target_url, is_new, hops, score)
        if self._parents is not None:
            self._parents.follow_redirect(source, target)
            told = self._parents.parents([source])
            if told.count[0]:
                distance_down = int(told.distance[0])
                down = HandedDown(float(told.relevance[0]), distance_down == 0, float(told.smoothed[0]), distance_down)
        kind = description_kind(self._strategy)
        travelling = TravellingLink(target_url, "", bytes(kind.itemsize), hops, row.tobytes())
        parcel = Parcel(
            links.url(source), 0.0, is_relevant=False, distance=distance, depth=depth - 1,
            demotion=links.carried(source), handed_down=down, links=(travelling,),
        )  # fmt: skip
        return Admitted((target,), redirect=redirect, elsewhere=(target,) if is_new else (), outbox=(parcel,))

    def follow_redirect(self, source: LinkId, row: Row, score: float, target_url: Url) -> Admitted:
        """The link that another one leads to takes its place, with its row, unless its own score is as good.

        Among equal scores of a strategy's own its number still decides.
        """
        if self._is_elsewhere(target_url):
            return self._follow_elsewhere(source, row, score, target_url)
        links = self._links
        depth, distance, hops = links.depth(source), links.distance(source), links.hops(source) + 1
        found_on = links.found_on(source)
        target, is_new = links.meet(target_url, depth=depth, distance=distance, hops=hops, found_on=found_on)
        state = links.state(target)
        if self._parents is not None:
            self._parents.follow_redirect(source, target)
        if not is_new:
            self._count_parents([target])
        rows = self._with_parents([target], row[None, :])
        scores = self._scores_after_redirect(rows, score)
        pruned: tuple[LinkId, ...] = ()
        is_waiting = not is_new and state is LinkState.WAITING
        if is_new or state is LinkState.PRUNED or is_waiting:
            level = self._guarding.follow(source, target, is_new=is_new, is_waiting=is_waiting)
        if is_new or state is LinkState.PRUNED:
            pruned = self._push([target], scores, rows, None if level is None else [level])
        elif state is LinkState.WAITING and self._found_again is FoundAgain.EVERY:
            self._push([target], scores, rows)
            return Admitted((target,), pairs=self._pairs([target], scores, rows))
        elif state is LinkState.WAITING and not self._has_tried(target) and self._counts_more(target, float(scores[0])):
            self._frontier.replace([target], scores, rows)
        else:
            return Admitted((target,))
        links.place(target, depth=depth, distance=distance, hops=hops)
        record = RedirectedLink(source, target, target_url, is_new, hops, float(scores[0]))
        pairs = self._pairs([target], scores, rows)
        return Admitted((target,), redirect=record, pruned=pruned, times_pruned=len(pruned), pairs=pairs)

    def _pairs(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> tuple[PairRecord, ...]:
        """Records of rows that links have got, where a link may have several."""
        if self._found_again is not FoundAgain.EVERY:
            return ()
        return tuple(map(PairRecord, links, scores.tolist(), rows))

    def hold(self, link: LinkId, pairs: Pairs | None) -> None:
        """A link was chosen: keep what it waited with until `release` or `put_back`, where its row is not all."""
        if self._may_wait_again and self.keeps_pairs:
            assert pairs is not None, "the frontier of a strategy with several rows a link gives them all"
            self._under_way.hold(link, pairs)

    def release(self, link: LinkId) -> None:
        """The last answer to a link that was chosen is in."""
        if self._may_wait_again and self.keeps_pairs:
            self._under_way.release(link)

    def put_back(self, link: LinkId, row: Row, score: float | None) -> tuple[LinkId, ...]:
        """A link that was chosen waits again, with its score or, without one, what its row is worth now.

        A link that may have several rows waits with all that it had, each at the score that links with it have by now.
        Gives back the links for which there is no room.
        """
        if self._found_again is FoundAgain.EVERY:
            pairs = self._under_way.release(link)
        else:
            pairs = Pairs(self._with_parents([link], row[None, :]), np.full(1, score, dtype=np.float64))
        scores = self._strategy.score(pairs.rows) if score is None else pairs.scores
        level = self._guarding.put_back(link)
        return self._push([link] * len(scores), scores, pairs.rows, None if level is None else [level] * len(scores))

    def rank_again(self) -> None:
        """Ranks have been computed again: let all waiting links have the rows that follow, where these show them."""
        if self._strategy.reads_ranks:
            self._count_parents(_listed(self._links.waiting()))

    def _count_parents(self, links: Sequence[LinkId]) -> None:
        """Let those of these links that wait have the rows that their parents make by now."""
        waiting = self._links.waiting_among(links) if self._counts_parents else ()
        if len(waiting):
            rows = self._with_parents(waiting, self._frontier.peek(waiting)[1])
            self._frontier.replace(waiting, self._strategy.score(rows), rows)

    def _with_parents(self, links: Sequence[LinkId], rows: Rows) -> Rows:
        if self._parents is None or not len(links):
            return rows
        return self._strategy.with_parents(rows, self._parents.parents(links))

    def _would_keep(self, scores: NDArray[np.float64], levels: NDArray[np.uint8] | None) -> NDArray[np.bool_]:
        if isinstance(self._frontier, LevelledFrontier):
            return self._frontier.would_keep(scores, levels)
        return self._frontier.would_keep(scores)

    def _meet_new(self, found: FoundLinks, is_met: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Number the new links that are met, and give all links with the numbers that hold from now on."""
        links = found.links.copy()
        is_met_now = found.is_new & is_met
        links[is_met_now] = self._links.meet_new(
            list(compress(found.candidates.targets, is_met_now.tolist())),
            depth=found.candidates.depth[is_met_now],
            distance=found.candidates.distance[is_met_now],
            found_on=found.pages[is_met_now],
        )
        return links

    @staticmethod
    def _records(
        found: FoundLinks,
        places: NDArray[np.int64],
        links: NDArray[np.int64],
        scores: NDArray[np.float64],
        rows: Rows,
        *,
        are_merged: bool = False,
    ) -> tuple[FoundLink, ...]:
        """Make the records of some of the links that were found.

        Rows that cannot be made from one description are stored.
        """
        if not len(places):
            return ()
        candidates, words = found.candidates, found.candidates.words
        starts, ends = candidates.spans[places, 1].tolist(), candidates.spans[places, 2].tolist()
        hops = found.hops[places].tolist()
        return tuple(
            FoundLink(
                LinkId(link),
                candidates.targets[place],
                LinkId(page),
                " ".join(words[start:end]),
                description,
                score,
                rows[place] if are_merged or redirects else None,
                redirects,
            )
            for place, link, page, score, start, end, description, redirects in zip(
                places.tolist(),
                links[places].tolist(),
                found.pages[places].tolist(),
                scores[places].tolist(),
                starts,
                ends,
                _bytes_of(found.described[places]),
                hops,
                strict=True,
            )
        )

    def _push(
        self,
        links: Sequence[LinkId],
        scores: NDArray[np.float64],
        rows: Rows,
        levels: Sequence[int] | NDArray[np.uint8] | None = None,
    ) -> tuple[LinkId, ...]:
        if not len(links):
            return ()
        self._links.set_states(links, LinkState.WAITING)
        self._under_way.note(rows, scores)
        at = None if levels is None else np.asarray(levels, dtype=np.uint8)
        pruned = self._frontier.push(Arrivals(links, self._links.hosts(links), scores, rows, at))
        self._links.set_states(pruned, LinkState.PRUNED)
        return tuple(pruned)

    def _change_waiting(
        self, found: FoundLinks, scores: NDArray[np.float64]
    ) -> tuple[Rows, NDArray[np.float64], NDArray[np.int64]]:
        """Let links of a page that wait have what follows from its showing them.

        That is the row that their parents make by now, or another description where that of the page counts. Gives the
        rows and scores of all links that hold where they are described by the page, and the places of waiting ones that
        are from now on.
        """
        self._count_parents(found.visited)
        again = (~(found.is_new | found.is_pruned | found.is_elsewhere)).nonzero()[0]
        is_fixed = self._found_again in (FoundAgain.FIRST, FoundAgain.EVERY)
        if not len(again) or (is_fixed and not self._counts_parents):
            return found.rows, scores, again[:0]
        links = _listed(found.links[again])
        old_scores, old_rows = self._frontier.peek(links)
        if self._counts_parents:
            old_rows = self._with_parents(links, old_rows)
            old_scores = self._strategy.score(old_rows)
        rows = found.rows
        is_changed = np.array([not is_fixed and not self._has_tried(link) for link in links], dtype=np.bool_)
        if self._found_again is FoundAgain.BEST:
            is_changed &= scores[again] > old_scores
        elif self._found_again is FoundAgain.MERGE:
            rows, scores = rows.copy(), scores.copy()
            rows[again] = ((old_rows.astype(np.float32) + rows[again]) / 2).astype(np.float16)
            scores[again] = self._strategy.score(rows[again])
        changed = again[is_changed]
        if self._counts_parents:
            old_scores[is_changed], old_rows[is_changed] = scores[changed], rows[changed]
            self._frontier.replace(links, old_scores, old_rows)
        elif len(changed):
            self._frontier.replace(_listed(found.links[changed]), scores[changed], rows[changed])
        return rows, scores, changed

    def _counts_more(self, target: LinkId, score: float) -> bool:
        match self._found_again:
            case FoundAgain.FIRST if self._strategy.order is not Order.OLDEST:
                return False  # in a queue, though, a link in front leads there sooner
            case _:
                return score > float(self._frontier.peek([target])[0][0])

    def _scores_after_redirect(self, rows: Rows, score: float) -> NDArray[np.float64]:
        if self._strategy.order is Order.BEST_SCORE:
            return self._strategy.score(rows)
        return np.array([score])  # the source's turn


def _each_link_once(parcels: Sequence[Parcel]) -> list[list[tuple[int, TravellingLink]]]:
    """The links of parcels with the places of these, so that no list has a link twice: first all, then repetitions."""
    lists: list[list[tuple[int, TravellingLink]]] = []
    times: Counter[str] = Counter()
    for place, parcel in enumerate(parcels):
        for link in parcel.links:
            times[link.url.text] += 1
            if times[link.url.text] > len(lists):
                lists.append([])
            lists[times[link.url.text] - 1].append((place, link))
    return lists


def _told(links: Sequence[TravellingLink], parents: ParentFacts) -> Candidates:
    """Links that another shard has found, as far as they need no description any more."""
    anchors = [link.anchor.split() for link in links]
    ends = np.cumsum([len(anchor) for anchor in anchors], dtype=np.int64)
    starts = ends - [len(anchor) for anchor in anchors]
    count = len(links)
    return Candidates(
        words=tuple(word for anchor in anchors for word in anchor),
        spans=np.column_stack((starts, starts, ends, ends)).astype(np.int64).reshape(count, 4),
        targets=tuple(link.url for link in links),
        in_main=np.zeros(count, dtype=np.bool_),
        is_internal=np.zeros(count, dtype=np.bool_),
        is_seed=np.zeros(count, dtype=np.bool_),
        relevance=parents.relevance,
        distance=parents.distance,
        depth=parents.depth,
    )


def leaves_unmet(strategy: Strategy, scope: Scope) -> bool:
    """Whether a new link that finds no room gets no number. Where pages are limited, the first that are met count."""
    return strategy.capacity > 0 and not scope.limits_pages


def _bytes_of(described: LinkDescriptions) -> list[bytes]:
    """Return each description as it is stored."""
    whole = described.tobytes()
    width = len(whole) // max(1, len(described))
    return [whole[place * width : (place + 1) * width] for place in range(len(described))]


def _listed(links: NDArray[np.int64]) -> list[LinkId]:
    return [LinkId(link) for link in links.tolist()]
