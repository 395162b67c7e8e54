"""Where blocks of trials are worked: threads, processes, an executor of the caller, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures import ThreadPoolExecutor as Threads
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from madsim._core.tables import need
from madsim.simulate._blocks import thread_count

Executors: TypeAlias = "str | Executor | Any"
"""``"threads"``, ``"processes"``, ``"dask://ADDRESS"``, an executor of `concurrent.futures`, or a Dask ``Client``."""

CONNECT_SECONDS = 10.0
"""How long a Dask scheduler may take to answer."""

_LEAST_IN_FLIGHT = 4
_UNKNOWN_SIZE = 64


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of work: trials `first` to ``first + count - 1`` of a point of a sweep."""

    point: int
    first: int
    count: int


class Workers:
    """An executor, how many workers it has, which errors say that a worker died, and how it is made anew where that can be done."""

    def __init__(
        self,
        executor: Executor,
        size: Callable[[], int],
        *,
        lost: tuple[type[BaseException], ...] = (BrokenExecutor,),
        make: Callable[[], Executor] | None = None,
    ) -> None:
        self.executor = executor
        self.size = size
        self.lost = lost
        self._make = make

    @property
    def in_flight(self) -> int:
        """Most blocks handed out at once: enough that nobody waits, few enough that a death costs little."""
        return max(_LEAST_IN_FLIGHT, 2 * self.size())

    def renew(self, error: BaseException) -> None:
        """Replace a broken executor; one that was given from outside cannot be replaced, and `error` is told."""
        if self._make is None:
            raise ChildProcessError(
                f"a worker of the given executor died and the executor works no more ({error}); give a new one. With partial= "
                "the finished blocks are kept, and the next call goes on from them"
            ) from error
        self.close()
        self.executor = self._make()

    def close(self) -> None:
        """Let the executor go, where it was made here."""
        if self._make is not None:
            self.executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def open_workers(executor: Executors, n_workers: int | None = None) -> Iterator[Workers]:
    """The workers that `executor` names or is.

    Raises
    ------
    ValueError, TypeError
        If it is none of those that are known.
    ImportError
        If Dask is asked for and not installed.
    """
    if isinstance(executor, str) and executor.startswith("dask://"):
        with _client(executor.removeprefix("dask://")) as client:
            yield _dask(client)
        return
    if isinstance(executor, str):
        workers = _own(executor, thread_count(n_workers))
    elif isinstance(executor, Executor):
        size = n_workers or _UNKNOWN_SIZE
        workers = Workers(executor, lambda: size, lost=(BrokenExecutor, *_killed(executor)))
    elif type(executor).__module__.partition(".")[0] == "distributed" and hasattr(executor, "get_executor"):
        workers = _dask(executor)
    else:
        raise TypeError(
            "executor must be 'threads', 'processes', 'dask://ADDRESS', an Executor of concurrent.futures, or a Dask Client; "
            f"got {executor!r}"
        )
    try:
        yield workers
    finally:
        workers.close()


def _own(name: str, size: int) -> Workers:
    def threads() -> Executor:
        return Threads(size, thread_name_prefix="madsim")

    def processes() -> Executor:
        from multiprocessing import get_context

        return ProcessPoolExecutor(size, mp_context=get_context("spawn"), initializer=end_with_parent)

    known: dict[str, Callable[[], Executor]] = {"threads": threads, "processes": processes}
    if name not in known:
        raise ValueError(f"executor must be 'threads', 'processes' or 'dask://ADDRESS', got {name!r}")
    return Workers(known[name](), lambda: size, make=known[name])


def end_with_parent() -> None:
    """End this process when the one that started it is gone: a killed sweep leaves no workers that wait for ever."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="madsim-watch").start()


@contextmanager
def _client(address: str) -> Iterator[Any]:
    if not address:
        raise ValueError("executor 'dask://' names no scheduler; expected dask://HOST:PORT")
    distributed = need("distributed", "dask", verb="executor='dask://...'")
    scheduler = address if "://" in address else f"tcp://{address}"
    try:
        client = distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ValueError(f"executor 'dask://{address}': no Dask scheduler answers at {scheduler} ({error})") from error
    with client:
        yield client


def _dask(client: Any) -> Workers:
    executor = client.get_executor(pure=False)
    return Workers(executor, lambda: sum(client.nthreads().values()), lost=(BrokenExecutor, *_killed(executor)))


def _killed(executor: Executor) -> tuple[type[BaseException], ...]:
    """The error by which Dask says that workers died under a task, where this executor is one of Dask's."""
    if type(executor).__module__.partition(".")[0] != "distributed":
        return ()
    return (need("distributed", "dask", verb="a Dask executor").KilledWorker,)


def run_blocks(
    workers: Workers,
    work: Callable[..., bytes],
    tasks: tuple[str, ...],
    blocks: Iterable[Block],
    done: Callable[[Block, bytes], None],
    *,
    retries: int,
) -> None:
    """Work every block and hand what it came to over to `done`, in this thread, in the order in which they end.

    A block whose worker died is handed out again, at most `retries` times; an error in the work itself ends everything.

    Raises
    ------
    ChildProcessError
        If a block lost its worker more often than that.
    """
    todo, again = iter(blocks), deque[Block]()
    running: dict[Future[bytes], Block] = {}
    deaths: Counter[Block] = Counter()

    def settle(future: Future[bytes]) -> BaseException | None:
        block = running.pop(future)
        try:
            data = future.result()
        except workers.lost as error:
            deaths[block] += 1
            if deaths[block] > retries:
                raise ChildProcessError(_too_many(block, deaths[block])) from error
            again.append(block)
            return error
        done(block, data)
        return None

    try:
        while True:
            broken: BaseException | None = None
            while len(running) < workers.in_flight and broken is None:
                block = again.popleft() if again else next(todo, None)
                if block is None:
                    break
                try:
                    running[workers.executor.submit(work, tasks[block.point], block.first, block.count)] = block
                except BrokenExecutor as error:
                    again.appendleft(block)
                    broken = error
            if not running and broken is None:
                return
            if broken is None:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                errors = [error for future in finished if (error := settle(future)) is not None]
                broken = next((error for error in errors if isinstance(error, BrokenExecutor)), None)
            if broken is not None:
                for future in wait(running).done:  # a broken executor ends all of its futures
                    settle(future)
                workers.renew(broken)
    finally:
        for future in running:
            future.cancel()


def _too_many(block: Block, deaths: int) -> str:
    last = block.first + block.count - 1
    return (
        f"trials {block.first} to {last} of point {block.point} lost their worker {deaths} times. If no worker lives at all, does the "
        'script start the sweep under `if __name__ == "__main__":`? If they run out of memory, take a smaller block= or fewer workers'
    )
