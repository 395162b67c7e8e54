"""Symbolic comparison in a child process: kept warm, limited in time and memory, killed when it takes too long, started
anew when needed."""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from madsim.answers._latex_parts import Node

_SECONDS_PAIR = 2.0
_SECONDS_START = 30.0
_MOST_REMEMBERED = 1000


class _Worker:
    """One child process; one question at a time, from any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[str] | None = None
        self.replies: queue.Queue[str | None] = queue.Queue()
        self.owner = 0
        self.too_hard: dict[str, None] = {}

    def ask(self, left: str, right: str) -> bool | None:
        """The child's verdict; None where it did not reach one in time."""
        with self.lock:
            if left in self.too_hard or right in self.too_hard:
                return None
            process = self._running()
            if process is None or process.stdin is None:
                return None
            try:
                process.stdin.write(f"[{left}, {right}]\n")
                process.stdin.flush()
                reply = self.replies.get(timeout=_SECONDS_PAIR)
            except (OSError, ValueError, queue.Empty):
                reply = None
            if reply is None:
                self._kill()
                self._remember(left if len(left) >= len(right) else right)
                return None
            return {"true": True, "false": False}.get(reply.strip())

    def _remember(self, tree: str) -> None:
        if len(self.too_hard) >= _MOST_REMEMBERED:
            self.too_hard.pop(next(iter(self.too_hard)))
        self.too_hard[tree] = None

    def _running(self) -> subprocess.Popen[str] | None:
        if self.process is not None and self.owner == os.getpid() and self.process.poll() is None:
            return self.process
        self.process = None
        self.replies = queue.Queue()
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "madsim.answers._symbolic_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": _search_path()},
            )
        except OSError:
            return None
        self.process, self.owner = process, os.getpid()
        threading.Thread(target=_listen, args=(process, self.replies), daemon=True).start()
        try:
            ready = self.replies.get(timeout=_SECONDS_START)
        except queue.Empty:
            ready = None
        if ready is None:
            self._kill()
        return self.process

    def _kill(self) -> None:
        process, self.process = self.process, None
        if process is None or self.owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue

    def close(self) -> None:
        """End the child."""
        with self.lock:
            self._kill()


def _search_path() -> str:
    """Where the child finds this package, even where it was put on the path of this process only."""
    root = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])


def _listen(process: subprocess.Popen[str], replies: queue.Queue[str | None]) -> None:
    try:
        if process.stdout is not None:
            for line in process.stdout:
                replies.put(line)
    except (OSError, ValueError):
        pass
    replies.put(None)


_worker = _Worker()
atexit.register(_worker.close)


def _encoded(node: Any) -> Any:
    if isinstance(node, Fraction):
        return f"{node.numerator:x}/{node.denominator:x}"
    return [_encoded(part) for part in node] if isinstance(node, tuple) else node


@lru_cache(maxsize=4096)
def _compare(left: str, right: str) -> bool:
    return _worker.ask(left, right) is True


def compare(left: Node, right: Node) -> bool:
    """Whether two trees are the same value or function; what cannot be shown in time counts as different.

    The order of the two does not matter.
    """
    first, second = sorted(json.dumps(_encoded(tree)) for tree in (left, right))
    return _compare(first, second)
