"""Exact comparison of maths without a symbolic library: rationals, and identities tested in a large prime field.

A rational function is an identity if and only if it holds at random points of a field, up to a chance of degree over
size (Schwartz 1980, Zippel 1979),
here below 1e-30. The points are fixed, so the same pair always gives the same result.
"""

from __future__ import annotations

import cmath
import hashlib
import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from madsim.answers._latex import parse
from madsim.answers._latex_parts import Node
from madsim.answers._numbers import decimal_text
from madsim.answers._tokens import NotMaths

PRIME = 2**127 - 1
_MOST_BITS = 40_000
_LARGEST_FACTORIAL = 2_000


class Unknown(Exception):
    """Not decided here."""


def rational(node: Node) -> Fraction:
    """The exact value of a tree of rational arithmetic.

    Raises
    ------
    Unknown
        If it is not rational arithmetic, or too large.
    """
    kind = node[0]
    if kind == "num":
        return node[1]
    if kind == "neg":
        return -rational(node[1])
    if kind == "add":
        return _small(sum((rational(part) for part in node[1]), Fraction(0)))
    if kind == "mul":
        left, right = (part for part in node[1])
        if right[0] == "unit" and left[0] != "unit":
            return rational(left)
        return _small(rational(left) * rational(right))
    if kind == "div":
        bottom = rational(node[2])
        if not bottom:
            raise Unknown
        return _small(rational(node[1]) / bottom)
    if kind == "pow":
        return _power(rational(node[1]), rational(node[2]))
    if kind == "fact":
        value = rational(node[1])
        if value.denominator != 1 or not 0 <= value <= _LARGEST_FACTORIAL:
            raise Unknown
        return Fraction(math.factorial(int(value)))
    if kind == "fact2":
        return _double_factorial(rational(node[1]))
    if kind in ("sum", "prod") and node[3] is not None:
        return _finite(node)
    if kind == "abs":
        return abs(rational(node[1]))
    if kind == "root":
        degree, inner = _nonzero(rational(node[1])), rational(node[2])
        if inner < 0 and degree.denominator == 1 and degree % 2:
            return -_power(-inner, 1 / degree)
        return _power(inner, 1 / degree)
    if kind == "func" and node[1] == "det":
        return _determinant(node[2])
    if kind == "func":
        return _rational_function(node[1], [rational(argument) for argument in node[2]])
    raise Unknown


def _double_factorial(value: Fraction) -> Fraction:
    if value.denominator != 1 or not -1 <= value <= _LARGEST_FACTORIAL:
        raise Unknown
    return Fraction(math.prod(range(int(value), 0, -2)))


_MOST_TERMS = 500


def _finite(node: Node) -> Fraction:
    """A sum or a product of a few rational terms."""
    low, high = rational(node[2]), rational(node[3])
    if low.denominator != 1 or high.denominator != 1 or not 0 <= high - low < _MOST_TERMS:
        raise Unknown
    if any(_has_bounds(part) for part in node[2:]):
        raise Unknown
    terms = [rational(replaced(node[4], node[1], ("num", Fraction(at)))) for at in range(int(low), int(high) + 1)]
    return _small(sum(terms, Fraction(0)) if node[0] == "sum" else math.prod(terms, start=Fraction(1)))


def _has_bounds(node: Any) -> bool:
    return isinstance(node, tuple) and (node[:1] in (("sum",), ("prod",)) or any(map(_has_bounds, node)))


def replaced(node: Any, old: Node, new: Node) -> Any:
    """The tree with one part put for another throughout."""
    if node == old:
        return new
    return tuple(replaced(part, old, new) for part in node) if isinstance(node, tuple) else node


def holds(node: Any, part: Node) -> bool:
    """Whether a tree has this part."""
    return node == part or (isinstance(node, tuple) and any(holds(inner, part) for inner in node))


def _determinant(arguments: tuple[Node, ...]) -> Fraction:
    """Of a small square matrix, by its first row."""
    if len(arguments) != 1 or arguments[0][0] != "matrix":
        raise Unknown
    rows = [[rational(cell) for cell in row[1]] for row in arguments[0][1]]
    if not 0 < len(rows) <= 5 or any(len(row) != len(rows) for row in rows):
        raise Unknown
    return _cofactors(rows)


