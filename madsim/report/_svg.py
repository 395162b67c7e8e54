"""Small charts as inline SVG: they take the page's colours, so they are right in the light, in the dark and on paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from madsim._core.html import Markup, join, tag

WIDTH, HEIGHT = 440, 250
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 12, 38

_MARKS = ("circle", "square", "up", "diamond", "down", "cross", "bar")


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Values by round of one thing; NaN leaves a gap, a missing interval has no band, `exact` may be empty."""

    name: str
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    style: int
    exact: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places along one direction."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`, at most `most` steps apart.

    Examples
    --------
    >>> ticks(0.61, 0.78)
    [0.6, 0.65, 0.7, 0.75, 0.8]
    """
    span = max(high - low, 1e-9)
    raw = span / (most - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def canvas(title: str, description: str, children: Sequence[Markup], *, key: str, height: float = HEIGHT) -> Markup:
    """The drawing itself, with a title and a description for readers who do not see it."""
    return tag(
        "svg",
        tag("title", title, id=f"{key}-t"),
        tag("desc", description, id=f"{key}-d"),
        children,
        viewBox=f"0 0 {WIDTH} {height:g}",
        role="img",
        aria_labelledby=f"{key}-t {key}-d",
        class_="chart",
    )


def mark(style: int, x: float, y: float, *, size: float = 4.0) -> Markup:
    """The point of a series: colour and shape both tell it apart."""
    shape, css = _MARKS[style % len(_MARKS)], f"mark s{style % len(_MARKS)}"
    if shape == "circle":
        return tag("circle", cx=x, cy=y, r=size, class_=css)
    r = size * 1.1
    paths = {
        "square": f"M{x - r * 0.9:.2f} {y - r * 0.9:.2f}h{1.8 * r:.2f}v{1.8 * r:.2f}h{-1.8 * r:.2f}z",
        "up": f"M{x:.2f} {y - 1.2 * r:.2f}l{1.15 * r:.2f} {2 * r:.2f}h{-2.3 * r:.2f}z",
        "down": f"M{x:.2f} {y + 1.2 * r:.2f}l{1.15 * r:.2f} {-2 * r:.2f}h{-2.3 * r:.2f}z",
        "diamond": f"M{x:.2f} {y - 1.3 * r:.2f}l{1.3 * r:.2f} {1.3 * r:.2f}l{-1.3 * r:.2f} {1.3 * r:.2f}l{-1.3 * r:.2f} {-1.3 * r:.2f}z",
        "cross": f"M{x - r:.2f} {y - 0.4 * r:.2f}h{0.6 * r:.2f}v{-0.6 * r:.2f}h{0.8 * r:.2f}v{0.6 * r:.2f}h{0.6 * r:.2f}v{0.8 * r:.2f}"
        f"h{-0.6 * r:.2f}v{0.6 * r:.2f}h{-0.8 * r:.2f}v{-0.6 * r:.2f}h{-0.6 * r:.2f}z",
        "bar": f"M{x - 0.5 * r:.2f} {y - 1.2 * r:.2f}h{r:.2f}v{2.4 * r:.2f}h{-r:.2f}z",
    }
    return tag("path", d=paths[shape], class_=css)


def line(css: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=css)


def words(text: str, x: float, y: float, *, anchor: str = "middle", css: str = "tick") -> Markup:
    """A text, anchored at its ``start``, ``middle`` or ``end``."""
    return tag("text", text, x=x, y=y, text_anchor=anchor, class_=css)


def frame(
    y_ticks: Sequence[float], y: Scale, labels: Sequence[tuple[float, str]], *, percent: bool = True
) -> list[Markup]:
    """Horizontal grid with its numbers, and the labels below."""
    digits = 0 if all(abs(100 * t - round(100 * t)) < 1e-6 for t in y_ticks) else 1
    drawn = []
    for value in y_ticks:
        text = f"{100 * value:.{digits}f} %" if percent else f"{value:g}"
        drawn.append(line("grid", LEFT, y(value), WIDTH - RIGHT, y(value)))
        drawn.append(words(text.replace("-", "\u2212"), LEFT - 6, y(value) + 4, anchor="end"))
    base = HEIGHT - BOTTOM
    drawn += [words(text, place, base + 16) for place, text in labels]
    return drawn


def rounds_chart(
    series: Sequence[Series], *, key: str, title: str, description: str, limits: tuple[float, float] | None = None
) -> Markup:
    """Lines by round with their bands, intervals and marks; the y axis holds `limits`, or all that is drawn."""
    shown = [
        v
        for one in series
        for values in (one.values, one.low, one.high, one.exact)
        for v in values
        if not math.isnan(v)
    ]
    low, high = limits or ((max(0.0, min(shown)), min(1.0, max(shown))) if shown else (0.0, 1.0))
    steps = ticks(low, max(high, low + 0.04))
    n_rounds = max(len(one.values) for one in series) - 1
    y = Scale(steps[0], steps[-1], HEIGHT - BOTTOM, TOP)
    x = Scale(-0.3, max(n_rounds, 1) + 0.3, LEFT, WIDTH - RIGHT)
    stride = max(1, math.ceil((n_rounds + 1) / 11))
    labels = [(x(t), str(t)) for t in range(0, n_rounds + 1, stride)]
    drawn = frame(steps, y, labels)
    drawn.append(words("round", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, css="axis"))
    for place, one in enumerate(series):
        shift = 0.05 * (place - (len(series) - 1) / 2)
        drawn += _one_line(one, x, y, shift)
    return canvas(title, description, drawn, key=key)


def _one_line(one: Series, x: Scale, y: Scale, shift: float) -> list[Markup]:
    css = f"s{one.style % len(_MARKS)}"

    def at(t: int, value: float) -> str:
        return f"{x(t + shift)} {y(min(max(value, y.low), y.high))}"

    drawn: list[Markup] = []
    banded = [t for t, (a, b) in enumerate(zip(one.low, one.high, strict=True)) if not (math.isnan(a) or math.isnan(b))]
    if len(banded) > 1:
        outline = [at(t, one.high[t]) for t in banded] + [at(t, one.low[t]) for t in reversed(banded)]
        drawn.append(tag("path", d="M" + "L".join(outline) + "z", class_=f"band {css}"))
    for t in banded:
        ends = [y(min(max(value, y.low), y.high)) for value in (one.low[t], one.high[t])]
        drawn.append(line(f"whisker {css}", x(t + shift), ends[0], x(t + shift), ends[1]))
    known = [t for t, value in enumerate(one.values) if not math.isnan(value)]
    if len(known) > 1:
        drawn.append(tag("path", d="M" + "L".join(at(t, one.values[t]) for t in known), class_=f"line {css}"))
    drawn += [mark(one.style, x(t + shift), y(one.values[t])) for t in known]
    if len(one.exact):
        inside = [min(max(value, y.low), y.high) for value in one.exact]
        drawn.append(
            tag("path", d="M" + "L".join(f"{x(t)} {y(value)}" for t, value in enumerate(inside)), class_="exact")
        )
    return drawn


def legend(names: Sequence[tuple[int | None, str]]) -> Markup:
    """Marks with their names, outside the drawing, so that they wrap on small screens; None stands for exact values."""
    items = []
    for style, name in names:
        sign = tag("path", d="M0 8h16", class_="exact") if style is None else mark(style, 8, 8)
        items.append(tag("li", tag("svg", sign, viewBox="0 0 16 16", class_="swatch", aria_hidden="true"), name))
    return tag("ul", join(items), class_="legend")
