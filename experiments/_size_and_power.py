"""How often each check rejects: what is true (size), and what is broken (power), by number of questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from madsim import graphs
from madsim.models import CorrectionLock, Follower, Oracle, Sticky, Temperature
from madsim.protocols import Convergence, Protocol, Visibility
from madsim.simulate import Questions, draw_beliefs, simulate_questions
from madsim.transcripts import Votes
from madsim.verify import check, e_process

AGENTS = 5
ROUNDS = 3
HELD_OUT = 5
LEVEL = 0.05
SEED = 2508
RING = Protocol(rounds=ROUNDS, visibility=Visibility(graph=graphs.ring(AGENTS)))
STOPPING = Protocol(rounds=ROUNDS, convergence=Convergence())
# name, accuracy, kappa, mass, numbers of questions, further options
ROWS: list[tuple[str, float, float, float, tuple[int, ...], dict[str, Any]]] = [
    ("null: plain, mass 5", 0.7222, 3.6, 5.0, (30, 100, 300), {}),
    ("null: plain, mass 2", 0.7222, 3.6, 2.0, (50, 200), {}),
    ("null: accuracy .95, mass 2", 0.95, 3.6, 2.0, (30, 300), {}),
    ("null: ring, mass 2", 0.7222, 3.6, 2.0, (30, 300), {"protocol": RING}),
    ("stops at agreement, mass 2", 0.7222, 3.6, 2.0, (100,), {"protocol": STOPPING}),
    ("correction lock .1", 0.7222, 3.6, 2.0, (300,), {"intervention": CorrectionLock(probability=0.1)}),
    ("oracle lock", 0.7222, 3.6, 2.0, (30,), {"intervention": Oracle()}),
    ("follower .3, symmetric", 0.5, 2.0, 2.0, (100, 300), {"intervention": Follower(probability=0.3)}),
    ("sharpen 1.5, symmetric", 0.5, 2.0, 2.0, (30, 100), {"response": Temperature(temperature=1 / 1.5, from_round=1)}),
    ("ring taken for complete, mass 2", 0.7222, 3.6, 2.0, (50, 200), {"protocol": RING}),
    ("sticky .8", 0.7222, 3.6, 2.0, (50, 200), {"intervention": Sticky(probability=0.8)}),
]
TESTS = (
    "drift", "drift-sign-flip", "e-process", "lag-moment", "held-out-moment", "held-out-plurality", "common-belief",
    "disagreement-floor", "vote-ceiling",
)  # fmt: skip


def of_checks(repetitions: int) -> Iterator[dict[str, Any]]:
    """A row for each system and number of questions."""
    for index, (name, _, _, _, sizes, _) in enumerate(ROWS):
        for size in sizes:
            yield {"system": name, "questions": size, "n": repetitions, **rates(index, size, repetitions)}


def rates(index: int, size: int, repetitions: int) -> dict[str, Any]:
    """Share of runs in which each test rejects at the level, and in which each verdict is given."""
    name, accuracy, kappa, mass, _, options = ROWS[index]
    beliefs = draw_beliefs(size * repetitions, accuracy=accuracy, kappa=kappa, rng=[SEED, index, size])
    debates = simulate_questions(
        beliefs,
        mass=mass,
        n_agents=AGENTS,
        held_out=HELD_OUT,
        rng=[SEED, index, size, 1],
        **{"n_rounds": ROUNDS, **options},
    )
    blind = name.startswith(("ring", "stops"))
    rejected: dict[str, int] = dict.fromkeys(TESTS, 0)
    made: dict[str, int] = dict.fromkeys(TESTS, 0)
    verdicts: dict[str, int] = {}
    for votes, held in _runs(debates, size, repetitions, blind=blind):
        report = check(
            votes, held_out=held, level=LEVEL, early_stopping=False if blind and votes.early_stopping else None
        )
        verdicts[report.verdict] = verdicts.get(report.verdict, 0) + 1
        right = votes.right.mean(axis=2)
        bets = e_process(right[:, -1] - right[:, 0], level=LEVEL)
        for test, found in [(one.name, one.pvalue < LEVEL) for one in report.tests] + [
            ("e-process", bets.rejected_at is not None)
        ]:
            made[test] += 1
            rejected[test] += found
    shares = {test: rejected[test] / made[test] if made[test] else None for test in TESTS}
    return {"tests": shares, "verdicts": {verdict: n / repetitions for verdict, n in sorted(verdicts.items())}}


def _runs(debates: Questions, size: int, runs: int, *, blind: bool) -> Iterator[tuple[Votes, np.ndarray]]:
    """The debates cut into runs; with `blind` nothing is recorded of the protocol, and debates that ended are filled up."""
    from madsim.transcripts import carry_forward

    votes = carry_forward(debates.votes) if blind else debates.votes
    for number in range(runs):
        part = slice(number * size, (number + 1) * size)
        yield (
            replace(
                votes,
                answers=votes.answers[part],
                state=votes.state[part],
                samples=votes.samples[part],
                cluster=votes.cluster[part],
                has_target=votes.has_target[part],
                protocol=None if blind else votes.protocol,
            ),
            debates.held_out[part],
        )
