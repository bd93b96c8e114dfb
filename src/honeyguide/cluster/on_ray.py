"""A crawl on Ray as its driver sees it: workers are placed, watched, replaced and joined by others.

Ray says when a worker has died; its shards go on in another, from their folders.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections import deque
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from honeyguide.cluster.actors import ANSWER_S, HubDesk, HubStatus, Plan, ShardWorker, import_ray
from honeyguide.cluster.hub import HubRules
from honeyguide.errors import ClusterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from honeyguide.crawler.events import StopReason
    from honeyguide.runs import Letter

log = logging.getLogger(__name__)

CONNECT_S: Final = 5.0
BEGIN_S: Final = 120.0  # that the first workers may take to begin
LOOK_S: Final = 0.25
PLACE_S: Final = 20.0  # that a further one may take
HUB_S: Final = 30.0  # that the hub may be out of reach
MOST_DEATHS: Final = 5  # of workers, without a fetch in between
# The beginning of a connection by HTTP/2, which gRPC and so Ray speak: a preface, and a frame of settings by each side.
_SETTINGS: Final = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_HTTP2: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _SETTINGS
APART_S: Final = 10.0  # between two deaths that count; a node that is lost takes several workers with it


def _refuse_unreachable(address: str | None) -> None:
    """OSError where nobody listens at an address, or not as Ray does. Ray itself would go on trying for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or _address_noted_here()
    host, _, port = (address or "").rpartition(":")
    if not host or "://" in host or not port.isdecimal():
        return
    with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S) as line:
        if os.environ.get("RAY_USE_TLS", "").lower() in ("1", "true"):
            return
        line.sendall(_HTTP2)
        answer = line.recv(len(_SETTINGS))
    if answer[3:4] != _SETTINGS[3:4]:
        raise ConnectionError("something else than Ray answers")


