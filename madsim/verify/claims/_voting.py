"""Claims about one vote of independent agents (section 4 of the theory)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from madsim.models import DebateModel
from madsim.verify.claims._cases import HERE, PAPER
from madsim.verify.claims._claim import Claim, Comparison, Lab


def _by_enumeration(p: NDArray[np.float64], n: int, ties: str) -> float:
    """The definition: every count vector."""
    total = 0.0
    for counts in itertools.product(range(n + 1), repeat=len(p)):
        if sum(counts) == n and counts[0] == max(counts):
            tied = counts.count(counts[0])
            share = float(tied == 1) if ties == "fail" else 1 / tied
            ways = math.factorial(n) / math.prod(math.factorial(count) for count in counts)
            total += share * ways * math.prod(float(q) ** count for q, count in zip(p, counts, strict=True))
    return total


def _random_cases(lab: Lab, quick: int, full: int) -> Iterator[tuple[NDArray[np.float64], int]]:
    generator = lab.generator(0)
    for _ in range(lab.size(quick, full)):
        p = np.sort(generator.dirichlet(generator.uniform(0.2, 2, generator.integers(2, 7))))[::-1]
        yield p, int(generator.integers(1, 80))


def _plurality(lab: Lab) -> Iterator[Comparison]:
    worst = 0.0
    generator = lab.generator(0)
    for n_answers, n in ((2, 9), (3, 8), (4, 6), (5, 5)):
        for ties in ("random", "fail"):
            p = generator.dirichlet(np.ones(n_answers))
            worst = max(worst, abs(lab.theory.plurality(p, n, ties=ties) - _by_enumeration(p, n, ties)))
    yield Comparison(label="largest error against enumeration", found=worst, expected=0.0, tolerance=1e-13)
    for p, n, ties, printed in (
        ([0.5, 0.2, 0.2, 0.1], 5, "fail", 0.560),
        ([0.5, 0.2, 0.2, 0.1], 5, "random", 0.665),
        ([0.8, 0.2], 5, "random", 0.94208),
    ):
        found = lab.theory.plurality(p, n, ties=ties)
        yield Comparison(label=f"{p}, {n} agents, ties {ties}", found=found, expected=printed, tolerance=1e-9)
    for n_answers, n in ((4, 25), (20, 25)):
        belief = np.linspace(2, 1, n_answers)
        model = DebateModel.homogeneous(n_agents=n, belief=belief / belief.sum(), mass=3.0)
        result = lab.simulate(model, 0)
        for ties in ("random", "fail"):
            expected = lab.theory.plurality(model.belief[0], n, ties=ties)
            label = f"{n} agents, {n_answers} answers, ties {ties}: simulated"
            yield Comparison.of_estimate(label, result.vote(ties)[0], expected)


def _bounded(name: str, printed: Callable[[Lab], Iterator[Comparison]]) -> Callable[[Lab], Iterator[Comparison]]:
    """Against exact values of random cases: the bound `name` is never above the truth; and printed values."""

    def measure(lab: Lab) -> Iterator[Comparison]:
        excess, applied = -1.0, 0
        for p, n in _random_cases(lab, 600, 6000):
            bound = getattr(lab.theory.vote_bounds(p, n), name)
            if bound:
                applied += 1
                excess = max(excess, bound - lab.theory.plurality(p, n, ties="fail"))
        label = f"largest excess over the truth in {applied} cases"
        yield Comparison(label=label, found=excess, expected=0.0, relation="at most", tolerance=1e-12)
        yield Comparison(
            label="cases where it says something", found=float(applied), expected=10.0, relation="at least"
        )
        yield from printed(lab)

    return measure


def _of(lab: Lab, name: str, p: list[float], n: int, printed: float) -> Comparison:
    found = getattr(lab.theory.vote_bounds(p, n), name)
    return Comparison(label=f"{name}, {p}, {n} agents", found=-1.0 if found is None else found, expected=printed)


def _theorem_1(lab: Lab) -> Iterator[Comparison]:
    yield _of(lab, "theorem1", [0.4, 0.3, 0.2, 0.1], 500, 0.014)
    yield _of(lab, "theorem1", [0.5, 0.2, 0.2, 0.1], 100, 0.221)
    yield _of(lab, "theorem1", [0.4, 0.3, 0.2, 0.1], 400, -1.0)
    yield _of(lab, "theorem1", [0.996, 0.001, 0.001, 0.001, 0.001], 5, -1.0)
    truth = lab.theory.plurality([0.4, 0.3, 0.2, 0.1], 500)
    yield Comparison(label="the truth where it says .014", found=truth, expected=0.996)
    needed = lab.theory.voters_needed([0.5, 0.3, 0.2], 0.95, by="theorem1")
    yield Comparison(label="agents for 95 %, (.5, .3, .2)", found=float(needed), expected=560.0)


def _theorem_1a(lab: Lab) -> Iterator[Comparison]:
    yield _of(lab, "theorem1a", [0.8, 0.2], 5, 1 - math.exp(-2 * 5 * 0.09))


def _l2(lab: Lab) -> Iterator[Comparison]:
    yield _of(lab, "l2", [0.5, 0.2, 0.2, 0.1], 100, 0.820)
    yield _of(lab, "l2_simple", [0.5, 0.2, 0.2, 0.1], 100, 0.716)
    needed = lab.theory.voters_needed([0.5, 0.3, 0.2], 0.95, by="l2")
    yield Comparison(label="agents for 95 %, (.5, .3, .2)", found=float(needed), expected=318.0)


def _chernoff(lab: Lab) -> Iterator[Comparison]:
    yield _of(lab, "chernoff", [0.8, 0.1, 0.05, 0.05], 5, 0.769)
    truth = lab.theory.plurality([0.8, 0.1, 0.05, 0.05], 5, ties="fail")
    yield Comparison(label="the truth there", found=truth, expected=0.952)
    needed = lab.theory.voters_needed([0.5, 0.3, 0.2], 0.95, by="chernoff")
    yield Comparison(label="agents for 95 %, (.5, .3, .2)", found=float(needed), expected=117.0)


def _condorcet(lab: Lab) -> Iterator[Comparison]:
    """Questions of Beta(2, 1.2): the exact mean over a fine grid, against an integral of binomial sums."""
    from scipy.stats import beta, betabinom

    n, a, b = 25, 2.0, 1.2
    edges = np.linspace(0, 1, 2001)
    weights = np.diff(beta.cdf(edges, a, b))
    middle = (edges[1:] + edges[:-1]) / 2
    mean = lab.theory.mean_plurality(np.column_stack([middle, 1 - middle]), n, weights=weights)
    integral = float(betabinom.sf(n // 2, n, a, b))
    yield Comparison(label="average over questions", found=mean, expected=integral, tolerance=1e-4)
    one = lab.theory.plurality([a / (a + b), b / (a + b)], n)
    label = "what one accuracy for all questions would say too much"
    yield Comparison(label=label, found=one - mean, expected=0.1, relation="at least")


def _reviewers(lab: Lab) -> Iterator[Comparison]:
    from scipy.stats import betabinom

    found = lab.theory.residual_error(1.0, [0.7, 0.7])
    yield Comparison(label="two reviewers who catch .7 leave", found=found, expected=0.09, tolerance=1e-12)
    for correlation in (0.1, 0.5):
        scale = 1 / correlation - 1
        expected = float(betabinom.pmf(3, 3, 0.3 * scale, 0.7 * scale))
        found = lab.theory.residual_error(1.0, [0.7] * 3, correlation=correlation)
        label = f"three reviewers, misses correlated {correlation:g}"
        yield Comparison(label=label, found=found, expected=expected, tolerance=1e-12)


_BOUND_TRUTH = "exact plurality with ties that fail, over random cases of 2 to 6 answers and 1 to 79 agents"

VOTING = (
    Claim(
        name="plurality",
        statement="The exact plurality probability holds for any number of agents and answers; tie rules matter (.560 against .665).",
        assumptions="independent, equal agents",
        source="multinomial law",
        truth="enumeration, printed values, simulated first rounds",
        tolerance=0.01,
        measure=_plurality,
    ),
    Claim(
        name="theorem-1",
        statement="P >= 1 - exp(-N (D / sqrt K - 1 / sqrt N)^2) where N > K / D^2; nearly empty at real sizes.",
        assumptions="independent, equal agents; margin D > 0",
        source=f"{PAPER}, theorem 1",
        truth=_BOUND_TRUTH,
        tolerance=5.1e-4,
        measure=_bounded("theorem1", _theorem_1),
    ),
    Claim(
        name="theorem-1a",
        statement="P >= 1 - exp(-2 N (p - 1/2)^2) where p > 1/2.",
        assumptions="independent, equal agents",
        source=f"{PAPER}, theorem 1.A",
        truth=_BOUND_TRUTH,
        tolerance=5.1e-4,
        measure=_bounded("theorem1a", _theorem_1a),
    ),
    Claim(
        name="bound-without-answers",
        statement="P >= 1 - exp(-N (D / sqrt 2 - sqrt((1 - sum theta^2) / N))^2) where the bracket is positive: free of K.",
        assumptions="independent, equal agents; margin D > 0",
        source=HERE,
        truth=_BOUND_TRUTH,
        tolerance=5.1e-4,
        measure=_bounded("l2", _l2),
    ),
    Claim(
        name="bound-any-size",
        statement="P >= 1 - sum_j (1 - (sqrt theta_0 - sqrt theta_j)^2)^N for every N.",
        assumptions="independent, equal agents; the target is the likeliest answer",
        source=HERE,
        truth=_BOUND_TRUTH,
        tolerance=5.1e-4,
        measure=_bounded("chernoff", _chernoff),
    ),
    Claim(
        name="spread-matters",
        statement="One accuracy for all questions misjudges the vote: average the exact probability over the questions.",
        assumptions="independent agents; questions of different difficulty",
        source="Jensen's inequality; beta-binomial integral",
        truth="beta-binomial tail",
        tolerance=1e-4,
        measure=_condorcet,
    ),
    Claim(
        name="reviewers",
        statement="k independent reviewers leave eps prod(1 - p): 9 % of eps for two that catch .7; a common cause leaves more.",
        assumptions="reviewers catch errors independently, or with beta-binomial misses",
        source="product law; beta-binomial law",
        truth="0.09, and SciPy's beta-binomial",
        tolerance=1e-12,
        measure=_reviewers,
    ),
)
