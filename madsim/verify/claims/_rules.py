"""Claims about departures from the plain model: what breaks flatness, what does not, interventions, stopping (section 5)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from madsim.models import (
    Argmax,
    Conformist,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Oracle,
    Rereading,
    Summary,
    Temperature,
)
from madsim.protocols import Convergence, OneByOne, Protocol
from madsim.verify.claims._cases import HERE
from madsim.verify.claims._claim import Claim, Comparison, Lab

_STOP = Protocol(convergence=Convergence())


def _belief(lab: Lab, name: str, model: DebateModel, expected: float, n_rounds: int = 5) -> Comparison:
    result = lab.simulate(model, n_rounds, quick=30_000, full=400_000)
    error = float(result.belief_sd[n_rounds].max()) / math.sqrt(result.n_trials)  # agents of a debate move together
    found = float(result.belief_mean[n_rounds].mean())
    return Comparison(label=f"{name}: simulated", found=found, expected=expected, standard_error=error)


def _breaks(lab: Lab) -> Iterator[Comparison]:
    cases = {
        "temperature .7, p .6": (
            DebateModel.homogeneous(belief=0.6, mass=5.0, response=Temperature(temperature=0.7)),
            0.659,
        ),
        "temperature .7, p .4": (
            DebateModel.homogeneous(belief=0.4, mass=5.0, response=Temperature(temperature=0.7)),
            0.341,
        ),
        "argmax, p .6": (DebateModel.homogeneous(belief=0.6, mass=5.0, response=Argmax()), 0.933),
        "right votes weigh 1.5": (DebateModel.homogeneous(belief=0.6, mass=5.0, answer_weights=(1.5, 1.0)), 0.722),
        "wrong votes weigh 1.5": (DebateModel.homogeneous(belief=0.6, mass=5.0, answer_weights=(1.0, 1.5)), 0.464),
        "conformity 2": (DebateModel.homogeneous(belief=0.6, mass=5.0, conformity=2.0), 0.6468),
        "summary of the majority": (DebateModel.homogeneous(belief=0.6, mass=5.0, summary=Summary()), 0.6786),
    }
    for name, (model, printed) in cases.items():
        exact = float(lab.theory.panel_by_round(model, 5).belief[5, 0])
        yield Comparison(label=f"{name}: exact", found=exact, expected=printed, tolerance=6e-4)
        yield _belief(lab, name, model, exact)


def _keeps(lab: Lab) -> Iterator[Comparison]:
    cases = {
        "self weight 0": DebateModel.homogeneous(belief=0.6, mass=5.0, self_weight=0.0),
        "self weight 3": DebateModel.homogeneous(belief=0.6, mass=5.0, self_weight=3.0),
        "forgetting": DebateModel.homogeneous(belief=0.6, mass=5.0, memory=Forgetting(keep=0.5)),
        "last round only": DebateModel.homogeneous(belief=0.6, mass=5.0, memory=LastRound()),
        "shared transcript": DebateModel.homogeneous(belief=0.6, mass=5.0, memory=Rereading()),
        "one by one": DebateModel.homogeneous(belief=0.6, mass=5.0, protocol=Protocol(schedule=OneByOne())),
    }
    for name, model in cases.items():
        yield _belief(lab, name, model, 0.6)


def _masking(lab: Lab) -> Iterator[Comparison]:
    """Questions p ~ U(0, 1), response of temperature .5: shares of right answers, all questions and those above .6."""
    n_questions, n_rounds = lab.size(40, 100), 5
    beliefs = (np.arange(n_questions) + 0.5) / n_questions
    found, exact, errors = (np.empty((n_questions, n_rounds + 1)) for _ in range(3))
    for place, belief in enumerate(beliefs):
        model = DebateModel.homogeneous(belief=belief, mass=5.0, response=Temperature(temperature=0.5))
        share = lab.simulate(model, n_rounds, quick=4_000, full=100_000).share
        found[place] = [one.value for one in share]
        errors[place] = [one.standard_error or 0.0 for one in share]
        exact[place] = lab.theory.panel_by_round(model, n_rounds).share[:, 0]
    every = np.ones(n_questions, dtype=bool)
    for name, chosen, printed in (("all questions", every, (0.5, 0.5)), ("p > .6", beliefs > 0.6, (0.908, 0.972))):
        for round, value in zip((0, n_rounds), printed, strict=True):
            expected, label = float(exact[chosen, round].mean()), f"{name}: round {round}"
            yield Comparison(label=f"{label}, exact", found=expected, expected=value, tolerance=2e-3)
            error = float(np.sqrt((errors[chosen, round] ** 2).sum())) / chosen.sum()
            share = float(found[chosen, round].mean())
            yield Comparison(label=f"{label}, simulated", found=share, expected=expected, standard_error=error)


def _stopping(lab: Lab) -> Iterator[Comparison]:
    cases = (
        (2.0, {"wrong_answers_agree": False}, 0.7344),
        (5.0, {"wrong_answers_agree": False}, 0.7659),
        (2.0, {"n_answers": 4}, 0.7267),
        (5.0, {"n_answers": 4}, 0.7599),
    )
    for mass, options, printed in cases:
        model = DebateModel.homogeneous(n_agents=3, belief=0.66, mass=mass, protocol=_STOP, **options)
        name = f"A {mass:g}, {', '.join(f'{key} {value}' for key, value in options.items())}"
        exact = lab.theory.panel_by_round(model, 2)
        yield Comparison(
            label=f"{name}: exact share", found=float(exact.share[2, 0]), expected=printed, tolerance=5.1e-5
        )
        label = f"{name}: belief at the stopping time"
        yield Comparison(label=label, found=float(exact.belief[2, 0]), expected=0.66, tolerance=1e-12)
        for round, estimate in enumerate(lab.simulate(model, 2).share):
            yield Comparison.of_estimate(f"{name}: share in round {round}, simulated", estimate, exact.share[round, 0])
    plain = DebateModel.homogeneous(n_agents=3, belief=0.66, mass=2.0)
    yield Comparison.of_estimate("without stopping: share in round 2, simulated", lab.simulate(plain, 2).share[2], 0.66)


def _interventions(lab: Lab) -> Iterator[Comparison]:
    rules = {"none": None, "conformist": Conformist(), "follower": Follower(probability=0.3), "oracle": Oracle()}
    printed = {
        (0.7, "none"): (0.700, 0.794),
        (0.7, "conformist"): (0.838, 0.838),
        (0.7, "follower"): (0.764, 0.833),
        (0.7, "oracle"): (0.998, 1.000),
        (0.4, "none"): (0.400, 0.344),
        (0.4, "conformist"): (0.318, 0.318),
        (0.4, "follower"): (0.361, 0.318),
        (0.4, "oracle"): (0.947, 0.976),
    }
    for belief, (name, rule) in itertools.product((0.7, 0.4), rules.items()):
        model = DebateModel.homogeneous(n_agents=5, belief=belief, mass=5.0, intervention=rule)
        exact = lab.theory.panel_by_round(model, 5, ties="random")
        result = lab.simulate(model, 5, quick=30_000, full=400_000)
        share, vote = printed[belief, name]
        place = f"{name}, p {belief:g}"
        yield Comparison(label=f"{place}: exact share", found=float(exact.share[5, 0]), expected=share, tolerance=2e-3)
        yield Comparison(label=f"{place}: exact vote", found=float(exact.vote[5]), expected=vote, tolerance=2e-3)
        yield Comparison.of_estimate(f"{place}: simulated share", result.share[5], exact.share[5, 0])
        yield Comparison.of_estimate(f"{place}: simulated vote", result.vote("random")[5], exact.vote[5])
    model = DebateModel.homogeneous(n_agents=5, belief=0.7, mass=5.0, intervention=Conformist())
    moved = float(np.ptp(lab.theory.panel_by_round(model, 5).vote))
    yield Comparison(label="conformists change the vote by", found=moved, expected=0.0, tolerance=1e-12)


def _similarity(lab: Lab) -> Iterator[Comparison]:
    leak = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    means = lab.theory.similarity_means([0.6, 0.3, 0.1], leak, 5.0, 5.0, 5)
    for round, printed in ((0, 0.60), (1, 0.56), (5, 0.502)):
        yield Comparison(
            label=f"round {round}: printed", found=float(means[round, 0]), expected=printed, tolerance=5.1e-4
        )
    model = DebateModel.homogeneous(belief=[0.6, 0.3, 0.1], mass=5.0, similarity=leak)
    yield _belief(lab, "leak of .2", model, float(means[5, 0]))
    even = DebateModel.homogeneous(belief=[1 / 3] * 3, mass=5.0, similarity=leak)
    yield _belief(lab, "p S = p", even, 1 / 3)


RULES = (
    Claim(
        name="breaks-flatness",
        statement="Sharper responses, weighted answers, conformity and summaries of the majority make the mean belief drift.",
        assumptions="N = A = 5, complete graph, five rounds",
        source=HERE,
        truth="exact panel values and printed values",
        tolerance=0.01,
        measure=_breaks,
    ),
    Claim(
        name="keeps-flatness",
        statement="Self weight, forgetting, short memory, a shared transcript and one-by-one order leave the mean belief flat.",
        assumptions="equal prior means",
        source=HERE,
        truth="the prior mean",
        tolerance=0.01,
        measure=_keeps,
    ),
    Claim(
        name="masking",
        statement="A flat dataset mean does not establish a martingale: easy questions rise while all questions together stay.",
        assumptions="p ~ U(0, 1) over questions, response of temperature .5, N = A = 5",
        source=HERE,
        truth="exact panel values; printed shares within .002",
        tolerance=0.01,
        measure=_masking,
    ),
    Claim(
        name="early-stopping",
        statement="Stopping at unanimity and carrying answers on makes shares rise; beliefs at the stopping time stay a martingale.",
        assumptions="N = 3, p = .66, complete graph",
        source=HERE,
        truth="exact panel values",
        tolerance=0.01,
        measure=_stopping,
    ),
    Claim(
        name="interventions",
        statement="Conformists settle at the vote of round 0, followers in between, an oracle's locked answers win.",
        assumptions="N = A = 5, five rounds; with two answers and an odd panel ties do not occur; all update",
        source=HERE,
        truth="exact panel values; printed values within .002",
        tolerance=0.02,
        measure=_interventions,
    ),
    Claim(
        name="similarity",
        statement="Similar answers that count in part pull beliefs: E[p_1] - p_0 = d (p S - p) / (A + d), none if and only if p S = p.",
        assumptions="row-stochastic similarity, equal agents",
        source=HERE,
        truth="the recursion and printed values",
        tolerance=0.01,
        measure=_similarity,
    ),
)
