"""``madsim theory swarm``, ``madsim simulate swarm`` and ``madsim simulate learner``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from madsim.cli._method import chosen, method_options
from madsim.cli._output import Progress, add_command, emit, note, rng_option, table
from madsim.cli._runs import new_simulation_file
from madsim.cli._sweep import executor_options, simulated_elsewhere

if TYPE_CHECKING:
    from madsim.models import Learner, Swarm
    from madsim.simulate import SharesResult

_KINDS = ("async", "sync", "pairwise")
_MOST_SHOWN = 12
_SLOWEST = 1e-8


def add_theory(group: Any) -> None:
    """Add ``swarm`` to the group of exact values."""
    add_command(
        group,
        "swarm",
        _theory,
        help="exact shares of a swarm, its replicator, and where it ends",
        parents=[_swarm_options(), _times_option()],
    )


def add_simulate(group: Any) -> None:
    """Add ``swarm`` and ``learner`` to the group of simulations."""
    swarm = add_command(
        group,
        "swarm",
        _simulate_swarm,
        help="simulate swarms beside their exact shares and replicator",
        parents=[
            _swarm_options(),
            _times_option(),
            _run_options(),
            rng_option(),
            method_options("integrated", "drawn", "counts", "leaps", "general"),
        ],
    )
    swarm.add_argument(
        "--shared-rewards", action="store_true", help="one reward draw an option (this biases the swarm)"
    )
    learner = add_command(
        group,
        "learner",
        _simulate_learner,
        help="simulate cross learners beside their replicator",
        parents=[_quality_option(), _times_option(), _run_options(), rng_option(), method_options("general")],
    )
    learner.add_argument("--rule", choices=("cross", "maynard-cross"), default="cross", help="default cross")
    learner.add_argument("--rate", type=float, default=0.05, metavar="X", help="step size (default 0.05)")
    learner.add_argument("--batch", type=int, default=1, metavar="B", help="samples a step (default 1)")
    learner.add_argument(
        "--baseline",
        metavar="NAME",
        help="maynard-cross: oracle, batch, or moving:RATE (default oracle)",
    )
    learner.add_argument("--initial", type=float, nargs="+", metavar="P", help="probabilities at the start")


def _quality_option() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--quality", type=float, nargs="+", required=True, metavar="Q", help="quality of every option")
    return options


def _swarm_options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False, parents=[_quality_option()])
    options.add_argument("--agents", type=int, required=True, metavar="N", help="size of the swarm")
    options.add_argument(
        "--kind",
        choices=_KINDS,
        default="async",
        help="async: weighted voter, one agent an event (default); sync: weighted voter in rounds; pairwise: imitation of success",
    )
    options.add_argument("--initial", type=int, nargs="+", metavar="N", help="holders of every option at the start")
    return options


def _times_option() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--times", type=int, nargs="+", metavar="T", help="events (sync: rounds; learners: steps) at which to look"
    )
    return options


def _run_options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False, parents=[executor_options()])
    options.add_argument("--trials", type=int, default=10_000, metavar="N", help="how many (default 10000)")
    options.add_argument(
        "--noise", choices=("none", "bernoulli"), default="none", help="rewards: the quality, or 0 or 1 (default none)"
    )
    options.add_argument("--out", metavar="FILE.npz", help="where to write the result (never over an existing file)")
    return options


def _theory(arguments: argparse.Namespace) -> int:
    payload = _summary(arguments, arguments.times)
    emit(arguments, payload, lambda: _theory_table(payload))
    return 0


def _summary(arguments: argparse.Namespace, times: list[int] | None) -> dict[str, Any]:
    from madsim.theory import swarm_summary

    return swarm_summary(
        quality=arguments.quality,
        n_agents=arguments.agents,
        kind=arguments.kind,
        times=times,
        initial=arguments.initial,
    )


def _theory_table(payload: dict[str, Any]) -> str:
    columns = {"mean_share": "exact", "sd_share": "sd", "ode": "replicator"}
    shares = payload["ode"] or payload["mean_share"] or [[]]
    options = range(len(payload["fixation"] or shares[0]))
    headers = [payload["unit"], *(f"{word} {a}" for a in options for word in columns.values())]
    rows = [
        [time, *(None if payload[name] is None else payload[name][step][a] for a in options for name in columns)]
        for step, time in enumerate(payload["times"])
    ]
    lines = [table(headers, rows)]
    if payload["fixation"] is not None:
        ends = [[f"option {a}", value] for a, value in enumerate(payload["fixation"])]
        lines += ["", table(["everybody ends with", "probability"], ends)]
        if payload["absorption_time"] is not None:
            lines.append(f"on average after {payload['absorption_time']:.1f} {payload['unit']}s")
    return "\n".join([*lines, *payload["notes"]])


def _simulate_swarm(arguments: argparse.Namespace) -> int:
    import warnings

    from madsim.models import AsynchronousVoter, ImitationOfSuccess, SynchronousVoter
    from madsim.simulate import SharedDrawsWarning, simulate_swarm

    how = chosen(arguments)
    kinds: dict[str, type[Any]] = {"async": AsynchronousVoter, "sync": SynchronousVoter, "pairwise": ImitationOfSuccess}
    if arguments.shared_rewards and arguments.kind == "pairwise":
        raise ValueError(
            "--shared-rewards is for --kind async and sync; in pairwise imitation one agent is met at a time"
        )
    shared = {"rewards": "option"} if arguments.shared_rewards else {}
    model: Swarm = kinds[arguments.kind](
        quality=arguments.quality,
        n_agents=arguments.agents,
        initial=arguments.initial,
        noise=_noise(arguments.noise),
        **shared,
    )
    if arguments.out:
        new_simulation_file(arguments.out)
    rounds = 1 if arguments.kind == "sync" else arguments.agents
    times = arguments.times or [count * rounds for count in (0, 1, 2, 5, 10, 15)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedDrawsWarning)  # the result holds what it says, and it is printed below
        result: Any = simulated_elsewhere(arguments, model, times=times, method=arguments.method)
        if result is None:
            progress = Progress("simulating")
            result = simulate_swarm(
                model,
                n_trials=arguments.trials,
                times=times,
                rng=arguments.rng,
                threads=arguments.threads,
                progress=progress,
                **how,
            )
            progress.close()
    known = _summary(arguments, times)
    # The exact law is that of rewards equal to the quality; the mean field also holds for noise, but not for shared draws.
    exact = known["mean_share"] if arguments.noise == "none" and not shared else None
    return _finish(arguments, result, exact=exact, mean_field=None if shared else known["ode"])


def _simulate_learner(arguments: argparse.Namespace) -> int:
    import numpy as np

    from madsim.simulate import simulate_learner
    from madsim.theory import maynard_smith_replicator, taylor_replicator

    how = chosen(arguments)
    model = _learner(arguments)
    if arguments.out:
        new_simulation_file(arguments.out)
    if not arguments.times and arguments.rate < _SLOWEST:
        raise ValueError(
            f"--rate {arguments.rate:g} moves nothing within {15 / _SLOWEST:.0e} steps; take a larger one, or give --times"
        )
    times = arguments.times or [round(unit / arguments.rate) for unit in (0, 1, 2, 5, 10, 15)]
    result: Any = simulated_elsewhere(arguments, model, times=times, method=arguments.method)
    if result is None:
        progress = Progress("simulating")
        result = simulate_learner(
            model,
            n_trials=arguments.trials,
            times=times,
            rng=arguments.rng,
            threads=arguments.threads,
            progress=progress,
            **how,
        )
        progress.close()
    field = taylor_replicator if arguments.rule == "cross" else maynard_smith_replicator
    path = field(model.probabilities, model.quality, arguments.rate * np.array(times))
    return _finish(arguments, result, exact=None, mean_field=path.tolist())


def _learner(arguments: argparse.Namespace) -> Learner:
    from madsim.models import BatchMean, CrossLearner, MaynardCrossLearner, MovingAverage, OracleBaseline

    common: dict[str, Any] = {
        "quality": arguments.quality,
        "rate": arguments.rate,
        "batch": arguments.batch,
        "initial": arguments.initial,
        "noise": _noise(arguments.noise),
    }
    if arguments.rule == "cross":
        if arguments.baseline is not None:
            raise ValueError(
                f"--baseline {arguments.baseline}: the cross rule has no baseline; add --rule maynard-cross"
            )
        return CrossLearner(**common)
    baseline = "oracle" if arguments.baseline is None else arguments.baseline
    name, _, rate = baseline.partition(":")
    if name == "moving":
        try:
            return MaynardCrossLearner(**common, baseline=MovingAverage(rate=float(rate)))
        except ValueError as error:
            raise ValueError(f"--baseline {baseline}: {error}") from None
    known = {"oracle": OracleBaseline, "batch": BatchMean}
    if baseline not in known:
        raise ValueError(f"--baseline must be oracle, batch or moving:RATE, got {baseline!r}")
    return MaynardCrossLearner(**common, baseline=known[baseline]())


def _noise(name: str) -> Any:
    from madsim.models import BernoulliNoise, NoiseFree

    return BernoulliNoise() if name == "bernoulli" else NoiseFree()


def _finish(arguments: argparse.Namespace, result: SharesResult, *, exact: Any, mean_field: Any) -> int:
    if arguments.out:
        note(f"written: {result.save(arguments.out)}")
    time = result.absorption_time
    payload = {
        "n_trials": result.n_trials,
        "times": result.times.tolist(),
        "types": list(result.types),
        "mean_share": [[_plain(one) for one in row] for row in result.share],
        "sd_share": result.share_sd.tolist(),
        "absorbed": [[_plain(one) for one in row] for row in result.absorbed],
        "absorption_time": None if time is None else _plain(time),
        "exact": {"mean_share": exact, "ode": mean_field},
        "method": result.method,
        "warnings": list(result.warnings),
        "provenance": result.provenance.to_dict(),
    }
    emit(arguments, payload, lambda: _shares_table(result, payload))
    return 0


def _plain(estimate: Any) -> dict[str, Any]:
    return {"value": estimate.value, "standard_error": estimate.standard_error}


def _shares_table(result: SharesResult, payload: dict[str, Any]) -> str:
    exact, field = payload["exact"]["mean_share"], payload["exact"]["ode"]
    names = result.types[:_MOST_SHOWN]
    headers = ["time", *(f"{word}{name}" for name in names for word in ("", "+- ", "exact ", "replicator "))]
    rows = []
    for step, time in enumerate(payload["times"]):
        row: list[Any] = [time]
        for column in range(len(names)):
            found = payload["mean_share"][step][column]
            row += [found["value"], found["standard_error"]]
            row += [_cell(known, step, column) for known in (exact, field)]
        rows.append(row)
    lines = [table(headers, rows), "", f"{result.n_trials:,} trials, seed {result.seed.hex}; {result.method}"]
    return "\n".join([*lines, *payload["warnings"]])


def _cell(known: list[list[float]] | None, step: int, column: int) -> float | None:
    return None if known is None or column >= len(known[step]) else known[step][column]


def different_shares(saved: SharesResult, again: SharesResult) -> list[str]:
    """Names of the parts in which two results differ by a bit."""
    import numpy as np

    different = [] if saved.totals == again.totals else ["totals"]
    for name in ("absorbed_at", "winner", "paths", "samples"):
        one, other = getattr(saved, name), getattr(again, name)
        if (one is None) != (other is None) or (one is not None and not np.array_equal(one, other)):
            different.append(name)
    return different
