"""One synchronous door to asynchronous work, open also where an event loop already runs (a notebook)."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")


def run_sync(work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """The result of `work()`, run to its end in a loop of its own; nothing is left running afterwards, whatever happens.

    Where this thread already runs a loop, the work gets a thread of its own. An interrupt (Ctrl-C) cancels the work, waits for its
    clean end and is then raised here.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    return _in_thread(work)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C raise here: the handler of `asyncio.run` would only cancel a task of the loop that is blocked while we wait."""
    handler = signal.getsignal(signal.SIGINT)
    of_asyncio = getattr(getattr(handler, "func", None), "__name__", "") == "_on_sigint"
    if not of_asyncio or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _in_thread(work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    results: list[_T] = []
    errors: list[BaseException] = []
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
    ready = threading.Event()
    finished = (
        threading.Event()
    )  # waited for instead of the thread: an interrupted join takes a running thread for ended

    async def main() -> _T:
        task = asyncio.current_task()
        assert task is not None
        running.append((asyncio.get_running_loop(), task))
        ready.set()
        return await work()

    def body() -> None:
        try:
            results.append(asyncio.run(main()))
        except BaseException as error:  # handed over to the thread that waits
            errors.append(error)
        finally:
            ready.set()
            finished.set()

    thread = threading.Thread(target=body, name="madsim debates")
    thread.start()
    with _interruptible():
        try:
            finished.wait()
        except BaseException:
            ready.wait()
            for loop, task in running:
                loop.call_soon_threadsafe(task.cancel)
            finished.wait()
            raise
        finally:
            thread.join()
    if errors:
        raise errors[0]
    return results[0]
