"""The parts of a piece of maths: numbers, names, brackets, functions, matrices, sums and integrals."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, ClassVar

from madsim.answers._numbers import VULGAR
from madsim.answers._tokens import ACCENTS, FONT, FUNCTIONS, GREEK, NotMaths

Node = tuple[Any, ...]

_DEEPEST = 60
_OPENING = {"(": (")", "]"), "[": ("]", ")", "["), r"\{": (r"\}",), "{": ("}",)}
_CONDITIONS = (":", "|", r"\mid")
_MATRICES = ("pmatrix", "bmatrix", "matrix", "vmatrix", "Vmatrix", "Bmatrix", "smallmatrix", "array")
CALLED = frozenset("fghFGHPpEuvqrTSNLQW")


class Parts(ABC):
    """A place in a list of tokens, and what may stand there."""

    vulgar: ClassVar[dict[str, tuple[int, int]]] = VULGAR

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0
        self.in_braces = False

    @abstractmethod
    def listed(self) -> Node:
        """Relations that commas or conjunctions join."""

    @abstractmethod
    def relation(self) -> Node:
        """Sides joined by ``=``, ``<`` and the like."""

    @abstractmethod
    def sum(self) -> Node:
        """Terms with their signs."""

    @abstractmethod
    def product(self) -> Node:
        """Factors, with or without a sign between them."""

    @abstractmethod
    def power(self) -> Node:
        """A base with its exponent."""

    @abstractmethod
    def exponent(self) -> Node:
        """What is written above."""

    @abstractmethod
    def starts_factor(self) -> bool:
        """Whether a factor starts here that no sign announces."""

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level down, as far as levels go."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotMaths("nested too deeply")
        yield
        self.depth -= 1

    def peek(self, ahead: int = 0) -> str:
        """The text of a token; empty beyond the end."""
        place = self.place + ahead
        return self.tokens[place][1] if place < len(self.tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        """The kind of a token; empty beyond the end."""
        place = self.place + ahead
        return self.tokens[place][0] if place < len(self.tokens) else ""

    def take(self) -> str:
        """The text of the next token, which is passed."""
        token = self.peek()
        self.place += 1
        return token

    def expect(self, *wanted: str) -> str:
        """Take a token that has to be one of these."""
        token = self.take()
        if token not in wanted:
            raise NotMaths(f"expected {' or '.join(wanted)}, got {token!r}")
        return token

    def subscript(self) -> str:
        """What is written below, as text."""
        if not self.peek():
            raise NotMaths("something was expected below or under a mark")
        if self.peek() != "{":
            return self.take()
        self.take()
        parts = []
        while self.peek() not in ("}", ""):
            parts.append(self.take())
        self.expect("}")
        return "".join(parts)

    def atom(self) -> Node:
        """What is neither sum, product nor power."""
        if self.place >= len(self.tokens):
            raise NotMaths("the maths breaks off")
        kind = self.kind()
        token = self.take()
        if kind == "number":
            return ("num", Fraction(token))
        if kind == "letter":
            return self._letter(token)
        if kind == "domain":
            return ("domain", token)
        if kind in ("text", "unit"):
            return self._words(token)
        if kind == "env":
            return self._matrix(token)
        if token in VULGAR:
            return ("num", Fraction(*VULGAR[token]))
        if token in ("-", "–"):
            with self.deeper():
                return ("neg", self.power())
        if token in _OPENING:
            return self._bracket(token)
        if token in ("|", r"\|", r"\lvert", r"\lVert"):
            inner = self.sum()
            self.expect("|", r"\|", r"\rvert", r"\rVert")
            return ("abs", inner)
        if token == "...":
            return ("dots",)
        if token == "√":
            inside = ("num", Fraction(self.take())) if self.kind() == "number" else self.argument()
            return ("root", ("num", Fraction(2)), inside)
        if token in ("π", "∞"):
            return ("const", "pi" if token == "π" else "inf")
        if token == "∅":
            return ("set", ())
        if kind in ("word", "command"):
            return self._command(token, token.lstrip("\\").rstrip("*"))
        raise NotMaths(f"{token!r} is not understood")

    def _letter(self, token: str) -> Node:
        if token == "m" and self.peek() == r"\angle":
            return self.atom()
        called = self._called(token)
        if called is not None:
            return called
        return ("const", token) if token in ("e", "i") else ("var", token)

    def _called(self, letter: str) -> Node | None:
        """A letter that a bracket and a sign of equality follow: a function, such as ``f(3) =`` and ``f'(x) =``."""
        start, name = self.place, letter
        while self.peek() == "'":
            name += self.take()
        if [self.peek(ahead) for ahead in range(5)] == ["^", "{", "-", "1", "}"]:
            self.place, name = self.place + 5, name + "^-1"
        if self.peek() == "(" and self.depth <= 1:
            self.take()
            inner = self._bracket("(")
            arguments = inner[1] if inner[0] == "tuple" else (inner,)
            named = letter in CALLED or (len(arguments) == 1 and inner[0] == "var" and inner != ("var", letter))
            if named and self.peek() in ("=", r"\approx", "≈"):
                return ("apply", name, arguments)
        self.place = start
        return None

    def _command(self, token: str, name: str) -> Node:
        if name == "pi":
            return ("const", "pi")
        if name in ("infty", "inf", "infinity", "oo"):
            return ("const", "inf")
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            return self._fraction()
        if name in ("binom", "dbinom", "tbinom"):
            return ("func", "binomial", (self.argument(), self.argument()))
        if name == "sqrt":
            return self._root()
        if name in ("lfloor", "lceil"):
            inner = self.sum()
            self.expect(r"\r" + name[1:])
            return ("func", name[1:], (inner,))
        if name in ("emptyset", "varnothing"):
            return ("set", ())
        if name in ("sum", "prod", "lim"):
            return self._big(name)
        if name == "int":
            return self._integral()
        if name == "angle":
            return ("var", "angle " + self._name())
        if token in ACCENTS:
            return ("var", f"{name} {self.subscript()}")
        if name in FUNCTIONS:
            return self._function(name)
        if token in FONT:
            return self.argument()
        if token[:1] == "\\" and name in GREEK:
            return ("var", name)
        raise NotMaths(f"{token!r} is not understood")

    def _name(self) -> str:
        """The letters of a point, an angle or a triangle."""
        letters = ""
        while self.kind() in ("letter", "unit") or self.peek()[1:] in GREEK:
            letters += self.take()
        if not letters:
            raise NotMaths("a name was expected")
        return letters

    def _words(self, words: str) -> Node:
        if re.fullmatch(r"\s*[-+]?\d+(?:\.\d+)?\s*", words):
            return ("num", Fraction(words.strip()))
        return ("unit", words.strip().lower())

    def _fraction(self) -> Node:
        """A fraction, or the operator of a derivative."""
        shape = [self.peek(ahead) for ahead in range(7)]
        if shape[:3] == ["{", "d", "}"] and shape[3:5] == ["{", "d"] and shape[6] == "}":
            self.place += 7
            return ("diff", ("var", shape[5]), None, None, _freed(self.product(), shape[5]))
        shape = [self.peek(ahead) for ahead in range(8)]
        if shape[:2] == ["{", "d"] and shape[3:6] == ["}", "{", "d"] and shape[7] == "}":
            self.place += 8
            return ("var", f"d{shape[2]}/d{shape[6]}")
        return ("div", self.argument(), self.argument())

    def _root(self) -> Node:
        degree: Node = ("num", Fraction(2))
        if self.peek() == "[":
            self.take()
            degree = self.sum()
            self.expect("]")
        return ("root", degree, self.argument())

    def _big(self, name: str) -> Node:
        """A sum, a product or a limit with its bounds."""
        low = high = None
        for _ in range(2):
            if self.peek() == "_" and low is None:
                self.take()
                low = self.argument()
            elif self.peek() == "^" and high is None and name != "lim":
                self.take()
                high = self.neg_argument()
        sign = "->" if name == "lim" else "="
        if low is None or low[0] != "rel" or low[1] != sign or (high is None and name != "lim"):
            raise NotMaths("bounds were expected")
        letter = low[2][1] if low[2][0] in ("var", "const") else ""
        if not letter:
            raise NotMaths("the variable of the bounds was expected")
        with self.deeper():
            body = self.product()
        return (name, ("var", letter), low[3], high, _freed(body, letter))

    def _integral(self) -> Node:
        low = high = None
        for _ in range(2):
            if self.peek() == "_" and low is None:
                self.take()
                low = self.neg_argument()
            elif self.peek() == "^" and high is None:
                self.take()
                high = self.neg_argument()
        end = next(
            (
                place
                for place in range(self.place, len(self.tokens) - 1)
                if self.tokens[place][1] == "d"
                and (self.tokens[place + 1][0] == "letter" or self.tokens[place + 1][1][1:] in GREEK)
            ),
            None,
        )
        if end is None or (low is None) != (high is None):
            raise NotMaths("an integral without its variable")
        letter = self.tokens[end + 1][1].lstrip("\\")
        inside = type(self)(self.tokens[self.place : end])
        inside.depth = self.depth + 1
        body: Node = inside.sum() if inside.tokens else ("num", Fraction(1))
        if inside.place < len(inside.tokens):
            raise NotMaths(f"{inside.peek()!r} was not expected")
        self.place = end + 2
        return ("int", ("var", letter), low, high, _freed(body, letter))

    def argument(self) -> Node:
        """What a command takes: a group in braces or brackets, or the next single digit or letter."""
        if self.peek() == "{":
            self.take()
            return self._group()
        if self.kind() == "number" and len(self.peek()) > 1 and "." not in self.peek():
            digits = self.peek()
            self.tokens[self.place] = ("number", digits[1:])
            return ("num", Fraction(int(digits[0])))
        return self.atom()

    def _group(self) -> Node:
        """The rest of a group whose brace is open; ``over`` and ``choose`` split it in two."""
        with self.deeper():
            braces, self.in_braces = self.in_braces, False
            inner = self.split(self.listed())
            if self.peek() == "|":
                self.take()
                inner = _condition_set(inner, self.listed())
            self.in_braces = braces
        self.expect("}")
        return ("set", inner[1]) if inner[0] == "list" else inner

    def split(self, above: Node) -> Node:
        """A node, or what ``over`` and ``choose`` make of it and of what follows."""
        if self.peek() not in (r"\over", r"\choose"):
            return above
        choose = self.take() == r"\choose"
        below = self.relation()
        return ("func", "binomial", (above, below)) if choose else ("div", above, below)

    def _function(self, name: str) -> Node:
        power: Node | None = None
        base: Node | None = None
        for _ in range(2):
            if self.peek() == "_" and base is None:
                self.take()
                base = self.argument()
            elif self.peek() == "^" and power is None:
                self.take()
                power = self.neg_argument()
        if self.peek() in _OPENING:
            inner = self._bracket(self.take())
            arguments = inner[1] if inner[0] in ("tuple", "list", "set") else (inner,)
            if self.peek() in ("^", "**") and power is None:
                self.take()
                power = self.exponent()
        else:
            arguments = (self._bare_argument(),)
        if base is not None:
            arguments = (*arguments, base)
        node: Node = ("func", name, tuple(arguments))
        if power is None:
            return node
        if power == ("neg", ("num", Fraction(1))) and name in ("sin", "cos", "tan"):
            return ("func", "arc" + name, tuple(arguments))
        return ("pow", node, power)

    def neg_argument(self) -> Node:
        """An argument that may have a sign."""
        if self.peek() == "{":
            self.take()
            inner = self.sum()
            self.expect("}")
            return inner
        return self.exponent() if self.peek() in ("-", "–") else self.argument()

    def _bare_argument(self) -> Node:
        node = self.power()
        while (
            self.starts_factor()
            and self.kind() != "word"
            and not (self.kind() == "command" and self.peek()[1:] in FUNCTIONS)
            and self.peek() not in ("(", "[")
        ):
            node = ("mul", (node, self.power()))
        if self.peek() == "/" and node[0] in ("num", "const", "mul", "var"):
            self.take()
            node = ("div", node, self.power())
        return node

    def _bracket(self, left: str) -> Node:
        closing = _OPENING[left]
        if left == "{":
            if self.peek() == "}":
                raise NotMaths("empty braces")
            return self._group()
        braces, self.in_braces = self.in_braces, left == r"\{"
        parts: list[Node] = []
        if self.peek() not in closing:
            parts.append(self.relation())
            if left == r"\{" and self.peek() in _CONDITIONS:
                return self._builder(parts[0], braces)
            while self.peek() in (",", ";"):
                self.take()
                parts.append(self.relation())
        self.in_braces = braces
        right = self.expect(*closing)
        if left == r"\{":
            return ("set", tuple(parts))
        if len(parts) == 1:
            if (left, right) not in (("(", ")"), ("[", "]")):
                raise NotMaths("unmatched brackets")
            return parts[0]
        if len(parts) == 2 and (left, right) != ("(", ")"):
            return ("interval", *parts, left, "]" if right == "]" else ")")
        if not parts or (left, right) not in (("(", ")"), ("[", "]")):
            raise NotMaths("unmatched brackets")
        return ("tuple", tuple(parts))

    def _builder(self, head: Node, braces: bool) -> Node:
        """A set with a condition, from its bar or colon on."""
        self.take()
        self.in_braces = False
        condition = self.listed()
        self.in_braces = braces
        self.expect(r"\}")
        return _condition_set(head, condition)

    def _matrix(self, token: str) -> Node:
        if not token.startswith("begin "):
            raise NotMaths("an environment ends that did not begin")
        name = token[6:]
        if name not in _MATRICES:
            raise NotMaths(f"environment {name!r} is not understood")
        rows: list[list[Node]] = [[]]
        while not (self.kind() == "env" and self.peek().startswith("end")):
            if self.place >= len(self.tokens):
                raise NotMaths("the matrix breaks off")
            if self.peek() == "\\\\":
                self.take()
                rows.append([])
            elif self.peek() in ("&", r"\&", r"\hline"):
                self.take()
            else:
                rows[-1].append(self.relation())
        self.take()
        filled = [("row", tuple(row)) for row in rows if row]
        return (
            ("matrix", tuple(filled))
            if name not in ("vmatrix", "Vmatrix")
            else ("func", "det", (("matrix", tuple(filled)),))
        )


def _condition_set(head: Node, condition: Node) -> Node:
    if head[0] == "rel" and head[1] == "in":
        return ("builder", head[2], head[3], condition)
    return ("builder", head, None, condition)


def _freed(node: Any, letter: str) -> Any:
    """The node with the constant of this name read as the bound variable."""
    if node == ("const", letter):
        return ("var", letter)
    return tuple(_freed(part, letter) for part in node) if isinstance(node, tuple) else node
