"""The child process of symbolic comparison: reads pairs of trees as JSON lines, writes ``true``, ``false`` or ``null``."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

import sympy

_MOST_BYTES = 2 << 30
_MOST_BITS = 1_000_000
_LARGEST_FACTORIAL = 20_000
_DIGITS = 60
_POINTS = (Fraction(3, 7), Fraction(11, 5), Fraction(-7, 9))


class Unreadable(ValueError):
    """A tree that stands for no expression."""


def limit_memory() -> None:
    """Cap the address space of this process where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))


def expression(node: list) -> Any:
    """The expression of a tree."""
    kind = node[0]
    if kind == "num":
        top, bottom = (int(part, 16) for part in node[1].split("/"))
        return sympy.Rational(top, bottom)
    if kind == "const":
        return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "inf": sympy.oo}[node[1]]
    if kind == "var":
        return sympy.Symbol(node[1])
    if kind == "neg":
        return -expression(node[1])
    if kind == "add":
        return sympy.Add(*map(expression, node[1]))
    if kind == "mul":
        left, right = node[1]
        return expression(left) if right[0] == "unit" else expression(left) * expression(right)
    if kind == "div":
        return expression(node[1]) / expression(node[2])
    if kind == "pow":
        return _power(expression(node[1]), expression(node[2]))
    if kind == "root":
        return _root(expression(node[1]), expression(node[2]))
    if kind == "fact":
        inner = expression(node[1])
        if inner.is_number and abs(inner) > _LARGEST_FACTORIAL:
            raise Unreadable("a factorial beyond reach")
        return sympy.factorial(inner)
    if kind == "fact2":
        inner = expression(node[1])
        if inner.is_number and abs(inner) > _LARGEST_FACTORIAL:
            raise Unreadable("a factorial beyond reach")
        return sympy.factorial2(inner)
    if kind in ("sum", "prod", "int", "lim", "diff"):
        return _with_bounds(kind, *node[1:])
    if kind == "abs":
        return sympy.Abs(expression(node[1]))
    if kind == "func":
        return _function(node[1], [expression(argument) for argument in node[2]])
    raise Unreadable(kind)


def _with_bounds(kind: str, variable: list, low: list | None, high: list | None, body: list) -> Any:
    """A sum, a product, an integral, a limit or a derivative, worked out."""
    symbol, inside = expression(variable), expression(body)
    if kind == "lim":
        return sympy.limit(inside, symbol, expression(low or []))
    if kind == "diff":
        return sympy.diff(inside, symbol)
    if low is None or high is None:
        return sympy.integrate(inside, symbol)
    bounds = (symbol, expression(low), expression(high))
    if kind == "int":
        return sympy.integrate(inside, bounds)
    return (sympy.Sum(inside, bounds) if kind == "sum" else sympy.Product(inside, bounds)).doit()


def _power(base: Any, exponent: Any) -> Any:
    if base.is_Rational and exponent.is_Rational and base not in (0, 1, -1):
        bits = max(int(base.p).bit_length(), int(base.q).bit_length())
        if abs(exponent) * bits > _MOST_BITS:
            raise Unreadable("a power beyond reach")
    return sympy.Pow(base, exponent)


def _root(degree: Any, inner: Any) -> Any:
    if degree.is_odd and inner.is_negative:
        return -sympy.root(-inner, degree)
    return sympy.root(inner, degree)


def _function(name: str, arguments: list) -> Any:
    if name in ("log", "lg", "ln"):
        base = arguments[1] if len(arguments) > 1 else sympy.Integer(10) if name == "lg" else sympy.E
        return sympy.log(arguments[0]) / sympy.log(base)
    known = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "min": "Min", "max": "Max", "ceil": "ceiling"}
    if name.startswith("base"):
        raise Unreadable(name)
    return getattr(sympy, known.get(name, name))(*arguments)


def same(left: list, right: list) -> bool | None:
    """Whether two trees are the same value or function; None where that is not found out."""
    a, b = expression(left), expression(right)
    if a.has(sympy.zoo, sympy.nan) or b.has(sympy.zoo, sympy.nan) or a.is_infinite or b.is_infinite:
        return False
    if a == b:
        return True
    difference = a - b
    if difference == 0:
        return True
    symbols = sorted(difference.free_symbols, key=str)
    if symbols != sorted(a.free_symbols | b.free_symbols, key=str):
        symbols = sorted(a.free_symbols | b.free_symbols, key=str)
    near = 0
    for number, point in enumerate(_POINTS if symbols else _POINTS[:1]):
        place = {symbol: sympy.Rational(point + Fraction(index, 13)) for index, symbol in enumerate(symbols)}
        verdict = _close(a.subs(place), b.subs(place))
        if verdict is False:
            return False
        near += verdict is True
        if number == 0 and verdict and symbols and sympy.expand(difference) == 0:
            return True
    if not near:
        return True if sympy.simplify(difference) == 0 else None
    return not (not symbols and sympy.simplify(difference).is_zero is False)


def _close(a: Any, b: Any) -> bool | None:
    """Whether two numbers agree to `_DIGITS` digits; None where they have no finite value."""
    values = [sympy.N(value, _DIGITS + 10, maxn=2000) for value in (a, b)]
    if not all(value.is_number and value.is_finite for value in values):
        return None
    scale = max(abs(values[0]), abs(values[1]))
    return bool(abs(values[0] - values[1]) <= scale * sympy.Float(10) ** -_DIGITS) if scale else True


def main() -> None:
    """Answer pairs until the input ends."""
    limit_memory()
    sys.set_int_max_str_digits(0)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        try:
            left, right = json.loads(line)
            verdict = same(left, right)
        except (
            ArithmeticError,
            AttributeError,
            KeyError,
            MemoryError,
            NotImplementedError,
            RecursionError,
            TypeError,
            ValueError,
        ):
            verdict = None
        sys.stdout.write(json.dumps(verdict) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
