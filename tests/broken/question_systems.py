"""Simulators of debates over questions: true ones, on which no check may reject too often, and broken ones, which some check must see."""

from __future__ import annotations

from typing import Any

from madsim import graphs
from madsim.models import CorrectionLock, Follower, Oracle, Sticky, Temperature
from madsim.protocols import Protocol, Visibility
from madsim.simulate import Questions, draw_beliefs, simulate_questions

ROUNDS, AGENTS, HELD_OUT = 3, 5, 5


def ring() -> Protocol:
    """Everybody hears two neighbours."""
    return Protocol(rounds=ROUNDS, visibility=Visibility(graph=graphs.ring(AGENTS)))


# accuracy and kappa of the questions, mass of the agents, further options of the simulator
NULLS: dict[str, tuple[float, float, float, dict[str, Any]]] = {
    "plain, mass 5": (0.7222, 3.6, 5.0, {}),
    "accuracy .95, mass 2": (0.95, 3.6, 2.0, {}),
    "ring, mass 2": (0.7222, 3.6, 2.0, {"protocol": ring()}),
}
ALTERNATIVES: dict[str, tuple[float, float, float, dict[str, Any]]] = {
    "correction lock .1": (0.7222, 3.6, 2.0, {"intervention": CorrectionLock(probability=0.1)}),
    "oracle lock": (0.7222, 3.6, 2.0, {"intervention": Oracle()}),
    "follower .3, symmetric": (0.5, 2.0, 2.0, {"intervention": Follower(probability=0.3)}),
    "sharpen 1.5, symmetric": (0.5, 2.0, 2.0, {"response": Temperature(temperature=1 / 1.5, from_round=1)}),
    "sticky .8": (0.7222, 3.6, 2.0, {"intervention": Sticky(probability=0.8)}),
}
SYSTEMS = {**NULLS, **ALTERNATIVES}


def simulated(name: str, n_questions: int, *, repetitions: int = 1, seed: int = 0) -> Questions:
    """`repetitions` runs of `n_questions` questions of a system, one after the other."""
    accuracy, kappa, mass, options = SYSTEMS[name]
    beliefs = draw_beliefs(n_questions * repetitions, accuracy=accuracy, kappa=kappa, rng=seed)
    options = {"n_rounds": ROUNDS, **options}
    return simulate_questions(beliefs, mass=mass, n_agents=AGENTS, held_out=HELD_OUT, rng=seed + 1_000_003, **options)
