"""Processes that read pages beside the crawl: the same crawl with any number of them, and none of them left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.driving import HandWired, script_settings
from crawler.poisoned_vectors import POISON, BusyVectors, DeadlyVectors
from crawler.small_crawls import contents, settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import (
    Builder,
    Dispatch,
    FetchFailed,
    LinkRedirected,
    PageJudged,
    Wait,
    crawl,
    resume,
    transport,
)
from honeyguide.crawler import workers as workers_module
from honeyguide.crawler.hosts import MOST_UNREAD
from honeyguide.crawler.preparing import (
    FIRST_DEADLINE_S,
    LENGTH,
    READY,
    Preparation,
    Prepared,
    Recipe,
    Unreadable,
    framed,
    received,
    shipped,
)
from honeyguide.crawler.transport import LiveTransport
from honeyguide.crawler.workers import IDLE_S, STARTS, Workers
from honeyguide.errors import WorkerError
from honeyguide.model import Candidates, Cap, Failed, FailureReason, Fetched, Origin, Redirected, Url
from honeyguide.model.clock import RealClock
from honeyguide.parse import WHOLE_PAGE, parse
from honeyguide.parse.markup_cost import QUICK_BYTES
from honeyguide.runs import body_packer, open_run
from honeyguide.settings import with_overrides
from honeyguide.text import WordVectors
from honeyguide.worlds.wiki import build_wiki
from parse.parsed import PAGE_URL, page_of
from parse.test_awkward_input import htmlish
from scripted_world import ScriptedWorld, page_with, taking
from vectors_by_hash import hashed_vectors
from worlds.wiki.dumps import Written, write_dump

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.crawler import Event


def busy_recipe(deadline_s: float) -> Recipe:
    return Recipe.of(script_settings(judge__kind="embedding", parse__deadline_s=deadline_s), WordVectors(BusyVectors()))


def hang_in_a_worker() -> None:
    """Run in another process: print the number of a worker, and let that read a page without end."""

    async def ask() -> None:
        async with Workers(1, lambda: busy_recipe(1000.0)) as workers:
            await workers.prepare(PAGE_URL, Fetched(200, "text/html", b"<p>rock"))
            print(workers.process_ids[0], flush=True)
            await workers.prepare(PAGE_URL, Fetched(200, "text/html", b"<p>poison"))

    asyncio.run(ask())


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def recipe(vectors: WordVectors | None = None) -> Recipe:
    return Recipe.of(script_settings(), vectors or hashed_vectors())


@given(htmlish)
def test_a_page_is_received_as_it_was_shipped(html: str) -> None:
    prepared = Prepared(page_of(html), None, b"packed")
    again = received(shipped(prepared))
    assert (again.page, again.verdict, again.packed_body) == (prepared.page, None, b"packed")


@given(st.lists(st.tuples(st.sampled_from(["/x", "/y", "/z"]), st.sampled_from(["", "a", "b c"])), max_size=6))
def test_links_keep_their_places_and_relations_on_the_way(links: list[tuple[str, str]]) -> None:
    html = "".join(f"<a href={href} rel='{'next' if anchor else ''}'>{anchor}</a> " for href, anchor in links)
    page = parse(PAGE_URL, Fetched(200, "text/html", html.encode()), replace(WHOLE_PAGE, tag_paths=True))
    assert received(shipped(Prepared(page, None, b""))).page.links == page.links


def test_a_worker_prepares_what_this_process_would() -> None:
    fetched = Fetched(200, "text/html", b"<title>t</title><p>rock and <a href=/x>mineral</a> again")
    settings, vectors = script_settings("online-ridge"), hashed_vectors()
    builder = Builder(settings, vectors)
    home = Preparation(builder.parser(), builder.judge(), body_packer()).prepare(PAGE_URL, fetched)

    async def ask() -> Prepared | Unreadable:
        async with Workers(1, lambda: Recipe.of(settings, vectors)) as workers:
            return await workers.prepare(PAGE_URL, fetched)

    away = asyncio.run(ask())
    assert isinstance(away, Prepared)
    assert isinstance(home, Prepared)
    assert (away.page, away.verdict, away.packed_body) == (home.page, home.verdict, home.packed_body)
    origin = Origin(PAGE_URL.host, relevance=0.5, distance=1, depth=2)
    described = builder.strategy().describe(Candidates.on_page(home.page, home.page.links, origin))
    assert away.described is not None
    assert away.described.tobytes() == described.tobytes()


@pytest.mark.parametrize(
    ("strategy", "overrides"),
    [
        ("online-ridge", {}),
        thorough("breadth-first", {"judge.kind": "tfidf", "judge.idf": "seen"}),
        thorough("best-first", {}),
    ],
)
def test_offline_any_number_of_workers_gives_the_same_crawl(
    tmp_path: Path, strategy: str, overrides: dict[str, object]
) -> None:
    for workers in (0, 2):
        settings = settings_for(strategy, budget=60, concurrency=8, crawl__workers=workers)
        settings = with_overrides(settings, overrides)
        crawl(tmp_path / str(workers), settings, vectors=hashed_vectors()).close()
    assert len(story(tmp_path / "0")) == 60
    assert story(tmp_path / "2") == story(tmp_path / "0")
    assert contents(tmp_path / "2") == contents(tmp_path / "0")


def wiki_pages() -> list[Written]:
    """Forty articles that link to one another, and a redirect to one of them."""
    titles = [f"Rock {number}" for number in range(40)]
    pages = [
        Written(
            title, " ".join(["a mineral [[Stone]]", *(f"[[{titles[(number * by + 1) % 40]}]]" for by in (1, 3, 7))])
        )
        for number, title in enumerate(titles)
    ]
    return [*pages, Written("Stone", "#REDIRECT [[Rock 1]]", redirect="Rock 1")]


def write_site(folder: Path) -> None:
    """Thirty pages, one of them not HTML."""
    folder.mkdir()
    for number in range(30):
        links = " ".join(f'<a href="{(number * step + 1) % 32}.html">rock {step}</a>' for step in (2, 3, 5))
        (folder / f"{number}.html").write_text(f"<title>{number}</title><p>mineral {links} <a href=notes.txt>x</a>")
    (folder / "index.html").write_text('<a href="0.html">rock</a> <a href="7.html">mineral</a>')
    (folder / "notes.txt").write_text("rock, and no HTML")


@pytest.mark.parametrize(
    ("kind", "judge"),
    [
        ("site", "embedding"),
        *(thorough(*each) for each in (("wiki", "tfidf"), ("wiki", "embedding"), ("site", "tfidf"))),
    ],
)
def test_worlds_of_files_are_crawled_the_same_with_workers(tmp_path: Path, kind: str, judge: str) -> None:
    if kind == "wiki":
        build_wiki(write_dump(tmp_path / "dump.xml", wiki_pages()), tmp_path / "world")
        world = f"wiki:{tmp_path / 'world'}"
    else:
        write_site(tmp_path / "world")
        world = f"site:{tmp_path / 'world'}@http://docs.test/"
    for workers in (0, 2):
        settings = settings_for("online-ridge", budget=60, concurrency=6, crawl__workers=workers, crawl__world=world)
        crawl(
            tmp_path / str(workers), with_overrides(settings, {"judge.kind": judge}), vectors=hashed_vectors()
        ).close()
    assert len(story(tmp_path / "0")) >= 30
    outcomes = {outcome for _, outcome, *_ in story(tmp_path / "0")}
    assert outcomes == ({"fetched"} if kind == "wiki" else {"fetched", "unknown"})
    assert story(tmp_path / "2") == story(tmp_path / "0")
    assert contents(tmp_path / "2") == contents(tmp_path / "0")


def test_a_crawl_with_a_worker_that_was_killed_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    child = Path(__file__).parent / "crawl_child.py"
    arguments = ["60", "4", "online-ridge", "best", json.dumps({"crawl__workers": 1})]
    with subprocess.Popen(
        [sys.executable, child, tmp_path / "killed", *arguments], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while not story_so_far(tmp_path / "killed"):
            time.sleep(0.01)
        process.kill()
    wait_for_nobody_in(process.pid)
    resume(tmp_path / "killed", vectors=hashed_vectors()).close()
    crawl(tmp_path / "whole", settings_for(budget=60), vectors=hashed_vectors()).close()
    assert story(tmp_path / "killed") == story(tmp_path / "whole")
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def story_so_far(path: Path) -> int:
    return len(story(path)) if (path / "honeyguide.json").exists() else 0


def wait_for_nobody_in(group: int, seconds: float = 20.0) -> None:
    """Until no process of a group is left; an orphan would stay in the group that it was started in."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a worker has outlived its crawl")


