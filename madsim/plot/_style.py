"""One look for every figure: colours that colour-blind readers tell apart, quiet axes, and files without a global state."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The palette of Okabe and Ito (2008), without its yellow, which is too faint on white.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILLION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
CYCLE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#666666"
FAINT = "#D9D9D9"

_SUFFIXES = (".png", ".svg", ".pdf")
_LONGEST_LABEL = 48


def new_figure(*, width: float = 6.4, height: float = 4.0) -> tuple[Figure, Axes]:
    """A figure of `width` by `height` inches that belongs to no window, and its only axes.

    Returns
    -------
    figure, axes
        Draw on the axes, then :func:`save_figure`.

    Examples
    --------
    >>> figure, axes = new_figure()
    >>> axes.get_ylabel()
    ''
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def save_figure(figure: Figure, path: str | Path, *, dpi: int = 160) -> Path:
    """Write `figure` to `path` as PNG, SVG or PDF, by the suffix; equal figures give equal bytes.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    ValueError
        For another suffix.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> figure, axes = new_figure()
    >>> with TemporaryDirectory() as folder:
    ...     save_figure(figure, Path(folder) / "empty.svg").name
    'empty.svg'
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise ValueError(f"{path}: a figure is written as one of {', '.join(_SUFFIXES)}; got the suffix {suffix!r}")
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "madsim"}):
        figure.savefig(path, dpi=dpi, facecolor="white", metadata=metadata)
    return path


def plain(text: str) -> str:
    """`text` as a label: no mathematics, no control or direction characters, at most 48 characters.

    Names come from files; a dollar sign in one must not start a formula.
    """
    shown = "".join(" " if unicodedata.category(c)[0] == "C" else c for c in text).strip()
    if len(shown) > _LONGEST_LABEL:
        shown = shown[: _LONGEST_LABEL - 1] + "…"
    shown = shown.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def dress(axes: Axes, *, title: str | None = None, x: str | None = None, y: str | None = None) -> None:
    """Give `axes` the common look: two spines, a faint horizontal grid behind the data, words for the axes."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelcolor="#222222")
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    if title is not None:
        axes.set_title(plain(title), loc="left", fontsize="medium", fontweight="bold")
    if x is not None:
        axes.set_xlabel(x)
    if y is not None:
        axes.set_ylabel(y)


def whole_rounds(axes: Axes, n_rounds: int) -> None:
    """Rounds 0 to `n_rounds` along the x axis, as whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axes.set_xlim(-0.25, max(n_rounds, 1) + 0.25 if n_rounds else 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=11))
    axes.set_xlabel("round")


def in_percent(axes: Axes, *, x: bool = False) -> None:
    """Shares along the y axis as per cent, without a sign (what lies below zero is named by the figure); with `x` differences, signed."""
    from matplotlib.ticker import FuncFormatter

    if x:
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{100 * value:+.3g}".replace("-", "−") if value else "0")
        )
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{abs(100 * value):.3g} %"))


def legend(axes: Axes, **options: Any) -> None:
    """A frameless legend where there is more than one thing to tell apart."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > 1:
        axes.legend(handles, labels, frameon=False, fontsize="small", **options)
