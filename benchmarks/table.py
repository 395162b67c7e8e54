"""One table of everything that is measured here against its gate and its stretch.

    python benchmarks/table.py [--quick] [--json] [--growth] [NAME ...]

Each ``rows_*.py`` beside this file has a function ``rows(quick)`` that measures and returns its rows; NAME picks some of them (``debate``).
``--growth`` adds how cost grows (`cases.py`) and what the parts of the kernels cost by themselves (`floors.py`); with ``--json`` that is
what the page in the docs is made of. Exit status 1 where a gate is missed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import statistics
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measure import Row  # noqa: E402


def main() -> int:
    """Measure, print, and say whether every gate was met."""
    known = sorted(path.stem.removeprefix("rows_") for path in HERE.glob("rows_*.py"))
    parser = argparse.ArgumentParser(description="Measure madsim against its baselines.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which rows: {', '.join(known)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--growth", action="store_true", help="also how cost grows, and what parts of the kernels cost")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no rows named {', '.join(unknown)}; known are {', '.join(known)}")
    measured: list[Row] = []
    for name in options.names or known:
        print(f"measuring {name} ...", file=sys.stderr)
        measured += importlib.import_module(f"benchmarks.rows_{name}").rows(options.quick)
    growth, parts = _growth(options.quick) if options.growth else ([], [])
    if options.json:
        report: dict[str, Any] = {"rows": [row.to_dict() for row in measured], "machine": machine()}
        if options.growth:
            report |= {"growth": growth, "floors": parts}
        print(json.dumps(report, indent=1))
    else:
        for line in table(measured):
            print(line)
        for row in growth:
            print(f"{row['group']}, {row['x']}: {row['seconds'] / row['amount'] * 1e9:,.3f} ns a {row['unit']}")
        for row in parts:
            print(f"{row['part']}: {row['ns']:.3f} ns")
    return 0 if all(row.reaches(row.gate) for row in measured) else 1


def machine() -> dict[str, Any]:
    """Where and with what was measured, and how busy the machine was."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "load_average": load,
        "system": platform.system(),
        "python": platform.python_version(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        **{name: _version(name) for name in ("madsim", "numpy", "numba", "jax")},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    lines = [
        line.split(":", 1)[1] for line in info.read_text().splitlines() if line.startswith(("model name", "flags"))
    ]
    wide = (
        "AVX-512"
        if any(" avx512f" in line for line in lines)
        else "AVX2"
        if any(" avx2" in line for line in lines)
        else ""
    )
    return f"{lines[0].strip() if lines else platform.machine()}, {platform.machine()} {wide}".strip()


def _growth(quick: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    from benchmarks.cases import cases
    from benchmarks.floors import floors

    found = []
    for case in cases():
        print(f"measuring {case.label} ...", file=sys.stderr)
        clock = time.perf_counter if case.group == "threads" else time.process_time
        case.run()
        times = []
        for _ in range(3 if quick else 7):
            begin = clock()
            case.run()
            times.append(clock() - begin)
        found.append(
            {
                "group": case.group,
                "x": case.x,
                "seconds": statistics.median(times),
                "amount": case.amount,
                "unit": case.unit,
            }
        )
    return found, floors()


def table(measured: list[Row]) -> list[str]:
    """Lines of a readable table."""
    width = max((len(row.name) for row in measured), default=0)
    lines = [f"{'comparison':<{width}}  {'measured':>12}  {'gate':>8}  {'stretch':>8}  reached"]
    for row in measured:
        reached = "stretch" if row.reaches(row.stretch) else "gate" if row.reaches(row.gate) else "MISSED"
        value = f"{row.ratio:,.4g} {row.unit}"
        lines.append(f"{row.name:<{width}}  {value:>12}  {row.gate:>8,g}  {row.stretch:>8,g}  {reached}  {row.detail}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