def test_a_worker_that_is_killed_is_replaced_and_no_page_is_lost() -> None:
    bodies = [f"<p>page {number} rock" for number in range(30)]

    async def ask() -> tuple[list[Prepared | Unreadable], list[int], list[int]]:
        async with Workers(2, recipe) as workers:
            await workers.prepare(PAGE_URL, Fetched(200, "text/html", b"<p>warm"))
            before = workers.process_ids
            asked = [
                asyncio.create_task(workers.prepare(PAGE_URL, Fetched(200, "text/html", body.encode())))
                for body in bodies
            ]
            await asyncio.sleep(0)
            os.kill(before[0], signal.SIGKILL)
            done = await asyncio.wait_for(asyncio.gather(*asked), 60)
            return list(done), before, workers.process_ids

    done, before, after = asyncio.run(ask())
    assert [one.page.words for one in done if isinstance(one, Prepared)] == [page_of(body).words for body in bodies]
    assert len(after) == 2
    assert before[0] not in after
    assert not any(is_alive(process_id) for process_id in (*before, *after))


class _TransportOfAnotherLoop:
    """What a loop that is not made of asyncio's classes, as uvloop's, gives a protocol to write to."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self.write, self.abort = transport.write, transport.abort


class _AnotherLoop(asyncio.SelectorEventLoop):
    async def create_connection(self, factory: Callable[[], Any], *_: Any, **given: Any) -> Any:  # type: ignore[override]
        def connect() -> asyncio.Protocol:
            protocol = factory()
            tell = protocol.connection_made
            protocol.connection_made = lambda transport: tell(_TransportOfAnotherLoop(transport))
            return cast("asyncio.Protocol", protocol)

        return await super().create_connection(connect, *_, **given)


def test_workers_serve_a_crawl_in_any_event_loop() -> None:
    async def ask() -> Prepared | Unreadable:
        async with Workers(1, lambda: busy_recipe(5.0)) as workers:
            return await workers.prepare(PAGE_URL, Fetched(200, "text/html", b"<p>rock"))

    with asyncio.Runner(loop_factory=_AnotherLoop) as runner:
        assert isinstance(runner.run(ask()), Prepared)


def test_a_page_that_kills_whoever_reads_it_is_a_failed_page(tmp_path: Path) -> None:
    script = {
        "http://s.test/": page_with("/a", "/b", "/c"),
        "http://s.test/a": "<p>rock",
        "http://s.test/b": f"<p>{POISON}{' ' * QUICK_BYTES}",  # too large to be read at home
        "http://s.test/c": "<p>mineral",
    }
    events: list[Event] = []
    crawl(
        tmp_path / "run",
        script_settings(judge__kind="embedding", crawl__workers=1),
        world=ScriptedWorld(script),
        listeners=[events.append],
        vectors=WordVectors(DeadlyVectors()),
    ).close()
    failed = [event for event in events if isinstance(event, FetchFailed)]
    assert [event.url.path for event in failed] == ["/b"]
    assert failed[0].outcome.reason == "unreadable"
    assert "2 times" in failed[0].outcome.detail
    assert [event.url.path for event in events if isinstance(event, PageJudged)] == ["/", "/a", "/c"]


def test_a_page_over_its_deadline_is_unreadable_and_those_behind_it_are_read() -> None:
    bodies = [b"<p>rock", b"<p>poison", b"<p>mineral"]

    async def ask() -> list[Prepared | Unreadable]:
        async with Workers(1, lambda: busy_recipe(0.3)) as workers:
            asked = [workers.prepare(PAGE_URL, Fetched(200, "text/html", body)) for body in bodies]
            return await asyncio.wait_for(asyncio.gather(*asked), 60)

    first, late, last = asyncio.run(ask())
    assert late == Unreadable("reading it took over 0.3 s of processor time", 0.3)
    assert isinstance(first, Prepared)
    assert isinstance(last, Prepared)


def test_a_page_whose_markup_takes_long_is_read_again_with_bounds_and_the_next_of_its_host_at_once() -> None:
    costly = Fetched(200, "text/html", b"<p>rock" + b"".join(b"<p><font color=%d>x" % n for n in range(20_000)))

    async def ask() -> tuple[list[Prepared | Unreadable], list[int], list[int]]:
        async with Workers(1, recipe, bounds_markup=False) as workers:
            first = await asyncio.wait_for(workers.prepare(PAGE_URL, costly), 60)
            between = workers.process_ids
            second = await asyncio.wait_for(workers.prepare(PAGE_URL, costly), 60)
            return [first, second], between, workers.process_ids

    read, between, after = asyncio.run(ask())
    first, second = (each for each in read if isinstance(each, Prepared))
    assert first.page == second.page
    assert Cap.MARKUP in first.page.cut_by
    assert first.seconds > FIRST_DEADLINE_S > second.seconds
    assert between == after


def test_a_page_that_two_processes_have_is_given_up_only_when_its_reading_with_bounds_fails() -> None:
    """The second got it as it was, while the first was slow with another; both fail, and one of them reads it again."""

    async def ask() -> list[Prepared | Unreadable]:
        pool = Workers(2, lambda: busy_recipe(5.0), bounds_markup=False)
        first, second = lines = [workers_module._Worker(pool, cast("Any", None)) for _ in range(2)]
        for line in lines:
            line.connection_made(cast("Any", SentNowhere()))
        pool._workers = lines
        result: asyncio.Future[Prepared | Unreadable] = asyncio.get_running_loop().create_future()
        fetched = Fetched(200, "text/html", b"<p>rock")
        page = workers_module._Task(1, PAGE_URL, fetched, result, is_quick=True, bounds_markup=False)
        first.take(page)
        second.take(page)
        second._take_in(1, Unreadable("as it was, in the second"))
        assert page.worker is second
        first._take_in(1, Unreadable("as it was, in the first"))
        assert not result.done()
        second._take_in(1, Unreadable("with bounds"))
        return [await result]

    assert asyncio.run(ask()) == [Unreadable("with bounds")]


class SentNowhere:
    """The line to a process that is not there."""

    def write(self, message: bytes) -> None:
        pass


def test_a_page_that_fails_with_bounds_and_without_is_unreadable_and_one_process_reads_the_next_of_its_host() -> None:
    pytest.importorskip("pypdfium2", reason="needs the extra documents")

    async def ask() -> tuple[Prepared | Unreadable, Prepared | Unreadable, int]:
        settings = script_settings(parse__documents=True)
        async with Workers(1, lambda: Recipe.of(settings, hashed_vectors()), bounds_markup=False) as workers:
            broken = workers.prepare(PAGE_URL, Fetched(200, "application/pdf", b"%PDF-broken"))
            whole = workers.prepare(PAGE_URL, Fetched(200, "text/plain", b"rock " * 20_000))
            first = await asyncio.wait_for(broken, 60)
            return first, await asyncio.wait_for(whole, 60), len(workers.process_ids)

    first, second, processes = asyncio.run(ask())
    assert isinstance(first, Unreadable)
    assert isinstance(second, Prepared)
    assert processes == 1


@pytest.mark.thorough
def test_a_page_that_needs_too_much_memory_is_unreadable() -> None:
    async def ask() -> tuple[Prepared | Unreadable, Prepared | Unreadable, list[int], list[int]]:
        settings = script_settings(parse__max_memory_megabytes=100)
        async with Workers(1, lambda: Recipe.of(settings, hashed_vectors())) as workers:
            before = workers.process_ids
            large = await workers.prepare(PAGE_URL, Fetched(200, "text/plain", b"x " * 5_000_000))
            small = await workers.prepare(PAGE_URL, Fetched(200, "text/plain", b"x"))
            return large, small, before, workers.process_ids

    large, small, before, after = asyncio.run(ask())
    assert isinstance(large, Unreadable)
    assert "MemoryError" in large.reason
    assert isinstance(small, Prepared)
    assert before[0] in after


def test_without_workers_a_large_page_is_read_in_a_process_that_is_started_for_it(tmp_path: Path) -> None:
    long_text = "mineral " * 5000
    script = {
        "http://s.test/": page_with("/a", "/b") + long_text,
        "http://s.test/a": f"<p>{long_text} {POISON}",
        "http://s.test/b": "<p>rock",
    }
    for workers in (0, 1):
        crawl(
            tmp_path / str(workers),
            script_settings(judge__kind="embedding", crawl__workers=workers, parse__deadline_s=0.5),
            world=ScriptedWorld(script),
            vectors=WordVectors(BusyVectors()),
        ).close()
    with open_run(tmp_path / "0") as run:
        assert [(step.url.path, step.outcome) for step in run.steps()] == [
            ("/", "fetched"), ("/a", "failed"), ("/b", "fetched"),
        ]  # fmt: skip
        assert run.without_page() == {"unreadable 200": 1}
    assert story(tmp_path / "1") == story(tmp_path / "0")
    assert contents(tmp_path / "1") == contents(tmp_path / "0")


def test_pages_that_the_world_has_written_itself_need_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    world = ScriptedWorld({"http://s.test/": "mineral " * 5000})
    world.writes_pages = True
    with crawl(tmp_path / "run", script_settings(), world=world, vectors=hashed_vectors()) as run:
        assert [step.outcome for step in run.steps()] == ["fetched"]


def test_a_worker_ends_with_its_crawl_in_the_middle_of_a_page() -> None:
    code = "from crawler.test_workers import hang_in_a_worker; hang_in_a_worker()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        assert is_alive(worker)
        process.kill()
    until = time.monotonic() + 10.0
    while is_alive(worker) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_alive(worker)


def test_interrupting_leaves_no_process_behind(tmp_path: Path) -> None:
    started: list[int] = []

    async def ask() -> None:
        async with Workers(2, recipe) as workers:
            started.extend(workers.process_ids)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(ask())
    assert len(started) == 2
    assert not any(is_alive(process_id) for process_id in started)


def test_a_worker_imports_nothing_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ctypes.py").write_text("open('imported', 'w').close()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")  # as in an interactive session

    async def ask() -> Prepared | Unreadable:
        async with Workers(1, recipe) as workers:
            return await workers.prepare(PAGE_URL, Fetched(200, "text/html", b"<p>rock"))

    assert isinstance(asyncio.run(ask()), Prepared)
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("has_home", [True, False])
def test_a_worker_that_ends_as_it_begins_costs_no_page(monkeypatch: pytest.MonkeyPatch, *, has_home: bool) -> None:
    monkeypatch.setattr(workers_module, "PAUSE_S", 0.01)
    home = CountingHome()

    async def ask() -> list[Prepared | Unreadable]:
        async with Workers(1, recipe) as workers:
            if has_home:
                workers.make_home = lambda _recipe: home
            os.kill(workers.process_ids[0], signal.SIGKILL)
            return [await workers.prepare(PAGE_URL, Fetched(200, "text/html", body)) for body in (b"<p>rock", HOSTILE)]

    assert all(isinstance(each, Prepared) for each in asyncio.run(ask()))
    assert home.count == has_home


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_to_the_whole_group_do_not_end_a_worker_not_even_as_it_begins(number: signal.Signals) -> None:
    async def ask() -> tuple[Prepared | Unreadable, list[int], list[int]]:
        async with Workers(1, recipe) as workers:
            before = workers.process_ids
            os.kill(before[0], number)
            return await workers.prepare(PAGE_URL, Fetched(200, "text/html", b"<p>rock")), before, workers.process_ids

    prepared, before, after = asyncio.run(ask())
    assert isinstance(prepared, Prepared)
    assert before == after


def test_a_worker_looks_for_its_crawl_before_it_imports_anything_large() -> None:
    program = workers_module.__file__.replace("workers.py", "page_worker.py")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-P", program, "0", "-1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, "the process that is said to have started it did not"
    assert "ctypes" in done.stderr
    assert not {"numpy", "honeyguide.crawler"} & {line.split("|")[-1].strip() for line in done.stderr.splitlines()}


def test_pages_of_other_hosts_pass_slow_ones() -> None:
    slow = [Url.parse(f"http://slow{number}.test/{page}") for number in range(2) for page in range(2)]
    healthy = [Url.parse(f"http://good.test/{number}") for number in range(6)]
    large = b"mineral " * 5000

    async def ask() -> tuple[list[Prepared | Unreadable], bool, list[int]]:
        async with Workers(1, lambda: busy_recipe(1000.0)) as workers:
            await workers.prepare(PAGE_URL, Fetched(200, "text/html", large))
            late = [
                asyncio.create_task(workers.prepare(url, Fetched(200, "text/html", large + POISON.encode())))
                for url in slow
            ]
            await asyncio.sleep(0)
            asked = [workers.prepare(url, Fetched(200, "text/html", large)) for url in healthy]
            done = await asyncio.wait_for(asyncio.gather(*asked), 120)
            has_slow_ended = any(each.done() for each in late)
            for each in late:
                each.cancel()
            return list(done), has_slow_ended, workers.process_ids

    done, has_slow_ended, processes = asyncio.run(ask())
    assert all(isinstance(each, Prepared) for each in done)
    assert not has_slow_ended
    assert len(processes) == 3, "one for each of the slow hosts, one for the others"


class ProcessByHand:
    """Stands for a worker process: the test reads what it is sent, and answers in its place."""

    pid = 0

    def __init__(self, *_: object, pass_fds: list[int], **__: object) -> None:
        self.line = socket.socket(fileno=os.dup(pass_fds[0]))

    def kill(self) -> None: ...

    def wait(self) -> int:
        return 0


async def read_message(reader: asyncio.StreamReader) -> Any:
    (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
    return pickle.loads(await reader.readexactly(length))


def test_a_page_taken_back_from_a_slow_worker_is_not_sent_to_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """While no second process can be had, the first gets back what it would have read next."""
    started: list[ProcessByHand] = []
    is_refused = asyncio.Event()

    def start_one(*arguments: Any, **options: Any) -> ProcessByHand:
        if started:
            is_refused.set()
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(ProcessByHand(*arguments, **options))
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", start_one)
    monkeypatch.setattr(workers_module, "SLOW_S", 0.0)
    urls = [Url.parse("http://slow.test/"), Url.parse("http://good.test/")]

    async def ask() -> tuple[list[Url], list[Prepared | Unreadable], bytes]:
        async with Workers(1, recipe) as workers:
            reader, writer = await asyncio.open_connection(sock=started[0].line)
            await read_message(reader)  # the recipe
            writer.write(framed((READY, None)))
            large = Fetched(200, "text/html", b"mineral " * 5000)
            asked = [asyncio.create_task(workers.prepare(url, large)) for url in urls]
            sent = [await read_message(reader) for _ in urls]
            await is_refused.wait()  # the first page is slow by now, and the second was taken back
            done = []
            for (number, url, *_), result in zip(sent, asked, strict=True):
                writer.write(framed((number, Unreadable(url.host))))
                done.append(await asyncio.wait_for(result, 60))
        more = await reader.read()
        writer.close()
        return [url for _, url, *_ in sent], done, more

    sent, done, more = asyncio.run(ask())
    assert sent == urls
    assert done == [Unreadable("slow.test"), Unreadable("good.test")]
    assert more == b"", "a page that is read twice is answered twice, and the second answer ends the line"


async def answer_but_for_slow(process: ProcessByHand) -> None:
    """Answer page after page; from the first of a slow host on, none."""
    reader, writer = await asyncio.open_connection(sock=process.line)
    await read_message(reader)
    writer.write(framed((READY, None)))
    with contextlib.closing(writer), contextlib.suppress(asyncio.IncompleteReadError):
        is_slow = False
        while True:
            number, url, *_ = await read_message(reader)
            is_slow = is_slow or url.host.startswith("slow")
            if not is_slow:
                writer.write(framed((number, Unreadable(url.host))))


def test_new_hosts_however_slow_leave_a_worker_to_a_host_that_was_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[asyncio.Task[None]] = []

    def start_one(*arguments: Any, **options: Any) -> ProcessByHand:
        process = ProcessByHand(*arguments, **options)
        started.append(asyncio.get_running_loop().create_task(answer_but_for_slow(process)))
        return process

    monkeypatch.setattr(subprocess, "Popen", start_one)
    monkeypatch.setattr(workers_module, "SLOW_S", 0.3)
    large = Fetched(200, "text/html", b"mineral " * 5000)
    good = Url.parse("http://good.test/")

    async def ask() -> Prepared | Unreadable:
        async with Workers(1, recipe) as workers:
            await workers.prepare(good, large)
            slow = [asyncio.create_task(workers.prepare(Url.parse(f"http://slow{n}.test/"), large)) for n in range(9)]
            try:
                return await asyncio.wait_for(workers.prepare(good, large), 10)
            finally:
                workers.close()
                for each in slow:
                    each.cancel()
                await asyncio.gather(*started)

    assert asyncio.run(ask()) == Unreadable("good.test")
    assert len(started) == 4


HOSTILE = "".join(f'<font c="{number}</font>"><p>' for number in range(900)).encode()


class CountingHome(Preparation):
    """Counts the pages that are read in this process."""

    def __init__(self) -> None:
        builder = Builder(script_settings(), hashed_vectors())
        super().__init__(builder.parser(), builder.judge(), body_packer())
        self.count = 0

    def prepare(self, url: Url, fetched: Fetched, *, bounds_markup: bool = True) -> Prepared | Unreadable:
        self.count += 1
        return super().prepare(url, fetched, bounds_markup=bounds_markup)


@pytest.mark.thorough
@pytest.mark.parametrize("count", [0, 1])
def test_a_page_that_may_take_long_is_never_read_at_home_however_busy_the_worker(count: int) -> None:
    home = CountingHome()

    async def ask() -> list[Prepared | Unreadable]:
        async with Workers(count, recipe) as workers:
            workers.make_home = lambda _recipe: home
            assert workers.takes(Fetched(200, "text/html", HOSTILE))
            pages = [workers.prepare(PAGE_URL, Fetched(200, "text/html", HOSTILE)) for _ in range(8)]
            return await asyncio.wait_for(asyncio.gather(*pages), 60)

    assert all(isinstance(each, Prepared) for each in asyncio.run(ask()))
    assert home.count == 0


def test_quick_pages_that_wait_behind_slow_ones_are_read_at_home_when_it_has_nothing_else_to_do() -> None:
    home = CountingHome()

    async def ask() -> None:
        async with Workers(1, recipe) as workers:
            workers.make_home = lambda _recipe: home
            bodies = [HOSTILE, b"<p>rock"]  # the worker has room for another that may take its time
            pages = [asyncio.create_task(workers.prepare(PAGE_URL, Fetched(200, "text/html", body))) for body in bodies]
            await asyncio.sleep(0)
            assert [workers.prepare_one_at_home() for _ in range(2)] == [True, False], "one page is quick"
            await asyncio.wait_for(pages[-1], 60)
            assert home.count == 1
            await asyncio.wait_for(asyncio.gather(*pages), 60)

    asyncio.run(ask())
    assert home.count == 1


def test_a_quick_page_does_not_wait_for_a_worker_that_is_still_starting() -> None:
    home = CountingHome()

    async def ask() -> None:
        async with Workers(1, recipe) as workers:
            workers.make_home = lambda _recipe: home
            pages = [
                asyncio.create_task(workers.prepare(PAGE_URL, Fetched(200, "text/html", body)))
                for body in (b"<p>rock", b"<p>sand")
            ]
            await asyncio.sleep(0)
            assert workers.prepare_one_at_home(), "nothing has been read by the worker, which needs some time to start"
            await asyncio.wait_for(asyncio.gather(*pages), 60)

    asyncio.run(ask())
    assert home.count == 1, "the other is read by the worker, once that is ready"


@pytest.mark.thorough
def test_where_the_crawl_waits_for_pages_that_no_process_has_room_for_another_is_started() -> None:
    async def ask(waited_s: float) -> int:
        async with Workers(1, recipe, most=2) as workers:
            await workers.prepare(PAGE_URL, Fetched(200, "text/html", HOSTILE))  # by now it is ready
            pages = [
                asyncio.create_task(workers.prepare(PAGE_URL, Fetched(200, "text/html", HOSTILE))) for _ in range(4)
            ]
            await asyncio.sleep(0)
            for _ in range(9):
                workers.note_idle(waited_s)
            await asyncio.wait_for(asyncio.gather(*pages), 60)
            return len(workers.process_ids)

    assert asyncio.run(ask(IDLE_S / 10)) == 1
    assert asyncio.run(ask(IDLE_S / 2)) == 2, "and no more than may be"


def refuse_to_start(monkeypatch: pytest.MonkeyPatch, times: int) -> list[float]:
    """Let no process be started so many times; the list gets the times at which it was tried."""
    tried: list[float] = []
    start = subprocess.Popen

    def refuse(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        tried.append(time.monotonic())
        if len(tried) > times:
            return start(*arguments, **options)
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(workers_module, "PAUSE_S", 0.01)
    return tried


async def read_quick_and_slow(home: CountingHome) -> list[Prepared | Unreadable]:
    async with Workers(1, recipe) as workers:
        workers.make_home = lambda _recipe: home
        bodies = [b"<p>rock", HOSTILE, HOSTILE]
        return [await workers.prepare(PAGE_URL, Fetched(200, "text/html", body)) for body in bodies]


def test_where_no_process_can_be_started_pages_wait_until_one_can(monkeypatch: pytest.MonkeyPatch) -> None:
    home, tried = CountingHome(), refuse_to_start(monkeypatch, 3)
    assert all(isinstance(each, Prepared) for each in asyncio.run(read_quick_and_slow(home)))
    assert home.count == 1, "a quick page waits for nobody"
    assert len(tried) > 3


def test_a_crawl_that_can_start_no_process_says_so_and_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = {"http://s.test/": page_with("/a"), "http://s.test/a": "mineral " * 5000}
    with monkeypatch.context() as refusing:
        tried = refuse_to_start(refusing, 100)
        with pytest.raises(WorkerError, match="6 times in a row"):
            crawl(tmp_path / "run", script_settings(), world=ScriptedWorld(script), vectors=hashed_vectors())
    assert len(tried) == STARTS
    with resume(tmp_path / "run", world=ScriptedWorld(script), vectors=hashed_vectors()) as run:
        assert [(step.url.path, step.outcome) for step in run.steps()] == [("/", "fetched"), ("/a", "fetched")]


class SlowPreparer:
    """Takes its time over every page."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._home = Preparation(Builder(script_settings(), hashed_vectors()).parser(), None, body_packer())

    def takes(self, _fetched: Fetched) -> bool:
        return True

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        await asyncio.sleep(self._seconds)
        return self._home.prepare(url, fetched)

    def prepare_one_at_home(self) -> bool:
        return False

    def note_idle(self, seconds: float) -> None:
        pass


