"""Faults of every kind around a good reply, drawn per request from a seed, so that a share of the calls meets one."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tests._servers.chat import Reply, completion

Maker = Callable[[dict], Reply]


def _error(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    body = {"error": {"message": message, "type": "error", "code": code}}
    return Reply(json.dumps(body).encode(), status=status, headers=headers)


def _good(good: dict, **more) -> Reply:
    return Reply(json.dumps(good).encode(), **more)


FAULTS: dict[str, Maker] = {
    "429_seconds": lambda good: _error(429, "slow down", **{"Retry-After": "0.01"}),
    "429_date": lambda good: _error(
        429, "slow down", **{"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=0.5), usegmt=True)}
    ),
    "500": lambda good: _error(500, "internal"),
    "503": lambda good: _error(503, "overloaded"),
    "slow": lambda good: _good(good, wait=0.05),
    "hanging": lambda good: Reply(b"", hang=True),
    "cut_body": lambda good: _good(good, sent=40),
    "empty_choices": lambda good: Reply(json.dumps({**good, "choices": []}).encode()),
    "null_content": lambda good: Reply(json.dumps(completion(None, finish="stop")).encode()),
    "wrong_json": lambda good: Reply(b'["this", "is", "no", "completion"]'),
    "no_json": lambda good: Reply(b"<html>proxy error</html>"),
    "duplicate": lambda good: _good(good, twice=True),
    "reset": lambda good: Reply(b"", reset=True),
    "quota": lambda good: _error(429, "You exceeded your current quota", "insufficient_quota"),
    "context_overflow": lambda good: _error(400, "maximum context length is 4096 tokens", "context_length_exceeded"),
}
FINAL = frozenset({"null_content", "quota"})  # what ends a call at its first attempt
BILLED = frozenset({"slow", "duplicate", "cut_body", "empty_choices", "null_content", "wrong_json", "no_json"})


class Faulty:
    """The reply function of a :class:`ChatServer`: a share of the requests meets a fault, the others get `good(body, number)`.

    `kinds` counts what was sent. The draw is by seed and number of the request.
    """

    def __init__(
        self, good: Callable[[dict, int], dict], *, share: float, names: tuple[str, ...] = tuple(FAULTS), seed: int = 0
    ) -> None:
        self._good, self._share, self._names, self._seed = good, share, names, seed
        self.kinds: Counter[str] = Counter()

    def __call__(self, body: dict, number: int) -> Reply:
        word = hashlib.sha256(f"{self._seed}/{number}".encode()).digest()
        if int.from_bytes(word[:8], "big") / 2**64 < self._share:
            name = self._names[word[8] % len(self._names)]
            self.kinds[name] += 1
            reply = FAULTS[name](self._good(body, number))
        else:
            self.kinds["good"] += 1
            reply = _good(self._good(body, number))
        return reply
