"""Claims about the four martingale properties (section 3 of the theory)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from madsim import graphs
from madsim.graphs import Graph
from madsim.models import DebateModel
from madsim.protocols import OneByOne, Protocol, Visibility
from madsim.verify.claims._cases import (
    HERE,
    PAPER,
    all_drifts,
    beliefs_behind,
    directed,
    directed_ring,
    influence,
    mean_and_error,
    on,
    right_votes,
    undirected,
)
from madsim.verify.claims._claim import Claim, Comparison, Lab


def _unconditional(lab: Lab) -> Iterator[Comparison]:
    order = Protocol(schedule=OneByOne(), visibility=Visibility(graph=graphs.ring(5)))
    both = Protocol(visibility=Visibility(graph=(graphs.line(5), graphs.star(5), graphs.complete(5))))
    models = {
        "star, deaf to itself": on(graphs.star(5), self_weight=0.0),
        "directed ring": on(directed_ring(5)),
        "unequal masses": on(graphs.line(5), mass=[0.5, 1, 2, 4, 8]),
        "self weight 3": on(graphs.complete(5), self_weight=3.0),
        "one by one": DebateModel.homogeneous(n_agents=5, belief=0.6, mass=2.0, protocol=order),
        "graphs in turn": DebateModel.homogeneous(n_agents=5, belief=0.6, mass=2.0, protocol=both),
    }
    for name, model in models.items():
        result = lab.simulate(model, 3, full=1_000_000)
        for round, agent in itertools.product((1, 3), range(5)):
            yield Comparison(
                label=f"{name}: round {round}, agent {agent}",
                found=float(result.belief_mean[round, agent]),
                expected=0.6,
                standard_error=float(result.belief_sd[round, agent]) / math.sqrt(result.n_trials),
            )


def _unequal(lab: Lab) -> Iterator[Comparison]:
    for mass, printed in (([20.0, 5.0, 1.0], 0.0413), ([1.0, 5.0, 20.0], -0.0413)):
        belief = [0.8, 0.6, 0.4]
        model = on(graphs.complete(3), belief=belief, mass=mass)
        exact = lab.theory.heterogeneous_drift(belief, mass)
        yield Comparison(label=f"masses {mass}, printed value", found=exact, expected=printed, tolerance=5.1e-5)
        result = lab.simulate(model, 1)
        spread = float(lab.theory.debate_moments(model, 1).pooled_sd[1])
        yield Comparison(
            label=f"masses {mass}, simulated",
            found=float(result.belief_mean[1].mean() - np.mean(belief)),
            expected=exact,
            standard_error=spread / math.sqrt(result.n_trials),
        )


def _classified(lab: Lab) -> Iterator[Comparison]:
    makers: list[tuple[str, Iterable[NDArray[np.float64]]]] = [
        (f"undirected, {n} agents", undirected(n)) for n in range(1, lab.size(4, 5) + 1)
    ]
    makers += [(f"directed, {n} agents", directed(n)) for n in range(2, lab.size(3, 4) + 1)]
    for name, matrices in makers:
        wrong = 0
        for matrix in matrices:
            for model in _with_priors(matrix):
                truth = all(np.abs(all_drifts(model, round)).max() < 1e-9 for round in range(3))
                wrong += lab.theory.martingale_properties(model).per_agent.holds != truth
        yield Comparison(label=f"misclassified: {name}", found=float(wrong), expected=0.0)


def _with_priors(matrix: NDArray[np.float64]) -> Iterator[DebateModel]:
    n = len(matrix)
    graph = graphs.from_array(matrix)
    first = np.eye(n)[0]
    for self_weight in (1.0, 0.0):
        yield on(graph, self_weight=self_weight)
        yield on(graph, mass=2.0 + first, self_weight=self_weight)
        yield on(graph, belief=0.6 + 0.1 * first, self_weight=self_weight)


_DRIFTS: tuple[tuple[Graph, float, float, float], ...] = (
    (graphs.complete(4), 1.0, 0.0, 0.0),
    (graphs.complete(4), 0.0, 0.0750, 0.0424),
    (graphs.ring(4), 1.0, 0.0500, 0.0300),
    (graphs.ring(5), 1.0, 0.0500, 0.0245),
    (graphs.ring(5), 0.0, 0.1667, 0.0764),
    (graphs.line(3), 1.0, 0.0275, 0.0164),
    (graphs.line(4), 1.0, 0.03875, 0.0186),
    (graphs.star(5), 1.0, 0.0786, 0.0255),
    (directed_ring(4), 1.0, 0.0417, 0.0289),
)


def _drift_sizes(lab: Lab) -> Iterator[Comparison]:
    for graph, self_weight, largest, rms in _DRIFTS:
        model = on(graph, self_weight=self_weight)
        drift = lab.theory.conditional_drift(model)
        name = f"{graph.name} {graph.n_agents}, self {self_weight:g}"
        overall = math.sqrt(float((drift.rms**2).mean()))
        yield Comparison(label=f"{name}: largest", found=float(drift.largest.max()), expected=largest)
        yield Comparison(label=f"{name}: rms", found=overall, expected=rms)
        brute = float(np.abs(all_drifts(model, 1)).max())
        yield Comparison(
            label=f"{name}: brute force", found=float(drift.largest.max()), expected=brute, tolerance=1e-12
        )


def _slopes(lab: Lab) -> Iterator[Comparison]:
    cases = (
        (graphs.complete(5), 1.0, {0: 0.0}),
        (graphs.complete(5), 0.0, {0: -0.1}),
        (graphs.ring(5), 1.0, {0: -1 / 12}),
        (graphs.line(4), 1.0, {0: -1 / 30, 1: -1 / 16}),
        (graphs.star(5), 1.0, {0: -0.1, 1: -1 / 14}),
    )
    for graph, self_weight, values in cases:
        model = on(graph, self_weight=self_weight)
        exact = lab.theory.own_history_slopes(model)[0]
        belief = beliefs_behind(model, right_votes(lab.simulate(model, 2, keep="votes", quick=200_000, full=1_000_000)))
        moved = belief[:, 1] - 0.6
        for agent, value in values.items():
            name = f"{graph.name}, self {self_weight:g}, agent {agent}"
            yield Comparison(label=f"{name}: exact", found=float(exact[agent]), expected=value, tolerance=1e-9)
            product = (belief[:, 2, agent] - belief[:, 1, agent]) * moved[:, agent]
            found, error = mean_and_error(product / (moved[:, agent] ** 2).mean())
            yield Comparison(label=f"{name}: simulated", found=found, expected=value, standard_error=error)


def _collective(lab: Lab) -> Iterator[Comparison]:
    models = {
        "ring, equal masses": on(graphs.ring(5)),
        "star, masses by degree": on(graphs.star(5), mass=[10, 4, 4, 4, 4]),
        "directed ring": on(directed_ring(4)),
        "weighted digraph": on(graphs.from_array([[0, 2, 0.5], [1, 0, 0], [0, 3, 0]]), mass=[3.5, 2.0, 4.0]),
    }
    for name, model in models.items():
        weights = lab.theory.martingale_properties(model).weights
        largest = max(float(np.abs(all_drifts(model, round) @ weights).max()) for round in (1, 2))
        yield Comparison(label=f"{name}: drift of the weighted mean", found=largest, expected=0.0, tolerance=1e-12)
        alone = float(np.abs(all_drifts(model, 1)).max())
        yield Comparison(label=f"{name}: some agent drifts", found=alone, expected=0.01, relation="at least")
    for self_weight, printed in ((1.0, 0.0068), (0.0, 0.0274)):
        model = on(graphs.star(5), self_weight=self_weight)
        found = lab.theory.conditional_drift(model).urn_largest
        yield Comparison(
            label=f"star, equal masses, self {self_weight:g}: all concentrations pooled", found=found, expected=printed
        )
        holds = lab.theory.martingale_properties(model).collective.holds
        yield Comparison(label=f"star, self {self_weight:g}: judged to fail", found=float(bool(holds)), expected=0.0)


def _hidden(lab: Lab) -> Iterator[Comparison]:
    model = on(graphs.ring(5))
    belief = beliefs_behind(model, right_votes(lab.simulate(model, 2, keep="votes", quick=200_000, full=1_000_000)))
    first, second = belief[:, 1] - 0.6, belief[:, 2] - belief[:, 1]
    pooled = first.mean(axis=1)
    found, error = mean_and_error(second.mean(axis=1) * pooled / (pooled**2).mean())
    yield Comparison(label="slope of the mean over agents", found=found, expected=0.0, standard_error=error)
    for agent in range(5):
        found, error = mean_and_error(second[:, agent] * first[:, agent] / (first[:, agent] ** 2).mean())
        yield Comparison(label=f"slope of agent {agent}", found=found, expected=-1 / 12, standard_error=error)


def _counterexamples(lab: Lab) -> Iterator[Comparison]:
    for graph, expected in ((graphs.line(3), (1 / 2, 2 / 5, 1 / 4)), (graphs.ring(4), (2 / 5, 2 / 5, 1 / 5, 2 / 5))):
        model = on(graph, belief=0.5)
        right = right_votes(lab.simulate(model, 1, keep="votes", quick=200_000, full=1_000_000))
        only_first = (right[:, 0] == np.eye(graph.n_agents)[0]).all(axis=1)
        chosen = right[only_first, 1]
        by_definition = (1 + influence(model)[:, 0]) / (2 + influence(model).sum(axis=1))
        for agent, value in enumerate(expected):
            label = f"{graph.name}, agent {agent}"
            yield Comparison(
                label=f"{label}: definition", found=float(by_definition[agent]), expected=value, tolerance=1e-12
            )
            found, error = mean_and_error(chosen[:, agent])
            yield Comparison(label=f"{label}: simulated", found=found, expected=value, standard_error=error)


MARTINGALES = (
    Claim(
        name="unconditional-mean",
        statement="From equal prior means every agent's mean belief stays, on any graph, heard or deaf to itself, in any order.",
        assumptions="plain updates; equal prior means",
        source=f"{PAPER}, theorem 2, extended",
        truth="the prior mean",
        tolerance=0.01,
        measure=_unconditional,
    ),
    Claim(
        name="unequal-agents",
        statement="Unequal agents on the complete graph: the mean belief moves by -N Cov(p_i, 1 / (A_i + N)) in the first round.",
        assumptions="complete graph, self heard",
        source=HERE,
        truth="the closed form and its printed values",
        tolerance=0.005,
        measure=_unequal,
    ),
    Claim(
        name="per-agent",
        statement="All beliefs are martingales given everybody's past if and only if those heard form groups that hear each other alike.",
        assumptions="plain updates, fixed graph",
        source=f"{HERE}; settles an open remark of {PAPER}",
        truth="brute force over all small graphs and all histories of two rounds",
        tolerance=0.5,
        measure=_classified,
    ),
    Claim(
        name="drift-sizes",
        statement="The drift given everybody's past from round 1 to 2 has the printed largest values and root mean squares.",
        assumptions="p0 = .6, A = 2",
        source=HERE,
        truth="printed values, and brute force over all histories",
        tolerance=5.1e-5,
        measure=_drift_sizes,
    ),
    Claim(
        name="own-history",
        statement="Given its own past alone, an agent's next change has the printed slope on its last one, 0 on the complete graph only.",
        assumptions="p0 = .6, A = 2, step 1 to 2",
        source=HERE,
        truth="exact slopes",
        tolerance=0.02,
        measure=_slopes,
    ),
    Claim(
        name="collective",
        statement="The mean weighted by the stationary law of who hears whom is a martingale if masses are proportional to what is heard.",
        assumptions="A_i = kappa r_i",
        source=HERE,
        truth="brute force over all histories of one and two rounds",
        tolerance=5.1e-5,
        measure=_collective,
    ),
    Claim(
        name="averages-hide",
        statement="On the ring the mean over agents is a martingale though no agent's belief is: averaging cannot reveal the violation.",
        assumptions="equal masses and priors",
        source=HERE,
        truth="slope 0 for the mean, -1/12 for every agent",
        tolerance=0.02,
        measure=_hidden,
    ),
    Claim(
        name="counterexamples",
        statement="After round 0 with only agent 0 right: beliefs 1/2, 2/5, 1/4 on a line of 3 and 2/5, 2/5, 1/5, 2/5 on a ring of 4.",
        assumptions="a = (1, 1) for all",
        source=f"{PAPER}, counterexamples",
        truth="printed values",
        tolerance=0.03,
        measure=_counterexamples,
    ),
)