def test_a_host_is_asked_again_while_its_last_page_is_being_read(tmp_path: Path) -> None:
    hrefs = [f"/{number}" for number in range(6)]
    pages = {f"http://s.test{href}": taking(0.0, "rock") for href in hrefs}
    world = ScriptedWorld({"http://s.test/": taking(0.0, page_with(*hrefs)), **pages}, is_offline=False)
    settings = script_settings(crawl__concurrency=6, politeness__delay_s=0.0)
    wired = HandWired(
        tmp_path / "run", world, settings, wrap=lambda _: LiveTransport(world, RealClock(), SlowPreparer(0.4))
    )
    began = time.monotonic()
    wired.run()
    assert wired.core.progress.pages == 7
    assert time.monotonic() - began < 7 * 0.4, "pages are read side by side"


class OneSlowPage(SlowPreparer):
    """Takes its time over the pages of one host."""

    def __init__(self, host: str, seconds: float) -> None:
        super().__init__(seconds)
        self._host = host

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        return await super().prepare(url, fetched) if url.host == self._host else self._home.prepare(url, fetched)


def test_a_page_that_takes_long_to_read_holds_up_no_other(tmp_path: Path) -> None:
    urls = [f"http://h{number}.test/" for number in range(5)]
    script = {url: taking(0.0, "rock") for url in urls}
    script[urls[1]] = taking(0.0, Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404))
    script[urls[2]] = taking(0.0, Redirected(301, Url.parse(urls[3])))
    world = ScriptedWorld({"http://s.test/": taking(0.0, page_with(*urls)), **script}, is_offline=False)
    settings = script_settings(crawl__concurrency=6, politeness__delay_s=0.0)
    preparer = OneSlowPage("h0.test", 1.0)
    wired = HandWired(tmp_path / "run", world, settings, wrap=lambda _: LiveTransport(world, RealClock(), preparer))
    wired.run()
    taken_in = [
        event.url.host for event in wired.events if isinstance(event, PageJudged | FetchFailed | LinkRedirected)
    ]
    assert sorted(taken_in[1:-1]) == ["h1.test", "h2.test", "h3.test", "h4.test"]
    assert taken_in[-1] == "h0.test"


