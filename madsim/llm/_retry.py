"""One layer of retries, and a gate that adapts to what the endpoint can take."""

from __future__ import annotations

import heapq
import random
from asyncio import Future, get_running_loop
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from madsim.llm._errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """How often and how patiently a failed call is tried again.

    Attributes
    ----------
    attempts : tries in all
    first_wait, longest_wait : seconds before the second try, doubled each time up to the longest; the wait is drawn between half of it
        and all of it, so that many calls do not come back at once
    longest_retry_after : seconds; an endpoint that asks for a longer pause than this fails the call at once
    """

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_retry_after: float = 300.0

    def __post_init__(self) -> None:
        if isinstance(self.attempts, bool) or not isinstance(self.attempts, int) or self.attempts < 1:
            raise ValueError(f"attempts must be an integer of at least 1, got {self.attempts!r}")
        if not 0 <= self.first_wait <= self.longest_wait:
            raise ValueError("the waits must satisfy 0 <= first_wait <= longest_wait")

    def wait(self, error: ModelError, attempt: int, draw: random.Random) -> float | None:
        """Seconds to wait after the failure of `attempt` (counted from 0); None where it must not be tried again."""
        if not error.retryable or attempt + 1 >= self.attempts:
            return None
        wait = min(self.longest_wait, self.first_wait * 2.0**attempt) * (0.5 + 0.5 * draw.random())
        if error.retry_after is None:
            return wait
        return None if error.retry_after > self.longest_retry_after else max(wait, error.retry_after)


@dataclass(slots=True)
class Gate:
    """At most `limit` calls at once, earlier debates first; the limit halves at a 429 and grows back by one a round of successes."""

    most: int
    limit: float = 0.0
    active: int = 0
    _waiting: list[tuple[tuple[int, ...], int, Future[None]]] = field(default_factory=list)
    _counter: int = 0
    _halved_at: float = -1.0

    def __post_init__(self) -> None:
        self.limit = float(self.most)

    @asynccontextmanager
    async def slot(self, priority: tuple[int, ...]) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        if self.active < int(self.limit) and not self._waiting:
            self.active += 1
        else:
            place: Future[None] = get_running_loop().create_future()
            self._counter += 1
            heapq.heappush(self._waiting, (priority, self._counter, place))
            try:
                await place
            except BaseException:
                if place.done() and not place.cancelled():
                    self._leave()
                raise
        try:
            yield
        finally:
            self._leave()

    def too_many(self, started: float) -> None:
        """The endpoint had no capacity for a call that began at `started`; calls begun before the last halving do not halve again."""
        if started >= self._halved_at:
            self.limit = max(1.0, self.limit / 2)
            self._halved_at = get_running_loop().time()

    def went_well(self) -> None:
        """A call succeeded."""
        self.limit = min(float(self.most), self.limit + 1.0 / self.limit)
        self._admit()

    def _leave(self) -> None:
        self.active -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.active < int(self.limit):
            _, _, place = heapq.heappop(self._waiting)
            if not place.done():
                self.active += 1
                place.set_result(None)
