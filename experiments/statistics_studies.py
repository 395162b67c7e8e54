"""Sizes and powers of every test, recovery of fits, coverage of forecasts: all that the page on statistics says was measured.

    python experiments/statistics_studies.py OUT [PART ...] [--runs N]

writes OUT/statistics_studies.json (rows with their number of runs, and a provenance for each part), the same as tables in Markdown, and a
figure. Parts that are named are made anew, the others stay as they stand in the file. ``--runs`` is for a quick look; ``--page FILE`` puts
the tables into a page between ``<!-- table PART -->`` and ``<!-- end -->``; ``--no-runs`` makes tables and figure from numbers that are
there already.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import _coverage
import _other_checks
import _size_and_power
from _statistics_tables import figure, tables

from madsim._core.canonical import to_jsonable
from madsim._core.provenance import provenance
from madsim.plot import save_figure

# part: its rows, runs a row, seed
PARTS: dict[str, tuple[Callable[[int], Iterator[dict[str, Any]]], int, int]] = {
    "checks": (_size_and_power.of_checks, 2000, _size_and_power.SEED),
    "others": (_other_checks.of_other_checks, 500, _other_checks.SEED),
    "naive": (_other_checks.of_naive_tests, 2000, _other_checks.SEED),
    "votes": (_coverage.of_votes, 400, _coverage.SEED),
    "debates": (_coverage.of_debates, 400, _coverage.SEED),
    "fits": (_coverage.of_fits, 100, _coverage.SEED),
}
NAME = "statistics_studies"


def main(out: Path, parts: Sequence[str] = tuple(PARTS), runs: int | None = None, page: Path | None = None) -> None:
    """Make `parts`, then write the numbers, the tables and the figure to `out`."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{NAME}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for part in parts:
        make, usual, seed = PARTS[part]
        settings = {"part": part, "runs": runs or usual}
        origin = provenance(
            f"experiments/{NAME}.py", settings, seed=str(seed), packages=("numpy", "scipy", "jax", "numba")
        )
        rows = []
        for row in make(settings["runs"]):
            shown = {name: value for name, value in row.items() if name != "ranks"}
            print(json.dumps(to_jsonable(shown)), file=sys.stderr, flush=True)
            rows.append(row)
        found[part] = to_jsonable({"provenance": origin.to_dict(), "rows": rows})
        file.write_text(written(found), encoding="utf-8")
    made = tables(found)
    text = "\n".join(f"## {part}\n\n{table}" for part, table in made.items())
    (out / f"{NAME}.md").write_text(text, encoding="utf-8")
    if page is not None:
        page.write_text(filled(page.read_text(encoding="utf-8"), made), encoding="utf-8")
    save_figure(figure(found), out / f"{NAME}.png", dpi=130)


def filled(page: str, made: dict[str, str]) -> str:
    """A page with its marked tables made anew."""
    for part, table in made.items():
        mark = f"<!-- table {part} -->\n"
        before, _, rest = page.partition(mark)
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise ValueError(
                f"the page has no place for the table {part!r}: expected {mark.strip()!r} and '<!-- end -->' after it"
            )
        page = f"{before}{mark}\n{table}\n{end}{after}"
    return page


def written(found: dict[str, Any]) -> str:
    """The numbers as JSON, one row a line."""
    parts = []
    for part in (name for name in PARTS if name in found):
        rows = ",\n".join(json.dumps(row) for row in found[part]["rows"])
        parts.append(f'"{part}": {{"provenance": {json.dumps(found[part]["provenance"])}, "rows": [\n{rows}\n]}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--runs", type=int, metavar="N", help="runs a row")
    parser.add_argument("--no-runs", action="store_true", help="tables and figure alone")
    parser.add_argument("--page", type=Path, metavar="FILE", help="a page whose marked tables are made anew")
    given = parser.parse_args()
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    main(given.out, () if given.no_runs else given.parts or tuple(PARTS), given.runs, given.page)
