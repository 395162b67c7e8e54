"""Figures of the report: a drawing, its legend, a caption, and the numbers as a table for those who want or need them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from madsim._core.estimate import Estimate, Interval
from madsim._core.html import Markup, join, tag
from madsim.report._numbers import estimate, percent, percent_range, points
from madsim.report._svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Scale,
    Series,
    canvas,
    legend,
    line,
    mark,
    rounds_chart,
    ticks,
    words,
)
from madsim.transcripts import Flips


def table(head: Sequence[str], rows: Sequence[Sequence[object]], *, caption: str) -> Markup:
    """A table under its caption; the first column names the rows, and a wide table scrolls inside its own box."""
    top = tag("tr", [tag("th", one, scope="col") for one in head])
    body = [tag("tr", tag("th", row[0], scope="row"), [tag("td", one) for one in row[1:]]) for row in rows]
    whole = tag("table", tag("thead", top), tag("tbody", body), aria_label=caption)
    box = tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
    return join([tag("p", caption, class_="caption"), box])


def cell(value: str, between: str | None = None) -> Markup:
    """A value with its interval in small print below it."""
    return join([value, tag("small", between) if between else None])


def estimate_cell(one: Estimate | None) -> Markup:
    """A share with its interval below it; a dash where there is none."""
    if one is None:
        return cell("–")
    interval = None if one.exact else one.interval()
    return cell(percent(one.value), percent_range(interval) if interval else None)


def figure(
    drawing: Markup, *, heading: str, caption: str, values: Markup, names: Sequence[tuple[int | None, str]] = ()
) -> Markup:
    """A drawing with all that belongs to it."""
    return tag(
        "figure",
        tag("h4", heading),
        legend(names) if len(names) > 1 else None,
        drawing,
        tag("figcaption", caption),
        tag("details", tag("summary", "Values"), values),
        class_="panel",
    )


def by_round(
    heading: str,
    caption: str,
    series: Sequence[tuple[str, Sequence[Estimate]]],
    *,
    key: str,
    limits: Interval | None = None,
    exact: Mapping[str, Sequence[float]] | None = None,
) -> Markup:
    """Estimates by round, one line a name, with the intervals as bands.

    `limits` is what the y axis must hold at least; `exact` holds exact values by name, drawn as dark lines.
    """
    known = exact or {}
    lines = [_series(name, estimates, style, known.get(name, ())) for style, (name, estimates) in enumerate(series)]
    said = "; ".join(f"{name}: {_journey(estimates)}" for name, estimates in series)
    columns = [(name, [estimate(one) for one in estimates]) for name, estimates in series]
    columns += [(f"{name}, exact", [percent(value, 2) for value in values]) for name, values in known.items()]
    longest = max(len(cells) for _, cells in columns)
    rows = [[str(t), *(cells[t] if t < len(cells) else "–" for _, cells in columns)] for t in range(longest)]
    values = table(["round", *(name for name, _ in columns)], rows, caption=f"{heading}, by round, with 95 % intervals")
    drawing = rounds_chart(lines, key=key, title=heading, description=said, limits=limits)
    names: list[tuple[int | None, str]] = [(style, name) for style, (name, _) in enumerate(series)]
    if known:
        names.append((None, "exact"))
    return figure(drawing, heading=heading, caption=caption, values=values, names=names)


def limits_of(series: Sequence[Sequence[Estimate]]) -> Interval | None:
    """The least and the greatest value that figures beside each other must hold, their intervals cut to 0 to 1."""
    ends = [
        v
        for estimates in series
        for one in estimates
        for v in (one.value, *(one.interval() or ()))
        if not math.isnan(v)
    ]
    return Interval(max(0.0, min(ends)), min(1.0, max(ends))) if ends else None


def _series(name: str, estimates: Sequence[Estimate], style: int, exact: Sequence[float]) -> Series:
    intervals = [one.interval() for one in estimates]
    return Series(
        name=name,
        values=[one.value for one in estimates],
        low=[math.nan if one is None else one.low for one in intervals],
        high=[math.nan if one is None else one.high for one in intervals],
        style=style,
        exact=exact,
    )


def _journey(estimates: Sequence[Estimate]) -> str:
    first, last = estimates[0].value, estimates[-1].value
    return (
        percent(first)
        if len(estimates) == 1
        else f"{percent(first)} in round 0, {percent(last)} in round {len(estimates) - 1}"
    )


def intervals_chart(
    rows: Sequence[tuple[str, float, Interval | None]], *, tolerance: float, key: str, heading: str, caption: str
) -> Markup:
    """One interval a row against zero and the band of what would be too small to matter."""
    height = TOP + 46 * len(rows) + BOTTOM
    ends = [v for _, value, interval in rows for v in (value, *(interval or ())) if not math.isnan(v)]
    steps = ticks(min([*ends, -1.4 * tolerance]), max([*ends, 1.4 * tolerance]))
    x = Scale(steps[0], steps[-1], RIGHT + 14, WIDTH - RIGHT - 14)
    base = height - BOTTOM
    drawn = [
        tag(
            "rect",
            x=x(-tolerance),
            y=TOP,
            width=round(x(tolerance) - x(-tolerance), 2),
            height=base - TOP,
            class_="tolerance",
        ),
        line("zero", x(0), TOP, x(0), base),
    ]
    stride = 2 if len(steps) > 6 else 1
    for value in steps[::stride]:
        drawn += [
            line("grid", x(value), base, x(value), base + 4),
            words(points(value, 0 if _whole(steps) else 1), x(value), base + 18),
        ]
    drawn.append(words("percentage points", WIDTH / 2, height - 4, css="axis"))
    for number, (name, value, interval) in enumerate(rows):
        y = TOP + 46 * number + 32
        drawn.append(words(_short(name), RIGHT + 14, y - 16, anchor="start", css="row"))
        if interval is not None:
            drawn.append(line("whisker wide s0", x(interval.low), y, x(interval.high), y))
        if not math.isnan(value):
            drawn.append(mark(0, x(value), y, size=5))
    shown = [
        [name, points(value), "–" if interval is None else f"{points(interval.low)} to {points(interval.high)}"]
        for name, value, interval in rows
    ]
    said = "; ".join(f"{name}: {value} points ({between})" for name, value, between in shown)
    values = table(["run", "points", "interval"], shown, caption=heading)
    drawing = canvas(
        heading,
        f"{said}. Shaded: within {points(tolerance).lstrip('+')} points of zero.",
        drawn,
        key=key,
        height=height,
    )
    return figure(drawing, heading=heading, caption=caption, values=values)


def extent_of(steps: Sequence[Flips]) -> float:
    """The longest bar that :func:`flips_chart` draws for any of `steps`."""
    return max((sum(pair) for step in steps for pair in _gains_and_losses(step)), default=0.0)


def _gains_and_losses(step: Flips) -> tuple[tuple[float, float], tuple[float, float]]:
    total = max(step.total, 1)
    return (step.wrong_to_right / total, step.found_right / total), (
        step.right_to_wrong / total,
        step.lost_right / total,
    )


def flips_chart(steps: Sequence[Flips], *, key: str, heading: str, caption: str, extent: float) -> Markup:
    """Corrections above the line and collapses below it, one bar a step; the axis reaches `extent` either way."""
    up, down = zip(*(_gains_and_losses(step) for step in steps), strict=True)
    extent = max(0.02, extent)
    grid = ticks(-extent, extent)
    y = Scale(grid[0], grid[-1], HEIGHT - BOTTOM, TOP)
    x = Scale(-0.5, max(len(steps), 2) - 0.5, LEFT, WIDTH - RIGHT)
    width = min(70.0, 0.55 * (x(1) - x(0)))
    stride = max(1, math.ceil(len(steps) / 10))
    drawn: list[Markup] = []
    for value in grid:
        drawn.append(line("grid", LEFT, y(value), WIDTH - RIGHT, y(value)))
        drawn.append(words(f"{100 * abs(value):g} %", LEFT - 6, y(value) + 4, anchor="end"))
    for t, (gains, losses) in enumerate(zip(up, down, strict=True)):
        drawn += _bar(x(t), width, y, 0.0, gains[0], "fill s0") + _bar(
            x(t), width, y, gains[0], gains[1], "fill faint s0"
        )
        drawn += _bar(x(t), width, y, 0.0, -losses[0], "fill s1") + _bar(
            x(t), width, y, -losses[0], -losses[1], "fill faint s1"
        )
        drawn.append(tag("path", d=_diamond(x(t), y(sum(gains) - sum(losses))), class_="net"))
        if t % stride == 0:
            drawn.append(words(f"{t} → {t + 1}", x(t), HEIGHT - BOTTOM + 16))
    drawn += [
        line("zero", LEFT, y(0), WIDTH - RIGHT, y(0)),
        words("round", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, css="axis"),
    ]
    names = ("wrong to right", "none to right", "right to wrong", "right to none", "net")
    rows = [
        [f"{t} → {t + 1}", *(percent(v) for v in (*gains, *losses)), points(sum(gains) - sum(losses))]
        for t, (gains, losses) in enumerate(zip(up, down, strict=True))
    ]
    said = "; ".join(
        f"round {row[0]}: {row[1]} wrong to right, {row[3]} right to wrong, net {row[5]} points" for row in rows
    )
    values = table(["round", *names], rows, caption=f"{heading}: shares of all replies of the step")
    return figure(canvas(heading, said, drawn, key=key), heading=heading, caption=caption, values=values)


def _bar(x: float, width: float, y: Scale, start: float, size: float, css: str) -> list[Markup]:
    if not size:
        return []
    top, bottom = sorted((y(start), y(start + size)))
    return [
        tag("rect", x=round(x - width / 2, 2), y=top, width=round(width, 2), height=round(bottom - top, 2), class_=css)
    ]


def _diamond(x: float, y: float) -> str:
    return f"M{x} {y - 6}l6 6l-6 6l-6 -6z"


def _whole(values: Sequence[float]) -> bool:
    return all(abs(100 * value - round(100 * value)) < 1e-6 for value in values)


def _short(name: str, most: int = 52) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
