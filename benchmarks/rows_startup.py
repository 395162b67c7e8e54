"""Rows of the table about waiting: help, a first simulated result, a first exact value, each in a process of its own."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.measure import Row

_FIRST_RESULT = """
from madsim.models import DebateModel
from madsim.simulate import simulate_debate
simulate_debate(DebateModel.homogeneous(), n_trials=10_000, rng=1)
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
    ]


def _row(name: str, command: list[str], repeats: int, *, gate: float, stretch: float) -> Row:
    subprocess.run(command, check=True, capture_output=True)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return Row(name=name, ratio=statistics.median(times), gate=gate, stretch=stretch, better="lower", unit="s")
