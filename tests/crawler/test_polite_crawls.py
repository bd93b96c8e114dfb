"""Whole live crawls in virtual time: whatever happens, and whoever is killed, no host is asked early."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from crawler.driving import script_settings
from honeyguide.crawler import Builder, CrawlCore, CrawlLoop, StopReason
from honeyguide.crawler.hosts import HostMemory
from honeyguide.crawler.resume import restore
from honeyguide.crawler.rows import RowsUnderWay
from honeyguide.crawler.transport import LiveTransport
from honeyguide.fetch import Gate, GatedFetcher, KnownAddresses, RobotsFetcher
from honeyguide.frontier import LevelledRows, Pairs
from honeyguide.model import HostKey, LinkId, Redirected, Url
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import SqliteStore
from honeyguide.worlds import HttpWorld
from politeness_rules import check_politeness
from scripted_network import BUSY, Reply, ScriptedNetwork, ScriptedResolver, page, robots
from scripted_world import page_with
from vectors_by_hash import hashed_vectors
from virtual_time import LoopClock, run_in_virtual_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.crawler import Dispatch, Parts
    from honeyguide.model import Outcome
    from honeyguide.runs import Progress
    from honeyguide.settings import Settings
    from scripted_network import Request

HOSTS = [f"{letter}.test" for letter in "abcde"]


@dataclass
class LiveCrawl:
    """A crawl of a scripted network, to be run in one or several sessions; the network outlives them all."""

    folder: Path
    settings: Settings
    replies: dict[str, list[Reply]]
    places: dict[str, list[str]] = field(default_factory=dict)
    now: float = 1000.0
    log: list[Request] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    progress: Progress | None = None
    parts: Parts | None = None  # of the last session

    def session(self, seeds: Sequence[str], is_killed: Callable[[], bool] = lambda: False) -> StopReason:
        """Crawl until the end or a kill: what is under way then is given up, and nothing more is stored."""
        return run_in_virtual_time(self._session(seeds, is_killed), self.now)

    async def _session(self, seeds: Sequence[str], is_killed: Callable[[], bool]) -> StopReason:
        clock, memory = LoopClock(), HostMemory(self.settings)
        addresses = KnownAddresses(ScriptedResolver(lambda name: self.places.get(name, ["192.0.2.9"])), clock)
        network = ScriptedNetwork(clock, self.replies, addresses, self.log, self.asked)
        politeness = self.settings.politeness
        schedule = memory.schedule
        gate = GatedFetcher(network, Gate(schedule, clock), addresses)
        world = HttpWorld(RobotsFetcher(gate, politeness, "Honeyguide/1", clock, schedule=schedule, memory=memory))
        parts = self.parts = Builder(self.settings, hashed_vectors()).parts(is_live=True, schedule=schedule)
        store = SqliteStore(self.folder / "crawl.sqlite")
        transport = LiveTransport(world, clock)  # type: ignore[arg-type]
        in_flight: list[Dispatch] = []
        try:
            if store.progress() is None:
                memory.keep_in(store)
                core = CrawlCore(parts, self.settings)
                store.record(core.start([Url.parse(seed) for seed in seeds], clock.now()).record)
            else:
                memory.go_on(store, clock.now())
                core, in_flight = restore(parts, self.settings, store, clock)
            loop = CrawlLoop(core, transport, _Deaf(store), clock, [], is_killed)  # type: ignore[arg-type]
            return await loop.run(in_flight)
        finally:
            await transport.close()
            await world.close()
            self.progress = core.progress
            self.now = clock.now()
            store.close()

    def now_and_restored(self) -> tuple[Standings, Standings]:
        """Every row that waiting links have and what they are worth: where a session ended, and as the next begins.

        Links chosen after the last step that was stored are left out: the next session has them still waiting.
        """
        assert self.parts is not None
        parts = Builder(self.settings, hashed_vectors()).parts(is_live=True)
        store = SqliteStore(self.folder / "crawl.sqlite")
        restore(parts, self.settings, store, SimulatedClock(self.now))
        store.close()
        now, restored = standings(self.parts), standings(parts)
        assert now.keys() <= restored.keys()
        return now, {link: standing for link, standing in restored.items() if link in now}


Standings = dict[LinkId, tuple[list[list[float]], float]]


def standings(parts: Parts) -> Standings:
    frontier = parts.frontier
    assert isinstance(frontier, LevelledRows)
    links = [LinkId(link) for link in parts.links.waiting().tolist()]
    return {link: (frontier.rows_of(link).tolist(), float(frontier.peek([link])[0][0])) for link in links}


def after(looks: int) -> Callable[[], bool]:
    """True from so many looks on."""
    patience = iter(range(looks))
    return lambda: next(patience, None) is None


class _Deaf:
    """A store that does not hear of the end, as when a process is killed."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def record(self, step: object) -> None:
        if not step.progress.stop_reason:  # type: ignore[attr-defined]
            self._store.record(step)  # type: ignore[arg-type]

    def size_bytes(self) -> int:
        return 0


