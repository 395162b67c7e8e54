"""What the demo says of its steps: what was done, what came out, and the command that goes on from there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from madsim.simulate import DebateResult


class Step(NamedTuple):
    """One step of the tour."""

    done: str
    found: str
    next: str


def tour(
    simulated: DebateResult,
    rows: Sequence[dict[str, Any]],
    forecast: dict[str, Any],
    folder: Path,
    files: Sequence[str],
) -> list[Step]:
    """The steps of the demo, in order; `files` are the simulation, the record and the report in `folder`."""
    from madsim.theory import vote_by_round

    exact = vote_by_round(simulated.model, simulated.n_rounds, ties="random")
    simulation, record, page = (quote(str(folder / name)) for name in files)
    own, real = rows[0], rows[1:]
    return [
        Step(
            done=f"Simulated {simulated.n_trials} debates of {simulated.model.n_agents} agents, {simulated.n_rounds} rounds each.",
            found=f"The vote went from {own['vote'][0]:.3f} to {own['vote'][-1]:.3f}; exactly, it goes from {exact[0]:.3f} to "
            f"{exact[-1]:.3f}. Beliefs stay where they were.",
            next=f"madsim reproduce {simulation}",
        ),
        Step(
            done=f"Ran the same protocol through the engine, with simulated models on {real[0]['questions']} questions.",
            found=f"Every prompt and reply is in {record}; a killed run goes on from such a record.",
            next=f"madsim transcripts show {record} --sample sum-0",
        ),
        Step(
            done="Checked all runs, with the record of a small real model among them: did answers move by more than chance?",
            found="; ".join(f"{row['name']}: {row['verdict']}" for row in rows) + ".",
            next=f"madsim check {record}",
        ),
        Step(
            done="Forecast votes and debates from the engine's run: which is the better buy?",
            found=f"{forecast['verdict']}. {forecast['reason']}",
            next=f"madsim forecast {record} --option vote:9 --option debate:5x1 --price-in 0.15 --price-out 0.6",
        ),
        Step(
            done="Wrote all of it on one page that opens without a network.",
            found=f"report: {page}",
            next=f"madsim report {record} --out {quote(str(folder.parent / 'one-run.html'))}",
        ),
    ]


def told(steps: Sequence[Step]) -> str:
    """The tour as text."""
    lines = []
    for number, step in enumerate(steps, start=1):
        lines += [f"{number}. {step.done}", f"   {step.found}", f"   next: {step.next}", ""]
    return "\n".join(
        [*lines, "With answers of your own (columns sample, round, agent, answer, target): madsim check YOUR.csv"]
    )
