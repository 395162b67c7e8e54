"""Rows of the table about waiting: help, imports, first results with and without compiled kernels, each in a process of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.measure import Row

_FIRST_RESULT = """
from madsim.models import DebateModel
from madsim.simulate import simulate_debate
simulate_debate(DebateModel.homogeneous(), n_trials=10_000, rng=1)
"""
_FIRST_SWARM = """
from madsim.models import AsynchronousVoter
from madsim.simulate import simulate_swarm
simulate_swarm(AsynchronousVoter(quality=(0.3, 0.7), n_agents=100), n_trials=1_000, n_steps=1_000, rng=1)
"""
_FIRST_LEARNER = """
from madsim.models import CrossLearner
from madsim.simulate import simulate_learner
simulate_learner(CrossLearner(quality=(0.3, 0.7), rate=0.05), n_trials=1_000, n_steps=1_000, rng=1)
"""
_HELP = """
import sys
from madsim.cli import main
sys.argv = ["madsim", "--help"]
main()
"""
_EXACT = """
from madsim.models import DebateModel
from madsim.theory import debate_moments
debate_moments(DebateModel.homogeneous(), 5)
"""


def rows(quick: bool) -> list[Row]:
    """Median wall time of each, caches warm."""
    repeats = 3 if quick else 9
    python = [sys.executable]
    return [
        _row("`madsim --help`", [*python, "-c", _HELP], repeats, gate=0.15, stretch=0.06),
        _row("first simulated result, caches warm", [*python, "-c", _FIRST_RESULT], repeats, gate=2.0, stretch=1.0),
        _row("first exact value", [*python, "-c", _EXACT], repeats, gate=0.8, stretch=0.4),
        _row("`import madsim`", [*python, "-c", "import madsim"], repeats, gate=0.15, stretch=0.06),
        _row("`import madsim.simulate`", [*python, "-c", "import madsim.simulate"], repeats, gate=1.0, stretch=0.5),
        *(
            _cold(f"first {name}, kernels compiled anew", script)
            for name, script in (("debate", _FIRST_RESULT), ("swarm", _FIRST_SWARM), ("learner", _FIRST_LEARNER))
        ),
    ]


def _cold(name: str, script: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, env=environment)
        spent = time.perf_counter() - start
    return Row(name=name, ratio=spent, gate=10.0, stretch=5.0, better="lower", unit="s")


def _row(name: str, command: list[str], repeats: int, *, gate: float, stretch: float) -> Row:
    subprocess.run(command, check=True, capture_output=True)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return Row(name=name, ratio=statistics.median(times), gate=gate, stretch=stretch, better="lower", unit="s")
