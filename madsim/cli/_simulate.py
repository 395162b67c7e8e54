"""``madsim simulate`` and ``madsim reproduce``: simulated debates beside their exact values."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Literal

from madsim.cli._method import chosen, method_options
from madsim.cli._model_options import debate_model, debate_options
from madsim.cli._output import Progress, add_command, add_group, emit, note, rng_option, table
from madsim.cli._runs import new_simulation_file, seekable
from madsim.cli._swarm import add_simulate, different_shares
from madsim.cli._sweep import executor_options, simulate_grid, simulated_elsewhere, sweep_option

if TYPE_CHECKING:
    from madsim._core.estimate import Estimate
    from madsim.simulate import DebateResult


def add(commands: Any) -> None:
    """Add the commands to the command line."""
    group = add_group(commands, "simulate", help="simulated runs, with exact values beside them")
    debate = add_command(
        group,
        "debate",
        _debate,
        help="simulate debates",
        parents=[
            debate_options(),
            rng_option(),
            executor_options(),
            sweep_option(),
            method_options("lanes", "counts", "general"),
        ],
    )
    debate.add_argument("--trials", type=int, default=10_000, metavar="N", help="number of debates (default 10000)")
    debate.add_argument(
        "--votes", action="store_true", help="keep every vote in the file, so that `madsim check` can read it"
    )
    debate.add_argument("--out", metavar="FILE.npz", help="where to write the result (never over an existing file)")
    add_simulate(group)
    again = add_command(
        commands, "reproduce", _reproduce, help="run a saved simulation again from its provenance and compare every bit"
    )
    again.add_argument("file", metavar="FILE.npz", help="a saved simulation ('-': standard input)")
    again.add_argument("--threads", type=int, metavar="N", help="default: one for every processor")


def _debate(arguments: argparse.Namespace) -> int:
    from madsim.simulate import simulate_debate

    how = chosen(arguments)
    if arguments.sweep:
        return simulate_grid(arguments, debate_result_summary)
    model = debate_model(arguments)
    if arguments.out:
        new_simulation_file(arguments.out)
    keep: Literal["summary", "votes"] = "votes" if arguments.votes else "summary"
    result: Any = simulated_elsewhere(arguments, model, keep=keep, method=arguments.method)
    if result is None:
        progress = Progress("simulating")
        result = simulate_debate(
            model,
            n_trials=arguments.trials,
            rng=arguments.rng,
            keep=keep,
            threads=arguments.threads,
            progress=progress,
            **how,
        )
        progress.close()
    if arguments.out:
        note(f"written: {result.save(arguments.out)}")
    payload = debate_result_summary(result)
    emit(arguments, payload, lambda: _debate_table(result, payload))
    return 0


def debate_result_summary(result: DebateResult) -> dict[str, Any]:
    """Monte Carlo and exact values by round, and the provenance."""
    import numpy as np

    from madsim import theory

    model, n_rounds = result.model, result.n_rounds
    exact: dict[str, Any] = {}
    for name, compute in {
        "mean_belief": lambda: theory.debate_moments(model, n_rounds).mean.mean(axis=1),
        "sd_belief": lambda: _spread(theory.debate_moments(model, n_rounds)),
        "vote_accuracy": lambda: theory.vote_by_round(model, n_rounds),
        "disagreement": lambda: theory.disagreement(model, n_rounds),
    }.items():
        try:
            exact[name] = compute().tolist()
        except ValueError as error:
            exact[name], exact[f"{name}_note"] = None, str(error)
    means, sds = result.belief_mean, result.belief_sd
    return {
        "n_trials": result.n_trials,
        "n_rounds": n_rounds,
        "mean_belief": [
            {"value": float(m.mean()), "standard_error": float(np.sqrt((s**2).mean() / result.n_trials))}
            for m, s in zip(means, sds, strict=True)
        ],
        "sd_belief": np.sqrt((sds**2).mean(axis=1) + means.var(axis=1)).tolist(),
        "share_right": [_plain(estimate) for estimate in result.share],
        "vote_accuracy": [_plain(estimate) for estimate in result.vote_accuracy],
        "disagreement": [_plain(estimate) for estimate in result.disagreement],
        "exact": exact,
        "method": result.method,
        "provenance": result.provenance.to_dict(),
    }


def _spread(moments: Any) -> Any:
    return ((moments.sd**2).mean(axis=1) + moments.mean.var(axis=1)) ** 0.5


def _plain(estimate: Estimate) -> dict[str, float | None]:
    return {"value": estimate.value, "standard_error": estimate.standard_error}


def _debate_table(result: DebateResult, payload: dict[str, Any]) -> str:
    exact = payload["exact"]
    names = {"mean_belief": "mean belief", "vote_accuracy": "vote accuracy", "disagreement": "disagreement"}
    headers = ["round", *(word for name in names.values() for word in (name, "+-", "exact"))]
    rows = []
    for step in range(result.n_rounds + 1):
        row: list[Any] = [step]
        for name in names:
            estimate = payload[name][step]
            row += [estimate["value"], estimate["standard_error"], None if exact[name] is None else exact[name][step]]
        rows.append(row)
    notes = sorted({text for name, text in exact.items() if name.endswith("_note")})
    lines = [
        f"{result.model!r}, {result.n_trials:,} debates",
        "",
        table(headers, rows),
        "",
        f"seed {result.seed.hex}; {result.method}",
    ]
    return "\n".join([*lines, *notes])


def _reproduce(arguments: argparse.Namespace) -> int:
    from madsim.simulate import DebateResult, load_result, reproduce

    with seekable(arguments.file) as file:
        saved = load_result(file)
    progress = Progress("simulating again")
    again = reproduce(saved.provenance, threads=arguments.threads, progress=progress)
    progress.close()
    if isinstance(saved, DebateResult):
        different = _different_debates(saved, again) if isinstance(again, DebateResult) else ["kind"]
    else:
        different = ["kind"] if isinstance(again, DebateResult) else different_shares(saved, again)
    payload = {
        "identical": not different,
        "different": different,
        "n_trials": saved.n_trials,
        "provenance": saved.provenance.to_dict(),
    }
    verdict = "identical, bit for bit" if not different else f"DIFFERENT in {', '.join(different)}"
    emit(arguments, payload, lambda: f"{arguments.file}: {saved.n_trials:,} trials simulated again: {verdict}")
    return 1 if different else 0


def _different_debates(saved: DebateResult, again: DebateResult) -> list[str]:
    """Names of the parts in which two results differ by a bit."""
    import numpy as np

    different = [
        name
        for name in ("belief", "right", "share", "wins", "spread")
        if not np.array_equal(getattr(saved.totals, name), getattr(again.totals, name))
    ]
    one, other = saved.votes, again.votes
    if (one is None) != (other is None) or (
        one is not None and other is not None and not np.array_equal(one.answers, other.answers)
    ):
        different.append("votes")
    return different
