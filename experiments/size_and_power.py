"""How often each check rejects: what is true (size), and what is broken (power), by number of questions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from madsim import graphs
from madsim._core.canonical import to_jsonable
from madsim._core.provenance import provenance
from madsim.models import CorrectionLock, Follower, Oracle, Sticky, Temperature
from madsim.protocols import Convergence, Protocol, Visibility
from madsim.simulate import Questions, draw_beliefs, simulate_questions
from madsim.transcripts import Votes
from madsim.verify import check

REPETITIONS = 2000
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


def main(out: Path, repetitions: int = REPETITIONS) -> None:
    """Write OUT/size_and_power.json and OUT/size_and_power.md."""
    found = []
    for index, (name, accuracy, kappa, mass, sizes, options) in enumerate(ROWS):
        for size in sizes:
            beliefs = draw_beliefs(size * repetitions, accuracy=accuracy, kappa=kappa, rng=[SEED, index, size])
            more = {"n_rounds": ROUNDS, **options}
            debates = simulate_questions(
                beliefs, mass=mass, n_agents=AGENTS, held_out=HELD_OUT, rng=[SEED, index, size, 1], **more
            )
            found.append(
                {"system": name, "questions": size, **rates(debates, size, blind=name.startswith(("ring", "stops")))}
            )
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    out.mkdir(parents=True, exist_ok=True)
    settings = {"repetitions": repetitions, "agents": AGENTS, "rounds": ROUNDS, "held_out": HELD_OUT, "level": LEVEL}
    origin = provenance("experiments/size_and_power.py", settings, seed=str(SEED), packages=("numpy", "scipy", "numba"))
    text = json.dumps(to_jsonable({"rows": found, "provenance": origin.to_dict()}), indent=1)
    (out / "size_and_power.json").write_text(text + "\n", encoding="utf-8")
    (out / "size_and_power.md").write_text(table(found), encoding="utf-8")


def rates(debates: Questions, size: int, *, blind: bool) -> dict[str, Any]:
    """Share of runs in which each test rejects at the level, and in which each verdict is given."""
    runs = len(debates.beliefs) // size
    rejected: dict[str, int] = dict.fromkeys(TESTS, 0)
    made: dict[str, int] = dict.fromkeys(TESTS, 0)
    verdicts: dict[str, int] = {}
    for votes, held in _runs(debates, size, runs, blind=blind):
        report = check(
            votes, held_out=held, level=LEVEL, early_stopping=False if blind and votes.early_stopping else None
        )
        bets = check(
            votes, anytime=True, level=LEVEL, early_stopping=False if blind and votes.early_stopping else None
        ).anytime
        verdicts[report.verdict] = verdicts.get(report.verdict, 0) + 1
        for one in report.tests:
            made[one.name] += 1
            rejected[one.name] += one.pvalue < LEVEL
        if bets is not None:
            made["e-process"] += 1
            rejected["e-process"] += bets.rejected_at is not None
    shares = {name: rejected[name] / made[name] if made[name] else None for name in TESTS}
    return {"tests": shares, "verdicts": {name: count / runs for name, count in sorted(verdicts.items())}}


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


def table(rows: list[dict[str, Any]]) -> str:
    """The rates in Markdown."""
    head = ["system", "questions", *TESTS, "drift verdicts", "equivalent"]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in rows:
        cells = [row["system"], str(row["questions"])]
        cells += ["" if row["tests"][name] is None else f"{row['tests'][name]:.3f}" for name in TESTS]
        cells += [f"{row['verdicts'].get(name, 0.0):.3f}" for name in ("drift", "equivalent")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(f"usage: python {sys.argv[0]} OUT [REPETITIONS]")
    main(Path(sys.argv[1]), *(int(text) for text in sys.argv[2:]))
