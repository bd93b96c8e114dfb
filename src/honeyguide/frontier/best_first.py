"""The re-scorable best-first frontier: a million links, all re-scored at every step, at the cost of a few of them.

`reprice` promises that every waiting link has its new score, yet computes almost none. With linear scores, when the
weights move from `v` to `w`, the score of a row `x` moves by at most |x|·|w - v|. A chunk that was last priced at `v`
with best score `b` can therefore hold nothing better than `b + reach·|w - v|`, where `reach` is its longest row. `take`
prices again only the chunks whose bound reaches the best score found so far: the result is the one a full pass would
give, link for link, ties included (a test compares them).

Where a chunk stands is in its `priced`. BY_HAND: its scores are what they were set to. The place of the current
weights: they are weighted sums at these. Any other place in the ring of past weights: they are weighted sums at those,
the chunk is stale, and nobody may read them. Before a place in the ring is used again, the chunks that still refer to
it are priced; where there are many, each step prices a share of all chunks in turn, so that these are few.

Where chances of an answer are given, and bonuses, they make a worth of each score (`worth_of`). All are kept; what a
chunk remembers is its best worth. Chances are at most 1, and bonuses stay until links are told of others, so a worth
moves by no more than its score does; below 0, by no more than twice that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.frontier.chunks import BY_HAND, LARGEST, NO_LINK, NOTHING, Chunks
from honeyguide.frontier.frontier import (
    LONGEST_WAIT_S,
    NotBefore,
    Ready,
    Resting,
    Standing,
    Taken,
    check_scores,
    earliest,
    soonest,
    waits_of,
    worth_of,
)
from honeyguide.model import HostId, LinkId, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import Arrivals, Chances, Haste, HostReadiness, Scorer
    from honeyguide.model import Rows

RING: Final = 512  # places for past weights; the first is BY_HAND's and holds none
ROUNDING: Final = 1e-12  # far above the relative rounding error of a score, far below a difference that matters
LINKS_AT_ONCE: Final = 1 << 16  # scored together: what is made of a million at once takes hundreds of megabytes
LARGEST_WEIGHT: Final = 1e100  # squares of larger ones leave the range of numbers


class BestFirstFrontier:
    """Highest score first, first come first among equals. ValueError for a score that is not a number, a row that is
    not finite, and weights that have diverged.
    """

    def __init__(self, hosts: HostReadiness, row_width: int = 0, chances: Chances | None = None) -> None:
        self._readiness = hosts
        self._chances = chances
        self._chunks = Chunks(row_width, 0 if chances is None else chances.sign_count)
        self._weights: NDArray[np.float64] | None = None  # None where no chunk is stale
        self._past_weights = np.zeros((RING, row_width))
        self._drifts: NDArray[np.float64] | None = None  # by place, where many chunks have asked since `reprice`
        self._now_priced = BY_HAND  # place of the current weights in the ring
        self._next_in_turn = 0  # the chunk with which the next step begins its share

    def __len__(self) -> int:
        return self._chunks.links_waiting

    def __contains__(self, link: LinkId) -> bool:
        try:
            self._chunks.slots([link])
        except KeyError:
            return False
        return True

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        if not len(arrivals.links):
            return ()
        lengths = _checked_lengths(arrivals.links, arrivals.rows)
        check_scores(arrivals.links, arrivals.scores)
        hosts = np.asarray(arrivals.hosts, dtype=np.int32)
        order = np.argsort(hosts, kind="stable")
        links = np.asarray(arrivals.links, dtype=np.int32)[order]
        slots, of_link = self._chunks.admit(links, hosts[order])
        if self._chances is not None:
            signs = self._chances.signs([arrivals.links[place] for place in order.tolist()])
            for column, of_links in zip(self._chunks.signs, signs.T, strict=True):
                column[slots] = of_links
            self._chunks.bonus[slots] = self._chances.bonuses(signs)
        self._set(slots, of_link, arrivals.scores[order], arrivals.rows[order], lengths[order])
        return ()

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        chunks = self._chunks
        if not chunks.links_waiting:
            return None
        is_ready = self._ready_hosts(now)
        if is_ready is not None and not chunks.waiting_on_host[is_ready].any():
            return self._next_ready()
        best = self._best_chunk(is_ready)
        taken = self._take_slot(chunks.best_slot(best), better=0)
        if is_ready is None:
            return taken
        lost = self._score_lost_waiting(~is_ready, taken.worth)
        return replace(taken, score_lost_waiting=lost, better=self._count_better(taken.worth) if lost else 0)

    def better_soon(self, now: float, haste: Haste) -> NotBefore | None:
        ready = self.best_ready(now)
        return None if ready is None else self.soonest(now, ready, haste)

    def best_ready(self, now: float) -> Ready | None:
        """Return what is ready; None where no link is on a ready host, or all hosts are ready."""
        is_ready, waiting = self._ready_hosts(now), self._chunks.waiting_on_host
        if is_ready is None or not waiting[is_ready].any():
            return None
        worth = float(self._chunks.best[self._best_chunk(is_ready)])
        return Ready(worth, int(np.count_nonzero(waiting[is_ready])))

    def soonest(self, now: float, ready: Ready, haste: Haste) -> NotBefore | None:
        """Return until when to wait for the first link that is worth it, rather than to ask for what is ready."""
        chunks = self._chunks
        best, hosts = chunks.best[: chunks.count], chunks.host[: chunks.count]
        if self._weights is not None:
            best = self._settled_bests(best, above=max(ready.worth, 0.0), is_best_enough=False)
        return soonest(best, hosts, self._readiness, now, ready, haste)

    def promises(self, count: int) -> list[float]:
        """Return what the best links are worth, one of each chunk, the best first; as of their last pricing."""
        chunks = self._chunks
        best = chunks.best[: chunks.count][chunks.live[: chunks.count] > 0]
        top = np.partition(best, len(best) - count)[-count:] if len(best) > count else best
        return sorted(top.tolist(), reverse=True)

    def standing(self, now: float, haste: Haste, count: int) -> Standing:
        """Return what is ready, and the best to wait for, at most so many; as of the last pricing of each."""
        chunks = self._chunks
        live = np.flatnonzero(chunks.live[: chunks.count])
        best, hosts = chunks.best[live], chunks.host[live]
        wait_s = waits_of(hosts, self._readiness, now, haste)
        ready = Ready(float(best[wait_s <= 0].max(initial=NOTHING)), len(np.unique(hosts[wait_s <= 0])))
        soon = np.flatnonzero((wait_s > 0) & (wait_s < LONGEST_WAIT_S) & (best > 0))
        price = haste.price_of(wait_s[soon], ready.hosts)
        top = soon[np.argsort(-best[soon] / price, kind="stable")[:count]]
        return Standing(ready, tuple(Resting(float(best[each]), now + float(wait_s[each])) for each in top.tolist()))

    def foremost(self, count: int) -> NDArray[np.int32]:
        """Return the `count` links that would come out first were all hosts ready, in order."""
        chunks = self._chunks
        best = chunks.best[: chunks.count]
        live = self._live_chunks()
        first = live[np.argsort(-best[live], kind="stable")[:count]]
        if not len(first):
            return np.empty(0, dtype=np.int32)
        if self._weights is not None:
            self._price(first[self._are_stale(first)], self._weigh, place=self._now_priced)
        # Each of these chunks has a link at least this good, so no link below it can be among the best.
        least = float(best[first].min()) if len(first) == count else NOTHING
        if self._weights is not None:
            best = self._settled_bests(best, above=least, is_best_enough=False)
        slots, _ = chunks.slots_of_chunks(live[best[live] >= least])
        slots = slots[chunks.link[slots] != NO_LINK]
        links: NDArray[np.int32] = chunks.link[slots]
        return links[np.lexsort((links, -chunks.worth(slots)))[:count]]

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        chunks = self._chunks
        if not chunks.links_waiting:
            return None
        waiting = chunks.waiting_on_host
        is_ready = self._ready_hosts(now)
        if is_ready is not None:
            waiting = np.where(is_ready, waiting, 0)
        up_to = np.cumsum(waiting)
        if not up_to[-1]:
            return self._next_ready()
        drawn = int(chance.integers(int(up_to[-1])))
        host = int(np.searchsorted(up_to, drawn, side="right"))
        taken = self._take_slot(chunks.slot_by_number(HostId(host), drawn - int(up_to[host] - waiting[host])))
        return replace(taken, better=self._count_better(taken.worth))

    def withdraw(self, link: LinkId) -> Taken:
        return self._take_slot(int(self._chunks.slots([link])[0]))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        if not len(links):
            return
        lengths = _checked_lengths(links, rows)
        check_scores(links, scores)
        slots = self._chunks.slots(links)
        self._set(slots, self._chunks.chunks_of_slots(slots), scores, rows, lengths)

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        if not len(links):
            return
        check_scores(links, scores)
        chunks = self._chunks
        slots = chunks.slots(links)
        of_link = chunks.chunks_of_slots(slots)
        self._set_by_hand(np.unique(of_link))
        self._keep_scores(slots, of_link, scores)

    def reprice(self, scorer: Scorer) -> None:
        self._tell_chances()
        if scorer.weights is None:
            self._price(self._live_chunks(), scorer.score, place=BY_HAND)
            self._weights = None
            return
        weights = scorer.weights.copy()
        if not (np.abs(weights) <= LARGEST_WEIGHT).all():
            raise ValueError(f"weights have diverged, the largest is {np.abs(weights).max()}: lower the learning rate")
        self._weights = weights
        self._now_priced = self._now_priced % (RING - 1) + 1
        due = self._due_chunks()
        self._past_weights[self._now_priced] = weights
        self._drifts = None
        self._price(due, self._weigh, place=self._now_priced)

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        chunks = self._chunks
        slots = chunks.slots(links)
        scores, rows = chunks.score[slots], chunks.row[slots]
        if self._weights is not None:
            scores = np.where(self._are_stale(chunks.chunks_of_slots(slots)), self._weigh(rows), scores)
        return scores, rows

    def worths(self, links: Sequence[LinkId]) -> NDArray[np.float64]:
        """Return what decides the turns of waiting links."""
        chunks, (scores, _) = self._chunks, self.peek(links)
        if chunks.chance is None:
            return scores
        slots = chunks.slots(links)
        return worth_of(scores + chunks.bonus[slots], chunks.chance[slots])

    def _set(
        self,
        slots: NDArray[np.int64],
        of_link: NDArray[np.int64],
        scores: NDArray[np.float64],
        rows: Rows,
        lengths: NDArray[np.float64],
    ) -> None:
        """Give links in these slots, of these chunks, scores that hold from now on, and rows."""
        chunks = self._chunks
        chunks.row[slots] = rows
        if self._chances is not None and chunks.chance is not None:
            chunks.chance[slots] = self._chances.chances(chunks.signs_in(slots), rows)
        np.maximum.at(chunks.reach, of_link, lengths)
        if self._weights is not None:
            # A stale chunk need not be priced to change a link in it: what counts there is the score at its weights.
            is_odd = scores != self._weigh(rows)
            if is_odd.any():
                self._set_by_hand(np.unique(of_link[is_odd]))
            are_stale = self._are_stale(of_link)
            if are_stale.any():
                stale = np.flatnonzero(are_stale)
                past_weights = self._past_weights[chunks.priced[of_link[stale]]]
                scores = scores.copy()
                scores[stale] = np.einsum("ij,ij->i", rows[stale].astype(np.float64), past_weights)
        self._keep_scores(slots, of_link, scores)

    def _keep_scores(self, slots: NDArray[np.int64], of_link: NDArray[np.int64], scores: NDArray[np.float64]) -> None:
        chunks = self._chunks
        if chunks.chance is not None:  # what the links were worth until now is not known any more
            chunks.score[slots] = scores
            self._refresh_bests(np.unique(of_link))
            return
        lost_best = of_link[(chunks.score[slots] == chunks.best[of_link]) & (scores < chunks.best[of_link])]
        chunks.score[slots] = scores
        np.maximum.at(chunks.best, of_link, chunks.score[slots])  # read back: of a link named twice the last one counts
        for chunk in set(lost_best.tolist()):
            chunks.refresh_best(chunk)

    def _tell_chances(self) -> None:
        """Give links the chances and bonuses that they have by now, where they have others."""
        chunks = self._chunks
        if self._chances is None or chunks.chance is None or not chunks.links_waiting:
            return
        changed, of_chances = self._chances.changed, self._chances.signs_of_chances
        by_chance, by_bonus = (
            chunks.slots_with(changed, columns) for columns in (slice(of_chances), slice(of_chances, None))
        )
        if not len(by_chance) and not len(by_bonus):
            return
        for some in _in_parts(by_chance, LINKS_AT_ONCE):
            chunks.chance[some] = self._chances.chances(chunks.signs_in(some), chunks.row[some])
            if len(some) < len(by_chance):
                chunks.let_go()
        for some in _in_parts(by_bonus, LINKS_AT_ONCE):
            chunks.bonus[some] = self._chances.bonuses(chunks.signs_in(some))
        is_changed = np.zeros(chunks.count, dtype=np.bool_)
        for slots in (by_chance, by_bonus):
            is_changed[chunks.chunks_of_slots(slots)] = True
        self._refresh_bests(np.flatnonzero(is_changed))

    def _refresh_bests(self, which: NDArray[np.int64]) -> None:
        """Look for the best links of these non-empty chunks anew."""
        for some in _in_parts(which):
            slots, begins = self._chunks.slots_of_chunks(some)
            self._chunks.best[some] = np.maximum.reduceat(self._chunks.worth(slots), begins)

    def _set_by_hand(self, which: NDArray[np.int64]) -> None:
        """From now on the scores in these chunks need not follow from any weights, until the next `reprice`."""
        if self._weights is not None:
            self._price(which[self._are_stale(which)], self._weigh, place=BY_HAND)
            self._chunks.priced[which] = BY_HAND

    def _ready_hosts(self, now: float) -> NDArray[np.bool_] | None:
        """Return which hosts may be asked; None means all."""
        if self._readiness.are_all_ready(now):
            return None
        is_ready: NDArray[np.bool_] = self._readiness.ready_at(len(self._chunks.waiting_on_host)) <= now
        return is_ready

    def _next_ready(self) -> NotBefore:
        waiting = self._chunks.waiting_on_host
        return earliest(self._readiness.ready_at(len(waiting))[waiting > 0])

    def _score_lost_waiting(self, is_held_up: NDArray[np.bool_], score: float) -> float:
        """Return by how much the best link on the hosts that are held up is worth more than this."""
        chunks = self._chunks
        best = np.where(is_held_up[chunks.host[: chunks.count]], chunks.best[: chunks.count], NOTHING)
        if self._weights is not None:
            best = self._settled_bests(best, above=score)
        top = float(best.max(initial=NOTHING))
        return top - score if top > score else 0.0

    def _count_better(self, worth: float) -> int:
        """Return how many waiting links are worth more than this."""
        chunks = self._chunks
        best = chunks.best[: chunks.count]
        if self._weights is not None:
            best = self._settled_bests(best, above=worth, is_best_enough=False)
        holding = np.flatnonzero(best > worth)
        if not len(holding):
            return 0
        slots, _ = chunks.slots_of_chunks(holding)
        return int(np.count_nonzero((chunks.worth(slots) > worth) & (chunks.link[slots] != NO_LINK)))

    def _best_chunk(self, is_ready: NDArray[np.bool_] | None) -> int:
        """Return the chunk that holds the best link on a ready host, after pricing every chunk that might."""
        chunks = self._chunks
        best = chunks.best[: chunks.count]
        if is_ready is not None:
            best = np.where(is_ready[chunks.host[: chunks.count]], best, NOTHING)
        if self._weights is not None:
            best = self._settled_bests(best)
        top = best.max()
        ties = np.flatnonzero(best == top)
        if top == NOTHING:  # the lowest score there is, by which chunks without a link on a ready host are marked too
            ties = ties[chunks.live[ties] > 0]
            ties = ties if is_ready is None else ties[is_ready[chunks.host[ties]]]
        return int(ties[0]) if len(ties) == 1 else self._first_come(ties, top)

    def _first_come(self, ties: NDArray[np.int64], score: float) -> int:
        """Return, of chunks whose best links have the same score, the one whose best link came first.

        Where few scores differ nearly all chunks tie. One that was opened early answers for all in which no link is as
        low as the one found in it: on one host for all others.
        """
        chunks = self._chunks
        early = ties[[np.argmin(chunks.lowest[ties])]]
        found = chunks.first_links(early, score)[0]
        rivals = ties[chunks.lowest[ties] <= found]
        return int(rivals[np.argmin(chunks.first_links(rivals, score))])

    def _settled_bests(
        self, best: NDArray[np.float64], above: float = NOTHING, *, is_best_enough: bool = True
    ) -> NDArray[np.float64]:
        """Price chunks until no stale one can reach the best score; stale ones are then out of the running.

        So are those that cannot reach the score `above`; all that can are priced where the best is not enough.
        """
        chunks = self._chunks
        stale = np.flatnonzero(self._are_stale(slice(chunks.count)) & (best > NOTHING))
        settled = best.copy()
        settled[stale] = NOTHING
        reach = (
            chunks.reach[stale] if self._chances is None else chunks.reach[stale] * np.where(best[stale] < 0, 2.0, 1.0)
        )
        bound = best[stale] + reach * self._drift_since(chunks.priced[stale])
        batch = 16
        while True:
            is_contender = bound >= (max(settled.max(), above) if is_best_enough else above)
            stale, bound = stale[is_contender], bound[is_contender]
            if not len(stale):
                return settled
            # The most promising first, in growing batches: a good score found early rules out the rest.
            by_promise = np.argpartition(-bound, min(batch, len(bound) - 1))
            first, rest = by_promise[:batch], by_promise[batch:]
            self._price(stale[first], self._weigh, place=self._now_priced)
            settled[stale[first]] = chunks.best[stale[first]]
            stale, bound = stale[rest], bound[rest]
            batch *= 4

    def _drift_since(self, places: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return how far a row of length 1 may have moved since the weights in each of these places."""
        assert self._weights is not None
        if len(places) < RING:
            return _drift(self._past_weights[places], self._weights)
        if self._drifts is None:
            self._drifts = _drift(self._past_weights, self._weights)
        return self._drifts[places]

    def _price(self, which: NDArray[np.int64], score: Callable[[Rows], NDArray[np.float64]], *, place: int) -> None:
        """Score every link of these non-empty chunks."""
        chunks = self._chunks
        for some in _in_parts(which):
            slots, begins = chunks.slots_of_chunks(some)
            scores = score(chunks.row[slots])
            scores = np.where(chunks.link[slots] < 0, NOTHING, scores)
            check_scores(chunks.link[slots], scores)
            chunks.score[slots] = scores
            chunks.best[some] = np.maximum.reduceat(chunks.worth(slots), begins)
            chunks.priced[some] = place
            if len(some) < len(which):
                chunks.let_go()

    def _weigh(self, rows: Rows) -> NDArray[np.float64]:
        assert self._weights is not None
        return weighted_sums(rows, self._weights)

    def _are_stale(self, which: NDArray[np.int64] | slice) -> NDArray[np.bool_]:
        priced = self._chunks.priced[which]
        is_stale: NDArray[np.bool_] = (priced != self._now_priced) & (priced != BY_HAND)
        return is_stale

    def _live_chunks(self) -> NDArray[np.int64]:
        return np.flatnonzero(self._chunks.live[: self._chunks.count])

    def _due_chunks(self) -> NDArray[np.int64]:
        """Return what new weights must price at once: scores set by hand, those at weights they replace, a share."""
        count = self._chunks.count
        if not count:
            return np.empty(0, dtype=np.int64)
        priced = self._chunks.priced[:count]
        is_due = (priced == BY_HAND) | (priced == self._now_priced)
        if count > RING:  # fewer may all be due at once
            share = -(-count // (RING - 2))
            is_due[(self._next_in_turn + np.arange(share)) % count] = True
            self._next_in_turn = (self._next_in_turn + share) % count
        return (is_due & (self._chunks.live[:count] > 0)).nonzero()[0]

    def _take_slot(self, slot: int, better: int | None = None) -> Taken:
        chunks = self._chunks
        row, score = chunks.row[slot].copy(), float(chunks.score[slot])
        if self._weights is not None and chunks.priced[chunks.chunk_of_slot(slot)] not in (BY_HAND, self._now_priced):
            score = float(self._weigh(row[None])[0])
        chances = chunks.chance
        chance, bonus = (1.0, 0.0) if chances is None else (float(chances[slot]), float(chunks.bonus[slot]))
        link, host = chunks.vacate(slot)
        return Taken(link, host, score, row, chance=chance, bonus=bonus, better=better)


def _drift(past_weights: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each of the past weights, by how much the score of a row of length 1 may differ by now, rounding included."""
    steps = past_weights - weights
    moved = np.sqrt(np.einsum("ij,ij->i", steps, steps))
    return moved + ROUNDING * (moved + 2 * np.sqrt(np.square(weights).sum()))


def _in_parts(chunks: NDArray[np.int64], at_once: int = 0) -> Iterator[NDArray[np.int64]]:
    """Yield the chunks, so many at a time that their links can be scored together; or so many slots as given."""
    at_once = at_once or LINKS_AT_ONCE // LARGEST
    return (chunks[first : first + at_once] for first in range(0, len(chunks), at_once))


def _checked_lengths(links: Sequence[LinkId], rows: Rows) -> NDArray[np.float64]:
    wide = rows.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    if not np.isfinite(lengths).all():
        raise ValueError(f"row of link {links[int(np.argmin(np.isfinite(lengths)))]} is not finite")
    return lengths
