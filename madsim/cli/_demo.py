"""``madsim demo``: the main job from end to end on embedded data, without a network."""

from __future__ import annotations

import argparse
from importlib.resources import as_file, files
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from madsim.cli._output import add_command, emit, note, table
from madsim.cli._tour import told, tour

if TYPE_CHECKING:
    from madsim.simulate import DebateResult
    from madsim.tasks import Sample
    from madsim.transcripts import Run, Votes
    from madsim.verify import CheckReport

_FILES = ("simulated.npz", "debate.jsonl", "report.html")
_SEED = 20261201
_TRIALS = 1000
_QUESTIONS = 120
_AGENTS = 5
_ROUNDS = 3
_BELIEF = 0.7
_PILOT = "engine with simulated models"
_OPTIONS = ("vote:5", "vote:25", "debate:5x2")


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands, "demo", _demo, help="simulate, debate, check and report on embedded data, without a network"
    )
    parser.add_argument(
        "--out", metavar="DIR", default="madsim-demo", help="folder for the files of the demo (default madsim-demo)"
    )


def _demo(arguments: argparse.Namespace) -> int:
    from madsim.planning import forecast
    from madsim.report import write_report
    from madsim.transcripts import Run, votes_of
    from madsim.verify import check

    folder = _folder(arguments.out)
    note("1 of 5: simulating a population")
    simulated = _simulate(folder)
    note("2 of 5: running the debate engine with simulated models")
    runs: dict[str, Run | DebateResult] = {
        "simulated population": simulated,
        _PILOT: _debate(folder),
    }
    runs |= _embedded()
    note("3 of 5: checking")
    votes = {name: votes_of(one) if isinstance(one, Run) else _kept(one) for name, one in runs.items()}
    reports = {name: check(one, null="belief") for name, one in votes.items()}
    note("4 of 5: forecasting")
    forecasted = forecast(votes[_PILOT], _OPTIONS)
    note("5 of 5: writing the report")
    page = write_report(runs, folder / _FILES[2], title="madsim demo")
    payload = {
        "report": str(page),
        "folder": str(folder),
        "runs": [_row(name, votes[name], report) for name, report in reports.items()],
        "forecast": forecasted.to_dict(),
    }
    steps = tour(simulated, payload["runs"], payload["forecast"], folder, _FILES)
    payload["tour"] = [step._asdict() for step in steps]
    emit(arguments, payload, lambda: f"{_text(payload)}\n\n{told(steps)}")
    return 0


def _folder(name: str) -> Path:
    """The folder, new or cleared of an earlier demo's files; one that holds anything else is left alone."""
    folder = Path(name)
    if folder.exists():
        others = [] if not folder.is_dir() else sorted(one.name for one in folder.iterdir() if one.name not in _FILES)
        if not folder.is_dir() or others:
            found = f"holds {others[0]}" if others else "is a file"
            raise ValueError(f"--out {name}: {found}, which is not of an earlier demo; name another folder")
        for one in _FILES:
            (folder / one).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _simulate(folder: Path) -> DebateResult:
    from madsim.models import DebateModel
    from madsim.simulate import simulate_debate

    model = DebateModel.homogeneous(n_agents=_AGENTS, belief=_BELIEF)
    result = simulate_debate(model, n_trials=_TRIALS, n_rounds=_ROUNDS, rng=_SEED, keep="votes")
    result.save(folder / _FILES[0])
    return result


def _kept(result: DebateResult) -> Votes:
    assert result.votes is not None
    return result.votes


def _debate(folder: Path) -> Run:
    from madsim.llm import SimulatedModel, identical, run_debates
    from madsim.models import DebateModel
    from madsim.protocols import Protocol

    model = SimulatedModel(DebateModel.homogeneous(n_agents=_AGENTS, belief=_BELIEF), rng=_SEED)
    panel = identical(model, _AGENTS)
    return run_debates(Protocol(rounds=_ROUNDS), panel, _questions(), record=folder / _FILES[1], rng=_SEED)


def _questions() -> list[Sample]:
    from madsim.tasks import Sample

    random = Random(_SEED)
    samples = []
    for number in range(_QUESTIONS):
        a, b, c = (random.randint(2, 99) for _ in range(3))
        question = f"What is {a} + {b} * {c}?"
        samples.append(Sample(id=f"sum-{number}", question=question, target=str(a + b * c), answer_type="number"))
    return samples


def _embedded() -> dict[str, Run]:
    """The records that come with the package."""
    from madsim.transcripts import read_run

    found: dict[str, Run] = {}
    folder = files("madsim") / "data"
    if not folder.is_dir():
        return found
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".jsonl"):
            with as_file(entry) as path:
                found[entry.name.removesuffix(".jsonl").replace("_", " ")] = read_run(path)
    return found


def _row(name: str, votes: Votes, report: CheckReport) -> dict[str, Any]:
    from madsim.transcripts import accuracy_by_round, vote_by_round

    return {
        "name": name,
        "questions": votes.n_samples,
        "agents": votes.n_agents,
        "rounds": votes.n_rounds,
        "accuracy": [one.value for one in accuracy_by_round(votes)],
        "vote": [one.value for one in vote_by_round(votes)],
        "verdict": report.verdict,
        "check": report.to_dict(),
    }


def _text(payload: dict[str, Any]) -> str:
    rows = [
        [
            row["name"],
            row["questions"],
            f"{row['accuracy'][0]:.3f} -> {row['accuracy'][-1]:.3f}",
            f"{row['vote'][0]:.3f} -> {row['vote'][-1]:.3f}",
            row["verdict"],
        ]
        for row in payload["runs"]
    ]
    shown = table(["run", "questions", "accuracy", "vote", "verdict"], rows)
    plan = payload["forecast"]
    options = [[one["option"], one["accuracy"], one["tokens"], one["equal_cost_vote"]] for one in plan["options"]]
    ahead = table(["forecast from the engine's run", "accuracy", "tokens a question", "vote of equal cost"], options)
    return "\n".join([shown, "", ahead])
