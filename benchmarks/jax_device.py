"""The JAX backend on whatever device JAX finds, beside the kernels on one processor; runs on a GPU where there is one, else on the CPU.

    python benchmarks/jax_device.py [--quick] [--json]

Times are wall times of a call after one warm-up, compilation apart. On every model both backends must agree within five standard errors,
or nothing is printed but the disagreement.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from madsim import graphs
from madsim.models import AsynchronousVoter, CrossLearner, DebateModel, Temperature
from madsim.protocols import Protocol, Visibility
from madsim.simulate import simulate_debate, simulate_learner, simulate_swarm

QUALITY = (0.30, 0.55, 0.40, 0.70)


def main() -> int:
    """Measure, print; 1 where the backends disagree."""
    parser = argparse.ArgumentParser(description="Measure backend='jax' on the device that JAX finds.")
    parser.add_argument("--quick", action="store_true", help="fewer trials")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args()
    import jax

    device = jax.devices()[0]
    found = [_measure(name, *case) for name, case in _cases(options.quick).items()]
    report = {"device": f"{device.platform}: {device.device_kind}", "jax": jax.__version__, "cases": found}
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        print(f"{report['device']}, jax {report['jax']}")
        print(
            f"{'case':<34} {'trials':>9} {'compile s':>10} {'jax ns':>9} {'kernel ns':>10}  an update; differ by (se)"
        )
        for row in found:
            print(
                f"{row['name']:<34} {row['n_trials']:>9} {row['compile_s']:>10.2f} {row['jax_ns']:>9.3f} "
                f"{row['kernel_ns']:>10.3f}  {row['largest_z']:.1f}"
            )
    return 0 if all(row["largest_z"] < 5 for row in found) else 1


def _cases(quick: bool) -> dict[str, tuple[Callable[..., Any], Callable[[Any], Any], int, int]]:
    """Verb bound to its model, the numbers to compare with their errors, trials, and updates a trial."""
    scale = 1 if quick else 16
    ring = Protocol(rounds=20, visibility=Visibility(graph=graphs.ring(20)))
    start: dict[str, Any] = {"n_agents": 20, "belief": [0.4, 0.3, 0.2, 0.1]}
    plain = DebateModel.homogeneous(**start, protocol=Protocol(rounds=20))
    sparse = DebateModel.homogeneous(**start, protocol=ring)
    variant = DebateModel.homogeneous(**start, protocol=ring, response=Temperature(temperature=0.7), conformity=1.3)
    swarm, learner = AsynchronousVoter(quality=QUALITY, n_agents=200), CrossLearner(quality=QUALITY, rate=0.02)

    def debate(model: DebateModel) -> Callable[..., Any]:
        return lambda **options: simulate_debate(model, **options)

    return {
        "debate, everybody hears everybody": (debate(plain), _shares, 16_384 * scale, 420),
        "debate on a ring": (debate(sparse), _shares, 16_384 * scale, 420),
        "debate, sharper and conforming": (debate(variant), _shares, 4_096 * scale, 420),
        "swarm of 200, 600 events": (lambda **o: simulate_swarm(swarm, times=[600], **o), _paths, 4_096 * scale, 600),
        "Cross learner, 300 steps": (
            lambda **o: simulate_learner(learner, times=[300], **o),
            _paths,
            4_096 * scale,
            300,
        ),
    }


def _shares(result: Any) -> Any:
    return [(one.value, one.standard_error) for one in (*result.share, *result.vote_accuracy)]


def _paths(result: Any) -> Any:
    return list(zip(result.share_mean[-1], result.share_error[-1], strict=True))


def _measure(
    name: str, run: Callable[..., Any], numbers: Callable[[Any], Any], n_trials: int, updates: int
) -> dict[str, Any]:
    times: dict[str, list[float]] = {"jax": [], "numba": []}
    for number in range(4):
        for backend, spent in times.items():
            begin = time.perf_counter()
            result = run(n_trials=n_trials, rng=number, backend=backend, threads=1)
            spent.append(time.perf_counter() - begin)
            if number == 3 and backend == "jax":
                ours = np.array(numbers(result))
            elif number == 3:
                other = np.array(numbers(result))
    steady = {backend: statistics.median(spent[1:]) for backend, spent in times.items()}
    z = np.abs(ours[:, 0] - other[:, 0]) / np.maximum(np.hypot(ours[:, 1], other[:, 1]), 1e-12)
    return {
        "name": name,
        "n_trials": n_trials,
        "compile_s": times["jax"][0] - steady["jax"],
        "jax_ns": steady["jax"] / n_trials / updates * 1e9,
        "kernel_ns": steady["numba"] / n_trials / updates * 1e9,
        "largest_z": float(z.max()),
    }


if __name__ == "__main__":
    sys.exit(main())
