"""Sequential chats: one agent talks to the others in turn and takes a summary from each talk to the next."""

from __future__ import annotations

from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._panels import identical
from madsim.llm._request import Model
from madsim.llm._structures._structure import Arrangement, Structure
from madsim.protocols import OneAgent, Phase, Phases, Protocol


def _sequential(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    last = n_agents - 1
    chats = tuple(
        Phase(
            name=f"chat {other}",
            first=other,
            second=0,
            turns=2 * rounds,
            carry="last" if other == last else "summary",
            publishes="summary",
            task="Find the right answer to the question together.",
        )
        for other in range(1, n_agents)
    )
    schedule = Phases(phases=chats)
    return Arrangement(
        protocol=Protocol(rounds=schedule.turns - 1, schedule=schedule, reduction=OneAgent(agent=0)),
        debaters=tuple(identical(model, n_agents, **settings)),
        helpers={"summariser": Debater(name="summariser", model=model, **settings)},
    )


SEQUENTIAL = Structure(
    name="sequential",
    about="The first agent talks to each of the others in turn, a summary goes from talk to talk, and it answers at the end.",
    build=_sequential,
    rounds=1,
    least_agents=2,
    least_rounds=1,
)
