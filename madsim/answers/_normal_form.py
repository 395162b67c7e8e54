"""One form for each answer: values without the names that they are given, sets of numbers in order, both values of a plus-minus."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from madsim.answers._exact import holds, numeric, variables
from madsim.answers._latex_parts import Node
from madsim.answers._regions import EVERYTHING, region_of
from madsim.answers._solve import solved_for, solved_inequality

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_INFINITY: Node = ("const", "inf")
_ONE: Node = ("num", Fraction(1))
_PLANE = frozenset("xy")
_MOST_DOTS = 60


def plain(node: Node) -> Node:
    """The answer that a tree states.

    A name of a number is dropped (``x = 5``, ``f(3) = 9``, ``\\angle A = 30``), and so is a rounded value after an exact one. A line in
    the plane is what y is by it; several named values are a tuple in the order of their names; a condition on one variable
    is the set of its values.
    """
    kind = node[0]
    if kind == "rel":
        return _relation(node)
    if kind == "chain":
        return _chain(node)
    if kind in ("list", "set"):
        return _collection(node)
    if kind in ("union", "meet", "minus"):
        parts = [plain(part) for part in (node[1:] if kind == "minus" else node[1])]
        whole: Node = (kind, *parts) if kind == "minus" else (kind, tuple(parts))
        return region_of(whole) or whole
    if kind == "domain":
        return EVERYTHING if node[1] == "R" else node
    if kind == "builder":
        return _builder(node)
    if kind == "interval":
        return region_of(node) or node
    signs = _both_signs(node)
    return ("list", tuple(signs)) if len(signs) > 1 else node


def _relation(node: Node) -> Node:
    sign, left, right = node[1:]
    if sign == "~":
        return plain(right) if is_name(left) and left[0] != "const" else plain(left)
    if sign == "in":
        return plain(right) if is_name(left) else node
    if sign in ("<", ">", "<=", ">=", "!="):
        return _condition(sign, left, right) or node
    return _equation(left, right) if sign == "=" else node


def _equation(left: Node, right: Node) -> Node:
    whole: Node = ("rel", "=", left, right)
    if left[0] == "tuple" and right[0] == "tuple" and len(left[1]) == len(right[1]):
        return _assigned(list(zip(left[1], right[1], strict=True))) or whole
    names = variables(left) | variables(right)
    inside = variables(right)
    if not names:
        return plain(_exact_of(left, right))
    if (is_name(left) and not inside) or (left[0] == "apply" and not holds(right, left)):
        return plain(right)
    if is_name(right) and not variables(left):
        return plain(left)
    if _is_collection(left) or _is_collection(right):
        return plain(right) if is_name(left) else whole
    if "y" in names and len(names) > 1:
        return solved_for(left, right, "y") or whole
    if left[0] in ("func", "abs") and not inside and not names & _PLANE:
        return plain(right)
    if len(names) == 1:
        return _root(left, right, next(iter(names))) or whole
    for name, value in ((left, right), (right, left)):
        if name[0] == "var" and name[1] not in variables(value):
            return ("named", name, plain(value))
    return plain(right) if not inside and _is_asked(left) else whole


def _is_asked(node: Node) -> bool:
    """Whether a task asks for the value of this: a plain sum or product of names other than x and y, such as ``m + n``."""
    if node[0] in ("add", "mul"):
        return all(map(_is_asked, node[1]))
    return _is_asked(node[1]) if node[0] == "neg" else node[0] == "var" and node[1] not in _PLANE


def _root(left: Node, right: Node, name: str) -> Node | None:
    found = solved_for(left, right, name)
    return found if found is not None and numeric(found) is not None else None


def _is_collection(node: Node) -> bool:
    return node[0] in (
        "set",
        "list",
        "tuple",
        "union",
        "meet",
        "minus",
        "matrix",
        "interval",
        "rel",
        "chain",
        "text",
        "builder",
    )


def is_name(node: Node) -> bool:
    """Whether a node names an answer: a variable, or a function of something that a relation follows."""
    return node[0] in ("var", "apply")


def _exact_of(first: Node, last: Node) -> Node:
    """The side of a numeric equation that states the answer: the last one, unless it rounds the first."""
    values = numeric(first), numeric(last)
    if last[0] != "num" or None in values or first[0] == "num":
        return last
    a, b = (float(value) for value in values if value is not None)
    step = 1 / _ten_power(last[1].denominator)
    return first if a != b and abs(a - b) <= step and step < 1 else last


def _ten_power(bottom: int) -> int:
    """The power of ten of a decimal with this denominator; one for a whole number or another fraction."""
    power = 1
    while power % bottom and power < 10**30:
        power *= 10
    return power if power % bottom == 0 else 1


def _chain(node: Node) -> Node:
    signs, parts = list(node[1]), list(node[2])
    if "~" in signs:
        place = signs.index("~")
        signs, parts = signs[:place], parts[: place + 1]
        if not signs:
            return plain(parts[0])
    if all(sign == "=" for sign in signs):
        while len(parts) > 2 and not variables(parts[-1]) and _exact_of(parts[-2], parts[-1]) == parts[-2]:
            parts.pop()
        if any(is_name(part) for part in parts[:-1]) or variables(parts[0]):
            return plain(("rel", "=", parts[0], parts[-1]))
        return plain(_exact_of(parts[0], parts[-1]))
    if len(signs) == 1:
        return plain(("rel", signs[0], *parts))
    return _between(signs, parts) or node


def _between(signs: list[str], parts: list[Node]) -> Node | None:
    """The interval of ``low < x <= high``; of a linear middle by its solution."""
    if len(parts) != 3 or {sign[0] for sign in signs} not in ({"<"}, {">"}):
        return None
    names = variables(parts[1])
    if len(names) != 1 or variables(parts[0]) | variables(parts[2]):
        return None if parts[1][0] != "var" else _ends(signs, parts)
    if parts[1][0] == "var":
        return _ends(signs, parts)
    sides = [_condition(sign, a, b) for sign, a, b in zip(signs, parts, parts[1:], strict=False)]
    return None if None in sides else region_of(("meet", tuple(sides)))


def _ends(signs: list[str], parts: list[Node]) -> Node:
    low, high = (0, 1) if signs[0][0] == "<" else (1, 0)
    ends = parts[0], parts[2]
    whole: Node = (
        "interval",
        ends[low],
        ends[high],
        "[" if signs[low].endswith("=") else "(",
        "]" if signs[high].endswith("=") else ")",
    )
    return region_of(whole) or whole


def _condition(sign: str, left: Node, right: Node) -> Node | None:
    """The set of the values of the one variable that an inequality is about."""
    if right[0] == "var" and left[0] != "var":
        left, right, sign = right, left, _FLIPPED.get(sign, sign)
    names = variables(left) | variables(right) if left[0] != "var" else {left[1]}
    if len(names) != 1 or _is_collection(left) or _is_collection(right):
        return None
    if left[0] == "abs" and not variables(right):
        return _around(sign, left[1], right)
    solved = solved_inequality(sign, left, right, next(iter(names)))
    if solved is None or (left[0] == "var" and left[1] in variables(right)):
        return None
    sign, bound = solved
    if sign == "!=":
        return region_of(("minus", EVERYTHING, ("set", (bound,))))
    if sign.startswith("<"):
        return ("interval", ("neg", _INFINITY), bound, "(", "]" if sign == "<=" else ")")
    return ("interval", bound, _INFINITY, "[" if sign == ">=" else "(", ")")


def _around(sign: str, inside: Node, bound: Node) -> Node | None:
    """The values at which a part is nearer to zero than a bound, or farther from it."""
    sides = _condition(sign, inside, bound), _condition(_FLIPPED.get(sign, sign), inside, ("neg", bound))
    if sides[0] is None or sides[1] is None:
        return None
    return region_of(("meet" if sign in ("<", "<=", "!=") else "union", sides))


def _collection(node: Node) -> Node:
    parts = list(node[1])
    if ("dots",) in parts:
        parts = _spelt_out(parts) or parts
    named = [(part[2], part[3]) for part in parts if part[0] == "rel" and part[1] == "=" and part[2][0] == "var"]
    if len(named) == len(parts) and len({name[1] for name, _ in named}) > 1:
        return _assigned(named) or (node[0], tuple(parts))
    found: list[Node] = []
    for part in parts:
        one = plain(part)
        found += one[1] if one[0] == "list" else [one]
    return (node[0], tuple(found))


def _assigned(named: list[tuple[Node, Node]]) -> Node | None:
    """The values of several names, in the order of the names; a list where they are one letter with several indices."""
    if any(name[0] != "var" or variables(value) for name, value in named):
        return None
    names = [name[1] for name, _ in named]
    values = [plain(value) for _, value in named]
    if len(set(names)) != len(names):
        return None
    if len({name.partition("_")[0] for name in names}) == 1:
        return ("list", tuple(values))
    order = sorted(range(len(names)), key=names.__getitem__)
    return ("tuple", tuple(values[place] for place in order))


def _spelt_out(parts: list[Node]) -> list[Node] | None:
    """The terms that dots stand for between the first and the last of an arithmetic progression."""
    place = parts.index(("dots",))
    if not 2 <= place == len(parts) - 2 or any(part[0] != "num" for part in (*parts[:place], parts[-1])):
        return None
    values = [part[1] for part in parts[:place]]
    step, last = values[1] - values[0], parts[-1][1]
    if not step or any(b - a != step for a, b in itertools.pairwise(values)):
        return None
    count = (last - values[0]) / step
    if count.denominator != 1 or not place <= count < _MOST_DOTS:
        return None
    return [("num", values[0] + step * at) for at in range(int(count) + 1)]


def _builder(node: Node) -> Node:
    """A set given by a condition: the set of numbers that meet it, where that is one."""
    name, domain, condition = node[1:]
    if name[0] != "var":
        return node
    parts = condition[1] if condition[0] == "list" else (condition,)
    found = [plain(part) for part in parts if part != ("rel", "in", name, ("domain", "R"))]
    if domain not in (None, ("domain", "R")):
        found.append(plain(domain))
    if len(found) == 1 and found[0][0] in ("interval", "union", "set"):
        return found[0]
    return region_of(("meet", tuple(found))) or node if found else EVERYTHING


def _both_signs(node: Node) -> list[Node]:
    """The node for each choice of sign, the same choice throughout."""
    if not _has(node, "pm"):
        return [node]
    return [_signed(node, negative) for negative in (False, True)]


def _has(node: object, kind: str) -> bool:
    return isinstance(node, tuple) and bool(node) and (node[0] == kind or any(_has(part, kind) for part in node))


def _signed(node: Any, negative: bool) -> Any:
    if not isinstance(node, tuple) or not node:
        return node
    if node[0] == "pm":
        inner = _signed(node[1], negative)
        return ("neg", inner) if negative else inner
    return tuple(_signed(part, negative) if isinstance(part, tuple) else part for part in node)
