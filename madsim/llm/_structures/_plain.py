"""Everybody at once, or one after another: the plain debates, and the vote that they are compared with."""

from __future__ import annotations

from typing import Any

from madsim.llm._panels import identical
from madsim.llm._request import Model
from madsim.llm._structures._structure import Arrangement, Structure
from madsim.protocols import OneByOne, Protocol


def _vote(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    if rounds:
        raise ValueError(f"a vote has no rounds after round 0, got {rounds}")
    return Arrangement(protocol=Protocol(rounds=0), debaters=tuple(identical(model, n_agents, **settings)))


def _debate(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    return Arrangement(protocol=Protocol(rounds=rounds), debaters=tuple(identical(model, n_agents, **settings)))


def _in_turn(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    protocol = Protocol(rounds=rounds, schedule=OneByOne())
    return Arrangement(protocol=protocol, debaters=tuple(identical(model, n_agents, **settings)))


VOTE = Structure(
    name="vote", about="Everybody answers once and hears nobody; the plurality wins.", build=_vote, n_agents=5, rounds=0
)
DEBATE = Structure(
    name="debate",
    about="Everybody answers at once, hears everybody's last answer, and answers again; the plurality wins.",
    build=_debate,
)
IN_TURN = Structure(
    name="in-turn",
    about="After round 0 one answers after another and hears what was just said; the plurality of the last round wins.",
    build=_in_turn,
)
