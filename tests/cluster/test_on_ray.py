"""Crawls in Ray actors, on clusters of this machine: workers are killed, join and leave, and nothing is lost."""

from __future__ import annotations

import os
import random
import signal
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.crawler import StopReason, answer, resume
from honeyguide.errors import ClusterError, RunDamaged, SettingsError
from honeyguide.runs import PageAnswer, RunFolder, gather, open_run
from honeyguide.runs.inbox import BudgetExtension, answers_waiting, put
from honeyguide.runs.shards import shard_folders, write_cluster_file
from honeyguide.settings import settings_from, with_overrides

ray = pytest.importorskip("ray", reason="the extra cluster is not installed")

from honeyguide.cluster import on_ray  # noqa: E402
from honeyguide.cluster.actors import ShardWorker  # noqa: E402
from honeyguide.cluster.crawling import ClusterChoice, crawl_on_cluster, resume_on_cluster  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.cluster.crawling import ClusterProgress
    from honeyguide.cluster.on_ray import RayCluster
    from honeyguide.settings import Settings

# Ray leaves sockets and files for the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def settings_of(budget: int, **overrides: object) -> Settings:
    settings = settings_from({"topic": {"name": "geology", "keywords": ["rock", "mineral"]}})
    chosen: dict[str, Any] = {
        "crawl.world": "synthetic+http:seed=5,pages=3000,hosts=40",
        "budget.fetches": budget,
        "politeness.delay_s": 0.05,
        "cluster.shards": 6,
        "judge.kind": "keyword",
        "crawl.strategy": "best-first",
    }
    return with_overrides(settings, chosen | {key.replace("__", "."): value for key, value in overrides.items()})


