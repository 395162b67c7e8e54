"""Whether fits recover what was simulated and forecasts hold the truth as often as they say, over many pilots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from madsim.fit import fit_debate
from madsim.planning import forecast
from madsim.theory import plurality
from madsim.transcripts import Votes, vote_by_round

AGENTS = 5
ROUNDS = 3
QUESTIONS = 100  # of a pilot of debates
SEED = 4711
BIG = 60_000  # questions, five times, that stand for the truth of a debate
Law = Callable[[np.random.Generator, int], np.ndarray]


def beta(a: float, b: float) -> Law:
    """Difficulties from a Beta law."""
    return lambda rng, n: np.clip(rng.beta(a, b, n), 1e-9, 1 - 1e-9)


def two_points(low: float, high: float) -> Law:
    """Half of the questions with one chance, half with the other."""
    return lambda rng, n: rng.permutation(np.where(np.arange(n) % 2 == 0, low, high))


VOTES: dict[str, Law] = {
    "Beta(2.6, 1)": beta(2.6, 1.0),
    "Beta(.6, .23)": beta(0.6, 0.23),
    "half .9, half .4": two_points(0.4, 0.9),
    "half .55, half .95": two_points(0.55, 0.95),
}
# difficulty, mass, conformity, correction, chance to follow the last majority
DEBATES: dict[str, tuple[Law, float, float, float, float]] = {
    "plain, mass 2": (beta(2.6, 1.0), 2.0, 1.0, 0.0, 0.0),
    "correction .3": (beta(2.6, 1.0), 2.0, 1.0, 0.3, 0.0),
    "correction -.3": (beta(2.6, 1.0), 2.0, 1.0, -0.3, 0.0),
    "conformity 1.5": (beta(2.6, 1.0), 2.0, 1.5, 0.0, 0.0),
    "follower .3": (beta(2.6, 1.0), 2.0, 1.0, 0.0, 0.3),
    "half .9, half .4": (two_points(0.4, 0.9), 2.0, 1.0, 0.0, 0.0),
}

# name, difficulty, law of difficulty in the fit, mass, conformity, correction, questions
FITS: list[tuple[str, Law, Literal["beta", "free"], float, float, float, int]] = [
    ("plain, Beta(2.6, 1)", beta(2.6, 1.0), "beta", 2.0, 1.0, 0.0, 200),
    ("plain, Beta(2.6, 1)", beta(2.6, 1.0), "beta", 2.0, 1.0, 0.0, 50),
    ("plain, half .9, half .4", two_points(0.4, 0.9), "beta", 2.0, 1.0, 0.0, 200),
    ("plain, half .9, half .4", two_points(0.4, 0.9), "free", 2.0, 1.0, 0.0, 200),
    ("conformity 1.5", beta(2.6, 1.0), "beta", 2.0, 1.5, 0.0, 200),
    ("correction .3", beta(2.6, 1.0), "beta", 2.0, 1.0, 0.3, 200),
]


def debates(
    rng: np.random.Generator, n: int, law: Law, mass: float, gamma: float, delta: float, follow: float
) -> Votes:
    """Debates of agents alike that hear everybody, right or wrong; written apart from the package's own simulators."""
    p = law(rng, n)[:, None]
    right = np.empty((n, ROUNDS + 1, AGENTS), bool)
    right[:, 0] = rng.random((n, AGENTS)) < p
    for t in range(1, ROUNDS + 1):
        heard = right[:, :t].sum(axis=(1, 2))[:, None]
        belief = (mass * p + heard) / (mass + t * AGENTS)
        chance = 1 / (1 + np.exp(-(gamma * np.log(belief / (1 - belief)) + delta)))
        drawn = rng.random((n, AGENTS)) < chance
        majority = right[:, t - 1].sum(axis=1) * 2 > AGENTS
        right[:, t] = np.where(rng.random((n, AGENTS)) < follow, majority[:, None], drawn)
    return Votes(
        answers=np.where(right, 0, 1).astype(np.int32),
        state=np.zeros(right.shape, np.int8),
        samples=tuple(map(str, range(n))),
        cluster=np.arange(n),
        has_target=np.ones(n, bool),
        agents=tuple(f"agent {number}" for number in range(AGENTS)),
        early_stopping=False,
        n_answers=2,
    )


