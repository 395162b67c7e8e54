"""Claims about what debate does to the vote, to disagreement and to shares (section 5 of the theory)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from madsim import graphs
from madsim.models import DebateModel
from madsim.verify.claims._cases import HERE, mean_and_error, on, right_votes
from madsim.verify.claims._claim import Claim, Comparison, Lab

_PRINTED = (
    (0.7, 2.0, {0: 0.8369, 1: 0.7923, 2: 0.7819, 3: 0.7774, 5: 0.7731}),
    (0.3, 2.0, {0: 0.1631, 2: 0.2181, 5: 0.2269}),
    (0.8, 2.0, {0: 0.9421, 2: 0.8901, 5: 0.8810}),
    (0.7, 10.0, {0: 0.8369, 1: 0.8258, 2: 0.8201, 3: 0.8166, 5: 0.8126}),
)


def _vote(lab: Lab) -> Iterator[Comparison]:
    for belief, mass, printed in _PRINTED:
        model = DebateModel.homogeneous(n_agents=5, belief=belief, mass=mass)
        exact = lab.theory.vote_by_round(model, 5, ties="random")
        vote = lab.simulate(model, 5).vote("random")
        for round, value in printed.items():
            name = f"p {belief:g}, A {mass:g}, round {round}"
            yield Comparison(label=f"{name}: printed", found=float(exact[round]), expected=value, tolerance=5.1e-5)
            yield Comparison.of_estimate(f"{name}: simulated", vote[round], exact[round])
    others = {
        "four answers": DebateModel.homogeneous(n_agents=5, belief=[0.5, 0.2, 0.2, 0.1], mass=2.0),
        "ring": on(graphs.ring(5)),
        "star, unequal": on(graphs.star(5), belief=[0.8, 0.6, 0.5, 0.4, 0.3], mass=[1, 2, 3, 4, 5]),
        "deaf to itself": DebateModel.homogeneous(n_agents=6, belief=0.7, mass=2.0, self_weight=0.0),
    }
    for name, model in others.items():
        exact = lab.theory.vote_by_round(model, 3, ties="random")
        for round, estimate in enumerate(lab.simulate(model, 3).vote("random")):
            yield Comparison.of_estimate(f"{name}, round {round}: simulated", estimate, exact[round])


def _bracket(lab: Lab) -> Iterator[Comparison]:
    back, out, wide = 0.0, 0.0, 0.0
    sizes = (2, 3, 4, 5, 7) if lab.suite == "quick" else (*range(2, 13), 15, 21)
    beliefs = np.linspace(0.05, 0.95, lab.size(7, 19))
    for n, mass, belief in itertools.product(sizes, (0.3, 2.0, 10.0), beliefs):
        vote = lab.theory.vote_by_round(DebateModel.homogeneous(n_agents=n, belief=belief, mass=mass), 5, ties="random")
        towards = np.sign(belief - vote[0])
        back = max(back, float((-np.diff(vote) * towards).max()))
        out = max(out, float(((vote - belief) * towards).max()))
        wide = max(wide, float(abs(vote - vote[0]).max() - lab.theory.bracket_width(n)))
    for label, excess in (
        ("steps away from the single agent", back),
        ("steps past it", out),
        ("beyond the width", wide),
    ):
        yield Comparison(label=label, found=excess, expected=0.0, relation="at most", tolerance=1e-11)
    for n, printed in ((3, 0.096), (5, 0.147), (7, 0.180)):
        width = lab.theory.bracket_width(n)
        yield Comparison(label=f"width for {n} agents", found=width, expected=printed, tolerance=5.1e-4)


def _disagreement(lab: Lab) -> Iterator[Comparison]:
    for n, belief, mass in ((5, [0.7, 0.3], 2.0), (5, [0.5, 0.2, 0.2, 0.1], 2.0), (3, [0.6, 0.4], 5.0)):
        model = DebateModel.homogeneous(n_agents=n, belief=belief, mass=mass)
        first = 1 - float(np.square(belief).sum())
        law = first * lab.theory.disagreement_law(n, mass, 4)
        for round, estimate in enumerate(lab.simulate(model, 4).disagreement):
            label = f"{n} agents, {len(belief)} answers, A {mass:g}, round {round}"
            yield Comparison.of_estimate(label, estimate, law[round])
        moments = lab.theory.debate_moments(model, 4)
        variance = belief[0] * (1 - belief[0]) * (1 - law[-1] / first)
        label = f"{n} agents, {len(belief)} answers, A {mass:g}: variance of a belief"
        yield Comparison(label=label, found=float(moments.sd[-1, 0] ** 2), expected=variance, tolerance=1e-12)


def _floor(lab: Lab) -> Iterator[Comparison]:
    for n, rounds, printed in (
        (3, 1, 0.667),
        (3, None, 0.535),
        (5, 1, 0.8),
        (5, 2, 0.76),
        (5, 3, 0.743),
        (5, None, 0.702),
        (10, None, 0.843),
    ):
        found = lab.theory.disagreement_floor(n, rounds)
        label = f"{n} agents, {'for ever' if rounds is None else f'{rounds} rounds'}"
        yield Comparison(label=label, found=found, expected=printed, tolerance=5.1e-4)
    for n, mass in itertools.product((3, 5), (0.05, 1.0, 20.0)):
        model = DebateModel.homogeneous(n_agents=n, belief=0.5, mass=mass)
        left = lab.simulate(model, 1).disagreement
        floor = lab.theory.disagreement_floor(n, 1) * 0.5
        label = f"{n} agents, A {mass:g}: left after one round, simulated"
        yield Comparison.of_estimate(label, left[1], floor, relation="at least", tolerance=0.01)


def _shares(lab: Lab) -> Iterator[Comparison]:
    for n, mass in ((5, 2.0), (5, 10.0), (3, 1.0)):
        right = right_votes(
            lab.simulate(on(graphs.complete(n), mass=mass), 1, keep="votes", quick=200_000, full=1_000_000)
        )
        share = right.mean(axis=2)
        before, after = share[:, 0] - 0.6, share[:, 1] - 0.6
        variance = 0.24 / n
        found, error = mean_and_error(after * before / variance)
        yield Comparison(
            label=f"slope, {n} agents, A {mass:g}", found=found, expected=n / (mass + n), standard_error=error
        )


def _spread(lab: Lab) -> Iterator[Comparison]:
    for n, belief, mass, rounds in ((5, 0.7, 2.0, 3), (5, 0.7, 10.0, 3), (3, 0.5, 1.0, 1)):
        model = on(graphs.complete(n), belief=belief, mass=mass)
        right = right_votes(lab.simulate(model, rounds, keep="votes", quick=100_000, full=1_000_000))
        change = right[:, -1].mean(axis=1) - right[:, 0].mean(axis=1)
        found, error = mean_and_error((change - change.mean()) ** 2)
        expected = lab.theory.sd_of_change(n, mass, rounds, belief * (1 - belief)) ** 2
        label = f"variance, {n} agents, A {mass:g}, {rounds} rounds"
        yield Comparison(label=label, found=found, expected=expected, standard_error=error)


def _limit(lab: Lab) -> Iterator[Comparison]:
    rounds = 200
    for n, mass in ((1, 2.0), (5, 2.0), (12, 0.5)):
        variance = lab.theory.limit_variance(n, mass, 0.7)
        left = lab.theory.disagreement_law(n, mass, 50_000)[-1]
        label = f"{n} agents, A {mass:g}: formula against a product of 50 000 terms"
        yield Comparison(label=label, found=variance, expected=0.21 * (1 - left), tolerance=1e-5)
        model = on(graphs.complete(n), belief=0.7, mass=mass)
        result = lab.simulate(model, rounds, quick=20_000, full=200_000)
        sd = float(result.belief_sd[rounds, 0])
        # E (p - m)^4 <= m^2 Var p bounds the error of a variance
        error = math.sqrt(max(0.49 * sd**2 - sd**4, 0.0) / result.n_trials)
        label = f"{n} agents, A {mass:g}: {rounds} simulated rounds"
        yield Comparison(label=label, found=sd**2, expected=variance, standard_error=error, tolerance=0.02)


def _polya(lab: Lab) -> Iterator[Comparison]:
    from scipy.stats import betabinom

    model = on(graphs.complete(1), belief=0.7, mass=2.0)
    right = right_votes(lab.simulate(model, 9, keep="votes", quick=200_000, full=1_000_000))
    total = right[:, :, 0].sum(axis=1)
    for count in range(11):
        found, error = mean_and_error((total == count) * 1.0)
        expected = float(betabinom.pmf(count, 10, 1.4, 0.6))
        yield Comparison(label=f"{count} of 10 right", found=found, expected=expected, standard_error=error)


VOTES = (
    Claim(
        name="vote-by-round",
        statement="The vote is not flat though every mean belief is: debate spends the independence of the votes.",
        assumptions="plain model",
        source=HERE,
        truth="dynamic programming and enumeration, printed values",
        tolerance=0.01,
        measure=_vote,
    ),
    Claim(
        name="bracketing",
        statement="The vote moves monotonically from the majority's value towards the single agent's and stays between them.",
        assumptions="two answers, complete graph, equal agents; checked, not proved",
        source=HERE,
        truth="exact votes over a grid of sizes, masses and beliefs",
        tolerance=1e-11,
        measure=_bracket,
    ),
    Claim(
        name="disagreement-law",
        statement="Disagreement falls as prod(1 - N / (A + s N)^2), and Var p_t = p (1 - p) (1 - D_t / D_0), for any number of answers.",
        assumptions="complete graph, equal agents",
        source=HERE,
        truth="the law",
        tolerance=0.01,
        measure=_disagreement,
    ),
    Claim(
        name="disagreement-floor",
        statement="Whatever the mass, disagreement cannot fall below the floor: .80 after one round of five agents, .702 for ever.",
        assumptions="complete graph, equal agents",
        source=HERE,
        truth="printed values; simulated debates of small and large mass",
        tolerance=0.01,
        measure=_floor,
    ),
    Claim(
        name="shares-shrink",
        statement="Shares of votes are not a martingale: E[share_1 | share_0] = (A p + N share_0) / (A + N).",
        assumptions="complete graph, equal agents",
        source=HERE,
        truth="slope N / (A + N)",
        tolerance=0.02,
        measure=_shares,
    ),
    Claim(
        name="spread-of-change",
        statement="The change of a share has variance v_0 / N + v_T / N + (v_0 - v_T) - 2 v_0 / (A + N), v_t the mean of p (1 - p).",
        assumptions="complete graph, equal agents",
        source=HERE,
        truth="the closed form",
        tolerance=0.003,
        measure=_spread,
    ),
    Claim(
        name="limit-variance",
        statement="The variance of the limit is p (1 - p) (1 - G(x+1)^2 / (G(x+1+n) G(x+1-n))), x = A / N, n = 1 / sqrt N.",
        assumptions="complete graph, equal agents",
        source=HERE,
        truth="a long product, and long simulated debates",
        tolerance=0.02,
        measure=_limit,
    ),
    Claim(
        name="polya-urn",
        statement="One agent alone is Polya's urn: its right answers are beta-binomial, its limit is Beta(a_0, A - a_0).",
        assumptions="N = 1, self weight 1",
        source="Polya's urn",
        truth="SciPy's beta-binomial",
        tolerance=0.01,
        measure=_polya,
    ),
)
