"""Claims about the model itself and its exact moments (sections 1 and 2 of the theory)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from madsim import graphs
from madsim.models import DebateModel, Forgetting
from madsim.protocols import OneByOne, Protocol
from madsim.verify.claims._cases import HERE, PAPER, beliefs_behind, mean_and_error, on, right_votes
from madsim.verify.claims._claim import Claim, Comparison, Lab

_GRAPHS = (graphs.complete(5), graphs.ring(5), graphs.line(4), graphs.star(5))


def _first_round(lab: Lab) -> Iterator[Comparison]:
    model = DebateModel(concentration=np.array([[2.0, 1, 1, 0.5], [0.3, 0.3, 2, 1], [5, 1, 1, 1]]))
    result = lab.simulate(model, 1, keep="votes", quick=100_000, full=1_000_000)
    assert result.votes is not None
    votes = result.votes.answers[:, 0]
    for agent, answer in itertools.product(range(3), range(4)):
        found, error = mean_and_error((votes[:, agent] == answer) * 1.0)
        yield Comparison(
            label=f"agent {agent} answers {answer}",
            found=found,
            expected=float(model.belief[agent, answer]),
            standard_error=error,
        )
    for i, j in itertools.combinations(range(3), 2):
        found, error = mean_and_error((votes[:, i] == votes[:, j]) * 1.0)
        expected = float(model.belief[i] @ model.belief[j])
        yield Comparison(label=f"agents {i} and {j} agree", found=found, expected=expected, standard_error=error)


def _one_step(lab: Lab) -> Iterator[Comparison]:
    model = on(graphs.ring(4), belief=[0.8, 0.6, 0.5, 0.3], mass=[1.0, 2.0, 4.0, 8.0])
    right = right_votes(lab.simulate(model, 3, keep="votes", quick=100_000, full=1_000_000))
    belief = beliefs_behind(model, right)[:, :-1]
    surprise = right - belief
    for round, agent in itertools.product(range(4), range(4)):
        found, error = mean_and_error(surprise[:, round, agent])
        yield Comparison(label=f"round {round}, agent {agent}", found=found, expected=0.0, standard_error=error)
        if round:
            centred = belief[:, round, agent] - belief[:, round, agent].mean()
            found, error = mean_and_error(surprise[:, round, agent] * centred / centred.std())
            label = f"round {round}, agent {agent}, by belief"
            yield Comparison(label=label, found=found, expected=0.0, standard_error=error)


def _two_numbers(lab: Lab) -> Iterator[Comparison]:
    many = DebateModel.homogeneous(n_agents=5, belief=[0.5, 0.2, 0.2, 0.1], mass=3.0)
    two = DebateModel.homogeneous(n_agents=5, belief=[0.5, 0.5], mass=3.0)
    yield from _moments_agree(lab, many, two, "four answers")


def _moments(lab: Lab) -> Iterator[Comparison]:
    for graph in _GRAPHS:
        n = graph.n_agents
        equal = on(graph, belief=0.6, mass=2.0)
        unequal = on(graph, belief=np.linspace(0.85, 0.25, n), mass=np.linspace(1.0, 6.0, n), self_weight=0.5)
        for name, model in (("equal", equal), ("unequal", unequal)):
            yield from _moments_agree(lab, model, model, f"{graph.name}, {name}")
    others = {
        "one by one": {"protocol": Protocol(schedule=OneByOne())},
        "forgetting": {"memory": Forgetting(keep=0.5)},
        "similar answers": {"similarity": np.array([[0.9, 0.1], [0.2, 0.8]])},
    }
    for name, options in others.items():
        model = DebateModel.homogeneous(n_agents=4, belief=0.6, mass=2.0, **options)
        yield from _moments_agree(lab, model, model, name)


def _moments_agree(lab: Lab, simulated: DebateModel, exact: DebateModel, label: str) -> Iterator[Comparison]:
    n_rounds = 3
    result = lab.simulate(simulated, n_rounds)
    moments = lab.theory.debate_moments(exact, n_rounds)
    root = math.sqrt(result.n_trials)
    for round, agent in itertools.product(range(1, n_rounds + 1), range(exact.n_agents)):
        mean, sd = float(moments.mean[round, agent]), float(moments.sd[round, agent])
        place = f"{label}: round {round}, agent {agent}"
        yield Comparison(
            label=f"{place}, mean",
            found=float(result.belief_mean[round, agent]),
            expected=mean,
            standard_error=sd / root,
        )
        # a belief is at most max(m, 1 - m) from its mean, which bounds its fourth moment
        fourth = max(mean, 1 - mean) ** 2 * sd**2 - sd**4
        yield Comparison(
            label=f"{place}, sd",
            found=float(result.belief_sd[round, agent]),
            expected=sd,
            standard_error=math.sqrt(fourth) / (2 * sd * root),
        )


BELIEFS = (
    Claim(
        name="first-round",
        statement="In round 0 agent i answers k with probability a_ik / A_i, independently of the others.",
        assumptions="none",
        source=f"{PAPER}, section 3",
        truth="the categorical law, and the chance that two agents agree",
        tolerance=0.01,
        measure=_first_round,
    ),
    Claim(
        name="one-step",
        statement="Given everything said, an agent is right with probability (a_i0 + right votes heard) / (A_i + votes heard).",
        assumptions="plain model, any graph, priors and masses",
        source=f"{PAPER}, section 3",
        truth="beliefs recomputed from the votes by the definition",
        tolerance=0.01,
        measure=_one_step,
    ),
    Claim(
        name="two-numbers",
        statement="The law of the belief in the target depends on a_i0 and A_i alone, not on the number of answers.",
        assumptions="plain model",
        source=HERE,
        truth="exact moments of the debate with all wrong answers made one",
        tolerance=0.01,
        measure=_two_numbers,
    ),
    Claim(
        name="moments",
        statement="Mean and variance of every belief follow m <- W m, Cov <- W Cov W' + B diag(m (1 - m) - diag Cov) B'.",
        assumptions="linear updates; any graph, weights, priors, fading memory, order of speaking, similarity of answers",
        source=HERE,
        truth="the recursion, without Monte Carlo error",
        tolerance=0.01,
        measure=_moments,
    ),
)
