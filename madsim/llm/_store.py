"""Where a run's lines go: into a record file, or into memory where no file was named."""

from __future__ import annotations

import json
from typing import Any, Protocol

from madsim._core.canonical import to_jsonable
from madsim.tasks import Sample


class Store(Protocol):
    """What the engine needs of a record; `madsim.transcripts.RunWriter` is one."""

    def sample(self, sample: Sample) -> None:
        """Append a question."""
        ...

    def call(self, call: dict[str, Any]) -> None:
        """Append a finished call."""
        ...

    def outcome(self, outcome: dict[str, Any]) -> None:
        """Append how a debate ended."""
        ...

    def event(self, event: dict[str, Any]) -> None:
        """Append something that happened."""
        ...

    def close(self) -> None:
        """Nothing more will come."""
        ...


class MemoryStore:
    """The lines of a record in a list, in the same plain form that a file would hold; starts of calls are not kept."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.entries: list[dict[str, Any]] = []
        self._add("run", {"schema": 1, **header})

    def sample(self, sample: Sample) -> None:
        """Append a question."""
        self._add("sample", sample.to_dict())

    def call(self, call: dict[str, Any]) -> None:
        """Append a finished call."""
        self._add("call", call)

    def outcome(self, outcome: dict[str, Any]) -> None:
        """Append how a debate ended."""
        self._add("outcome", outcome)

    def event(self, event: dict[str, Any]) -> None:
        """Append something that happened."""
        if event.get("event") != "call_started":
            self._add("event", event)

    def close(self) -> None:
        """Nothing to close."""

    def _add(self, kind: str, entry: dict[str, Any]) -> None:
        self.entries.append(json.loads(json.dumps(to_jsonable({"type": kind, **entry}))))
