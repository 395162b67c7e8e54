"""One table of everything that is measured here against its gate and its stretch.

    python benchmarks/table.py [--quick] [--json] [NAME ...]

Each ``rows_*.py`` beside this file has a function ``rows(quick)`` that measures and returns its rows; NAME picks some of them (``debate``).
Exit status 1 where a gate is missed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

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
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no rows named {', '.join(unknown)}; known are {', '.join(known)}")
    measured: list[Row] = []
    for name in options.names or known:
        print(f"measuring {name} ...", file=sys.stderr)
        measured += importlib.import_module(f"benchmarks.rows_{name}").rows(options.quick)
    if options.json:
        print(json.dumps({"rows": [row.to_dict() for row in measured]}, indent=1))
    else:
        for line in table(measured):
            print(line)
    return 0 if all(row.reaches(row.gate) for row in measured) else 1


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
