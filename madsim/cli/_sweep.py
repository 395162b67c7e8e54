"""Where simulations run, and one command for many models: ``--executor``, ``--partial`` and ``--sweep``."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from madsim.cli._model_options import debate_model
from madsim.cli._output import Progress, emit, table

if TYPE_CHECKING:
    from madsim.simulate import DebateResult, SharesResult, Sweep, SweepResult

AXES: dict[str, Callable[[str], Any]] = {
    "agents": int,
    "answers": int,
    "belief": float,
    "mass": float,
    "rounds": int,
    "graph": str,
    "ties": str,
}
"""Options of a debate that ``--sweep`` can run over, and how their values are read."""


def executor_options() -> argparse.ArgumentParser:
    """Where the trials are simulated."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--executor",
        default="threads",
        metavar="WHERE",
        help="threads (default), processes, or dask://HOST:PORT; the result does not depend on it",
    )
    options.add_argument(
        "--partial",
        metavar="FOLDER",
        help="keep finished blocks of trials in this folder; the same command goes on from them after it was killed",
    )
    options.add_argument(
        "--threads", type=int, metavar="N", help="threads, or processes (default: one for every processor)"
    )
    return options


def sweep_option() -> argparse.ArgumentParser:
    """The axes of a grid of debates."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--sweep",
        type=axis,
        action="append",
        metavar="NAME=V,V,...",
        help=f"simulate every value of an option ({', '.join(AXES)}); given several times, every combination",
    )
    return options


def axis(text: str) -> tuple[str, list[Any]]:
    """``agents=3,5``: an option and its values."""
    name, _, values = text.partition("=")
    if name not in AXES or not values:
        raise argparse.ArgumentTypeError(f"expected NAME=V,V,... with a name among {', '.join(AXES)}; got {text!r}")
    try:
        found = [AXES[name](value) for value in values.split(",")]
        if any(isinstance(value, float) and not math.isfinite(value) for value in found):
            raise ValueError
        return name, found
    except ValueError:
        raise argparse.ArgumentTypeError(f"{name} takes numbers, got {values!r}") from None


def simulated_elsewhere(arguments: argparse.Namespace, model: Any, **size: Any) -> DebateResult | SharesResult | None:
    """The result of one model by way of blocks; None where plain threads without a folder are asked for."""
    if arguments.executor == "threads" and arguments.partial is None:
        return None
    from madsim.simulate import Sweep

    sweep = Sweep.of({"this": model}, n_trials=arguments.trials, rng=arguments.rng, **size)
    return _swept(arguments, sweep).results[0]


def _swept(arguments: argparse.Namespace, sweep: Sweep) -> SweepResult:
    from madsim.simulate import simulate_sweep

    if arguments.partial is not None and arguments.rng is None:
        raise ValueError("--partial needs --rng: blocks of trials belong together only where they have the same seed")
    progress = Progress("simulating")
    found = simulate_sweep(
        sweep,
        executor=arguments.executor,
        workers=arguments.threads,
        partial=arguments.partial,
        progress=progress,
    )
    progress.close()
    return found


def simulate_grid(arguments: argparse.Namespace, summary: Callable[[DebateResult], dict[str, Any]]) -> int:
    """Simulate the debates of a grid and print the last round of each, or everything as JSON."""
    from madsim.simulate import Sweep

    if arguments.out or arguments.votes:
        raise ValueError(
            "--out and --votes are for one model; a grid keeps its numbers with --json or --partial FOLDER"
        )
    axes: dict[str, list[Any]] = {}
    for name, values in arguments.sweep:
        axes.setdefault(name, []).extend(values)

    def make(**values: Any) -> Any:
        told = {name: [value] if name == "belief" else value for name, value in values.items()}
        return debate_model(argparse.Namespace(**{**vars(arguments), **told}))

    sweep = Sweep.grid(make, axes, n_trials=arguments.trials, rng=arguments.rng, method=arguments.method)
    found = _swept(arguments, sweep)
    points: list[Any] = [{"values": dict(values), **summary(result)} for values, result in found.items()]  # type: ignore[arg-type]
    payload = {
        "parameters": list(sweep.parameters),
        "n_trials": sweep.n_trials,
        "seed": sweep.seed.hex,
        "streams": sweep.streams,
        "points": points,
        "notes": dict(found.notes),
    }
    emit(arguments, payload, lambda: _grid_table(payload))
    return 0


def _grid_table(payload: dict[str, Any]) -> str:
    names = {"mean_belief": "mean belief", "vote_accuracy": "vote accuracy", "disagreement": "disagreement"}
    headers = [*payload["parameters"], *(word for name in names.values() for word in (name, "+-", "exact"))]
    rows = []
    for point in payload["points"]:
        row: list[Any] = list(point["values"].values())
        for name in names:
            exact = point["exact"][name]
            row += [*point[name][-1].values(), None if exact is None else exact[-1]]
        rows.append(row)
    lines = [f"{payload['n_trials']:,} debates a row, after the last round", "", table(headers, rows), ""]
    lines.append(
        f"seed {payload['seed']}; every row uses the same streams, so that rows differ by less chance than +- says"
    )
    lines.extend(f"{name.replace('_', ' ')}: {count}" for name, count in payload["notes"].items())
    return "\n".join(lines)