def _cofactors(rows: list[list[Fraction]]) -> Fraction:
    if not rows:
        return Fraction(1)
    minors = ([row[:at] + row[at + 1 :] for row in rows[1:]] for at in range(len(rows)))
    return sum(((-1) ** at * rows[0][at] * _cofactors(minor) for at, minor in enumerate(minors)), Fraction(0))


def _nonzero(value: Fraction) -> Fraction:
    if not value:
        raise Unknown
    return value


def _small(value: Fraction) -> Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > _MOST_BITS:
        raise Unknown
    return value


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        root = _root(base, exponent.denominator)
        return _power(root, Fraction(exponent.numerator))
    power = exponent.numerator
    if not base and power <= 0:
        raise Unknown
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base in (0, 1, -1):
        return base if power % 2 or base >= 0 else -base
    if size * abs(power) > _MOST_BITS:
        raise Unknown
    return base**power


def _root(value: Fraction, degree: int) -> Fraction:
    if value < 0 or degree > 64:
        raise Unknown
    parts = []
    for whole in (value.numerator, value.denominator):
        root = _whole_root(whole, degree)
        if root**degree != whole:
            raise Unknown
        parts.append(root)
    return Fraction(*parts)


def _whole_root(value: int, degree: int) -> int:
    if degree == 2:
        return math.isqrt(value)
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low


def _rational_function(name: str, values: list[Fraction]) -> Fraction:
    if name == "floor":
        return Fraction(math.floor(values[0]))
    if name == "ceil":
        return Fraction(math.ceil(values[0]))
    if name in ("min", "max"):
        return (min if name == "min" else max)(values)
    whole = all(value.denominator == 1 for value in values)
    if name == "binomial" and whole and 0 <= values[1] <= values[0] <= _LARGEST_FACTORIAL:
        return Fraction(math.comb(int(values[0]), int(values[1])))
    if name in ("gcd", "lcm") and whole and values:
        return Fraction((math.gcd if name == "gcd" else math.lcm)(*map(int, values)))
    if name.startswith("base") and whole and 2 <= int(name[4:]) <= 36:
        try:
            return Fraction(int(str(values[0]), int(name[4:])))
        except ValueError:
            raise Unknown from None
    if name == "log" and len(values) == 2 and whole and values[0] > 0 and values[1] > 1:
        power, rest = 0, int(values[0])
        while rest % int(values[1]) == 0:
            rest, power = rest // int(values[1]), power + 1
        if rest == 1:
            return Fraction(power)
    raise Unknown


def in_field(node: Node, point: int, opaque: set[str]) -> int:
    """The value of a tree in the prime field, with every variable and every part beyond rational arithmetic at its
    own random place.

    Such parts are noted in `opaque`: two values that agree prove equality, two that differ prove a difference only
    where `opaque` stays empty.

    Raises
    ------
    Unknown
        At a division by zero or a part that has no single value.
    """
    kind = node[0]
    if kind == "num":
        return _over(node[1].numerator, node[1].denominator)
    if kind == "neg":
        return -in_field(node[1], point, opaque) % PRIME
    if kind == "add":
        return sum(in_field(part, point, opaque) for part in node[1]) % PRIME
    if kind == "mul":
        left, right = node[1]
        if right[0] == "unit" and left[0] != "unit":
            return in_field(left, point, opaque)
        return in_field(left, point, opaque) * in_field(right, point, opaque) % PRIME
    if kind == "div":
        return _over(in_field(node[1], point, opaque), in_field(node[2], point, opaque))
    if kind == "var":
        return _place(repr(node), point)
    if kind == "const" and node[1] == "pi":
        return _place(repr(node), point)
    try:
        value = rational(node)
        return _over(value.numerator, value.denominator)
    except Unknown:
        pass
    if kind == "pow":
        try:
            exponent = rational(node[2])
        except Unknown:
            exponent = Fraction(1, 2)
        if exponent.denominator == 1:
            base = in_field(node[1], point, opaque)
            if not base and exponent <= 0:
                raise Unknown
            return pow(base, int(exponent), PRIME)
    if kind in (
        "pow",
        "root",
        "func",
        "fact",
        "fact2",
        "abs",
        "const",
        "sum",
        "prod",
        "int",
        "lim",
        "diff",
        "domain",
        "apply",
    ):
        opaque.add(kind)
        return _place(repr(node), point)
    raise Unknown