def test_no_page_is_asked_for_while_too_many_bytes_wait_to_be_taken_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "MOST_WAITING_BYTES", 1_000)
    urls = [f"http://h{number}.test/" for number in range(12)]
    script = {url: taking(0.01, "rock " * 300) for url in urls}
    world = ScriptedWorld({"http://s.test/": taking(0.0, page_with(*urls)), **script}, is_offline=False)
    settings = script_settings(crawl__concurrency=12, politeness__delay_s=0.0)
    live = LiveTransport(world, RealClock())
    wired = HandWired(tmp_path / "run", world, settings)
    wired.follow("http://s.test/", 0.0)

    async def ask_and_take_in_nothing() -> tuple[int, int]:
        first = [wired.core.choose_link(wired.link(url), 1.0) for url in urls]
        await live.start(first[0])
        await asyncio.sleep(0.1)
        for dispatch in first[1:]:
            await live.start(dispatch)
        await asyncio.sleep(0.1)
        asked = world.fetches.total()
        while await live.next_arrival(RealClock().now() + 0.2) is not None:
            pass
        await live.close()
        return asked, world.fetches.total()

    asked, asked_at_last = asyncio.run(ask_and_take_in_nothing())
    assert asked == 1, "the page that waits to be taken in"
    assert asked_at_last == 12
    wired.close()


