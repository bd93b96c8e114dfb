"""Columns of waiting links, cut into chunks that each belong to one host.

Everything is numpy: a link costs its row, 8 bytes of score and two 4-byte numbers. A chunk is a stretch of consecutive
slots; links enter a chunk in order of arrival, so the first of two equal scores in it came first. A chunk remembers its
best score, so that finding the best link looks at chunks, not at links. Chunks of a host grow from `SMALLEST` to
`LARGEST` slots, because most hosts have few links and a few have nearly all. A slot freed by a link that left is used
again only when its whole chunk is empty, by any host: at most one idle slot for each link ever taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np

from honeyguide.columns import grown, release
from honeyguide.frontier.frontier import worth_of, worth_of_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import HostId, LinkId

SMALLEST: Final = 8
LARGEST: Final = 64  # larger ones cost more to price, smaller ones are more to look through; measured
RELEASED_EVERY: Final = 16  # links; each may touch some pages of files, of 4 KB, which then leave memory
NO_LINK: Final = -1
NO_CHUNK: Final = -1
HIGHEST: Final = 2**31 - 1  # above every link
NOTHING: Final = -np.inf  # the best score of an empty chunk
_FROM_THE_FIRST: Final = np.zeros(1, dtype=np.int64)
BY_HAND: Final = 0  # `priced` of a chunk whose scores follow from no weights


class Chunks:
    """The slots and their chunks. The public columns are read and written by the frontier; growing is done here.

    Slot columns: `score`, `link` (NO_LINK where nobody waits), `row`. Chunk columns: `start`, `used` (slots handed
    out), `live` (links waiting), `host`, `lowest` (the lowest number that has entered, whether it still waits or not),
    `best`, `reach` (the length of its longest row), `priced` (the frontier's, but BY_HAND when a chunk is empty).
    `slot_of[link]` is NO_LINK unless the link waits. Where there are signs, each of `signs`, `chance` and `bonus` are
    slot columns too, and `best` is the best worth (`worth_of`).
    """

    def __init__(self, row_width: int, sign_count: int = 0) -> None:
        self.count = 0  # chunks
        self.links_waiting = 0
        self.score = np.empty(1024)
        self.link = np.full(1024, NO_LINK, dtype=np.int32)
        self.row = np.empty((1024, row_width), dtype=np.float16)
        self.signs = [np.empty(1024, dtype=np.uint16) for _ in range(sign_count)]  # looked through at every step
        self.chance = np.ones(1024) if sign_count else None
        self.bonus = np.zeros(1024 if sign_count else 0)
        self.start = np.zeros(16, dtype=np.int64)
        self.capacity = np.zeros(16, dtype=np.int32)
        self.used = np.zeros(16, dtype=np.int32)
        self.live = np.zeros(16, dtype=np.int32)
        self.host = np.zeros(16, dtype=np.int32)
        self.lowest = np.full(16, HIGHEST, dtype=np.int32)
        self.best = np.full(16, NOTHING)
        self.reach = np.zeros(16)
        self.priced = np.full(16, BY_HAND, dtype=np.int32)
        self.slot_of = np.full(1024, NO_LINK, dtype=np.int32)
        self.waiting_on_host = np.zeros(64, dtype=np.int64)
        self._highest = np.full(64, NO_LINK, dtype=np.int32)  # by host, the highest number that has come
        self._is_shuffled = np.zeros(64, dtype=np.bool_)  # by host, whether a lower number has come after it
        self._slots = 0
        self._since_release = 0
        self._filling = np.full(64, NO_CHUNK, dtype=np.int32)  # by host, the chunk that its next link joins
        self._opened = np.zeros(16, dtype=np.int64)  # by chunk, when its host got it; orders the chunks of a host
        self._times_opened = 0
        self._free_by_capacity: dict[int, list[int]] = {}

    def let_go(self) -> None:
        """Keep no link in memory that is in a file as well; those that are looked at come back."""
        of_chances = () if self.chance is None else (self.chance, self.bonus)
        release((self.row, self.score, self.link, self.slot_of, *of_chances))

    def slots_of_chunk(self, chunk: int) -> slice:
        start = int(self.start[chunk])
        return slice(start, start + int(self.used[chunk]))

    def slots_with(self, signs: NDArray[np.int32] | None, columns: slice) -> NDArray[np.int64]:
        """Return the slots of links that have one of these signs, one a column and -1 for none; of all for None.

        Only these columns are looked at.
        """
        is_waiting = self.link[: self._slots] != NO_LINK
        if signs is None:
            return is_waiting.nonzero()[0]
        wanted = [each for each in zip(self.signs[columns], signs[columns].tolist(), strict=True) if each[1] >= 0]
        if not wanted:
            return np.empty(0, dtype=np.int64)
        is_such = np.logical_or.reduce([column[: self._slots] == sign for column, sign in wanted])
        return (is_such & is_waiting).nonzero()[0]

    def worth_at(self, slot: int) -> float:
        """Return what decides the turn of the link in one slot."""
        score = float(self.score[slot])
        return score if self.chance is None else worth_of_one(score + float(self.bonus[slot]), float(self.chance[slot]))

    def worth(self, slots: slice | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what decides the turn of links in these slots."""
        score: NDArray[np.float64] = self.score[slots]
        return score if self.chance is None else worth_of(score + self.bonus[slots], self.chance[slots])

    def signs_in(self, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Return the signs of links in these slots, one row each."""
        signs = np.empty((len(slots), len(self.signs)), dtype=np.uint16)
        for place, column in enumerate(self.signs):
            signs[:, place] = column[slots]
        return signs

    def chunk_of_slot(self, slot: int) -> int:
        return int(self.start[: self.count].searchsorted(slot, side="right")) - 1

    def chunks_of_slots(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        # Chunks are cut from the end of the columns and keep their place, so their starts are sorted.
        return self.start[: self.count].searchsorted(slots, side="right") - 1

    def slots_of_chunks(self, chunks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all used slots of some non-empty chunks, and where in that list each chunk begins."""
        if len(chunks) == 1:
            start, used = int(self.start[chunks[0]]), int(self.used[chunks[0]])
            return np.arange(start, start + used), _FROM_THE_FIRST
        lengths = self.used[chunks].astype(np.int64)
        ends = lengths.cumsum()
        begins = ends - lengths
        slots = (self.start[chunks] - begins).repeat(lengths) + np.arange(ends[-1])
        return slots, begins

    def admit(self, links: NDArray[np.int32], hosts: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Let links wait that are sorted by host, in order of arrival on each; slot and chunk of every one.

        Their scores and rows are for the caller to set.
        """
        self._since_release += len(links)
        if self._since_release >= RELEASED_EVERY:
            self._since_release = 0
            self.let_go()
        self._make_room_for_link(int(links.max()))
        self._make_room_for_host(int(hosts[-1]))
        assert (self.slot_of[links] == NO_LINK).all(), "a link that waits already is pushed again"
        slots, chunks = np.empty((2, len(links)), dtype=np.int64)
        left = np.arange(len(links))
        while len(left):
            left_hosts = hosts[left]
            slots[left], chunks[left], fits = self._fill(left_hosts)
            left = left[~fits]
        self.link[slots] = links
        self.score[slots] = NOTHING
        self.slot_of[links] = slots
        np.minimum.at(self.lowest, chunks, links)
        self._note_order(links, hosts)
        np.add.at(self.waiting_on_host, hosts, 1)
        self.links_waiting += len(links)
        return slots, chunks

    def vacate(self, slot: int) -> tuple[LinkId, HostId]:
        """Let the link in this slot leave; its chunk gets a new best score."""
        chunk = self.chunk_of_slot(slot)
        link, host, worth = int(self.link[slot]), int(self.host[chunk]), self.worth_at(slot)
        self.link[slot] = NO_LINK
        self.score[slot] = NOTHING
        self.slot_of[link] = NO_LINK
        self.live[chunk] -= 1
        self.waiting_on_host[host] -= 1
        self.links_waiting -= 1
        if not self.live[chunk]:
            self._recycle(chunk)
        elif worth == self.best[chunk]:
            self.refresh_best(chunk)
        return cast("LinkId", link), cast("HostId", host)

    def refresh_best(self, chunk: int) -> None:
        self.best[chunk] = self.worth(self.slots_of_chunk(chunk)).max()

    def best_slot(self, chunk: int) -> int:
        """Return the slot of the best link of a chunk, the lowest number among equals."""
        slots = self.slots_of_chunk(chunk)
        is_best = self.worth(slots) == self.best[chunk]
        if self.best[chunk] == NOTHING:  # the lowest score there is, which slots without a link have too
            is_best &= self.link[slots] != NO_LINK
        best = is_best.nonzero()[0]
        # Not always the first of them: a link that was pruned and found again has a later slot than its number says.
        first = best[self.link[slots][best].argmin()] if len(best) > 1 else best[0]
        return slots.start + int(first)

    def first_links(self, chunks: NDArray[np.int64], worth: float) -> NDArray[np.int32]:
        """In each of some chunks that are not empty, the lowest link of this worth; HIGHEST where there is none."""
        slots, begins = self.slots_of_chunks(chunks)
        is_such = (self.worth(slots) == worth) & (self.link[slots] != NO_LINK)
        return np.minimum.reduceat(np.where(is_such, self.link[slots], HIGHEST), begins)

    def slot_by_number(self, host: HostId, rank: int) -> int:
        """Return the slot of the link that is `rank`-th by number among those waiting on a host.

        Hosts and numbers, unlike chunks, are the same after a restart: a draw that names them repeats.
        """
        of_host = np.flatnonzero((self.host[: self.count] == host) & (self.live[: self.count] > 0))
        if self._is_shuffled[host]:
            slots, _ = self.slots_of_chunks(of_host)
            numbers = self.link[slots]
            return int(self.slot_of[np.sort(numbers[numbers != NO_LINK])[rank]])
        of_host = of_host[np.argsort(self._opened[of_host])]
        up_to = np.cumsum(self.live[of_host])
        place = int(np.searchsorted(up_to, rank, side="right"))
        chunk = int(of_host[place])
        slots_here = self.slots_of_chunk(chunk)
        occupied = np.flatnonzero(self.link[slots_here] != NO_LINK)
        return slots_here.start + int(occupied[rank - int(up_to[place] - self.live[chunk])])

    def slots(self, links: Sequence[LinkId]) -> NDArray[np.int64]:
        """Return where some links wait; KeyError if one does not."""
        numbers = np.asarray(links, dtype=np.int64)
        if not len(numbers):
            return numbers
        if numbers.min() < 0 or numbers.max() >= len(self.slot_of):
            raise KeyError(int(numbers[((numbers < 0) | (numbers >= len(self.slot_of))).argmax()]))
        slots: NDArray[np.int64] = self.slot_of[numbers].astype(np.int64)
        if slots.min() == NO_LINK:
            raise KeyError(int(numbers[slots.argmin()]))
        return slots

    def _note_order(self, links: NDArray[np.int32], hosts: NDArray[np.int32]) -> None:
        """A link that comes back has a later slot than its number says; most hosts never see that happen."""
        follows_another = np.concatenate(([False], (hosts[1:] == hosts[:-1]) & (links[1:] < links[:-1])))
        self._is_shuffled[hosts[(links < self._highest[hosts]) | follows_another]] = True
        np.maximum.at(self._highest, hosts, links)

    def _fill(self, hosts: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
        """Hand out what room there is in one chunk a host: slots, their chunks, and which of the links fit."""
        first = np.flatnonzero(np.concatenate(([True], hosts[1:] != hosts[:-1])))
        wanted = np.diff(first, append=len(hosts))
        filling = self._filling_chunks(hosts[first])
        used, room = self.used[filling], self.capacity[filling] - self.used[filling]
        chunks = np.repeat(filling, wanted)
        rank = np.arange(len(hosts)) - np.repeat(first, wanted)
        slots = np.repeat(self.start[filling] + used, wanted) + rank
        given = np.minimum(wanted, room)
        self.used[filling] += given
        self.live[filling] += given
        return slots, chunks, rank < np.repeat(room, wanted)

    def _filling_chunks(self, hosts: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the chunk with room on each of these distinct hosts, a new one where there is none."""
        chunks = self._filling[hosts]
        is_full = (chunks == NO_CHUNK) | (self.used[chunks] == self.capacity[chunks])
        if is_full.any():
            before = chunks[is_full]
            doubled = np.minimum(2 * self.capacity[before], LARGEST)
            chunks[is_full] = self._open(hosts[is_full], np.where(before == NO_CHUNK, SMALLEST, doubled))
        return chunks

    def _open(self, hosts: NDArray[np.int32], capacities: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return an empty chunk for each of these distinct hosts."""
        chunks = np.empty(len(hosts), dtype=np.int32)
        for capacity in np.unique(capacities).tolist():
            takers = np.flatnonzero(capacities == capacity)
            free = self._free_by_capacity.get(capacity, [])
            reused = free[-len(takers) :]
            del free[-len(takers) :]
            chunks[takers[: len(reused)]] = reused
            chunks[takers[len(reused) :]] = self._cut(capacity, len(takers) - len(reused))
        self.host[chunks] = hosts
        self._filling[hosts] = chunks
        self._opened[chunks] = self._times_opened + np.arange(len(chunks))
        self._times_opened += len(chunks)
        return chunks

    def _cut(self, capacity: int, how_many: int) -> NDArray[np.int32]:
        """New chunks at the end of the columns."""
        chunks = np.arange(self.count, self.count + how_many, dtype=np.int32)
        self._make_room_for_chunks(self.count + how_many)
        self._make_room_for_slots(self._slots + capacity * how_many)
        self.start[chunks] = self._slots + capacity * np.arange(how_many)
        self.capacity[chunks] = capacity
        self._slots += capacity * how_many
        self.count += how_many
        return chunks

    def _recycle(self, chunk: int) -> None:
        """An empty chunk forgets its past and is free for any host."""
        self.used[chunk] = 0
        self.lowest[chunk] = HIGHEST
        self.best[chunk] = NOTHING
        self.reach[chunk] = 0.0
        self.priced[chunk] = BY_HAND
        host = int(self.host[chunk])
        if self._filling[host] == chunk:
            self._filling[host] = NO_CHUNK
        self._free_by_capacity.setdefault(int(self.capacity[chunk]), []).append(chunk)

    def _make_room_for_slots(self, count: int) -> None:
        if count > len(self.score):
            self.score = grown(self.score, count, fill=None)
            self.link = grown(self.link, count, fill=NO_LINK)
            self.row = grown(self.row, count, fill=None)
            self.signs = [grown(column, count, fill=None) for column in self.signs]
            if self.chance is not None:
                self.chance = grown(self.chance, count, fill=1.0)
                self.bonus = grown(self.bonus, count, fill=0.0)

    def _make_room_for_chunks(self, count: int) -> None:
        if count > len(self.start):
            self.start = grown(self.start, count, fill=0)
            self.capacity = grown(self.capacity, count, fill=0)
            self.used = grown(self.used, count, fill=0)
            self.live = grown(self.live, count, fill=0)
            self.host = grown(self.host, count, fill=0)
            self.lowest = grown(self.lowest, count, fill=HIGHEST)
            self.best = grown(self.best, count, fill=NOTHING)
            self.reach = grown(self.reach, count, fill=0)
            self.priced = grown(self.priced, count, fill=BY_HAND)
            self._opened = grown(self._opened, count, fill=0)

    def _make_room_for_link(self, link: int) -> None:
        if link >= len(self.slot_of):
            self.slot_of = grown(self.slot_of, link + 1, fill=NO_LINK)

    def _make_room_for_host(self, host: int) -> None:
        if host >= len(self.waiting_on_host):
            self.waiting_on_host = grown(self.waiting_on_host, host + 1, fill=0)
            self._filling = grown(self._filling, host + 1, fill=NO_CHUNK)
            self._highest = grown(self._highest, host + 1, fill=NO_LINK)
            self._is_shuffled = grown(self._is_shuffled, host + 1, fill=0)