@pytest.fixture(scope="module", autouse=True)
def nodes() -> Iterator[Any]:
    """A cluster of two nodes, to which every crawl here connects."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - where there is Ray

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), *os.sys.path]))  # type: ignore[attr-defined]
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    cluster.add_node(num_cpus=2)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def fetched_urls(run: Path) -> list[str]:
    with open_run(run) as opened:
        return [step.url.text for step in opened.steps()]


def process_of(worker: Any) -> int:
    return int(ray.get(worker.process_id.remote()))


def test_a_crawl_on_two_nodes_spends_its_budget_and_fetches_nothing_twice(tmp_path: Path) -> None:
    seen: list[ClusterProgress] = []
    with crawl_on_cluster(tmp_path / "run", settings_of(80), "local:3", on_progress=seen.append) as run:
        assert run.progress.fetches == 80
        assert run.progress.pages > 40
    urls = fetched_urls(tmp_path / "run")
    assert max(Counter(urls).values()) <= 3  # of a page that was in trouble
    assert {progress.workers for progress in seen} == {3}


def test_workers_killed_again_and_again_lose_nothing(tmp_path: Path) -> None:
    chance, kills = random.Random(3), 4
    found: list[RayCluster] = []
    next_kill = [time.monotonic() + 2.0]
    killed: list[int] = []

    def kill_one(progress: ClusterProgress) -> None:
        if time.monotonic() < next_kill[0] or len(killed) == kills or not progress.status.has_all:
            return
        worker, _ = chance.choice(list(found[0].workers()))
        with suppress(ray.exceptions.RayActorError):  # killed a moment ago
            process = process_of(worker)
            os.kill(process, signal.SIGKILL)
            killed.append(process)
        next_kill[0] = time.monotonic() + chance.uniform(1.0, 3.0)

    settings = settings_of(250, politeness__delay_s=0.5)
    with crawl_on_cluster(tmp_path / "run", settings, "local:3", on_progress=kill_one, on_cluster=found.append) as run:
        assert len(killed) == kills, "the crawl was over too soon"
        assert run.progress.fetches == 250
        pages = [page.url for page in run.pages()]
        assert len(pages) == len(set(pages))
        by_shards = run.progress
        assert by_shards.handed_over >= by_shards.taken_over > 0


def test_workers_that_all_die_at_once_are_one_misfortune(tmp_path: Path) -> None:
    found: list[RayCluster] = []
    killed: list[int] = []

    def kill_all(progress: ClusterProgress) -> None:
        if not killed and progress.status.has_all and progress.status.fetches:
            killed.extend([process_of(worker) for worker, _ in found[0].workers()])
            for process in killed:
                os.kill(process, signal.SIGKILL)

    settings = settings_of(150, politeness__delay_s=0.5)
    with crawl_on_cluster(tmp_path / "run", settings, "local:6", on_progress=kill_all, on_cluster=found.append) as run:
        assert len(killed) > on_ray.MOST_DEATHS
        assert run.progress.fetches == 150
    assert found[0].deaths == len(killed)


def test_a_node_that_is_removed_costs_no_page_even_where_no_processor_is_left(tmp_path: Path, nodes: Any) -> None:
    lost = [nodes.add_node(num_cpus=1)]
    nodes.wait_for_nodes()
    deaths: list[int] = []

    def remove(progress: ClusterProgress) -> None:
        deaths.append(progress.deaths)
        if lost and progress.status.fetches > 10:
            nodes.remove_node(lost.pop(), allow_graceful=False)

    settings = settings_of(150, politeness__delay_s=0.5)
    with crawl_on_cluster(tmp_path / "run", settings, "auto", on_progress=remove) as run:
        assert run.progress.fetches == 150
        pages = [page.url for page in run.pages()]
        assert len(pages) == len(set(pages))
    assert max(deaths) > 0


def test_the_driver_reads_shards_through_their_workers(tmp_path: Path) -> None:
    found: list[RayCluster] = []
    counts: dict[str, int] = {}

    def look(progress: ClusterProgress) -> None:
        if not counts and progress.status.has_all and progress.status.fetches > 30:
            asked = "WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < ?) SELECT n FROM up"
            counts["rows"] = sum(1 for _ in found[0].read(0, asked, (2500,)))
            gather(tmp_path / "run", lock_is_held=True, read=found[0].read)
            with open_run(tmp_path / "run") as run:
                counts["fetches"] = run.progress.fetches

    settings = settings_of(60, politeness__delay_s=0.2)
    with crawl_on_cluster(tmp_path / "run", settings, "local:2", on_progress=look, on_cluster=found.append) as run:
        assert run.progress.fetches == 60
    assert counts["rows"] == 2500
    assert counts["fetches"] >= 30


def test_a_crawl_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    stop = [False]

    def stop_later(progress: ClusterProgress) -> None:
        stop[0] = progress.status.fetches > 20

    settings = settings_of(120, politeness__delay_s=0.5)
    with crawl_on_cluster(
        tmp_path / "run", settings, "local:2", is_interrupted=lambda: stop[0], on_progress=stop_later
    ) as run:
        assert run.progress.stop_reason == "interrupted"
        assert 0 < run.progress.fetches < 120
    with resume_on_cluster(tmp_path / "run", "local:3") as run:
        assert run.progress.fetches == 120
        pages = [page.url for page in run.pages()]
        assert len(pages) == len(set(pages))


def test_a_worker_that_joins_gets_shards(tmp_path: Path) -> None:
    found: list[RayCluster] = []
    counts: set[int] = set()

    def grow(progress: ClusterProgress) -> None:
        counts.add(progress.workers)
        if progress.workers == 1 and progress.status.fetches > 10:
            found[0].add_worker()

    settings = settings_of(120, politeness__delay_s=0.5)
    with crawl_on_cluster(tmp_path / "run", settings, "local:1", on_progress=grow, on_cluster=found.append) as run:
        assert run.progress.fetches == 120
    assert counts == {1, 2}


def test_a_crawl_goes_on_and_is_interrupted_while_a_worker_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NeverBegins:
        def __init__(self, *_: object) -> None:
            time.sleep(600)

        def sees_run(self) -> bool:
            return True

    found: list[RayCluster] = []
    fetches: list[int] = []

    def grow(progress: ClusterProgress) -> None:
        fetches.append(progress.status.fetches)
        if fetches[-1] > 5:
            monkeypatch.setattr(on_ray, "PLACE_S", 600.0)
            monkeypatch.setattr(on_ray, "ShardWorker", NeverBegins)
            found[0].add_worker()

    began = time.monotonic()
    with crawl_on_cluster(
        tmp_path / "run",
        settings_of(2000, politeness__delay_s=0.5),
        "local:1",
        is_interrupted=lambda: max(fetches, default=0) > 15,
        on_progress=grow,
        on_cluster=found.append,
    ) as run:
        assert 15 < run.progress.fetches < 2000
    assert time.monotonic() - began < 300


def test_a_crawl_without_a_worker_ends_when_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its only worker is gone, and for the next one there is no room."""

    class NeverBegins(ShardWorker):
        def __init__(self, *_: object) -> None:
            time.sleep(600)

    found: list[RayCluster] = []
    workers: list[int] = []

    def kill(progress: ClusterProgress) -> None:
        workers.append(progress.workers)
        if not progress.deaths and progress.status.fetches > 5:
            monkeypatch.setattr(on_ray, "ShardWorker", NeverBegins)
            ((worker, _),) = found[0].workers()
            os.kill(process_of(worker), signal.SIGKILL)

    began = time.monotonic()
    with crawl_on_cluster(
        tmp_path / "run",
        settings_of(200, politeness__delay_s=0.5),
        "local:1",
        is_interrupted=lambda: workers[-1:] == [0],
        on_progress=kill,
        on_cluster=found.append,
    ) as run:
        assert 5 < run.progress.fetches < 200
    assert time.monotonic() - began < 120


