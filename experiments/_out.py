"""What every experiment leaves: a figure, and its numbers with their provenance."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from madsim._core.canonical import to_jsonable
from madsim._core.provenance import provenance
from madsim.plot import save_figure

BLUE, RED, GREEN, PURPLE, ORANGE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#666666"


def new_figure(columns: int = 1, *, width: float = 4.6, height: float = 3.8) -> tuple[Figure, Any]:
    """A figure of so many panels side by side, and its axes."""
    figure = Figure(figsize=(width * columns, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns)
    for one in [axes] if columns == 1 else axes:
        one.spines[["top", "right"]].set_visible(False)
        one.grid(axis="y", color="0.88", linewidth=0.6)
        one.set_axisbelow(True)
    return figure, axes


def publish(
    out: Path, name: str, figure: Figure, numbers: dict[str, Any], settings: dict[str, Any], *, seed: str | None = None
) -> None:
    """Write OUT/NAME.png and OUT/NAME.json."""
    out.mkdir(parents=True, exist_ok=True)
    save_figure(figure, out / f"{name}.png", dpi=130)
    origin = provenance(f"experiments/{name}.py", settings, seed=seed, packages=("numpy", "numba", "matplotlib"))
    text = json.dumps(to_jsonable({"numbers": numbers, "provenance": origin.to_dict()}), indent=1)
    (out / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def settings_of(module: dict[str, Any]) -> dict[str, Any]:
    """The settings at the top of a script: its upper-case names that are plain values."""
    colours = {"BLUE", "RED", "GREEN", "PURPLE", "ORANGE", "GREY"}
    plain = (int, float, str, list, tuple)
    return {
        name: value
        for name, value in module.items()
        if name.isupper() and name not in colours and isinstance(value, plain)
    }


def run(main: Callable[[Path], None]) -> None:
    """Run an experiment from the command line: one argument, the folder to write to."""
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: python {sys.argv[0]} OUT")
    main(Path(sys.argv[1]))
