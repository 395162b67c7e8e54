"""Read a piece of maths, in LaTeX or plain, into a small tree.

Nodes are tuples: ``("num", Fraction)``, ``("const", "pi" | "e" | "i" | "inf")``, ``("var", name)``, ``("domain", "R" | ...)``,
``("add" | "mul", (parts...))``, ``("div", a, b)``, ``("pow", a, b)``, ``("neg", a)``, ``("pm", a)``, ``("fact" | "fact2", a)``,
``("abs", a)``, ``("root", degree, a)``, ``("func", name, (arguments...))``, ``("apply", name, (arguments...))`` for a function
of one letter, ``("sum" | "prod" | "int" | "lim" | "diff", variable, low, high, body)``, ``("set" | "tuple" | "list" | "row" |
"matrix" | "ratio", (parts...))``, ``("union" | "meet", (parts...))``, ``("minus", a, b)``, ``("interval", left, right, "[" | "(",
"]" | ")")``, ``("builder", variable, domain, condition)``, ``("rel", sign, a, b)``, ``("chain", (signs...), (parts...))``,
``("dots",)``, ``("unit", words)``, ``("text", words)``. What is not understood raises `NotMaths`; nothing is dropped in silence
but the marks of degrees.
"""

from __future__ import annotations

import re
from fractions import Fraction

from madsim.answers._latex_parts import Node, Parts
from madsim.answers._numbers import repeating
from madsim.answers._tokens import FONT, FUNCTIONS, GREEK, RELATIONS, TIMES, WORDS, NotMaths, tokens_of

_LONGEST = 1500
_SUPER = {char: str(digit) for digit, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:\{,\}|\\[,!;: ]|,\\!|~)\d{3})+(?![\d])")
_GROUPED_COMMA = re.compile(r"^[^()\[\]{}]*?(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])[^()\[\]{}]*$")
_PLAIN_WORDS = re.compile(r"(?=.*[A-Za-z]{3})[A-Za-z]+(?: [A-Za-z]+)+")
_DEGREES = re.compile(
    r"\\?(sin|cos|tan|cot|sec|csc)\s*[({]?\s*(-?\d+(?:\.\d+)?)\s*(?:\^\s*\{?\s*\\circ\s*\}?|°)\s*[)}]?"
)
_REPEATING = re.compile(r"(\d*)\.(\d*)\\(?:overline|bar|dot)\s?\{(\d{1,40})\}")
_ENDLESS = re.compile(r"(?<!\d)(\d*)\.(\d{3,60})(?:\.\.\.|…|\\[lc]?dots(?![a-zA-Z]))")
_STARTS = frozenset(
    [
        r"\frac",
        r"\dfrac",
        r"\tfrac",
        r"\cfrac",
        r"\sqrt",
        r"\pi",
        r"\infty",
        r"\binom",
        r"\dbinom",
        r"\tbinom",
        r"\lfloor",
        r"\lceil",
        r"\emptyset",
        r"\varnothing",
        r"\|",
        r"\sum",
        r"\prod",
        r"\int",
        r"\iint",
        r"\lim",
        r"\angle",
        r"\vec",
        r"\hat",
        r"\bar",
        r"\tilde",
        r"\overline",
        r"\widehat",
        r"\overrightarrow",
        r"\nabla",
    ]
)
_PLUS_MINUS = (r"\pm", "±", "pm", r"\mp", "∓")
_UNION = frozenset({r"\cup", "∪", "cup", r"\bigcup"})
_MEET = frozenset({r"\cap", "∩", "cap", r"\bigcap"})
_JOINS = ("and", "or")
_LOGIC = {"∨": "or", "∧": "and"}


def _repeating(match: re.Match[str]) -> str:
    """A repeating decimal as a fraction in brackets."""
    return _bracketed(*repeating(match[1], None, match[2], match[3]))


def _endless(match: re.Match[str]) -> str:
    """A decimal with dots as a fraction in brackets where its period shows."""
    value, style = repeating(match[1], match[2], None, None)
    return _bracketed(value, style) if style == "fraction" else match[0]


def _bracketed(value: Fraction, _: str) -> str:
    return f"({value.numerator}/{value.denominator})"


