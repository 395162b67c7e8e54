"""Accuracy over cost: the curve of plain votes with its band, and debates as points with their intervals."""

from __future__ import annotations

import math

from madsim._core.html import Markup, tag
from madsim.planning import Forecast, OptionForecast
from madsim.report._charts import figure, table
from madsim.report._numbers import amount, percent, percent_range
from madsim.report._svg import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Scale, canvas, frame, line, mark, ticks, words


def cost_chart(found: Forecast, *, key: str, heading: str) -> Markup:
    """The figure of one forecast; costs are of 1000 questions on a logarithmic scale, tokens where nothing has a price."""
    votes = [one for one in found.options if one.option.kind == "vote"]
    debates = [one for one in found.options if one.option.kind != "vote"]
    priced = all(one.cost.money > 0 for one in found.options)
    ends = [end for one in found.options for end in one.interval]
    steps = ticks(max(0.0, min(ends)), min(1.0, max(*ends, min(ends) + 0.04)))
    costs = [math.log10(_cost(one, priced)) for one in found.options]
    y = Scale(steps[0], steps[-1], HEIGHT - BOTTOM, TOP)
    x = Scale(min(costs) - 0.08, max(*costs, min(costs) + 0.3) + 0.08, LEFT, WIDTH - RIGHT)

    def at(one: OptionForecast, value: float) -> str:
        return f"{x(math.log10(_cost(one, priced)))} {y(value)}"

    drawn = frame(steps, y, _cost_labels(x))
    drawn.append(words(_axis(priced), (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, css="axis"))
    outline = [at(one, one.interval.high) for one in votes] + [at(one, one.interval.low) for one in reversed(votes)]
    drawn.append(tag("path", d="M" + "L".join(outline) + "z", class_="band s0"))
    drawn.append(tag("path", d="M" + "L".join(at(one, one.accuracy) for one in votes), class_="line s0"))
    for style, options in ((0, votes), (1, debates)):
        for one in options:
            place = x(math.log10(_cost(one, priced)))
            if style:
                drawn.append(line("whisker wide s1", place, y(one.interval.low), place, y(one.interval.high)))
            drawn.append(mark(style, place, y(one.accuracy)))
    rows = [
        [str(one.option), amount(_cost(one, priced)), percent(one.accuracy), percent_range(one.interval)]
        for one in found.options
    ]
    said = "; ".join(f"{row[0]} costs {row[1]} and is right on {row[2]} ({row[3]})" for row in rows)
    return figure(
        canvas(heading, said, drawn, key=key),
        heading=heading,
        caption="Share of questions expected right, with 95 % intervals. A plain vote beats every debate below its curve.",
        values=table(["option", _axis(priced), "right", "interval"], rows, caption=heading),
        names=[(0, "plain votes"), (1, "debates")],
    )


def _cost(one: OptionForecast, priced: bool) -> float:
    return 1000 * (one.cost.money if priced else max(one.cost.tokens, one.cost.calls))


def _axis(priced: bool) -> str:
    return "cost of 1000 questions" if priced else "tokens of 1000 questions"


def _cost_labels(x: Scale) -> list[tuple[float, str]]:
    """Ones, twos and fives of every power of ten in sight; ones alone where these would crowd."""
    low, high = x.low, x.high
    powers = range(math.floor(low), math.ceil(high) + 1)
    factors = (1, 2, 5) if high - low < 2.5 else (1,)
    values = [factor * 10.0**power for power in powers for factor in factors]
    return [(x(math.log10(v)), f"{v:g}") for v in values if low <= math.log10(v) <= high]
