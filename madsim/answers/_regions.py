"""Sets of real numbers: unions, intersections and differences of intervals and points, in one form."""

from __future__ import annotations

import math
from typing import NamedTuple

from madsim.answers._exact import numeric
from madsim.answers._latex_parts import Node

_MOST_PIECES = 60
_INFINITY: Node = ("const", "inf")
EVERYTHING: Node = ("interval", ("neg", _INFINITY), _INFINITY, "(", ")")


class Cut(NamedTuple):
    """A place on the line, just before or just after a number; `after` is 0 or 1."""

    place: float
    after: int
    node: Node


Piece = tuple[Cut, Cut]


def region_of(node: Node) -> Node | None:
    """A union, an intersection or a difference of numeric intervals and points in one form: a set of points, an interval, or
    a union of intervals from left to right with the set of lone points last; None for anything else.
    """
    pieces = _pieces(node)
    if pieces is None:
        return None
    points = tuple(low.node for low, high in pieces if low.place == high.place)
    intervals = [_interval(low, high) for low, high in pieces if low.place != high.place]
    if not intervals:
        return ("set", points)
    if len(intervals) == 1 and not points:
        return intervals[0]
    return ("union", (*intervals, *([("set", points)] if points else [])))


def _interval(low: Cut, high: Cut) -> Node:
    return ("interval", low.node, high.node, "(" if low.after else "[", "]" if high.after else ")")


def _pieces(node: Node) -> list[Piece] | None:
    """The pieces of a set from left to right, apart from each other; None for what is no set of numbers."""
    kind = node[0]
    if kind == "domain":
        return _pieces(EVERYTHING) if node[1] == "R" else None
    if kind in ("interval", "tuple"):
        return _one_interval(node)
    if kind == "set":
        points = [_piece(part, part, "[", "]") for part in node[1]]
        return None if len(points) > _MOST_PIECES or None in points else _union([piece for piece in points if piece])
    if kind in ("union", "meet"):
        found = [_pieces(part) for part in node[1]]
        if len(found) > _MOST_PIECES or any(part is None for part in found):
            return None
        result = found[0] or []
        for part in found[1:]:
            result = _union([*result, *(part or [])]) if kind == "union" else _meet(result, part or [])
        return result
    if kind == "minus":
        left, right = _pieces(node[1]), _pieces(node[2])
        return None if left is None or right is None else _meet(left, _rest(right))
    return None


def _one_interval(node: Node) -> list[Piece] | None:
    if node[0] == "tuple":
        if len(node[1]) != 2:
            return None
        node = ("interval", *node[1], "(", ")")
    piece = _piece(*node[1:])
    return None if piece is None else [piece]


def _piece(left: Node, right: Node, opening: str, closing: str) -> Piece | None:
    places = numeric(left), numeric(right)
    if places[0] is None or places[1] is None or not places[0] <= places[1]:
        return None
    low = Cut(places[0], int(opening == "("), left)
    high = Cut(places[1], int(closing == "]"), right)
    if math.isinf(low.place):
        low = low._replace(after=1)
    if math.isinf(high.place):
        high = high._replace(after=0)
    return (low, high) if low[:2] < high[:2] else None


def _near(a: float, b: float) -> bool:
    return a == b or (math.isfinite(a - b) and abs(a - b) <= 1e-12 * max(1.0, abs(a), abs(b)))


def _order(a: Cut, b: Cut) -> int:
    """-1, 0 or 1 as one cut is before, at or after the other."""
    left, right = (a.after, b.after) if _near(a.place, b.place) else (a.place, b.place)
    return (left > right) - (left < right)


def _union(pieces: list[Piece]) -> list[Piece]:
    merged: list[Piece] = []
    for low, high in sorted(pieces, key=lambda piece: (piece[0].place, piece[0].after)):
        if merged and _order(low, merged[-1][1]) <= 0:
            if _order(high, merged[-1][1]) > 0:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def _meet(left: list[Piece], right: list[Piece]) -> list[Piece]:
    found = []
    for a in left:
        for b in right:
            low, high = _last(a[0], b[0]), _first(a[1], b[1])
            if _order(low, high) < 0:
                found.append((low, high))
    return _union(found)


def _last(a: Cut, b: Cut) -> Cut:
    return a if _order(a, b) >= 0 else b


def _first(a: Cut, b: Cut) -> Cut:
    return a if _order(a, b) <= 0 else b


def _rest(pieces: list[Piece]) -> list[Piece]:
    """The line without the pieces."""
    low, end = Cut(-math.inf, 1, ("neg", _INFINITY)), Cut(math.inf, 0, _INFINITY)
    found = []
    for first, last in pieces:
        if _order(low, first) < 0:
            found.append((low, first))
        low = last
    return [*found, (low, end)] if _order(low, end) < 0 else found
