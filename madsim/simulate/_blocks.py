"""Running ranges of trials on threads: every range is worked once, totals are integers, so the sums do not depend on who did what."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import TypeVar

from madsim._core.arrays import as_count

Totals = TypeVar("Totals")
Progress = Callable[[int, int], None]

_RANGES_A_THREAD = 64


def thread_count(threads: int | None) -> int:
    """The number of threads to use: `threads`, or the processors that this process may use."""
    if threads is not None:
        return as_count(threads, name="threads", minimum=1, maximum=1024)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_ranges(
    work: Callable[[Totals, int, int], None],
    new_totals: Callable[[], Totals],
    *,
    n_trials: int,
    grain: int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Totals]:
    """The totals of ``0 .. n_trials - 1``, one for each thread that worked.

    Parameters
    ----------
    work : ``work(totals, first, count)`` adds trials ``first`` to ``first + count - 1``; it should release the interpreter's lock
    new_totals : makes totals of nothing
    grain : ranges are whole multiples of this many trials
    progress : called in this thread with (trials done, `n_trials`) after each range; an error in it ends the run
    """
    threads = min(thread_count(threads), max(1, -(-n_trials // grain)))
    blocks = -(-n_trials // grain)
    size = grain * max(1, blocks // (threads * _RANGES_A_THREAD))
    ranges = ((first, min(size, n_trials - first)) for first in range(0, n_trials, size))
    if threads == 1:
        totals = new_totals()
        for first, count in ranges:
            work(totals, first, count)
            if progress is not None:
                progress(first + count, n_trials)
        return [totals]
    return _on_threads(work, new_totals, ranges, n_trials, threads, progress)


def _on_threads(
    work: Callable[[Totals, int, int], None],
    new_totals: Callable[[], Totals],
    ranges: Iterator[tuple[int, int]],
    n_trials: int,
    threads: int,
    progress: Progress | None,
) -> list[Totals]:
    lock, halt = Lock(), Event()
    done = [0]

    def worker() -> Totals:
        totals = new_totals()
        while not halt.is_set():
            with lock:
                first, count = next(ranges, (0, 0))
            if count == 0:
                break
            work(totals, first, count)
            with lock:
                done[0] += count
        return totals

    with ThreadPoolExecutor(threads, thread_name_prefix="madsim") as pool:
        pending: set[Future[Totals]] = {pool.submit(worker) for _ in range(threads)}
        workers = list(pending)
        try:
            while pending:
                finished, pending = wait(pending, timeout=0.1 if progress else None, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                if progress is not None:
                    progress(done[0], n_trials)
        finally:
            halt.set()
        return [future.result() for future in workers]
