"""Read a piece of maths, in LaTeX or plain, into a small tree.

Nodes are tuples: ``("num", Fraction)``, ``("const", "pi" | "e" | "i" | "inf")``, ``("var", name)``, ``("add" | "mul",
(parts...))``, ``("div", a, b)``,
``("pow", a, b)``, ``("neg", a)``, ``("pm", a)``, ``("fact", a)``, ``("abs", a)``, ``("root", degree, a)``, ``("func",
name, (arguments...))``,
``("set" | "tuple" | "list" | "union" | "row" | "matrix", (parts...))``, ``("interval", left, right, "[" | "(", "]" |
")")``, ``("rel", sign, a, b)``,
``("text", words)``.  What is not understood raises `NotMaths`; nothing is dropped in silence but units in ``\\text{}``.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from madsim.answers._tokens import FONT, FUNCTIONS, GREEK, RELATIONS, TIMES, WORDS, NotMaths, tokens_of

Node = tuple[Any, ...]

_LONGEST = 1500
_DEEPEST = 60
_SUPER = {char: str(digit) for digit, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_VULGAR = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
    "⅕": (1, 5),
    "⅙": (1, 6),
}
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:\{,\}|\\[,!;: ]|,\\!)\d{3})+(?![\d])")
_GROUPED_COMMA = re.compile(r"^[^()\[\]{}]*?(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])[^()\[\]{}]*$")
_PLAIN_WORDS = re.compile(r"(?=.*[A-Za-z]{3})[A-Za-z]+(?: [A-Za-z]+)+")
_DEGREES = re.compile(
    r"\\?(sin|cos|tan|cot|sec|csc)\s*[({]?\s*(-?\d+(?:\.\d+)?)\s*(?:\^\s*\{?\s*\\circ\s*\}?|°)\s*[)}]?"
)
_REPEATING = re.compile(r"(\d*)\.(\d*)\\(?:overline|bar|dot)\s?\{(\d{1,40})\}")


def _repeating(match: re.Match[str]) -> str:
    """A repeating decimal as a fraction in brackets."""
    whole, start, period = match[1] or "0", match[2], match[3]
    nines = 10 ** len(period) - 1
    value = Fraction(int(whole + start), 10 ** len(start)) + Fraction(int(period), nines * 10 ** len(start))
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
    text = _DEGREES.sub(r"\\\1(\2\\pi/180)", text.replace(r"\langle", "(").replace(r"\rangle", ")"))
    text = _REPEATING.sub(_repeating, text)
    text = _GROUPED.sub(lambda match: re.sub(r"[^\d]", "", match[0]), text)
    if _GROUPED_COMMA.match(text):
        text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    reader = _Reader(tokens_of(text))
    tree = reader.whole()
    if reader.place < len(reader.tokens):
        raise NotMaths(f"{reader.tokens[reader.place][1]!r} was not expected")
    return tree


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0

    def peek(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.tokens[place][1] if place < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def expect(self, *wanted: str) -> str:
        token = self.take()
        if token not in wanted:
            raise NotMaths(f"expected {' or '.join(wanted)}, got {token!r}")
        return token

    def whole(self) -> Node:
        if not self.tokens:
            raise NotMaths("nothing to read")
        if len(self.tokens) == 1 and self.kind() in ("text", "unit"):
            kind, words = self.tokens[0]
            self.place = 1
            if kind == "text" and re.search(r"\d", words):
                return parse(words)
            return ("text", words)
        parts = [self.relation()]
        while self.peek() in (",", ";", "and", "or") or (
            self.kind() == "text" and self.peek().strip(" ,") in ("and", "or")
        ):
            self.take()
            while self.peek() in ("and", "or", ",") or (self.kind() == "text" and self.peek().strip() in ("and", "or")):
                self.take()
            parts.append(self.relation())
        return parts[0] if len(parts) == 1 else ("list", tuple(parts))

    def relation(self) -> Node:
        left = self.union()
        parts: list[Node] = [left]
        signs: list[str] = []
        while self.peek() in RELATIONS:
            signs.append(RELATIONS[self.take()])
            parts.append(self.union())
        if not signs:
            return left
        if len(signs) == 1:
            return ("rel", signs[0], left, parts[1])
        if all(sign == "=" for sign in signs):
            return ("rel", "=", left, parts[-1])
        return ("chain", tuple(signs), tuple(parts))

    def union(self) -> Node:
        parts = [self.sum()]
        while self.peek() in (r"\cup", "∪", "cup"):
            self.take()
            parts.append(self.sum())
        return parts[0] if len(parts) == 1 else ("union", tuple(parts))

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotMaths("nested too deeply")
        parts: list[Node] = []
        first = True
        while True:
            sign = self.peek()
            if sign in ("+", "-", "–", "—") or sign in (r"\pm", "±", "pm", r"\mp", "∓"):
                self.take()
            elif not first:
                break
            else:
                sign = "+"
            term = self.product()
            if sign in ("-", "–", "—"):
                term = ("neg", term)
            elif sign in (r"\pm", "±", "pm", r"\mp", "∓"):
                term = ("pm", term)
            parts.append(term)
            first = False
        self.depth -= 1
        return parts[0] if len(parts) == 1 else ("add", tuple(parts))

    def product(self) -> Node:
        result = self.power()
        while True:
            token = self.peek()
            if token in TIMES:
                self.take()
                result = ("mul", (result, self.signed()))
            elif token in ("/", "÷", r"\div"):
                self.take()
                result = ("div", result, self.signed())
            elif self.starts_factor():
                result = ("mul", (result, self.power()))
            else:
                return result

    def signed(self) -> Node:
        if self.peek() in ("-", "–"):
            self.take()
            return ("neg", self.signed_deep())
        return self.power()

    def signed_deep(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotMaths("nested too deeply")
        node = self.signed()
        self.depth -= 1
        return node

    def starts_factor(self) -> bool:
        kind, token = self.kind(), self.peek()
        if kind in ("number", "letter"):
            return True
        if kind == "word":
            return token not in ("and", "or", "cup", "cap", "in", "pm")
        if kind in ("text", "unit"):
            return kind == "unit" or token.strip(" ,") not in ("and", "or")
        if kind == "env":
            return token.startswith("begin")
        if token in ("(", "[", "{", r"\{", "√", "π", "∞", "i") or token in _VULGAR:
            return True
        return kind == "command" and (
            token[1:] in GREEK
            or token[1:] in FUNCTIONS
            or token in FONT
            or token
            in (
                r"\frac",
                r"\dfrac",
                r"\tfrac",
                r"\cfrac",
                r"\sqrt",
                r"\pi",
                r"\infty",
                r"\binom",
                r"\dbinom",
                r"\lfloor",
                r"\lceil",
                r"\emptyset",
                r"\varnothing",
                r"\|",
            )
        )

    def power(self) -> Node:
        base = self.postfix(self.atom())
        if self.peek() in ("^", "**"):
            self.take()
            if base[0] == "unit":
                return ("unit", f"{base[1]}^{self.subscript()}")
            if self.peek() in (r"\circ", "∘"):
                self.take()
                return self.postfix(base)
            if self.peek() == "{" and self.peek(1) == r"\circ" and self.peek(2) == "}":
                self.place += 3
                return self.postfix(base)
            self.depth += 1
            if self.depth > _DEEPEST:
                raise NotMaths("nested too deeply")
            exponent = self.exponent()
            self.depth -= 1
            return self.postfix(("pow", base, exponent))
        digits = ""
        while self.peek() in _SUPER or (self.peek() == "⁻" and not digits):
            digits += _SUPER.get(self.peek(), "-")
            self.take()
        if digits.strip("-"):
            return self.postfix(("pow", base, ("num", Fraction(int(digits)))))
        return base

    def exponent(self) -> Node:
        if self.peek() in ("-", "–"):
            self.take()
            return ("neg", self.power())
        return self.power()

    def postfix(self, node: Node) -> Node:
        while True:
            token = self.peek()
            if token == "!":
                self.take()
                if self.peek() == "!":
                    raise NotMaths("a double factorial is not read")
                node = ("fact", node)
            elif token in ("%", r"\%"):
                self.take()
                node = ("div", node, ("num", Fraction(100)))
            elif token == "°":
                self.take()
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

    def subscript(self) -> str:
        if self.peek() != "{":
            return self.take()
        self.take()
        parts = []
        while self.peek() not in ("}", ""):
            parts.append(self.take())
        self.expect("}")
        return "".join(parts)

    def atom(self) -> Node:
        if self.place >= len(self.tokens):
            raise NotMaths("the maths breaks off")
        kind = self.kind()
        token = self.take()
        if kind == "number":
            return ("num", Fraction(token))
        if kind == "letter":
            return ("const", token) if token in ("e", "i") else ("var", token)
        if kind in ("text", "unit"):
            return self._words(token)
        if kind == "env":
            return self._matrix(token)
        if token in _VULGAR:
            return ("num", Fraction(*_VULGAR[token]))
        if token in ("-", "–"):
            return ("neg", self.signed_deep())
        if token in ("(", "[", r"\{", "{"):
            return self._bracket(token)
        if token in ("|", r"\|", r"\vert", r"\lvert"):
            inner = self.sum()
            self.expect("|", r"\|", r"\vert", r"\rvert")
            return ("abs", inner)
        name = token.lstrip("\\").rstrip("*")
        if name in ("pi", "π"):
            return ("const", "pi")
        if name in ("infty", "inf", "infinity", "oo", "∞"):
            return ("const", "inf")
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            return ("div", self.argument(), self.argument())
        if name in ("binom", "dbinom", "tbinom"):
            return ("func", "binomial", (self.argument(), self.argument()))
        if name in ("sqrt", "√"):
            return self._root(token)
        if name in ("lfloor", "lceil"):
            inner = self.sum()
            self.expect(r"\r" + name[1:])
            return ("func", name[1:], (inner,))
        if name in ("emptyset", "varnothing", "∅"):
            return ("set", ())
        if name in FUNCTIONS:
            return self._function(name)
        if kind == "command" and name in GREEK:
            return ("var", name)
        if token in FONT:
            return self.argument()
        if len(token) == 1 and token.isalpha():
            return ("var", token)
        raise NotMaths(f"{token!r} is not understood")

    def _words(self, words: str) -> Node:
        if re.fullmatch(r"\s*[-+]?\d+(?:\.\d+)?\s*", words):
            return ("num", Fraction(words.strip()))
        return ("unit", words.strip().lower())

    def _root(self, token: str) -> Node:
        degree: Node = ("num", Fraction(2))
        if self.peek() == "[" and token != "√":
            self.take()
            degree = self.sum()
            self.expect("]")
        return ("root", degree, self.argument())

    def argument(self) -> Node:
        """What a command takes: a group in braces or brackets, or the next single digit or letter."""
        if self.peek() == "{":
            self.take()
            inner = self.relation()
            self.expect("}")
            return inner
        if self.kind() == "number" and len(self.peek()) > 1 and "." not in self.peek():
            digits = self.peek()
            self.tokens[self.place] = ("number", digits[1:])
            return ("num", Fraction(int(digits[0])))
        return self.atom()

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
        if self.peek() in ("(", "[") or self.peek() == "{":
            inner = self._bracket(self.take())
            arguments = inner[1] if inner[0] in ("tuple", "list") else (inner,)
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
        closing = {"(": (")", "]"), "[": ("]", ")", "["), r"\{": (r"\}",), "{": ("}",)}[left]
        parts: list[Node] = []
        if self.peek() not in closing:
            parts.append(self.relation())
            while self.peek() in (",", ";"):
                self.take()
                parts.append(self.relation())
        right = self.expect(*closing)
        if left == r"\{":
            return ("set", tuple(parts))
        if left == "{":
            if not parts:
                raise NotMaths("empty braces")
            return parts[0] if len(parts) == 1 else ("set", tuple(parts))
        if len(parts) == 1:
            if (left, right) not in (("(", ")"), ("[", "]")):
                raise NotMaths("unmatched brackets")
            return parts[0]
        if len(parts) == 2 and (left, right) != ("(", ")"):
            return ("interval", *parts, left, "]" if right == "]" else ")")
        if not parts or (left, right) not in (("(", ")"), ("[", "]")):
            raise NotMaths("unmatched brackets")
        return ("tuple", tuple(parts))

    def _matrix(self, token: str) -> Node:
        if not token.startswith("begin "):
            raise NotMaths("an environment ends that did not begin")
        name = token[6:]
        if name not in ("pmatrix", "bmatrix", "matrix", "vmatrix", "Bmatrix", "smallmatrix", "array"):
            raise NotMaths(f"environment {name!r} is not understood")
        rows: list[list[Node]] = [[]]
        while not (self.kind() == "env" and self.peek().startswith("end")):
            if self.place >= len(self.tokens):
                raise NotMaths("the matrix breaks off")
            if self.peek() == "\\\\":
                self.take()
                rows.append([])
            elif self.peek() in ("&", r"\&"):
                self.take()
            else:
                rows[-1].append(self.relation())
        self.take()
        filled = [("row", tuple(row)) for row in rows if row]
        return ("matrix", tuple(filled))
