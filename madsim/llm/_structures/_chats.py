"""Group chats: one conversation, one speaker at a time."""

from __future__ import annotations

from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._panels import identical
from madsim.llm._request import Model
from madsim.llm._structures._structure import Arrangement, Structure
from madsim.protocols import GroupChat, Protocol


def _chat(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    protocol = Protocol(rounds=rounds, schedule=GroupChat())
    return Arrangement(protocol=protocol, debaters=tuple(identical(model, n_agents, **settings)))


def _moderated(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    protocol = Protocol(rounds=rounds, schedule=GroupChat(speaker="model"))
    moderator = Debater(name="moderator", model=model, **settings)
    return Arrangement(
        protocol=protocol, debaters=tuple(identical(model, n_agents, **settings)), helpers={"moderator": moderator}
    )


CHAT = Structure(
    name="chat",
    about="After round 0 each round is one turn of one speaker, in declared order, who hears all that was said since its last turn.",
    build=_chat,
    rounds=6,
)
MODERATED = Structure(
    name="moderated",
    about="A group chat whose next speaker a moderator names; the declared order goes on where it names nobody, or several.",
    build=_moderated,
    rounds=6,
)
