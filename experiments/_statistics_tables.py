"""Tables and a figure of the studies of statistics, from their numbers alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from _out import BLUE, GREEN, GREY, RED, new_figure

from madsim._core.estimate import Estimate
from madsim.plot import draw_calibration

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TESTS = {
    "drift": "drift",
    "drift-sign-flip": "sign flip",
    "e-process": "bets",
    "lag-moment": "lag moment",
    "held-out-moment": "held-out moment",
    "held-out-plurality": "held-out plurality",
    "common-belief": "common belief",
    "disagreement-floor": "floor",
    "vote-ceiling": "ceiling",
}
LEVELS = (0.25, 0.5, 0.75, 0.9, 0.95)
Numbers = dict[str, Any]


def tables(found: Numbers) -> dict[str, str]:
    """Every table in Markdown, by part."""
    made = {"checks": checks, "others": others, "naive": others, "votes": votes, "debates": debates, "fits": fits}
    return {part: make(found[part]["rows"]) for part, make in made.items() if part in found}


def checks(rows: Sequence[Numbers]) -> str:
    """Share of runs in which each test rejects, and of two verdicts."""
    lines = []
    for row in rows:
        rates = [row["tests"][name] for name in TESTS]
        rates += [row["verdicts"].get(name, 0.0) for name in ("drift", "equivalent")]
        lines.append([row["system"], row["questions"], *("" if one is None else share(one, 3) for one in rates)])
    return table(["system", "questions", *TESTS.values(), "drift verdicts", "equivalent"], lines)


def others(rows: Sequence[Numbers]) -> str:
    """Share of runs in which tests with settings of their own reject."""
    lines = [[row["test"], row["system"], row["questions"], row["n"], share(row["rejected"], 3)] for row in rows]
    return table(["test", "system", "questions", "runs", "rejects"], lines)


def votes(rows: Sequence[Numbers]) -> str:
    """Coverage of forecast votes and of their bounds."""
    lines = [
        [row["law"], row["questions"], row["n"], share(row["truth"], 3), *(share(row[name]) for name in ("coverage", "bounds"))]
        for row in rows
    ]  # fmt: skip
    return table(["difficulty", "questions", "pilots", "truth", "coverage", "bounds"], lines)


def debates(rows: Sequence[Numbers]) -> str:
    """Coverage of forecast debates."""
    lines = []
    for row in rows:
        error = (row["coverage"] * (1 - row["coverage"]) / row["n"]) ** 0.5
        change = f"{row['change']:+.3f}".replace("0.", ".")
        coverage = f"{share(row['coverage'], 3)} ± {share(error, 3)}"
        size = [row["questions"], row["n"]]
        lines.append([row["system"], *size, share(row["truth"], 3), change, coverage, share(row["decided"])])
    return table(["system", "questions", "pilots", "truth", "vote moves by", "coverage", "decided"], lines)


def fits(rows: Sequence[Numbers]) -> str:
    """Recovery and coverage of fits."""
    names = ("mass", "conformity", "correction")
    lines = [
        [row["system"], row["mixing"], row["questions"], row["n"]]
        + [", ".join(share(row[kind][name]) for name in names) for kind in ("rmse", "coverage")]
        + [share(row["refuted"])]
        for row in rows
    ]
    head = ["system", "mixing", "questions", "runs", "rmse of log mass, log conformity, correction", "coverage of each"]
    return table([*head, "plain model refuted"], lines)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"


def share(value: float, digits: int = 2) -> str:
    """A share without its leading zero."""
    return f"{value:.{digits}f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def figure(found: Numbers) -> Figure:
    """Sizes on true models, calibration of forecasts, recovery of fits; parts that were not made stay empty."""
    drawn, (sizes, calibrated, coverage) = new_figure(3, width=5.2, height=4.6)
    if "checks" in found:
        _sizes(sizes, [row for row in found["checks"]["rows"] if row["system"].startswith("null")])
    series = {
        f"{name} ({sum(row['n'] for row in rows)} pilots)": _kept(rows)
        for name, rows in (("votes", _rows(found, "votes")), ("debates", _rows(found, "debates")))
        if rows
    }
    if series:
        draw_calibration(calibrated, series, x="level of the interval", y="share of intervals that hold the truth")
    if "fits" in found:
        _recovered(coverage, found["fits"]["rows"])
    return drawn


def _rows(found: Numbers, part: str) -> list[Numbers]:
    return [row for row in found[part]["rows"] if "ranks" in row] if part in found else []


def _kept(rows: Sequence[Numbers]) -> list[tuple[float, Estimate]]:
    """Share of the pilots whose central interval holds the truth, by level."""
    ranks = np.concatenate([row["ranks"] for row in rows])
    inside = [(level, np.abs(ranks - 0.5) <= level / 2) for level in LEVELS]
    return [(level, Estimate.of_mean(held.sum(), held.sum(), len(held))) for level, held in inside]


def _sizes(axes: Any, rows: Sequence[Numbers]) -> None:
    axes.axvspan(0.02, 0.065, color=GREEN, alpha=0.12, linewidth=0)
    axes.axvline(0.05, color=GREY, linewidth=0.8)
    names = list(TESTS)
    for place, name in enumerate(names):
        rates = [row["tests"][name] for row in rows if row["tests"][name] is not None]
        axes.plot(rates, place + np.linspace(-0.25, 0.25, len(rates)), "o", color=BLUE, markersize=4)
    axes.set_yticks(range(len(names)), list(TESTS.values()))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(-0.003, 0.08)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("share rejected at .05, one point a true system")


def _recovered(axes: Any, rows: Sequence[Numbers]) -> None:
    axes.axvline(0.95, color=GREY, linestyle="--", linewidth=1.2)
    looks = zip(("mass", "conformity", "correction"), (BLUE, RED, GREEN), ("o", "s", "^"), strict=True)
    for shift, (name, colour, marker) in zip((-0.2, 0.0, 0.2), looks, strict=True):
        for place, row in enumerate(rows):
            value, n = row["coverage"][name], row["n"]
            half = 1.96 * (max(value * (1 - value), 0.25 / n) / n) ** 0.5
            axes.hlines(place + shift, max(0.0, value - half), min(1.0, value + half), color=colour, linewidth=1.4)
            axes.plot(value, place + shift, marker, color=colour, markersize=5, label=name if not place else None)
    axes.set_yticks(
        range(len(rows)), [f"{row['system']}\n{row['mixing']}, {row['questions']} questions" for row in rows]
    )
    axes.set_ylim(len(rows) - 0.5, -0.7)
    axes.set_xlim(0.7, 1.01)
    axes.tick_params(axis="y", labelsize="x-small")
    axes.grid(visible=False, axis="y")
    axes.legend(frameon=False, fontsize="small", loc="lower left")
    axes.set_xlabel("share of 95 % intervals that hold the truth")
