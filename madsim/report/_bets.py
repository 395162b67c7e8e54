"""Bets against "no drift", question after question: the capital that they came to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from madsim._core.html import Markup, tag
from madsim.report._charts import figure, table
from madsim.report._numbers import amount, count, points_range
from madsim.report._svg import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Scale, canvas, line, ticks, words

if TYPE_CHECKING:
    from madsim.verify import EProcess

_MOST_POINTS = 400


def bets_chart(bets: EProcess, *, key: str, name: str) -> Markup:
    """Capital by question on a logarithmic scale, with the line that refutes."""
    logs = [math.log10(max(capital, 1e-9)) for capital in bets.path.tolist()]
    limit = math.log10(1 / bets.level)
    low, high = math.floor(min(*logs, 0.0)), math.ceil(max(*logs, limit))
    y = Scale(low, high, HEIGHT - BOTTOM, TOP)
    x = Scale(0, max(len(logs), 2), LEFT, WIDTH - RIGHT)
    stride = max(1, math.ceil((high - low) / 6))
    drawn: list[Markup] = []
    for power in range(low, high + 1, stride):
        drawn += [
            line("grid", LEFT, y(power), WIDTH - RIGHT, y(power)),
            words(f"{10.0**power:g}", LEFT - 6, y(power) + 4, anchor="end"),
        ]
    drawn += [
        words(f"{step:g}", x(step), HEIGHT - BOTTOM + 16) for step in ticks(0, len(logs)) if step <= max(len(logs), 2)
    ]
    drawn += [
        line("zero", LEFT, y(limit), WIDTH - RIGHT, y(limit)),
        words("questions", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, css="axis"),
    ]
    every = max(1, math.ceil(len(logs) / _MOST_POINTS))
    places = [*range(0, len(logs), every), len(logs) - 1]
    track = "L".join(f"{x(place + 1)} {y(logs[place])}" for place in places)
    drawn.append(tag("path", d=f"M{x(0)} {y(0)}L{track}", class_="line s0"))
    heading = f"Bets against no drift: {name}"
    stop = "never" if bets.rejected_at is None else f"after {count(bets.rejected_at)} questions"
    rows = [
        ["capital at the end", amount(float(bets.path[-1]))],
        ["largest capital", amount(float(bets.path.max()))],
        [f"reached {amount(1 / bets.level)}", stop],
        ["confidence sequence, points", points_range(bets.interval)],
    ]
    said = f"Capital {amount(float(bets.path[-1]))} after {len(logs)} questions; the line at {1 / bets.level:g} was reached {stop}."
    return figure(
        canvas(heading, said, drawn, key=key),
        heading=heading,
        caption=f"Capital from a start of 1; above the line at {1 / bets.level:g} the null is refuted, however often one looked.",
        values=table(["what", "value"], rows, caption=heading),
    )
