"""Whether fits recover what was simulated and forecasts hold the truth as often as they say, over many pilots."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from madsim._core.canonical import to_jsonable
from madsim._core.provenance import provenance
from madsim.fit import fit_debate
from madsim.planning import forecast, right_counts, vote_bounds_from_pilot, wrong_split
from madsim.theory import plurality
from madsim.transcripts import Votes, vote_by_round

PILOTS = 200
AGENTS = 5
ROUNDS = 3
SEED = 4711
BIG = 60_000  # questions that stand for the truth of a debate
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


def of_votes(pilots: int) -> list[dict[str, Any]]:
    """maj@25 from pilots of round 0."""
    rows = []
    for index, (name, law) in enumerate(VOTES.items()):
        rng = np.random.default_rng([SEED, 1, index])
        truth = float(np.mean([plurality([p, 1 - p], 25) for p in law(rng, 20_000)]))
        for questions in (30, 100):
            inside = within = 0
            for _ in range(pilots):
                votes = debates(rng, questions, law, 2.0, 1.0, 0.0, 0.0)
                low, high = forecast(_first(votes), ["vote:25"], rng=rng).options[0].interval
                bounds = vote_bounds_from_pilot(right_counts(votes), wrong_split(votes), 25)
                inside += low <= truth <= high
                within += bounds.low <= truth <= bounds.high
            rows.append(
                _row(law=name, questions=questions, truth=truth, coverage=inside / pilots, bounds=within / pilots)
            )
    return rows


def of_debates(pilots: int) -> list[dict[str, Any]]:
    """The vote of the last round from pilots of whole debates."""
    rows = []
    for index, (name, system) in enumerate(DEBATES.items()):
        rng = np.random.default_rng([SEED, 2, index])
        truth = vote_by_round(debates(rng, BIG, *system))
        change = truth[-1].value - truth[0].value
        for questions in (100,):
            inside = decided = 0
            for _ in range(pilots):
                report = forecast(debates(rng, questions, *system), [f"debate:{AGENTS}x{ROUNDS}"], rng=rng)
                low, high = report.options[0].interval
                inside += low <= truth[-1].value <= high
                decided += report.verdict != "undecided"
            row = {"truth": truth[-1].value, "change": change, "coverage": inside / pilots, "decided": decided / pilots}
            rows.append(_row(system=name, questions=questions, **row))
    return rows


def of_fits(pilots: int) -> list[dict[str, Any]]:
    """Recovery of mass, conformity and correction."""
    rows = []
    truths = {"mass": 2.0, "conformity": 1.0, "correction": 0.0}
    for name, law, mixing in (
        ("Beta(2.6, 1)", beta(2.6, 1.0), "beta"),
        ("half .9, half .4", two_points(0.4, 0.9), "beta"),
        ("half .9, half .4", two_points(0.4, 0.9), "free"),
    ):
        rng = np.random.default_rng([SEED, 3, len(rows)])
        errors: dict[str, list[float]] = {one: [] for one in truths}
        covered, refuted = dict.fromkeys(truths, 0), 0
        for _ in range(pilots):
            fit = fit_debate(debates(rng, 200, law, 2.0, 1.0, 0.0, 0.0), mixing=mixing)  # type: ignore[arg-type]
            refuted += fit.lr_test.pvalue < 0.05
            for one, true in truths.items():
                found = getattr(fit, one)
                at = [max(value, 1e-2) for value in (found.value, true)] if one != "correction" else [found.value, true]
                errors[one].append(float(np.log(at[0] / at[1]) if one != "correction" else at[0] - at[1]))
                covered[one] += found.interval is not None and found.interval.low <= true <= found.interval.high
        rmse = {
            f"rmse of {one}": float(np.sqrt(np.mean(np.square(np.clip(found, -5, 5))))) for one, found in errors.items()
        }
        coverage = {f"coverage of {one}": count / pilots for one, count in covered.items()}
        rows.append(_row(law=name, mixing=mixing, **rmse, **coverage, refuted=refuted / pilots))
    return rows


def _first(votes: Votes) -> Votes:
    from dataclasses import replace

    return replace(votes, answers=votes.answers[:, :1], state=votes.state[:, :1])


def _row(**cells: Any) -> dict[str, Any]:
    print(json.dumps(cells), file=sys.stderr, flush=True)
    return cells


def main(out: Path, pilots: int = PILOTS) -> None:
    """Write OUT/coverage_of_forecasts.json."""
    numbers = {"votes": of_votes(pilots), "debates": of_debates(pilots), "fits": of_fits(pilots)}
    settings = {"pilots": pilots, "agents": AGENTS, "rounds": ROUNDS}
    origin = provenance(
        "experiments/coverage_of_forecasts.py", settings, seed=str(SEED), packages=("numpy", "scipy", "jax")
    )
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(to_jsonable({"numbers": numbers, "provenance": origin.to_dict()}), indent=1)
    (out / "coverage_of_forecasts.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(f"usage: python {sys.argv[0]} OUT [PILOTS]")
    main(Path(sys.argv[1]), *(int(text) for text in sys.argv[2:]))