def live_settings(**overrides: object) -> Settings:
    chosen = {
        "crawl__concurrency": 8, "politeness__delay_s": 1.0, "politeness__max_delay_s": 20.0, "budget__fetches": 60,
        "fetch__backoff_s": 4.0, "fetch__max_retry_after_s": 90.0,
    }  # fmt: skip
    return script_settings(**(chosen | overrides))  # type: ignore[arg-type]


def crawl_in(
    folder: Path, replies: dict[str, list[Reply]], places: dict[str, list[str]] | None = None, **chosen: object
) -> LiveCrawl:
    return LiveCrawl(folder, live_settings(**chosen), replies, places or {})


def site(host: str, pages: int) -> dict[str, list[Reply]]:
    """A front page with links to all the others."""
    urls = [f"http://{host}/{number}" for number in range(pages)]
    return {f"http://{host}/": [Reply(page(page_with(*urls)))], **{url: [Reply(page("x"))] for url in urls}}


seconds = st.sampled_from([0.0, 0.2, 2.0, 25.0])


@st.composite
def networks(draw: st.DrawFn) -> dict[str, list[Reply]]:
    urls = [f"http://{host}/{number}" for host in HOSTS for number in range(draw(st.integers(1, 4)))]
    replies = {}
    for url in urls:
        links = draw(st.lists(st.sampled_from(urls), max_size=5))
        final = draw(st.sampled_from(["page", "page", "busy", "moved"]))
        moved = Redirected(301, Url.parse(draw(st.sampled_from(urls))))
        outcomes: dict[str, Outcome] = {"page": page(page_with(*links)), "busy": BUSY, "moved": moved}
        troubles = draw(st.integers(0, 2))
        replies[url] = [Reply(BUSY, draw(seconds), draw(st.sampled_from([0.0, 30.0, 500.0]))) for _ in range(troubles)]
        replies[url].append(Reply(outcomes[final], draw(seconds)))
    for host in HOSTS:
        rules = draw(
            st.sampled_from(["", "", "Crawl-delay: 4", "Crawl-delay: 300", "Disallow: /1", "busy", "elsewhere"])
        )
        text = f"User-agent: *\n{rules}\n"
        other = Redirected(301, Url.parse(f"http://{draw(st.sampled_from(HOSTS))}/rules"))
        answers: dict[str, Outcome] = {"busy": BUSY, "elsewhere": other}
        replies[f"http://{host}/robots.txt"] = [Reply(answers.get(rules, robots(text)), draw(seconds))]
    return replies


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    replies=networks(),
    places=st.fixed_dictionaries(
        {host: st.lists(st.sampled_from(["192.0.2.1", "192.0.2.2"]), min_size=1, unique=True) for host in HOSTS}
    ),
    looks=st.lists(st.integers(1, 60), max_size=3),
    down_s=st.sampled_from([0.0, 0.5, 40.0]),
    concurrency=st.integers(1, 8),
    strategy=st.sampled_from(["breadth-first", "random", "online-ridge", "lfa-async"]),
)
def test_no_host_is_asked_early_in_any_crawl_however_often_it_is_killed(
    replies: dict[str, list[Reply]],
    places: dict[str, list[str]],
    looks: list[int],
    down_s: float,
    concurrency: int,
    strategy: str,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        crawl = crawl_in(Path(folder), replies, places, crawl__concurrency=concurrency, crawl__strategy=strategy)
        seeds = [f"http://{host}/0" for host in HOSTS[:3]]
        kills = []
        for patience in looks:
            crawl.session(seeds, after(patience))
            kills.append(crawl.now)
            if strategy == "lfa-async":
                now, restored = crawl.now_and_restored()
                assert now == restored
            crawl.now += down_s
        crawl.session(seeds)
        check_politeness(crawl.log, crawl.settings.politeness, kills)
        assert crawl.progress is not None
        assert crawl.progress.charged <= 60


class TestKills:
    def test_robots_txt_is_not_asked_for_again_and_what_was_in_flight_is_fetched_once_more(
        self, tmp_path: Path
    ) -> None:
        replies = {url: [Reply(reply[0].outcome, 0.3)] for host in HOSTS for url, reply in site(host, 6).items()}
        replies |= {f"http://{host}/robots.txt": [Reply(robots("User-agent: *\nDisallow:\n"), 0.3)] for host in HOSTS}
        places = {host: [f"192.0.2.{number}"] for number, host in enumerate(HOSTS)}
        crawl = crawl_in(tmp_path, replies, places)
        seeds = [f"http://{host}/" for host in HOSTS]
        crawl.session(seeds, lambda: len(crawl.log) > 20 and crawl.log[-1].ended_at > crawl.log[-1].began_at + 9)
        killed_at = crawl.now
        given_up = [request.url.text for request in crawl.log if request.reply is None]
        stored = SqliteStore(tmp_path / "crawl.sqlite")
        done = stored.progress()
        stored.close()
        assert done is not None
        assert done.steps > 5
        assert given_up
        answered = {request.url.text for request in crawl.log if request.reply is not None}
        crawl.session(seeds)
        times = Counter(request.url.text for request in crawl.log)
        assert all(times[f"http://{host}/robots.txt"] == 1 for host in HOSTS)
        assert all(times[url] == 2 for url in given_up)
        assert all(times[url] <= 2 for url in answered), "an answer that was not stored is asked for once more"
        assert sum(times.values()) - len(times) <= 8, "no more than can be under way at once"
        check_politeness(crawl.log, crawl.settings.politeness, [killed_at])

    def test_a_request_that_no_step_was_stored_of_still_counts(self, tmp_path: Path) -> None:
        """The killed process had begun a fetch of which the store knows nothing."""
        replies = {"http://a.test/": [Reply(page("x"), 100.0)]}
        crawl = crawl_in(tmp_path, replies, politeness__obey_robots=False)
        crawl.session(["http://a.test/"], after(4))
        assert len(crawl.log) == 1
        replies["http://a.test/"] = [Reply(page("x"))]
        crawl.session(["http://a.test/"])
        first, second = crawl.log
        assert second.began_at >= first.ended_at + 1.0

    def test_a_host_that_asked_to_be_left_alone_is_left_alone_by_the_next_process(self, tmp_path: Path) -> None:
        replies = {"http://a.test/": [Reply(BUSY, retry_after_s=80.0), Reply(page("x"))]}
        crawl = crawl_in(tmp_path, replies, politeness__obey_robots=False)
        crawl.session(["http://a.test/"], after(8))
        crawl.now += 30.0
        assert crawl.session(["http://a.test/"]) is StopReason.EXHAUSTED
        first, second = crawl.log
        assert first.ended_at + 80.0 <= second.began_at < first.ended_at + 81.0


def test_the_gate_of_the_next_process_knows_who_rests(tmp_path: Path) -> None:
    """Also where the request is none of the crawl's own choice, such as a robots.txt that lies on the resting host."""
    elsewhere = Redirected(301, Url.parse("http://a.test/rules"))
    replies = {"http://a.test/": [Reply(BUSY, retry_after_s=80.0)], "http://b.test/robots.txt": [Reply(elsewhere)]}
    crawl = crawl_in(tmp_path, replies, {"b.test": ["192.0.2.2"]}, fetch__retries=0)
    seeds = ["http://a.test/", "http://b.test/"]
    crawl.settings = live_settings(fetch__retries=0, crawl__concurrency=1)
    crawl.session(seeds, lambda: any(one.url.path == "/" and one.reply for one in crawl.log) and crawl.now > 0)
    busy = next(one for one in crawl.log if one.url.text == "http://a.test/")
    crawl.session(seeds)
    rules = next(one for one in crawl.log if one.url.path == "/rules")
    assert rules.began_at >= busy.ended_at + 80.0


class TestTryingAgainWithSeveralRows:
    """Where a link has a row from every page that shows it, and links with equal rows share a score."""

    SETTINGS: ClassVar = {
        "politeness__obey_robots": False, "lfa__exploration": 0.0, "lfa__starts_at": "uniform",
        "judge__reward": "han2018", "fetch__backoff_s": 60.0,
    }  # fmt: skip
    PLACES: ClassVar = {f"{host}.test": [f"192.0.2.{number}"] for number, host in enumerate("abcptu")}

    @pytest.mark.parametrize("strategy", ["lfa-sync", "lfa-async"])
    def test_a_link_waits_again_with_all_its_rows(self, tmp_path: Path, strategy: str) -> None:
        """The second page comes in while the host rests."""
        replies = {
            "http://a.test/": [Reply(page("<main>rock, mineral, rock <a href='http://a.test/t'>rock</a></main>"))],
            "http://b.test/": [Reply(page("<main>soup <a href='http://a.test/t'>rock</a></main>"))],
            "http://a.test/t": [Reply(BUSY, 3.0)],
        }
        chosen = {**self.SETTINGS, "lfa__features": "continuous", "crawl__strategy": strategy}
        crawl = crawl_in(tmp_path, replies, self.PLACES, crawl__concurrency=2, **chosen)
        crawl.session(["http://a.test/", "http://b.test/"], lambda: self._waits_again(crawl, "http://a.test/t"))
        now, restored = crawl.now_and_restored()
        [(rows, _)] = now.values()
        assert len(rows) == 2
        assert now == restored

    def test_its_old_score_is_not_that_of_links_with_the_same_row(self, tmp_path: Path) -> None:
        """While t is asked in vain, x is found with the same row, at a score by newer weights."""
        filler = f"<p>{'filler ' * 60}</p>"
        front = (
            f"<main>rock<p><a href='http://{{}}'>rock</a></p>{filler}<p><a href='http://u.test/'>soup</a></p></main>"
        )
        replies = {
            "http://a.test/": [Reply(page(front.format("t.test/")))],
            "http://p.test/": [Reply(page(front.format("p.test/x")), 5.9)],
            "http://u.test/": [Reply(page("soup"), 2.0)],
            "http://t.test/": [Reply(BUSY, 6.3)],
        }
        chosen = {**self.SETTINGS, "lfa__step_size": 0.01, "judge__relevant_when": "word"}
        crawl = crawl_in(tmp_path, replies, self.PLACES, crawl__concurrency=3, crawl__strategy="lfa-async", **chosen)
        crawl.session(["http://a.test/", "http://p.test/"], lambda: self._waits_again(crawl, "http://t.test/"))
        now, restored = crawl.now_and_restored()
        assert crawl.parts is not None
        links = [crawl.parts.links.find(Url.parse(url)) for url in ("http://t.test/", "http://p.test/x")]
        again, found_since = (now[link] for link in links if link is not None)
        assert again == found_since, "one row, one score"
        assert found_since[1] == crawl.parts.strategy.score(np.array(found_since[0], dtype=np.float16))[0]
        assert now == restored

    def test_a_row_that_came_and_went_meanwhile_has_its_last_score(self) -> None:
        held = RowsUnderWay()
        rows = np.array([[1, 0], [2, 0]], dtype=np.float16)
        held.hold(LinkId(0), Pairs(rows, np.array([0.5, 0.25])))
        held.hold(LinkId(1), Pairs(rows[:1], np.array([0.5])))
        held.note(np.array([[3, 0], [1, -0.0]], dtype=np.float16), np.array([9.0, 0.75]))
        assert held.release(LinkId(0)).scores.tolist() == [0.75, 0.25]
        assert held.release(LinkId(1)).scores.tolist() == [0.75]

    def _waits_again(self, crawl: LiveCrawl, url: str) -> bool:
        assert crawl.parts is not None
        link = crawl.parts.links.find(Url.parse(url))
        was_asked = any(request.url.text == url for request in crawl.log)
        return was_asked and link is not None and link in crawl.parts.frontier


class TestUnreachableRobots:
    def test_the_links_of_the_host_wait_and_cost_nothing(self, tmp_path: Path) -> None:
        replies = {"http://a.test/robots.txt": [Reply(BUSY)]}
        seeds = [f"http://a.test/{number}" for number in range(50)]
        crawl = crawl_in(tmp_path, replies)
        assert crawl.session(seeds) is StopReason.RESTING
        assert [request.url.path for request in crawl.log] == ["/robots.txt"] * 3
        assert [round(request.began_at - 1000.0) for request in crawl.log] == [0, 60, 360]
        assert crawl.progress is not None
        assert (crawl.progress.fetches, crawl.progress.waiting, crawl.progress.retries) == (3, 49, 2)

    def test_once_it_can_be_had_everything_is_fetched(self, tmp_path: Path) -> None:
        replies = {"http://a.test/robots.txt": [Reply(BUSY), Reply(robots(""))], **site("a.test", 3)}
        crawl = crawl_in(tmp_path, replies)
        assert crawl.session(["http://a.test/"]) is StopReason.EXHAUSTED
        assert crawl.progress is not None
        assert (crawl.progress.pages, crawl.progress.retries) == (4, 1)

    def test_a_run_that_stopped_for_it_goes_on_a_day_later(self, tmp_path: Path) -> None:
        replies = {
            "http://a.test/robots.txt": [Reply(BUSY)] * 3 + [Reply(robots(""))],
            "http://a.test/1": [Reply(page("x"))],
        }
        crawl = crawl_in(tmp_path, replies)
        seeds = ["http://a.test/0", "http://a.test/1"]
        crawl.session(seeds)
        assert crawl.session(seeds) is StopReason.RESTING, "nothing has changed"
        assert len(crawl.log) == 3
        assert crawl.progress is not None
        assert crawl.progress.fetches == 3
        crawl.now += 86_400
        assert crawl.session(seeds) is StopReason.EXHAUSTED
        assert crawl.log[-1].url.path == "/1"


def test_hosts_found_at_one_address_do_not_use_up_the_slots(tmp_path: Path) -> None:
    """Once it is known that they share one, only one of them is chosen at a time."""
    hosts = [f"h{number}.test" for number in range(10)]
    replies = {url: [Reply(reply[0].outcome)] for host in [*hosts, "z.test"] for url, reply in site(host, 4).items()}
    places = {host: ["192.0.2.1"] for host in hosts} | {"z.test": ["192.0.2.2"]}
    crawl = crawl_in(
        tmp_path, replies, places, crawl__concurrency=2, politeness__obey_robots=False, budget__fetches=1000
    )
    assert crawl.session([f"http://{host}/" for host in [*hosts, "z.test"]]) is StopReason.EXHAUSTED
    check_politeness(crawl.log, crawl.settings.politeness)
    own = [request.began_at for request in crawl.log if request.url.host == HostKey("z.test")]
    assert own[-1] - own[0] < 6.0, "it is asked every second, in the slot that the others cannot use"


def test_a_crawl_delay_is_not_waited_for_by_others(tmp_path: Path) -> None:
    replies = {**site("a.test", 3), **site("b.test", 3)}
    replies["http://a.test/robots.txt"] = [Reply(robots("User-agent: *\nCrawl-delay: 15\n"))]
    crawl = crawl_in(tmp_path, replies, {"a.test": ["192.0.2.1"], "b.test": ["192.0.2.1"]}, crawl__concurrency=4)
    crawl.session(["http://a.test/", "http://b.test/"])
    check_politeness(crawl.log, crawl.settings.politeness)
    last_of = {host: max(one.began_at for one in crawl.log if one.url.host == host) for host in ("a.test", "b.test")}
    assert last_of["b.test"] - 1000 < 10
    assert last_of["a.test"] - 1000 >= 60


@pytest.mark.parametrize(("response_s", "gap_s"), [(0.0, 1.0), (3.0, 3.0), (50.0, 20.0)])
def test_a_slow_host_is_spared(tmp_path: Path, response_s: float, gap_s: float) -> None:
    replies = {"http://a.test/": [Reply(page(page_with("/b")), response_s)]}
    crawl = crawl_in(tmp_path, replies, politeness__obey_robots=False)
    crawl.session(["http://a.test/"])
    first, second = crawl.log
    assert second.began_at - first.ended_at == pytest.approx(gap_s, abs=0.26)


def test_a_host_in_trouble_is_left_alone_by_every_request(tmp_path: Path) -> None:
    """Also for one that the crawl did not choose: another host keeps its robots.txt there."""
    replies = {
        "http://a.test/": [Reply(BUSY)],
        "http://b.test/robots.txt": [Reply(Redirected(301, Url.parse("http://a.test/rules")), takes_s=5.0)],
        "http://b.test/": [Reply(page("x"))],
    }
    places = {"a.test": ["192.0.2.1"], "b.test": ["192.0.2.2"]}
    crawl = crawl_in(tmp_path, replies, places, fetch__backoff_s=60.0, crawl__strategy="breadth-first")
    crawl.session(["http://a.test/", "http://b.test/"])
    check_politeness(crawl.log, crawl.settings.politeness, fetch=crawl.settings.fetch)
    ended_at = next(one.ended_at for one in crawl.log if one.url.text == "http://a.test/")
    asked_at = next(one.began_at for one in crawl.log if one.url.path == "/rules")
    assert 30.0 < asked_at - ended_at < 60.0
