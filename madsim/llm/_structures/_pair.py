"""Two agents who look for an answer that both accept."""

from __future__ import annotations

from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._request import Model
from madsim.llm._structures._structure import Arrangement, Structure
from madsim.protocols import Consensus, Protocol


def _pair(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    people = tuple(Debater(name=name, model=model, **settings) for name in ("Ann", "Ben"))
    return Arrangement(protocol=Protocol(rounds=rounds, reduction=Consensus()), debaters=people)


PAIR = Structure(
    name="pair",
    about="Two debate; then one proposes the answer and the other accepts it or refines it, which is put to the first again.",
    build=_pair,
    n_agents=2,
    rounds=1,
    least_agents=2,
    most_agents=2,
)