def test_a_worker_that_ray_ends_for_want_of_memory_is_replaced(tmp_path: Path) -> None:
    class ShortOfMemory:
        """Ray, as it tells of a worker that its monitor of memory has killed."""

        def __getattr__(self, name: str) -> object:
            return getattr(ray, name)

        def get(self, *given: Any, **options: Any) -> object:
            try:
                return ray.get(*given, **options)
            except ray.exceptions.RayActorError as error:
                raise ray.exceptions.OutOfMemoryError(str(error)) from None

    found: list[RayCluster] = []
    killed: list[int] = []

    def kill(progress: ClusterProgress) -> None:
        found[0]._ray = ShortOfMemory()
        if not killed and progress.status.fetches > 10:
            killed.extend(process_of(worker) for worker, _ in found[0].workers())
            os.kill(killed[0], signal.SIGKILL)

    settings = settings_of(80, politeness__delay_s=0.5)
    with crawl_on_cluster(tmp_path / "run", settings, "local:2", on_progress=kill, on_cluster=found.append) as run:
        assert run.progress.fetches == 80
    assert found[0].deaths == 1


def test_the_disk_budget_holds_for_the_whole_run(tmp_path: Path) -> None:
    sizes: list[int] = []

    def look(progress: ClusterProgress) -> None:
        if progress.status.has_all:
            sizes.extend(RunFolder(folder).size_bytes() for folder in shard_folders(tmp_path / "run"))

    settings = settings_of(2000, politeness__delay_s=0.2, budget__disk_megabytes=5.0)
    with crawl_on_cluster(tmp_path / "run", settings, "local:2", on_progress=look) as run:
        assert run.progress.stop_reason == StopReason.DISK
        assert 0 < run.progress.fetches < 2000
    assert max(sizes) < 5_000_000, "one shard has used it all"


def test_a_crawl_whose_hub_dies_says_how_to_go_on(tmp_path: Path) -> None:
    found: list[RayCluster] = []

    def kill_the_hub(progress: ClusterProgress) -> None:
        if progress.status.fetches > 5:
            ray.kill(found[0].hub)

    settings = settings_of(60, politeness__delay_s=0.5)
    with pytest.raises(ClusterError, match="go on with: honeyguide resume"):
        crawl_on_cluster(tmp_path / "run", settings, "local:2", on_progress=kill_the_hub, on_cluster=found.append)
    with resume_on_cluster(tmp_path / "run") as run:
        assert run.progress.fetches == 60


