"""Debates within a debate: every seat is a small debate of its own."""

from __future__ import annotations

from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._inner import InnerDebate
from madsim.llm._panels import identical
from madsim.llm._request import Model
from madsim.llm._structures._structure import Arrangement, Structure
from madsim.protocols import Protocol

_INNER_AGENTS = 3


def _nested(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    inner = InnerDebate(protocol=Protocol(rounds=1), debaters=tuple(identical(model, _INNER_AGENTS, **settings)))
    seats = tuple(Debater(name=f"Committee {number}", model=inner) for number in range(1, n_agents + 1))
    return Arrangement(protocol=Protocol(rounds=rounds), debaters=seats)


NESTED = Structure(
    name="nested",
    about="Every seat is a committee of three that debates once before it speaks; committees debate, and their plurality wins.",
    build=_nested,
    rounds=1,
)