def test_a_host_in_trouble_stays_in_trouble_when_the_page_before_it_has_been_read(tmp_path: Path) -> None:
    busy = taking(0.0, Failed(FailureReason.HTTP_STATUS, "503 Service Unavailable", 503))
    world = ScriptedWorld({"http://s.test/": taking(0.0, "rock"), "http://s.test/b": busy}, is_offline=False)
    settings = script_settings(
        crawl__concurrency=2, politeness__delay_s=0.0, fetch__retries=0, fetch__backoff_s=100.0,
        crawl__seed_urls=["http://s.test/", "http://s.test/b"],
    )  # fmt: skip
    wired = HandWired(
        tmp_path / "run", world, settings, wrap=lambda _: LiveTransport(world, RealClock(), SlowPreparer(0.3))
    )
    wired.run()
    with open_run(tmp_path / "run") as run:
        assert [step.outcome for step in run.steps()] == ["failed", "fetched"], "what has no page waits for none"
        (rest,) = run.hosts_asked().host_rests()
    assert rest.ready_at > time.time() + 30


def test_a_host_is_not_asked_for_more_while_many_of_its_pages_are_being_read(tmp_path: Path) -> None:
    urls = [f"http://s.test/{number}" for number in range(MOST_UNREAD + 1)]
    world = ScriptedWorld({"http://s.test/": page_with(*urls), **dict.fromkeys(urls, "rock")}, is_offline=False)
    wired = HandWired(tmp_path / "run", world, script_settings(crawl__concurrency=9, politeness__delay_s=0.0))
    begun_at = wired.core.progress.now + 1.0
    wired.follow("http://s.test/", begun_at)
    asked = []
    for number, url in enumerate(urls):
        asked.append(wired.core.choose_link(wired.link(url), begun_at + number))
        wired.core.answered(asked[-1], world.answer(asked[-1].url), begun_at + number)
    schedule, later = wired.parts.schedule, begun_at + 1000.0
    assert not schedule.is_ready(asked[0].host, later)
    wired.core.apply(asked[0], world.answer(asked[0].url), later)
    assert schedule.is_ready(asked[0].host, later + 1000.0)
    wired.close()


