"""Sizes and powers beyond the main table: tests with a setting of their own, and the tempting tests that the package does not offer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from madsim import graphs
from madsim._core.estimate import Estimate
from madsim.fit import fit_debate, predictive_checks
from madsim.models import CorrectionLock, Follower, Sticky
from madsim.protocols import Protocol, Visibility
from madsim.simulate import Questions, draw_beliefs, simulate_questions
from madsim.transcripts import State, Votes
from madsim.verify import (
    asymptotic_sequence,
    check_against_control,
    check_replicator,
    drift_by_difficulty,
    e_process,
    equivalence,
    lone_dissenters,
)

LEVEL = 0.05
AGENTS = 5
ROUNDS = 3
DELTA = 0.03
FIT_RUNS = 10  # one run in so many of the others: fits take their time
SEED = 2509
ALONE = Protocol(rounds=ROUNDS, visibility=Visibility(graph=graphs.empty(AGENTS)))


def of_other_checks(repetitions: int) -> Iterator[dict[str, Any]]:
    """A row for each test, system and number of questions."""
    yield from _control(repetitions)
    yield from _equivalence(repetitions)
    yield from _looking(repetitions)
    yield from _replicator(repetitions)
    yield from _dissent(repetitions)
    yield from _difficulty(repetitions)
    yield from _predictive(max(2, repetitions // FIT_RUNS))


def of_naive_tests(repetitions: int) -> Iterator[dict[str, Any]]:
    """How often tests that the package does not offer reject what is true."""
    following = {"intervention": Follower(probability=1.0)}
    rows: list[tuple[str, str, int, float, float, dict[str, Any], Callable[[np.ndarray], float]]] = [
        ("change on the share that it starts from", "plain, mass 2", 30, 0.7222, 3.6, {"mass": 2.0}, _regression),
        ("change on the share that it starts from", "plain, mass 2", 300, 0.7222, 3.6, {"mass": 2.0}, _regression),
        ("change on the share that it starts from", "plain, mass 5", 30, 0.7222, 3.6, {"mass": 5.0}, _regression),
        ("change on the share that it starts from", "plain, mass 5", 300, 0.7222, 3.6, {"mass": 5.0}, _regression),
        ("agents as units", "plain, mass 2", 100, 0.7222, 3.6, {}, _by_agent),
        ("agents as units", "follower 1, symmetric", 100, 0.5, 2.0, following, _by_agent),
        ("change on x (1 - x)", "plain, mass 2", 100, 0.7222, 3.6, {"mass": 2.0}, _selection),
        ("change on x (1 - x)", "plain, mass 5", 100, 0.7222, 3.6, {"mass": 5.0}, _selection),
        ("questions sorted by their own answers", "plain, mass 2", 100, 0.7222, 3.6, {"mass": 2.0}, _own_hard),
        ("questions sorted by their own answers", "plain, mass 5", 100, 0.7222, 3.6, {"mass": 5.0}, _own_hard),
    ]
    for index, (test, system, size, accuracy, kappa, options, pvalue) in enumerate(rows):
        runs = _shares(size, repetitions, index, accuracy, kappa, **options)
        yield _row(test, system, size, [pvalue(one) < LEVEL for one in runs])


def _debates(size: int, repetitions: int, index: int, accuracy: float, kappa: float, **options: Any) -> Questions:
    beliefs = draw_beliefs(size * repetitions, accuracy=accuracy, kappa=kappa, rng=[SEED, index, size])
    options = {"n_rounds": ROUNDS, **options}
    return simulate_questions(beliefs, n_agents=AGENTS, rng=[SEED, index, size, 1], **options)


def _shares(size: int, repetitions: int, index: int, accuracy: float, kappa: float, **options: Any) -> np.ndarray:
    """Right answers: bool (run, question, round, agent)."""
    right = _debates(size, repetitions, 100 + index, accuracy, kappa, **options).votes.right
    return right.reshape(repetitions, size, *right.shape[1:])


def _part(votes: Votes, where: np.ndarray) -> Votes:
    return Votes(
        answers=votes.answers[where],
        state=votes.state[where],
        samples=tuple(votes.samples[i] for i in where),
        cluster=votes.cluster[where],
        has_target=votes.has_target[where],
        agents=votes.agents,
        early_stopping=False,
        n_answers=votes.n_answers,
    )


def _runs(votes: Votes, size: int, repetitions: int, repeats: int = 1) -> Iterator[Votes]:
    """Cut into runs of so many questions; repeats of a question lie one whole list of questions apart."""
    for number in range(repetitions):
        first = np.arange(number * size, (number + 1) * size)
        yield _part(votes, (first + size * repetitions * np.arange(repeats)[:, None]).ravel())


def _row(test: str, system: str, questions: int, rejected: list[bool], **more: Any) -> dict[str, Any]:
    share = float(np.mean(rejected))
    return {"test": test, "system": system, "questions": questions, "n": len(rejected), "rejected": share, **more}


def _control(repetitions: int) -> Iterator[dict[str, Any]]:
    size = 100
    for index, (system, options) in enumerate(
        [("plain, mass 2", {}), ("correction lock .3", {"intervention": CorrectionLock(probability=0.3)})]
    ):
        debates = _debates(size, repetitions, index, 0.7222, 3.6, **options)
        alone = simulate_questions(
            debates.beliefs, n_agents=AGENTS, n_rounds=ROUNDS, protocol=ALONE, rng=[SEED, index, size, 2]
        )
        pairs = zip(_runs(debates.votes, size, repetitions), _runs(alone.votes, size, repetitions), strict=True)
        yield _row("debate less control", system, size, [check_against_control(*pair).pvalue < LEVEL for pair in pairs])


def _equivalence(repetitions: int) -> Iterator[dict[str, Any]]:
    for index, size in enumerate((30, 50, 100, 500)):
        share = _shares(size, repetitions, 10 + index, 0.7222, 3.6).mean(axis=3)
        found = []
        for run in share[:, :, -1] - share[:, :, 0] + DELTA:
            drift = Estimate.of_mean(float(run.sum()), float(run @ run), size)
            found.append(equivalence(drift, delta=DELTA, level=LEVEL).holds)
        yield _row("equivalence within .03", "plain, mass 2, moved by .03", size, found)


def _looking(repetitions: int) -> Iterator[dict[str, Any]]:
    """Looking after every question, up to 300."""
    size, system = 300, "plain, mass 2"
    share = _shares(size, repetitions, 20, 0.7222, 3.6).mean(axis=3)
    n = np.arange(1, size + 1)
    tests: dict[str, list[bool]] = {"t-test after every question": [], "bets": [], "asymptotic sequence, from 30": []}
    for change in share[:, :, -1] - share[:, :, 0]:
        mean = np.cumsum(change) / n
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt((np.cumsum(change**2) / n - mean**2) * n / (n - 1) / n)
            statistic = np.abs(mean / spread)
        tests["t-test after every question"].append(bool((statistic[9:] > stdtrit(n[9:] - 1, 1 - LEVEL / 2)).any()))
        tests["bets"].append(e_process(change, level=LEVEL).rejected_at is not None)
        sequence = asymptotic_sequence(change, level=LEVEL)
        tests["asymptotic sequence, from 30"].append(any(one.low > 0 or one.high < 0 for one in sequence))
    for name, rejected in tests.items():
        yield _row(name, system, size, rejected)


def _voters(rng: np.random.Generator, size: int, exponent: float, selection: float) -> Votes:
    """Agents that copy with chance .7 the answer of the last round by its share to a power, right ones preferred."""
    right = np.empty((size, ROUNDS + 1, AGENTS), bool)
    right[:, 0] = rng.random((size, AGENTS)) < rng.beta(2.6, 1.0, size)[:, None]
    for t in range(ROUNDS):
        share = right[:, t].mean(axis=1, keepdims=True)
        up, down = math.exp(selection) * share**exponent, (1 - share) ** exponent
        copied = rng.random((size, AGENTS)) < up / (up + down)
        right[:, t + 1] = np.where(rng.random((size, AGENTS)) < 0.7, copied, right[:, t])
    return Votes(
        answers=np.where(right, 0, 1).astype(np.int32),
        state=np.full(right.shape, State.ANSWERED, np.int8),
        samples=tuple(map(str, range(size))),
        cluster=np.arange(size),
        has_target=np.ones(size, bool),
        agents=tuple(f"agent {number}" for number in range(AGENTS)),
        early_stopping=False,
        n_answers=2,
    )


def _replicator(repetitions: int) -> Iterator[dict[str, Any]]:
    size = 100
    for index, (system, exponent, selection) in enumerate(
        [("neutral voters", 1.0, 0.0), ("selection .4", 1.0, 0.4), ("exponent 1.5", 1.5, 0.0)]
    ):
        rng = np.random.default_rng([SEED, 30, index])
        found: dict[str, list[bool]] = {"imitation: exponent": [], "imitation: selection": []}
        for _ in range(repetitions):
            report = check_replicator(_voters(rng, size, exponent, selection), level=LEVEL)
            for name, pvalue in zip(found, (report.exponent_pvalue, report.selection_pvalue), strict=True):
                found[name].append(pvalue is not None and pvalue < LEVEL)
        for name, rejected in found.items():
            yield _row(name, system, size, rejected)


def _dissent(repetitions: int) -> Iterator[dict[str, Any]]:
    size = 200
    for index, (system, options) in enumerate(
        [("plain, symmetric", {}), ("correction lock .3, symmetric", {"intervention": CorrectionLock(probability=0.3)})]
    ):
        votes = _debates(size, repetitions, 40 + index, 0.5, 2.0, **options).votes
        found = []
        for run in _runs(votes, size, repetitions):
            gap = lone_dissenters(run).asymmetry
            found.append(
                gap is not None and gap.standard_error is not None and abs(gap.value) > 1.96 * gap.standard_error
            )
        yield _row("lone dissenters: right peers against wrong", system, size, found)


def _difficulty(repetitions: int) -> Iterator[dict[str, Any]]:
    """The drift of each bin of difficulty against 0, over bins with at least ten debates."""
    size, repeats = 100, 3
    for index, (system, options) in enumerate(
        [("plain, mass 2", {}), ("correction lock .3", {"intervention": CorrectionLock(probability=0.3)})]
    ):
        votes = _debates(size, repetitions, 50 + index, 0.7222, 3.6, repeats=repeats, **options).votes
        found: list[bool] = []
        for run in _runs(votes, size, repetitions, repeats):
            found.extend(_beyond(one.drift) for one in drift_by_difficulty(run) if one.drift and one.n_debates >= 10)
        yield _row("drift by difficulty, each bin", system, size, found)


def _beyond(drift: Estimate) -> bool:
    error = drift.standard_error
    return error is not None and abs(drift.value) > stdtrit(drift.n - 1, 1 - LEVEL / 2) * error


def _predictive(repetitions: int) -> Iterator[dict[str, Any]]:
    size = 200
    names = ("disagreement in round 3", "unanimous in the last round", "same as the own last answer")
    systems: list[tuple[str, dict[str, Any]]] = [
        ("plain, mass 2", {}),
        ("sticky .8", {"intervention": Sticky(probability=0.8)}),
        ("follower .3", {"intervention": Follower(probability=0.3)}),
    ]
    for index, (system, options) in enumerate(systems):
        votes = _debates(size, repetitions, 60 + index, 0.7222, 3.6, **options).votes
        found: dict[str, list[bool]] = {name: [] for name in names}
        for number, run in enumerate(_runs(votes, size, repetitions)):
            checks = predictive_checks(run, fit_debate(run, profile=False), rng=number)
            for one in checks:
                if one.name in found:
                    found[one.name].append(one.pvalue < LEVEL)
        for name, rejected in found.items():
            yield _row(f"predictive: {name}", system, size, rejected)


def _slope_pvalue(x: np.ndarray, y: np.ndarray) -> float:
    """Of the slope of y on x, both (question, round); residuals of a question go together."""
    x, y = x - x.mean(), y - y.mean()
    slope = (x * y).sum() / (x * x).sum()
    parts = (x * (y - slope * x)).sum(axis=1)
    error = math.sqrt(parts @ parts * len(x) / (len(x) - 1)) / (x * x).sum()
    return float(2 * stdtr(len(x) - 1, -abs(slope) / error))


def _mean_pvalue(values: np.ndarray) -> float:
    spread = values.std(ddof=1) / math.sqrt(len(values))
    return 1.0 if spread == 0 else float(2 * stdtr(len(values) - 1, -abs(values.mean()) / spread))


def _regression(right: np.ndarray) -> float:
    share = right.mean(axis=2)
    return _slope_pvalue(share[:, :-1], np.diff(share, axis=1))


def _by_agent(right: np.ndarray) -> float:
    return _mean_pvalue((right[:, -1].astype(float) - right[:, 0]).ravel())


def _selection(right: np.ndarray) -> float:
    share = right.mean(axis=2)
    return _slope_pvalue(share[:, :-1] * (1 - share[:, :-1]), np.diff(share, axis=1))


def _own_hard(right: np.ndarray) -> float:
    """The drift of the questions that most agents got wrong at first."""
    share = right.mean(axis=2)
    return _mean_pvalue((share[:, -1] - share[:, 0])[share[:, 0] < 0.5])
