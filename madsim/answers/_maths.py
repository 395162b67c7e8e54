"""Whether two pieces of maths are the same: structure first, exact values next, a symbolic library only for what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from madsim.answers._exact import PRIME, Unknown, in_field, rational, same_value
from madsim.answers._latex import parse
from madsim.answers._latex_parts import Node
from madsim.answers._normal_form import plain
from madsim.answers._numbers import maths_number
from madsim.answers._solve import solved_for
from madsim.answers._tokens import NotMaths

_MOST_PARTS = 60
_INFINITY: Node = ("const", "inf")
_COLLECTIONS = (
    *(
        "set",
        "list",
        "tuple",
        "union",
        "meet",
        "minus",
        "matrix",
        "row",
        "interval",
        "chain",
        "rel",
        "text",
        "ratio",
        "builder",
    ),
    *("domain", "dots"),
)
_DRESS = re.compile(
    r"\\(?:left|right|displaystyle)(?![a-zA-Z])|\\[,;:! ]|(?<!\d)\s+|\s+(?!\d)|\$|\\(?:text|mathrm|textbf|mathbf)\s?(?=\{)"
)


@lru_cache(maxsize=4096)
def same_maths(left: str, right: str, mark: str | None = None, bare: bool = True) -> bool:
    """Whether two pieces of maths in normal characters have the same value, or are the same set, tuple, function or
    relation.

    Parameters
    ----------
    left, right : the pieces
    mark : decimal mark of the locale, or None
    bare : whether a value without a unit equals one with any unit
    """
    if left == right:
        return True
    trees = [_tree(text, mark) for text in (left, right)]
    if trees[0] is None or trees[1] is None:
        undressed = [_DRESS.sub("", text).strip(".") for text in (left, right)]
        return undressed[0] == undressed[1] != ""
    if not bare and (_unit(trees[0]) is None) != (_unit(trees[1]) is None):
        return False
    try:
        return same(trees[0], trees[1])
    except RecursionError:
        return False


@lru_cache(maxsize=4096)
def _tree(text: str, mark: str | None) -> Node | None:
    """The answer that a piece of maths states; None where it is not understood."""
    number = maths_number(text, mark)
    if number is not None:
        return ("num", number.value)
    try:
        return plain(parse(text))
    except (NotMaths, RecursionError, ValueError, ZeroDivisionError):
        return None


def unit_in(text: str, mark: str | None = None) -> str | None:
    """The words in the place of a unit in a piece of maths, or None."""
    tree = _tree(text, mark)
    return None if tree is None else _unit(tree)


def _unit(tree: Node) -> str | None:
    return tree[1][1][1] if tree[0] == "mul" and tree[1][1][0] == "unit" else None


def same(left: Node, right: Node) -> bool:
    """Whether two trees are the same."""
    if left == right:
        return True
    if left[0] == right[0] == "named":
        if left[1] == right[1]:
            return same(left[2], right[2])
        turned = solved_for(left[1], left[2], right[1][1])
        return same(left[2] if turned is None else turned, right[2])
    if "named" in (left[0], right[0]):
        return same(*(node[2] if node[0] == "named" else node for node in (left, right)))
    left, right = _without_unit(left, right)
    kinds = left[0], right[0]
    if kinds == ("text", "text"):
        return left[1].casefold().strip(" .") == right[1].casefold().strip(" .")
    if "text" in kinds:
        return False
    if all(kind in ("set", "list") for kind in kinds):
        parts = [_distinct(node[1]) for node in (left, right)]
        return _matched(parts[0], parts[1], same)
    if kinds == ("union", "union"):
        return _matched(left[1], right[1], same)
    if kinds in (("tuple", "tuple"), ("matrix", "matrix"), ("row", "row"), ("ratio", "ratio"), ("meet", "meet")):
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
    if _is_infinite(left) or _is_infinite(right):
        return False
    decided = same_value(left, right)
    if decided is not None:
        return decided
    from madsim.answers._symbolic import compare  # here, so that plain maths starts no process machinery

    return compare(left, right)


def _is_infinite(node: object) -> bool:
    """Whether infinity is part of a value; as a bound it is not."""
    if not isinstance(node, tuple) or (node and node[0] in ("sum", "prod", "int", "lim")):
        return False
    return node == _INFINITY or any(map(_is_infinite, node))


def _without_unit(left: Node, right: Node) -> tuple[Node, Node]:
    units = _unit(left), _unit(right)
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
    tree = _tree(text, mark)
    try:
        return None if tree is None else rational(tree[1][0] if _unit(tree) is not None else tree)
    except (Unknown, RecursionError):
        return None