def test_fetches_of_one_host_that_were_under_way_are_taken_up_one_after_the_other(tmp_path: Path) -> None:
    urls = ["http://s.test/a", "http://s.test/b", "http://other.test/"]
    world = ScriptedWorld({"http://s.test/": page_with(*urls), **dict.fromkeys(urls, "rock")})
    settings = script_settings(crawl__concurrency=4, politeness__delay_s=2.0)
    first = HandWired(tmp_path / "run", world, settings)
    first.follow("http://s.test/", 0.0)
    one = first.core.choose_link(first.link("http://s.test/a"), 10.0)
    first.core.answered(one, world.answer(one.url), 10.5)
    assert not first.parts.schedule.is_ready(one.host, 12.0), "the pause is counted from the answer"
    assert first.parts.schedule.is_ready(one.host, 12.5)
    two = first.core.choose_link(first.link("http://s.test/b"), 12.5)
    first.follow("http://other.test/", 12.5)
    first.close()

    again = HandWired(tmp_path / "run", world, settings)
    assert [dispatch.url for dispatch in again.in_flight] == [one.url]
    assert again.core.in_flight == 2
    assert isinstance(again.core.choose(20.0), Wait)
    again.store.record(again.core.apply(again.in_flight[0], world.answer(one.url), 21.0).record)
    assert isinstance(again.core.choose(22.0), Wait)
    taken_up = again.core.choose(23.0)
    assert isinstance(taken_up, Dispatch)
    assert taken_up.url == two.url
    again.store.record(again.core.apply(taken_up, world.answer(two.url), 24.0).record)
    assert again.core.progress.pages == 4
    again.close()