def of_votes(pilots: int) -> Iterator[dict[str, Any]]:
    """maj@25 from pilots of round 0: a row for each law of difficulty and size of pilot."""
    for index, (name, law) in enumerate(VOTES.items()):
        for questions in (30, 100):
            rng = np.random.default_rng([SEED, 1, index, questions])
            truth = float(np.mean([plurality([p, 1 - p], 25) for p in law(rng, 20_000)]))
            ranks, inside, within = [], 0, 0
            for _ in range(pilots):
                votes = _first(debates(rng, questions, law, 2.0, 1.0, 0.0, 0.0))
                found = forecast(votes, ["vote:25"], rng=rng).options[0]
                inside += found.interval.low <= truth <= found.interval.high
                within += found.bounds is not None and found.bounds.low <= truth <= found.bounds.high
                ranks.append(float((found.draws < truth).mean()))
            yield {
                "law": name, "questions": questions, "n": pilots, "truth": truth, "coverage": inside / pilots,
                "bounds": within / pilots, "ranks": ranks,
            }  # fmt: skip


def of_debates(pilots: int) -> Iterator[dict[str, Any]]:
    """The vote of the last round from pilots of whole debates: a row for each system."""
    for index, (name, system) in enumerate(DEBATES.items()):
        rng = np.random.default_rng([SEED, 2, index])
        by_round = [vote_by_round(debates(rng, BIG, *system)) for _ in range(5)]
        first, truth = (float(np.mean([one[t].value for one in by_round])) for t in (0, -1))
        ranks, inside, decided = [], 0, 0
        for _ in range(pilots):
            report = forecast(debates(rng, QUESTIONS, *system), [f"debate:{AGENTS}x{ROUNDS}"], rng=rng)
            found = report.options[0]
            inside += found.interval.low <= truth <= found.interval.high
            decided += report.verdict != "undecided"
            ranks.append(float((found.draws < truth).mean()))
        yield {
            "system": name, "questions": QUESTIONS, "n": pilots, "truth": truth, "change": truth - first,
            "coverage": inside / pilots, "decided": decided / pilots, "ranks": ranks,
        }  # fmt: skip


def of_fits(pilots: int) -> Iterator[dict[str, Any]]:
    """Recovery of mass, conformity and correction, and how often the plain model is refuted: a row for each fit."""
    for index, (name, law, mixing, mass, gamma, delta, questions) in enumerate(FITS):
        rng = np.random.default_rng([SEED, 3, index])
        truths = {"mass": mass, "conformity": gamma, "correction": delta}
        errors: dict[str, list[float]] = {one: [] for one in truths}
        covered, refuted = dict.fromkeys(truths, 0), 0
        for _ in range(pilots):
            fit = fit_debate(debates(rng, questions, law, mass, gamma, delta, 0.0), mixing=mixing)
            refuted += fit.lr_test.pvalue < 0.05
            for one, true in truths.items():
                found = getattr(fit, one)
                at = [max(value, 1e-2) for value in (found.value, true)] if one != "correction" else [found.value, true]
                errors[one].append(float(np.log(at[0] / at[1]) if one != "correction" else at[0] - at[1]))
                covered[one] += found.interval is not None and found.interval.low <= true <= found.interval.high
        yield {
            "system": name, "mixing": mixing, "questions": questions, "n": pilots,
            "rmse": {one: float(np.sqrt(np.mean(np.square(np.clip(error, -5, 5))))) for one, error in errors.items()},
            "coverage": {one: count / pilots for one, count in covered.items()},
            "refuted": refuted / pilots,
        }  # fmt: skip


def _first(votes: Votes) -> Votes:
    return replace(votes, answers=votes.answers[:, :1], state=votes.state[:, :1])
