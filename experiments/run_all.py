"""Run every experiment, cheapest first, within a budget of seconds; or write the table of README.md.

Run ``python experiments/run_all.py --budget 600 --out OUT`` from a checkout. Each script leaves its picture and its numbers with their
provenance in OUT; OUT/README.md shows all of them. What does not fit into the budget is named. Ends with exit code 1 if a script failed or
left no provenance.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NO_EXPERIMENTS = {"run_all", "small_model_server"}
PICTURES = {"readme_figure": FOLDER.parent / "docs" / "_static" / "readme.png"}
NEEDS = {"real_debate": "a model served on this machine (small_model_server.py)"}
SECONDS = {  # on one core, compiled kernels at hand; what is not named here is taken to need a minute
    "audit_published": 3,
    "belief_trajectories": 5,
    "bounds_against_exact": 3,
    "breaking_flatness": 4,
    "early_stopping": 6,
    "floor_and_ceiling": 3,
    "four_properties": 4,
    "interventions": 20,
    "population_masking": 3,
    "readme_figure": 6,
    "real_debate": 300,
    "statistics_studies": 3600,
    "swarm_echo_chamber": 12,
    "swarm_published": 15,
    "swarm_side_by_side": 8,
    "swarm_simplex": 6,
    "vote_by_round": 3,
}
_BEGIN, _END = "<!-- table of experiments: begin -->", "<!-- table of experiments: end -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One script: its name, what it found, how long it takes, its picture, what it needs."""

    name: str
    finding: str
    seconds: float
    picture: Path | None
    needs: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a script ended."""

    experiment: Experiment
    status: str
    seconds: float
    message: str = ""


def experiments() -> list[Experiment]:
    """Every script of this folder, by name; what it found is the first line of its docstring."""
    found = []
    for path in sorted(FOLDER.glob("[!_]*.py")):
        if path.stem in NO_EXPERIMENTS:
            continue
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        picture = PICTURES.get(path.stem, FOLDER / "pictures" / f"{path.stem}.png")
        found.append(
            Experiment(
                name=path.stem,
                finding=said.partition("\n")[0],
                seconds=SECONDS.get(path.stem, 60),
                picture=picture if picture.exists() else None,
                needs=NEEDS.get(path.stem),
            )
        )
    return found


def table() -> str:
    """The table of README.md."""
    rows = ["| Script | Finding | Time | Picture |", "|---|---|---|---|"]
    for one in experiments():
        shown = ""
        if one.picture is not None:
            source = Path(os.path.relpath(one.picture, FOLDER)).as_posix()
            shown = f'<a href="{source}"><img src="{source}" width="220" alt="{one.name}"></a>'
        spent = f"{one.seconds:g} s" if one.seconds < 120 else f"{one.seconds / 60:g} min"
        needs = f" Needs {one.needs}." if one.needs else ""
        rows.append(f"| [`{one.name}.py`]({one.name}.py) | {one.finding}{needs} | {spent} | {shown} |")
    return "\n".join(rows)


def with_table(readme: str) -> str:
    """README.md with the table of today between its marks."""
    head, _, rest = readme.partition(_BEGIN)
    _, found, tail = rest.partition(_END)
    if not found:
        raise ValueError(f"README.md must hold the marks {_BEGIN} and {_END}")
    return f"{head}{_BEGIN}\n{table()}\n{_END}{tail}"


def run(one: Experiment, out: Path, limit: float) -> Ended:
    """Run one script in a process of its own."""
    if one.needs:
        return Ended(experiment=one, status="skipped", seconds=0.0, message=f"needs {one.needs}")
    if one.seconds > limit:
        return Ended(experiment=one, status="skipped", seconds=0.0, message=f"needs about {one.seconds:g} s")
    started = time.monotonic()
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.json")}
    try:
        done = subprocess.run(
            [sys.executable, str(FOLDER / f"{one.name}.py"), str(out)], capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return Ended(experiment=one, status="skipped", seconds=limit, message="the budget ended while it ran")
    spent = time.monotonic() - started
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return Ended(experiment=one, status="failed", seconds=spent, message=last)
    new = [path for path in out.glob("*.json") if before.get(path) != path.stat().st_mtime_ns]
    if not new or not all('"provenance"' in path.read_text(encoding="utf-8") for path in new):
        return Ended(experiment=one, status="failed", seconds=spent, message="left no numbers with their provenance")
    return Ended(experiment=one, status="ran", seconds=spent)


def run_all(out: Path, budget: float, names: list[str]) -> list[Ended]:
    """Run the scripts named (all where none is), cheapest first, while the budget lasts."""
    known = {one.name: one for one in experiments()}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no experiment {unknown[0]!r}; there are {', '.join(known)}")
    out.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + budget
    ended = []
    for one in sorted((known[name] for name in names or known), key=lambda one: one.seconds):
        ended.append(run(one, out, deadline - time.monotonic()))
        print(f"{one.name:24s} {ended[-1].status:8s} {ended[-1].seconds:7.1f} s  {ended[-1].message}", flush=True)
    return ended


def page(ended: list[Ended], out: Path) -> str:
    """All that ran, with pictures."""
    parts = ["# Experiments\n"]
    for one in ended:
        parts.append(
            f"## {one.experiment.name}\n\n{one.experiment.finding}\n\n{one.status}, {one.seconds:.1f} s {one.message}\n"
        )
        if one.status == "ran" and (out / f"{one.experiment.name}.png").exists():
            parts.append(f"![{one.experiment.name}]({one.experiment.name}.png)\n")
    return "\n".join(parts)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments (default: all)")
    parser.add_argument("--budget", type=float, default=600.0, metavar="SECONDS", help="for all together (default 600)")
    parser.add_argument("--out", type=Path, default=Path("experiments-out"), metavar="DIR", help="folder for results")
    parser.add_argument("--index", action="store_true", help="write the table of README.md and run nothing")
    arguments = parser.parse_args()
    if arguments.index:
        readme = FOLDER / "README.md"
        readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    try:
        ended = run_all(arguments.out, arguments.budget, arguments.names)
    except ValueError as error:
        parser.error(str(error))
    (arguments.out / "README.md").write_text(page(ended, arguments.out), encoding="utf-8")
    return 1 if any(one.status == "failed" for one in ended) else 0


if __name__ == "__main__":
    sys.exit(main())
