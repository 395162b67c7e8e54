"""A pool of typed documents: who receives something new speaks."""

from __future__ import annotations

from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._request import Model
from madsim.llm._structures._structure import Arrangement, Structure
from madsim.protocols import OneAgent, Pool, Protocol

_CRITIC = "You compare drafts, find what is wrong in each, and say which answer holds."
_EDITOR = "You write the final answer from drafts and from what a critic says of them."


def _pool(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    drafters = tuple(
        Debater(name=f"Drafter {number}", model=model, publishes="draft", subscribes=(), **settings)
        for number in range(1, n_agents - 1)
    )
    critic = Debater(
        name="Critic", model=model, system=_CRITIC, publishes="critique", subscribes=("draft",), **settings
    )
    editor = Debater(
        name="Editor", model=model, system=_EDITOR, publishes="answer", subscribes=("draft", "critique"), **settings
    )
    protocol = Protocol(rounds=rounds, schedule=Pool(), reduction=OneAgent(agent=n_agents - 1))
    return Arrangement(protocol=protocol, debaters=(*drafters, critic, editor))


POOL = Structure(
    name="pool",
    about="Drafters publish drafts, a critic receives them, an editor receives drafts and critique and answers; nobody receives all.",
    build=_pool,
    n_agents=4,
    least_agents=3,
    least_rounds=1,
)
