"""Simulators and theories that are wrong in one respect, each with the claim that must reject it."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace

import numpy as np

from madsim import graphs, theory
from madsim.models import DebateModel, Matching, Temperature
from madsim.protocols import Protocol, Visibility
from madsim.simulate import simulate_debate
from madsim.theory import vote_bounds
from madsim.verify.claims import System


def simulator(**changes) -> System:
    """A simulator that runs another model than it was asked to."""

    def simulate(model, **options):
        return simulate_debate(dataclasses.replace(model, **changes), **options)

    return dataclasses.replace(System.real(), simulate=simulate)


def simulator_of(change) -> System:
    """A simulator that runs ``change(model)``."""
    return dataclasses.replace(
        System.real(), simulate=lambda model, **options: simulate_debate(change(model), **options)
    )


def theory_with(**functions) -> System:
    """A theory with some functions replaced."""
    return dataclasses.replace(System.real(), theory=SimpleNamespace(**{**vars(theory), **functions}))


def with_masses(scale):
    """Concentrations multiplied by `scale`, or brought to mass 5 each."""

    def change(model):
        rows = model.concentration * scale if scale else 5 * model.belief
        return dataclasses.replace(model, concentration=rows)

    return change


def without_peers(model):
    """Agents that answer again without hearing the others."""
    return dataclasses.replace(model, protocol=Protocol(visibility=Visibility(graph=graphs.empty(model.n_agents))))


def regular_is_enough(model, n_rounds=None):
    """The plausible mistake: per-agent martingales wherever everybody hears equally many, with equal mass and belief."""
    found = theory.martingale_properties(model, n_rounds)
    heard = model.protocol.graph(model.n_agents, 1).heard_weight
    holds = bool(np.ptp(heard) == 0 and np.ptp(model.mass) == 0 and np.ptp(model.belief[:, 0]) == 0)
    return dataclasses.replace(found, per_agent=dataclasses.replace(found.per_agent, holds=holds))


def uniform_weights(model, n_rounds=None):
    """The plain mean taken for the collective martingale of every graph."""
    found = theory.martingale_properties(model, n_rounds)
    return dataclasses.replace(found, weights=np.full(model.n_agents, 1 / model.n_agents))


def bounds_with(name, formula):
    """One bound replaced by a formula of (p, n, margin)."""

    def bounds(p, n):
        right = vote_bounds(p, n)
        if getattr(right, name) is None:
            return right
        return dataclasses.replace(right, **{name: formula(np.asarray(p), n, p[0] - max(p[1:]))})

    return theory_with(vote_bounds=bounds)


def overshooting(model, n_rounds=None, **options):
    """Votes that go on past the single agent's value."""
    vote = theory.vote_by_round(model, n_rounds, **options)
    return vote[0] + 3 * (vote - vote[0])


BROKEN: dict[str, System] = {
    "first-round": simulator(response=Temperature(temperature=0.8)),
    "one-step": simulator(self_weight=0.5),
    "two-numbers": simulator(conformity=1.5),
    "moments": simulator(peer_weight=0.9),
    "unconditional-mean": simulator(answer_weights=(1.1, 1.0)),
    "unequal-agents": simulator_of(with_masses(None)),
    "per-agent": theory_with(martingale_properties=regular_is_enough),
    "drift-sizes": theory_with(conditional_drift=lambda model: theory.conditional_drift(model, 2)),
    "own-history": simulator(self_weight=1.0),
    "collective": theory_with(martingale_properties=uniform_weights),
    "averages-hide": simulator(protocol=Protocol()),
    "counterexamples": simulator(self_weight=0.0),
    "plurality": theory_with(plurality=lambda p, n, ties="random": theory.plurality(p, n, ties="fail")),
    "theorem-1": bounds_with("theorem1", lambda p, n, margin: 1 - math.exp(-n * (margin - 1 / math.sqrt(n)) ** 2)),
    "theorem-1a": bounds_with("theorem1a", lambda p, n, margin: 1 - math.exp(-8 * n * (p[0] - 0.5) ** 2)),
    "bound-without-answers": bounds_with("l2", lambda p, n, margin: 1 - math.exp(-4 * n * margin**2)),
    "bound-any-size": bounds_with(
        "chernoff", lambda p, n, margin: 1 - float(((1 - (math.sqrt(p[0]) - np.sqrt(p[1:])) ** 2) ** (2 * n)).sum())
    ),
    "spread-matters": theory_with(
        mean_plurality=lambda p, n, weights: theory.plurality(np.average(p, axis=0, weights=weights), n)
    ),
    "reviewers": theory_with(
        residual_error=lambda error, detection, correlation=0.0: theory.residual_error(error, detection)
    ),
    "vote-by-round": simulator_of(without_peers),
    "bracketing": theory_with(vote_by_round=overshooting),
    "disagreement-law": simulator(self_weight=0.0),
    "disagreement-floor": simulator(conformity=5.0),
    "shares-shrink": simulator_of(with_masses(0.5)),
    "spread-of-change": simulator_of(with_masses(0.5)),
    "limit-variance": simulator(self_weight=3.0, peer_weight=3.0),
    "polya-urn": simulator(self_weight=2.0),
    "breaks-flatness": simulator(response=Matching(), conformity=1.0, answer_weights=None, summary=None),
    "keeps-flatness": simulator(answer_weights=(1.1, 1.0)),
    "masking": simulator(response=Temperature(temperature=0.7)),
    "early-stopping": simulator(protocol=Protocol()),
    "interventions": simulator(intervention=None),
    "similarity": simulator(similarity=None),
}


def subtle() -> dict[str, System]:
    """Small mistakes that the quick suite must still see: an agent that weighs right answers by 1.03, a mass that is 3 % too large."""

    def heavier(model: DebateModel) -> DebateModel:
        return dataclasses.replace(model, concentration=model.concentration * 1.03)

    return {"keeps-flatness": simulator(answer_weights=(1.03, 1.0)), "moments": simulator_of(heavier)}
