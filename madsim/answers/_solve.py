"""Equations and inequalities that are linear in one variable."""

from __future__ import annotations

import contextlib
from fractions import Fraction

from madsim.answers._exact import PRIME, Unknown, in_field, rational, replaced
from madsim.answers._latex_parts import Node


def linear_in(left: Node, right: Node, name: str) -> tuple[Node, Node] | None:
    """Slope and constant of ``left - right`` in a variable, without it; None where the difference is not linear in it."""
    difference: Node = ("add", (left, ("neg", right)))
    at = [replaced(difference, ("var", name), ("num", Fraction(value))) for value in range(3)]
    try:
        for point in range(3):
            opaque: set[str] = set()
            values = [in_field(node, point, opaque) for node in at]
            if (values[2] - 2 * values[1] + values[0]) % PRIME or not (values[1] - values[0]) % PRIME:
                return None
    except (Unknown, ValueError, RecursionError):
        return None
    return ("add", (at[1], ("neg", at[0]))), at[0]


def solved_for(left: Node, right: Node, name: str) -> Node | None:
    """What the variable is by the equation of two sides; None where they are not linear in it."""
    linear = linear_in(left, right, name)
    if linear is None:
        return None
    slope, constant = linear
    value: Node = ("div", ("neg", constant), slope)
    try:
        return ("num", rational(value))
    except (Unknown, RecursionError):
        return value


def solved_inequality(sign: str, left: Node, right: Node, name: str) -> tuple[str, Node] | None:
    """Sign and bound of the variable; None where the two sides are not linear in it or the slope is no rational number."""
    if left == ("var", name):
        return sign, right
    linear = linear_in(left, right, name)
    if linear is None:
        return None
    slope, constant = linear
    try:
        factor = rational(slope)
    except (Unknown, RecursionError):
        return None
    if not factor:
        return None
    bound: Node = ("div", ("neg", constant), ("num", factor))
    with contextlib.suppress(Unknown, RecursionError):
        bound = ("num", rational(bound))
    flipped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    return (sign if factor > 0 else flipped.get(sign, sign)), bound