def parse(text: str) -> Node:
    """The tree of a piece of maths in normal characters.

    Raises
    ------
    NotMaths
        If the text is too long, too deep or not understood.
    """
    if len(text) > _LONGEST:
        raise NotMaths(f"maths of {len(text)} characters; at most {_LONGEST} are read")
    if _PLAIN_WORDS.fullmatch(text) and not any(word in WORDS for word in text.split()):
        return ("text", text)
    text = _DEGREES.sub(r"\\\1(\2\\pi/180)", text)
    text = _ENDLESS.sub(_endless, _REPEATING.sub(_repeating, text))
    text = _GROUPED.sub(lambda match: re.sub(r"[^\d]", "", match[0]), text)
    if _GROUPED_COMMA.match(text):
        text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    reader = Reader(tokens_of(text))
    tree = reader.whole()
    if reader.place < len(reader.tokens):
        raise NotMaths(f"{reader.tokens[reader.place][1]!r} was not expected")
    return tree


class Reader(Parts):
    """Recursive descent over the tokens: lists, relations, unions, sums, products, powers."""

    def whole(self) -> Node:
        """All of the text."""
        if not self.tokens:
            raise NotMaths("nothing to read")
        if len(self.tokens) == 1 and self.kind() in ("text", "unit"):
            kind, words = self.tokens[0]
            self.place = 1
            if kind == "text" and re.search(r"\d", words):
                return parse(words)
            return ("text", words)
        return self.split(self.listed())

    def listed(self) -> Node:
        """Relations that commas or conjunctions join."""
        parts, joins = [self.relation()], set()
        while (join := self.join()) is not None:
            joins.add(_LOGIC.get(join, join))
            parts.append(self.relation())
            if join in _LOGIC and not all(part[0] in ("rel", "chain") for part in parts):
                raise NotMaths("logic joins statements")
        if len(parts) == 1:
            return parts[0]
        if joins in ({"and"}, {"or"}) and all(_is_inequality(part) for part in parts):
            return ("union" if joins == {"or"} else "meet", tuple(parts))
        return ("list", tuple(parts))

    def join(self) -> str | None:
        """The comma or conjunction that stands here, or None."""
        found: str | None = None
        while True:
            word = self.peek().strip(" ,.") if self.kind() == "text" else self.peek()
            if word not in (",", ";", "and", "or", "both", "either", "", *_LOGIC) or not self.peek():
                return found
            found = word if word in (*_JOINS, *_LOGIC) else found or ","
            self.take()

    def relation(self) -> Node:
        """Sides joined by ``=``, ``<`` and the like."""
        left = self.ratio()
        parts: list[Node] = [left]
        signs: list[str] = []
        while self.peek() in RELATIONS and not (self.in_braces and self.peek() == r"\mid"):
            signs.append(RELATIONS[self.take()])
            parts.append(self.ratio())
        if not signs:
            return left
        if len(signs) == 1:
            return ("rel", signs[0], left, parts[1])
        return ("chain", tuple(signs), tuple(parts))

    def ratio(self) -> Node:
        """``3:4``, or what it is made of."""
        parts = [self.union()]
        while self.peek() == ":" and not self.in_braces:
            self.take()
            parts.append(self.union())
        return parts[0] if len(parts) == 1 else ("ratio", tuple(parts))

    def union(self) -> Node:
        """Unions, intersections and differences of sets, from left to right."""
        result = self.sum()
        while (token := self.peek()) in _UNION or token in _MEET or token == r"\setminus":
            self.take()
            other = self.sum()
            if token == r"\setminus":
                result = ("minus", result, other)
                continue
            kind = "union" if token in _UNION else "meet"
            result = (kind, (*result[1], other)) if result[0] == kind else (kind, (result, other))
        return result

    def sum(self) -> Node:
        """Terms with their signs."""
        with self.deeper():
            parts: list[Node] = []
            first = True
            while True:
                sign = self.peek()
                if sign in ("+", "-", "–", "—") or sign in _PLUS_MINUS:
                    self.take()
                elif not first:
                    break
                else:
                    sign = "+"
                term = self.product()
                if sign in ("-", "–", "—"):
                    term = ("neg", term)
                elif sign in _PLUS_MINUS:
                    term = ("pm", term)
                parts.append(term)
                first = False
        return parts[0] if len(parts) == 1 else ("add", tuple(parts))

    def product(self) -> Node:
        """Factors, with or without a sign between them."""
        digits = self.kind() == "number"
        result = self.power()
        digits = digits and self.tokens[self.place - 1][0] == "number"
        while True:
            token = self.peek()
            if token in TIMES:
                self.take()
                result = ("mul", (result, self.signed()))
            elif token in ("/", "÷", r"\div"):
                self.take()
                result = ("div", result, self.signed())
            elif self.starts_factor():
                if self.kind() == "number" and self.tokens[self.place - 1][0] == "number":
                    raise NotMaths("two numbers side by side")
                factor = self.power()
                mixed = digits and _is_whole(result) and _is_proper(factor)
                result = ("add", (result, factor)) if mixed else ("mul", (result, factor))
            else:
                return result
            digits = False

    def signed(self) -> Node:
        """A factor after a sign of multiplication, which may have a sign of its own."""
        if self.peek() in ("-", "–"):
            self.take()
            with self.deeper():
                return ("neg", self.signed())
        return self.power()

    def starts_factor(self) -> bool:
        """Whether a factor starts here that no sign announces."""
        kind, token = self.kind(), self.peek()
        if kind in ("number", "letter"):
            return True
        if kind == "word":
            return token not in ("and", "or", "cup", "cap", "in", "pm")
        if kind in ("text", "unit"):
            return kind == "unit" or token.strip(" ,") not in (*_JOINS, "")
        if kind == "env":
            return token.startswith("begin")
        if token in ("(", "[", "{", r"\{", "√", "π", "∞", "i") or token in self.vulgar:
            return True
        return kind == "command" and (token[1:] in GREEK or token[1:] in FUNCTIONS or token in FONT or token in _STARTS)

    def power(self) -> Node:
        """A base with its exponent."""
        base = self.postfix(self.atom())
        if self.peek() in ("^", "**"):
            self.take()
            if base[0] == "unit":
                return ("unit", f"{base[1]}^{self.subscript()}")
            if self._takes_mark(r"\circ", "∘", "°"):
                return self.postfix(base)
            if (
                base[0] == "domain"
                and self.peek().strip("{") in ("", "+", "-")
                and (half := self._half(base[1])) is not None
            ):
                return half
            if base[0] == "var" and self._takes_mark("'"):
                return self.postfix(("var", base[1] + "'"))
            with self.deeper():
                exponent = self.exponent()
            return self.postfix(("pow", base, exponent))
        digits = ""
        while self.peek() in _SUPER or (self.peek() == "⁻" and not digits):
            digits += _SUPER.get(self.peek(), "-")
            self.take()
        if digits.strip("-"):
            return self.postfix(("pow", base, ("num", Fraction(int(digits)))))
        return base

    def _half(self, domain: str) -> Node | None:
        """The positive or the negative numbers of a domain, where a sign is written above it."""
        zero: Node = ("num", Fraction(0))
        infinity: Node = ("const", "inf")
        for sign, half in (("+", (zero, infinity)), ("-", (("neg", infinity), zero))):
            if self._takes_mark(sign):
                return ("interval", *half, "(", ")") if domain == "R" else ("domain", domain + sign)
        return None

    def _takes_mark(self, *marks: str) -> bool:
        """Take one of the marks that are written as exponents, in braces or not."""
        if self.peek() in marks:
            self.take()
            return True
        if self.peek() == "{" and self.peek(1) in marks and self.peek(2) == "}":
            self.place += 3
            return True
        return False

    def exponent(self) -> Node:
        """What is written above."""
        if self.peek() in ("-", "–"):
            self.take()
            return ("neg", self.power())
        return self.power()

    def postfix(self, node: Node) -> Node:
        """Factorials, percent and degree signs, subscripts and primes after a node."""
        while True:
            token = self.peek()
            if token == "!":
                self.take()
                twice = self.peek() == "!" and self.tokens[self.place - 1][1] == "!"
                if twice:
                    self.take()
                node = ("fact2" if twice else "fact", node)
            elif token in ("%", r"\%"):
                self.take()
                node = ("div", node, ("num", Fraction(100)))
            elif token == "°":
                self.take()
            elif token == "'" and node[0] == "var":
                self.take()
                node = ("var", node[1] + "'")
            elif token == "_":
                self.take()
                low = self.subscript()
                node = ("var", f"{node[1]}_{low}") if node[0] == "var" else self._based(node, low)
            else:
                return node

    def _based(self, node: Node, low: str) -> Node:
        if node[0] == "num" and node[1].denominator == 1 and low.isdecimal():
            return ("func", f"base{low}", (node,))
        raise NotMaths("a subscript belongs to a letter")


def _is_inequality(node: Node) -> bool:
    signs = node[1] if node[0] == "chain" else (node[1],) if node[0] == "rel" else ()
    return bool(signs) and all(sign in ("<", ">", "<=", ">=", "!=") for sign in signs)


def _is_whole(node: Node) -> bool:
    return node[0] == "num" and node[1].denominator == 1


def _is_proper(node: Node) -> bool:
    """Whether a node is a fraction of whole numbers below one, as in a mixed number."""
    return node[0] == "div" and _is_whole(node[1]) and _is_whole(node[2]) and 0 < node[1][1] < node[2][1]