def _over(top: int, bottom: int) -> int:
    if not bottom % PRIME:
        raise Unknown
    return top * pow(bottom, -1, PRIME) % PRIME


@lru_cache(maxsize=2048)
def _place(name: str, point: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{point}:{name}".encode()).digest()[:16], "big") % PRIME


def same_value(left: Node, right: Node) -> bool | None:
    """Whether two trees are the same value or the same function; None where a symbolic library has to tell."""
    try:
        return rational(left) == rational(right)
    except (Unknown, RecursionError):
        pass
    opaque: set[str] = set()
    try:
        pairs = [(in_field(left, point, opaque), in_field(right, point, opaque)) for point in range(3)]
    except (Unknown, RecursionError):
        return None
    if all(a == b for a, b in pairs):
        return True
    if not opaque:
        return False
    return False if _differ(left, right) else None


def _differ(left: Node, right: Node) -> bool:
    """Whether floating-point values at one point are too far apart for rounding to explain."""
    try:
        largest = [1e-300]
        a, b = (_floating(node, largest) for node in (left, right))
    except (Unknown, ArithmeticError, ValueError, RecursionError):
        return False
    scale = max(abs(a), abs(b), largest[0] if largest[0] > 1e3 * max(abs(a), abs(b)) else 0)
    return abs(a - b) > 1e-7 * scale


_FLOATS = {
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "exp": cmath.exp,
    "ln": cmath.log,
    "sinh": cmath.sinh,
    "cosh": cmath.cosh,
    "tanh": cmath.tanh,
    "arctan": cmath.atan,
    "atan": cmath.atan,
}


def numeric(node: Node) -> float | None:
    """A real number in floating point, infinities included; None for anything else."""
    if node == ("const", "inf"):
        return math.inf
    if node == ("neg", ("const", "inf")):
        return -math.inf
    try:
        value = complex(_floating(node, [1e-300]))
    except (Unknown, ArithmeticError, ValueError, RecursionError):
        return None
    return None if abs(value.imag) > 1e-12 * max(1.0, abs(value)) or variables(node) else value.real


def variables(node: Any) -> set[str]:
    """The names of the variables that are free in a tree."""
    if not isinstance(node, tuple) or not node:
        return set()
    if node[0] == "var":
        return {node[1]}
    if node[0] in ("text", "unit", "const", "num", "domain"):
        return set()
    found = set().union(*(variables(part) for part in node))
    return (
        found - {node[1][1]} if node[0] in ("sum", "prod", "int", "lim", "builder") and node[1][0] == "var" else found
    )


def _floating(node: Node, largest: list[float]) -> complex:
    kind = node[0]
    if kind == "num":
        value: complex = float(node[1])
    elif kind == "const":
        if node[1] == "inf":
            raise Unknown
        value = {"pi": math.pi, "e": math.e, "i": 1j}[node[1]]
    elif kind == "var":
        value = 0.3 + _place(repr(node), 0) / PRIME
    elif kind == "neg":
        value = -_floating(node[1], largest)
    elif kind == "add":
        value = sum(_floating(part, largest) for part in node[1])
    elif kind == "mul":
        value = _floating(node[1][0], largest) * (1 if node[1][1][0] == "unit" else _floating(node[1][1], largest))
    elif kind == "div":
        value = _floating(node[1], largest) / _floating(node[2], largest)
    elif kind == "pow":
        value = _floating(node[1], largest) ** _floating(node[2], largest)
    elif kind == "root":
        degree, inner = _floating(node[1], largest), _floating(node[2], largest)
        if not complex(inner).imag and complex(inner).real < 0:
            raise Unknown  # the real root of an odd degree, not the principal one
        value = inner ** (1 / degree)
    elif kind == "func" and node[1] in _FLOATS and len(node[2]) == 1:
        value = _FLOATS[node[1]](_floating(node[2][0], largest))
    elif kind in ("fact", "fact2", "func", "sum", "prod"):
        value = float(rational(node))
    else:
        raise Unknown
    if not cmath.isfinite(value):
        raise Unknown
    largest[0] = max(largest[0], abs(value))
    return value


def exact_number(text: str) -> str | None:
    """Canonical text of a piece of rational arithmetic such as ``2^{10}`` or ``5! / 3``; None for anything else."""
    try:
        return decimal_text(rational(parse(text)))
    except (NotMaths, Unknown, RecursionError):
        return None