@pytest.mark.parametrize("text", ["local:0", "local:", "", "somewhere", "local:x", "ray://127.0.0.1:10001"])
def test_what_is_no_cluster_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="--cluster is"):
        ClusterChoice.parse(text)


@pytest.mark.parametrize("answer", [b"HTTP/1.0 400 Bad request\r\n\r\n", b""])
def test_something_else_than_ray_at_the_address_is_refused_at_once(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as other:

        def reply() -> None:
            line, _ = server.accept()
            with line:
                line.recv(1000)
                line.sendall(answer)

        replying = other.submit(reply)
        with pytest.raises(ConnectionError, match="something else than Ray answers"):
            on_ray._refuse_unreachable(f"127.0.0.1:{server.getsockname()[1]}")
        replying.result()


def test_ray_behind_tls_is_not_spoken_to_in_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USE_TLS", "1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        on_ray._refuse_unreachable(f"127.0.0.1:{server.getsockname()[1]}")
        line, _ = server.accept()
        with line:
            assert line.recv(10) == b""


@pytest.mark.parametrize("noted", ["in the environment", "by ray start"])
def test_auto_where_the_cluster_is_gone_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noted: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"  # where nobody listens when it is closed
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    if noted == "by ray start":
        monkeypatch.delenv("RAY_ADDRESS", raising=False)
        (tmp_path / "ray").mkdir()
        (tmp_path / "ray" / "ray_current_cluster").write_text(address)
    else:
        monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(ConnectionRefusedError):
        on_ray._refuse_unreachable("auto")


def test_ray_at_the_address_is_none_of_that(nodes: Any) -> None:
    on_ray._refuse_unreachable(f"127.0.0.1:{nodes.address.rpartition(':')[2]}")


def test_the_driver_says_once_what_workers_warn_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(12, crawl__seed_urls=["http://nowhere.test/", "http://nowhere.test/other"])
    crawl_on_cluster(tmp_path / "run", settings, "local:2").close()
    said = [record.getMessage() for record in caplog.records if "brought no page" in record.getMessage()]
    assert len(said) == len(set(said)) == 2
    assert all(each.startswith("seed http://nowhere.test/") for each in said)


def test_a_folder_of_the_user_stays_where_a_crawl_cannot_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ClusterError("no worker")

    monkeypatch.setattr(on_ray.RayCluster, "begin", fail)
    (tmp_path / "mine").mkdir()
    for name in ("mine", "new"):
        with pytest.raises(ClusterError, match="no worker"):
            crawl_on_cluster(tmp_path / name, settings_of(10), "local:2")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert not list((tmp_path / "mine").iterdir())


def test_more_workers_than_shards_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="6 shards"):
        crawl_on_cluster(tmp_path / "run", settings_of(10), "local:7")
    assert not (tmp_path / "run").exists()


def test_a_run_that_lacks_a_shard_is_not_resumed(tmp_path: Path) -> None:
    crawl_on_cluster(tmp_path / "run", settings_of(20), "local:2").close()
    (tmp_path / "run" / "shards" / "003" / "honeyguide.json").unlink()
    with pytest.raises(Exception, match="shards/003 is missing"):
        resume_on_cluster(tmp_path / "run", budget="+10")


def test_a_cluster_file_that_names_too_few_shards_is_refused(tmp_path: Path) -> None:
    for number in range(3):
        shard = tmp_path / "shards" / f"{number:03}"
        shard.mkdir(parents=True)
        (shard / "honeyguide.json").write_text("{}")
    write_cluster_file(tmp_path, 2)
    with pytest.raises(RunDamaged, match="names 2 shards, and the run has more"):
        shard_folders(tmp_path)