def _address_noted_here() -> str:
    """Return the address of the cluster that this machine was made a part of; empty where it is of none."""
    place = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 - Ray's choice
    noted = Path(place, "ray", "ray_current_cluster")
    with suppress(OSError, UnicodeDecodeError):
        return noted.read_text(encoding="utf-8").strip()
    return ""


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Let Ctrl-C end what cannot be asked to end: Ray takes many seconds to start, and stops all that it has begun.

    While it connects to what it has started it is left alone: interrupted there, it crashes. That takes a moment.
    SIGTERM, for which Ray has a handler of its own by then, does the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)
        while frame is not None and frame.f_code.co_name != "connect":
            frame = frame.f_back
        if frame is None:
            raise KeyboardInterrupt

    for number in before:
        signal.signal(number, note)
    try:
        yield
    except SystemExit:  # by Ray's handler of SIGTERM
        note(signal.SIGTERM, None)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class RayCluster:
    """Workers on a Ray cluster, and what each of them crawls. Used by one thread."""

    def __init__(
        self, plan: Plan, workers: int, address: str | None, *, is_live: bool, lately: Sequence[bool] = ()
    ) -> None:
        """Connect to Ray, or start it here where there is no address. ClusterError where that fails.

        Without a number of workers there are as many as the cluster has processors. Live, `crawl.concurrency` is how
        many fetches each of them may have under way. `lately` is that of `Hub`.
        """
        self._ray = import_ray()
        self._plan = plan
        self.is_local = address is None
        self._had_ray = self._ray.is_initialized()
        if not self._had_ray:
            self._connect(address)
        self._wanted = workers or min(plan.shards, self.processors())
        rules = HubRules.of(plan.settings, plan.settings.crawl.fetches_at_once(is_live=is_live))
        here = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            self._ray.get_runtime_context().get_node_id(), soft=False
        )  # where the driver is, whose end is that of the crawl: the loss of another node costs workers alone
        desk = self._ray.remote(num_cpus=0, scheduling_strategy=here)(HubDesk)
        self.hub = desk.remote(plan.shards, rules, lately, is_live=is_live)
        self._asks_for_nodes = not workers and not self.is_local
        self._workers: dict[Any, list[int]] = {}  # by handle, its shards
        self._finishing: dict[Any, Any] = {}  # by the promise of its end, a handle
        self._unplaced: dict[Any, Any] = {}  # by the promise of its beginning, a handle that has shards already
        self._is_stopping = False
        self._joining: Iterator[None] | None = None  # of a worker that is about to begin
        self.budget = plan.settings.budget.fetches  # as it was extended last
        self._answers: list[Letter] = []  # all that were told
        self._background: Sequence[bytes] = ()
        self._warnings_seen = 0
        self.can_grow = True  # nothing is known of a node that could not help
        self.deaths = 0
        self._deaths_in_a_row: deque[int] = deque(maxlen=MOST_DEATHS)  # fetches made at each that counts
        self._counted_at = -APART_S

    @property
    def worker_count(self) -> int:
        return max(0, len(self._workers) - len(self._unplaced))

    def begin(self, is_interrupted: Callable[[], bool] = lambda: False) -> None:
        """Start the workers, as many as the cluster has room for, each with its shards.

        KeyboardInterrupt where it is interrupted before they crawl.
        """
        if self._asks_for_nodes:
            self._ask_for_processors(self._plan.shards)
        handles, died, all_see_run = self._placed([self._new_worker() for _ in range(self._wanted)], is_interrupted)
        if is_interrupted():
            raise KeyboardInterrupt
        if not all_see_run:
            raise ClusterError(
                f"{self._plan.run} is not on storage that all nodes of the cluster see: choose a folder on a "
                "shared file system, at the same path on every node"
            )
        if not handles and died:
            raise ClusterError(
                f"workers die as they begin ({died}): all nodes need the same Honeyguide and Ray, and RAY_AUTH_MODE as "
                "`ray start` had it"
            )
        if not handles:
            raise ClusterError(
                f"the cluster had no free processor for a worker within {BEGIN_S:g} s: wait for others to end, or "
                "crawl on this machine with --cluster local:2"
            )
        for number, handle in enumerate(handles):
            self._give(handle, range(number, self._plan.shards, len(handles)))
        self._tell_all()
        self._finishing = {handle.run.remote(shards): handle for handle, shards in self._workers.items()}

    def attend(self, timeout_s: float) -> bool:
        """Wait a moment, and start dead workers again. True when all shards have ended. Raises what a shard raises."""
        self._ready(list(self._finishing), timeout_s)
        self._note_placed()
        dead = []
        for promise in self._ready(list(self._finishing)):
            handle = self._finishing.pop(promise)
            try:
                self._ray.get(promise)
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except self._ray.exceptions.RayError:  # killed, without memory, or with its node
                dead.append(handle)
        self._replace(dead)
        if self._joining is not None and next(self._joining, True):
            self._joining = None
        return not self._finishing and self._joining is None

    def status(self) -> HubStatus:
        """How the crawl stands."""
        found: HubStatus = self._ask_hub("status")
        return found

    def new_warnings(self) -> list[str]:
        """Return what workers have warned of since the last look, each once."""
        found: list[str] = self._ask_hub("warnings", self._warnings_seen)
        self._warnings_seen += len(found)
        return found

    def stop(self, reason: StopReason) -> None:
        """End the crawl; what is in flight is taken up again when it is resumed."""
        self._is_stopping = True
        self._ask_hub("stop", reason)

    def answer(self, letters: Sequence[Letter], background: Sequence[bytes]) -> None:
        """Let every shard learn from answers, whoever has it; `ShardSeat.answer` says how."""
        self._answers += letters
        self._background = background
        for handle in self._workers:
            handle.answer.remote(list(letters), background)

    def read(self, shard: int, query: str, values: object) -> Iterator[tuple[Any, ...]]:
        """Yield rows of a shard's database, some at a time, through the worker that has it, one query after the other.

        ConnectionError where none can be reached.
        """
        owner = next((handle for handle, shards in self._workers.items() if shard in shards), None)
        if owner is None:
            raise ConnectionError(f"no worker has shard {shard}")
        try:
            rows = self._ray.get(owner.read.remote(shard, query, values), timeout=ANSWER_S)
            while rows:
                yield from rows
                rows = self._ray.get(owner.read_on.remote(shard), timeout=ANSWER_S)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            raise ConnectionError(str(error)) from error

    def extend_budget(self, fetches: int) -> None:
        """Go on to this many fetches in all."""
        self._ask_hub("extend_budget", fetches)
        self.budget = fetches

    def processors(self) -> int:
        """Processors that the cluster has now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def add_worker(self) -> None:
        """Start one more worker if the cluster has room for it, one at a time; `attend` lets it have its share."""
        if self._joining is None:
            self._joining = self._join(self._new_worker())

    def _join(self, handle: Any) -> Iterator[None]:  # noqa: ANN401
        """Let a new worker have its share of the shards. Yields where there is something to wait for."""
        sees_run, until = handle.sees_run.remote(), monotonic() + PLACE_S
        while not self._ready([sees_run]):
            if monotonic() > until or not self._finishing:  # such as where a node is gone, and nobody has noticed yet
                self._ray.kill(handle)
                return
            yield
        try:
            self.can_grow = self._get(sees_run)
        except self._ray.exceptions.RayError:
            return
        if not self.can_grow:
            self._ray.kill(handle)
            log.warning("a node that has joined does not see %s, and gets no shards: mount it there", self._plan.run)
            return
        moved: dict[Any, list[int]] = {}  # by the worker that has them
        share = self._plan.shards // (len(self._workers) + 1)
        for _ in range(share):
            fullest = max(self._workers, key=lambda each: len(self._workers[each]))
            moved.setdefault(fullest, []).append(self._workers[fullest].pop())
        leaving = [owner.leave.remote(theirs) for owner, theirs in moved.items()]
        while len(self._ready(leaving)) < len(leaving):  # a dead one has left already
            yield
        shards = [shard for theirs in moved.values() for shard in theirs]
        self._ask_hub("lost", shards)
        self._go_on(handle, shards)

    def _ready(self, promises: Sequence[Any], timeout_s: float = 0.0) -> list[Any]:
        """Return which of these are kept or broken by now, after a moment in which one may be."""
        if not promises:
            return []
        count = 1 if timeout_s else len(promises)
        ready: list[Any] = self._ray.wait(list(promises), num_returns=count, timeout=timeout_s)[0]
        return ready

    def close(self) -> None:
        """End all workers; Ray goes on where it was running before."""
        for handle in (*self._workers, self.hub):
            with suppress(Exception):
                self._ray.kill(handle)
        self._workers.clear()
        self._joining = None
        if self._asks_for_nodes:
            with suppress(Exception):
                self._ask_for_processors(0)
        if not self._had_ray:
            self._ray.shutdown()

    def workers(self) -> Iterator[tuple[Any, list[int]]]:
        """Yield the workers, each with its shards."""
        yield from self._workers.items()

    def _connect(self, address: str | None) -> None:
        quiet = {"include_dashboard": False} if self.is_local else {}
        if self.is_local:
            logging.getLogger("ray").setLevel(logging.ERROR)  # it has hints for who runs a cluster
        try:
            _refuse_unreachable(address)
            with _signals_raise():
                self._ray.init(
                    address="local" if self.is_local else address,
                    log_to_driver=False,
                    configure_logging=False,
                    **quiet,
                )
        except KeyboardInterrupt:
            self._ray.shutdown()
            raise
        except (OSError, RuntimeError, ValueError) as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ClusterError(
                f"--cluster {address}: no Ray cluster can be reached there ({said}); start one with: ray start --head, "
                "set RAY_AUTH_MODE=token if it asks for one, or crawl on this machine with --cluster local:2"
            ) from None

    def _new_worker(self) -> Any:  # noqa: ANN401 - a handle of Ray's
        made = self._ray.remote(num_cpus=0 if self.is_local else 1, scheduling_strategy="SPREAD")(ShardWorker)
        handle = made.remote(self._plan, self.hub)
        if self._answers:
            handle.answer.remote(self._answers, self._background)
        return handle

    def _note_placed(self) -> None:
        """Note which workers have begun by now; when the crawl is to stop, give up the others."""
        for promise in self._ready(list(self._unplaced)):
            del self._unplaced[promise]
        if not self._is_stopping:
            return
        given_up = list(self._unplaced.values())
        self._unplaced.clear()
        self._finishing = {promise: handle for promise, handle in self._finishing.items() if handle not in given_up}
        for handle in given_up:
            self._workers.pop(handle, None)
            self._ray.kill(handle)

    def _placed(self, handles: Sequence[Any], is_interrupted: Callable[[], bool]) -> tuple[list[Any], str, bool]:
        """Return the workers that have begun in time, what Ray says of those that died, and whether all see the run.

        Those that have not begun are given up.
        """
        begun = {handle.sees_run.remote(): handle for handle in handles}
        waiting, until = list(begun), monotonic() + BEGIN_S
        while waiting and monotonic() < until and not is_interrupted():
            _, waiting = self._ray.wait(waiting, num_returns=len(waiting), timeout=LOOK_S)
        placed, died, all_see_run = [], "", True
        for promise, handle in begun.items():
            try:
                all_see_run = self._ray.get(promise, timeout=0) and all_see_run
                placed.append(handle)
            except self._ray.exceptions.GetTimeoutError:
                self._ray.kill(handle)
            except self._ray.exceptions.RayError as error:
                died = str(error).strip().partition("\n")[0] or type(error).__name__
                self._ray.kill(handle)
        return placed, died, all_see_run

    def _give(self, handle: Any, shards: Sequence[int]) -> None:  # noqa: ANN401
        self._workers.setdefault(handle, []).extend(shards)

    def _tell_all(self) -> None:
        """Let everyone know which worker has which shard."""
        worker_by_shard = {shard: handle for handle, shards in self._workers.items() for shard in shards}
        self._ask_hub("know", worker_by_shard)
        for handle in self._workers:
            handle.know.remote(worker_by_shard)

    def _replace(self, dead: Sequence[Any]) -> None:
        """Let others go on with the shards of dead workers: new ones here, those that live on a cluster.

        A cluster that has lost a node may have no room for a new one; where it has, the crawl grows by itself.
        """
        lost = {handle: self._workers.pop(handle) for handle in dead if handle in self._workers}  # each is told once
        if not lost:
            return
        for handle in lost:
            with suppress(Exception):
                self._ray.kill(handle)  # it may only be out of reach, and must not go on
        shards = [shard for theirs in lost.values() for shard in theirs]
        self.deaths += len(lost)
        self._ask_hub("lost", shards)
        self._count_death(self.status().fetches)
        log.warning("workers that have died: %d; others go on with their %d shards", len(lost), len(shards))
        heirs = [] if self.is_local else list(self._workers)[: len(shards)]
        if not heirs:
            heirs = [self._new_worker() for _ in (lost if self.is_local else shards[:1])]
            self._unplaced |= {heir.sees_run.remote(): heir for heir in heirs}
            if not self.is_local:
                log.warning("no worker is left: the crawl goes on when the cluster has a free processor")
        for number, heir in enumerate(heirs):
            self._go_on(heir, shards[number :: len(heirs)])

    def _count_death(self, fetches: int) -> None:
        """ClusterError where workers die again and again, and nothing is fetched in between."""
        if monotonic() - self._counted_at < APART_S:
            return
        self._counted_at = monotonic()
        self._deaths_in_a_row.append(fetches)
        if len(self._deaths_in_a_row) == MOST_DEATHS and self._deaths_in_a_row[0] == fetches:
            raise ClusterError(
                f"workers have died {MOST_DEATHS} times without a fetch in between; look into the logs of Ray for why, "
                f"and go on with: honeyguide resume {self._plan.run}"
            )

    def _ask_for_processors(self, count: int) -> None:
        """Let a cluster that scales by itself know how many could be used; no other minds."""
        from ray.autoscaler.sdk import request_resources  # noqa: PLC0415 - of Ray, an extra

        request_resources(num_cpus=count)

    def _go_on(self, handle: Any, shards: Sequence[int]) -> None:  # noqa: ANN401
        self._give(handle, shards)
        self._tell_all()
        self._finishing[handle.run.remote(list(shards))] = handle

    def _ask_hub(self, what: str, *given: object) -> Any:  # noqa: ANN401
        """Let the hub do something that may be done twice. Waits for one that is out of reach for a moment.

        ClusterError where it is gone: what the shards have is in their folders.
        """
        until = monotonic() + HUB_S
        while True:
            try:
                return self._get(getattr(self.hub, what).remote(*given))
            except self._ray.exceptions.RayTaskError:
                raise
            except self._ray.exceptions.RayError as error:
                if isinstance(error, self._ray.exceptions.ActorUnavailableError) and monotonic() < until:
                    sleep(0.5)
                    continue
                raise ClusterError(
                    f"the process that shares out the budget has died ({type(error).__name__}); go on with: "
                    f"honeyguide resume {self._plan.run}"
                ) from None

    def _get(self, promise: Any) -> Any:  # noqa: ANN401
        return self._ray.get(promise)
