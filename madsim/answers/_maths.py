"""Whether two pieces of maths are the same: structure first, exact values next, a symbolic library only for what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from madsim.answers._exact import PRIME, Unknown, in_field, rational, same_value
from madsim.answers._latex import Node, parse
from madsim.answers._numbers import parse_number
from madsim.answers._tokens import NotMaths

_MOST_PARTS = 60
_COLLECTIONS = ("set", "list", "tuple", "union", "matrix", "row", "interval", "chain", "rel", "text")
_DRESS = re.compile(
    r"\\(?:left|right|displaystyle)(?![a-zA-Z])|\\[,;:! ]|\s+|\$|\\(?:text|mathrm|textbf|mathbf)\s?(?=\{)"
)


@lru_cache(maxsize=4096)
def same_maths(left: str, right: str, mark: str | None = None) -> bool:
    """Whether two pieces of maths in normal characters have the same value, or are the same set, tuple, function or
    relation."""
    if left == right:
        return True
    numbers = parse_number(left, mark), parse_number(right, mark)
    if numbers[0] is not None and numbers[1] is not None:
        return numbers[0].value == numbers[1].value
    try:
        trees = [
            ("num", number.value) if number is not None else parse(text)
            for number, text in zip(numbers, (left, right), strict=True)
        ]
        trees = [
            parse(text) if _is_list(tree, text) and other[0] in ("list", "set") else tree
            for tree, text, other in zip(trees, (left, right), trees[::-1], strict=True)
        ]
    except (NotMaths, RecursionError, ValueError, ZeroDivisionError):
        plain = [_DRESS.sub("", text).strip(".") for text in (left, right)]
        return plain[0] == plain[1] != ""
    try:
        return same(_plain(trees[0]), _plain(trees[1]))
    except RecursionError:
        return False


def _is_list(tree: Node, text: str) -> bool:
    """Whether a number with a decimal comma could as well be two numbers: beside a set or a list it is."""
    return tree[0] == "num" and "," in text and "." not in text


def _plain(node: Node) -> Node:
    """Without the name that an answer is given (``x = 5``, ``x \\in [0, 1]``), with inequalities as intervals and
    both values of a plus-minus."""
    if node[0] == "rel":
        sign, left, right = node[1], node[2], node[3]
        if left[0] == right[0] == "var":
            return node
        if sign in ("=", "in", "~") and _is_name(left) and not _contains(right, left):
            return _plain(right)
        if sign == "=" and right[0] == "var" and not _contains(left, right):
            return _plain(left)
        if sign in ("<", ">", "<=", ">="):
            return _half_line(sign, left, right) or node
        return node
    if node[0] == "chain":
        return _between(node) or node
    if node[0] in ("list", "set"):
        parts: list[Node] = []
        names = {part[2] for part in node[1] if part[0] == "rel" and _is_name(part[2])}
        for part in node[1]:
            plain = _plain(part) if len(names) < 2 else part
            parts += plain[1] if plain[0] == "list" and part[0] != "tuple" else [plain]
        return (node[0], tuple(parts))
    signs = _both_signs(node)
    return ("list", tuple(signs)) if len(signs) > 1 else node


def _is_name(node: Node) -> bool:
    return node[0] == "var" or (node[0] == "mul" and node[1][0][0] == "var" and node[1][1][0] in ("var", "tuple"))


def _contains(node: object, part: Node) -> bool:
    return node == part or (isinstance(node, tuple) and any(_contains(inner, part) for inner in node))


_INFINITY: Node = ("const", "inf")


def _half_line(sign: str, left: Node, right: Node) -> Node | None:
    if right[0] == "var" and left[0] != "var":
        left, right, sign = right, left, {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[sign]
    if left[0] != "var":
        return None
    if sign.startswith("<"):
        return ("interval", ("neg", _INFINITY), right, "(", "]" if sign == "<=" else ")")
    return ("interval", right, _INFINITY, "[" if sign == ">=" else "(", ")")


def _between(node: Node) -> Node | None:
    signs, parts = node[1], node[2]
    if len(parts) != 3 or parts[1][0] != "var" or {sign[0] for sign in signs} not in ({"<"}, {">"}):
        return None
    low, high = (0, 1) if signs[0][0] == "<" else (1, 0)
    ends = parts[0], parts[2]
    return (
        "interval",
        ends[low],
        ends[high],
        "[" if signs[low].endswith("=") else "(",
        "]" if signs[high].endswith("=") else ")",
    )


def _both_signs(node: Node) -> list[Node]:
    """The node for each choice of sign, the same choice throughout."""
    if not _has(node, "pm"):
        return [node]
    return [_signed(node, negative) for negative in (False, True)]


def _has(node: object, kind: str) -> bool:
    return (
        isinstance(node, tuple)
        and bool(node)
        and (
            node[0] == kind
            or any(_has(part, kind) for part in node[1:])
            or (isinstance(node[0], tuple) and _has(node[0], kind))
        )
    )


def _signed(node, negative: bool):
    if not isinstance(node, tuple) or not node:
        return node
    if node[0] == "pm":
        inner = _signed(node[1], negative)
        return ("neg", inner) if negative else inner
    return tuple(_signed(part, negative) if isinstance(part, tuple) else part for part in node)


def same(left: Node, right: Node) -> bool:
    """Whether two trees are the same."""
    if left == right:
        return True
    left, right = _without_unit(left, right)
    kinds = left[0], right[0]
    if kinds == ("text", "text"):
        return left[1].casefold().strip(" .") == right[1].casefold().strip(" .")
    if "text" in kinds:
        return False
    if all(kind in ("set", "list") for kind in kinds):
        parts = [_distinct(node[1]) if "set" in kinds else list(node[1]) for node in (left, right)]
        return _matched(parts[0], parts[1], same)
    if kinds == ("union", "union"):
        return _matched(left[1], right[1], same)
    if kinds in (("tuple", "tuple"), ("matrix", "matrix"), ("row", "row")):
        return len(left[1]) == len(right[1]) and all(map(same, left[1], right[1]))
    if set(kinds) == {"tuple", "interval"}:
        pair, interval = (left, right) if kinds[0] == "tuple" else (right, left)
        return (
            len(pair[1]) == 2
            and interval[3:] == ("(", ")")
            and same(pair[1][0], interval[1])
            and same(pair[1][1], interval[2])
        )
    if kinds == ("interval", "interval"):
        return left[3:] == right[3:] and same(left[1], right[1]) and same(left[2], right[2])
    if kinds == ("rel", "rel"):
        return _same_relation(left, right)
    if kinds == ("chain", "chain"):
        return left[1] == right[1] and len(left[2]) == len(right[2]) and all(map(same, left[2], right[2]))
    if any(kind in _COLLECTIONS for kind in kinds):
        return False
    if _contains(left, _INFINITY) or _contains(right, _INFINITY):
        return False
    decided = same_value(left, right)
    if decided is not None:
        return decided
    from madsim.answers._symbolic import compare  # here, so that plain maths starts no process machinery

    return compare(left, right)


def _without_unit(left: Node, right: Node) -> tuple[Node, Node]:
    units = [node[1][1][1] if node[0] == "mul" and node[1][1][0] == "unit" else None for node in (left, right)]
    if (units[0] is None) == (units[1] is None) and units[0] != units[1]:
        return left, ("text", "another unit")
    return tuple(node if unit is None else node[1][0] for node, unit in zip((left, right), units, strict=True))  # type: ignore[return-value]


def _distinct(parts: Sequence[Node]) -> list[Node]:
    kept: list[Node] = []
    for part in parts[:_MOST_PARTS]:
        if not any(same(part, other) for other in kept):
            kept.append(part)
    return kept


def _matched(left: Sequence[Node], right: Sequence[Node], alike: Callable[[Node, Node], bool]) -> bool:
    """Whether the parts pair off, whatever their order; sameness is transitive, so taking the first partner loses nothing."""
    if len(left) != len(right) or len(left) > _MOST_PARTS:
        return False
    rest = list(right)
    for part in left:
        place = next((place for place, other in enumerate(rest) if alike(part, other)), None)
        if place is None:
            return False
        del rest[place]
    return True


def _same_relation(left: Node, right: Node) -> bool:
    flipped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    sides = [(node[1], node[2], node[3]) for node in (left, right)]
    (sign, a, b), (other, c, d) = sides
    if sign == other and same(a, c) and same(b, d):
        return True
    if flipped.get(sign, sign) == other and sign not in ("in", "->", "|") and same(a, d) and same(b, c):
        return True
    if sign == other == "=" and not any(node[0] in _COLLECTIONS for node in (a, b, c, d)):
        return _proportional(("add", (a, ("neg", b))), ("add", (c, ("neg", d))))
    return False


def _proportional(left: Node, right: Node) -> bool:
    """Whether one side's difference is a constant times the other's, so that both equations have the same solutions."""
    opaque: set[str] = set()
    try:
        ratios = {
            in_field(left, point, opaque) * pow(in_field(right, point, opaque), -1, PRIME) % PRIME for point in range(3)
        }
    except (Unknown, ValueError):
        return False
    return len(ratios) == 1 and ratios != {0}


def numeric_value(text: str, mark: str | None) -> Fraction | None:
    """The exact rational value of a piece of maths, or None."""
    number = parse_number(text, mark)
    if number is not None:
        return number.value
    try:
        tree = _plain(parse(text))
        return rational(tree[1][0] if tree[0] == "mul" and tree[1][1][0] == "unit" else tree)
    except (NotMaths, Unknown, RecursionError, ValueError, ZeroDivisionError):
        return None