def test_a_run_that_was_killed_before_it_was_gathered_is_resumed(tmp_path: Path) -> None:
    crawl_on_cluster(tmp_path / "run", settings_of(20), "local:2").close()
    for file in (tmp_path / "run").glob("crawl.sqlite*"):
        file.unlink()
    with resume_on_cluster(tmp_path / "run", budget="+10") as run:
        assert run.progress.fetches == 30


def test_an_old_ray_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "__version__", "2.9.3")
    with pytest.raises(ClusterError, match="too old"):
        crawl_on_cluster(tmp_path / "run", settings_of(10), "local:2")


def test_a_budget_below_what_was_spent_is_refused(tmp_path: Path) -> None:
    crawl_on_cluster(tmp_path / "run", settings_of(20), "local:2").close()
    before = (tmp_path / "run" / "settings.toml").read_text()
    with pytest.raises(SettingsError, match="has spent more"):
        resume_on_cluster(tmp_path / "run", budget=10)
    with pytest.raises(KeyboardInterrupt, match="go on with: honeyguide resume"):
        resume_on_cluster(tmp_path / "run", budget="+10", is_interrupted=lambda: True)
    assert (tmp_path / "run" / "settings.toml").read_text() == before


def test_a_budget_that_is_extended_twice_grows_twice(tmp_path: Path) -> None:
    found: list[RayCluster] = []
    asked: list[int] = []

    def extend(progress: ClusterProgress) -> None:
        if len(asked) < 2 and progress.status.fetches > 5 and found[0].budget == 40 + 10 * len(asked):
            asked.append(progress.status.fetches)
            put(tmp_path / "run", BudgetExtension(10, is_more=True))

    settings = settings_of(40, politeness__delay_s=0.1, cluster__shards=1)  # the one shard has to make all of them
    budgets: list[int] = []

    def look(progress: ClusterProgress) -> None:
        budgets.append(progress.budget)
        extend(progress)

    with crawl_on_cluster(tmp_path / "run", settings, "local:1", on_progress=look, on_cluster=found.append) as run:
        assert run.progress.fetches == 60
    assert budgets[-1] == 60


def test_a_crawl_that_is_interrupted_before_it_begins_leaves_nothing(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt, match="nothing was written"):
        crawl_on_cluster(tmp_path / "run", settings_of(40), "local:2", is_interrupted=lambda: True)
    assert time.monotonic() - began < 20
    assert not (tmp_path / "run").exists()


def test_answers_given_between_crawls_and_during_one_reach_all_shards(tmp_path: Path) -> None:
    run, settings = tmp_path / "run", settings_of(60, judge__kind="learned", politeness__delay_s=0.2)
    crawl_on_cluster(run, settings, "local:2").close()
    with open_run(run) as opened:
        first, second, *_ = [page.url for page in opened.pages()]
    answer(run, first, "yes")
    sent: list[str] = []

    def answer_once(progress: ClusterProgress) -> None:
        if not sent and progress.status.has_all:
            sent.append(put(run, PageAnswer(second, "no")))

    with resume_on_cluster(run, "local:2", budget="+60", on_progress=answer_once) as opened:
        assert [(each.url, each.answer) for each in opened.answers()] == [(first, "yes"), (second, "no")]
    assert not answers_waiting(run)
    for folder in shard_folders(run):
        with open_run(folder) as shard:
            assert {(each.url, each.answer) for each in shard.answers()} == {(first, "yes"), (second, "no")}


def test_a_lost_cluster_file_is_named_with_the_remedy(tmp_path: Path) -> None:
    crawl_on_cluster(tmp_path / "run", settings_of(20), "local:2").close()
    (tmp_path / "run" / "cluster.json").unlink()
    with pytest.raises(RunDamaged, match=r"cluster.json is missing.*6 shards"):
        resume_on_cluster(tmp_path / "run", budget="+10")
    with pytest.raises(RunDamaged, match=r"cluster.json is missing"):
        open_run(tmp_path / "run")
    rmtree(tmp_path / "run" / "shards")
    with pytest.raises(RunDamaged, match="its shards are gone"):
        resume(tmp_path / "run", budget="+10")
