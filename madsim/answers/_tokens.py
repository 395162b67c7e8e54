"""The tokens of a piece of maths, and the words of its language."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<command>\\(?:[a-zA-Z]+\*?|[{}%$,;:!|#&\\_ ]))|"
    r"(?P<word>[A-Za-z]+)|(?P<sign><=|>=|!=|≠|≤|≥|\*\*|[^\s]))"
)
_SPACES = frozenset(
    {
        r"\,",
        r"\;",
        r"\:",
        r"\!",
        r"\ ",
        r"\quad",
        r"\qquad",
        r"\displaystyle",
        r"\textstyle",
        r"\left",
        r"\right",
        r"\big",
        r"\Big",
        r"\bigl",
        r"\bigr",
        r"\Bigl",
        r"\Bigr",
        r"\bigg",
        r"\Bigg",
        r"\middle",
        r"\limits",
        r"\nolimits",
        r"\$",
        "$",
    }
)
FUNCTIONS = frozenset(
    {
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "log",
        "ln",
        "lg",
        "exp",
        "min",
        "max",
        "gcd",
        "lcm",
        "det",
    }
)
WORDS = frozenset({*FUNCTIONS, "sqrt", "pi", "and", "or", "inf", "infty", "infinity", "oo", "cup", "cap", "in", "pm"})
_TEXT = frozenset({r"\text", r"\textbf", r"\textit", r"\textrm", r"\mbox", r"\hbox", r"\mathop"})


TIMES = frozenset({"*", "×", "·", "⋅", "∗", r"\times", r"\cdot", r"\ast"})
RELATIONS = {
    "=": "=",
    "<": "<",
    ">": ">",
    "<=": "<=",
    ">=": ">=",
    "≤": "<=",
    "≥": ">=",
    "!=": "!=",
    "≠": "!=",
    r"\le": "<=",
    r"\leq": "<=",
    r"\leqslant": "<=",
    r"\ge": ">=",
    r"\geq": ">=",
    r"\geqslant": ">=",
    r"\lt": "<",
    r"\gt": ">",
    r"\ne": "!=",
    r"\neq": "!=",
    r"\in": "in",
    "∈": "in",
    r"\equiv": "=",
    r"\approx": "~",
    "≈": "~",
    r"\to": "->",
    r"\mid": "|",
}
GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "varepsilon",
        "zeta",
        "eta",
        "theta",
        "vartheta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "varphi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
        "ell",
        "hbar",
    ]
)
FONT = frozenset(
    {
        r"\mathrm",
        r"\mathbf",
        r"\mathit",
        r"\mathbb",
        r"\mathcal",
        r"\boldsymbol",
        r"\bm",
        r"\operatorname",
        r"\operatorname*",
        r"\mathsf",
    }
)


class NotMaths(ValueError):
    """The text is no maths that is understood."""


def tokens_of(text: str) -> list[tuple[str, str]]:
    """Kind and text of each token: number, command, letter, word, unit, text, environment or sign."""
    found: list[tuple[str, str]] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise NotMaths(f"cannot read {text[place : place + 10]!r}")
        place = match.end()
        kind, token = str(match.lastgroup), match[str(match.lastgroup)]
        if kind == "word":
            found += _split_word(token)
        elif token in _TEXT:
            words, place = _braced(text, place)
            found.append(("text", words.strip()))
        elif token in (r"\begin", r"\end"):
            name, place = _braced(text, place)
            found.append(("env", f"{token[1:]} {name.strip('*')}"))
            if name.strip("*") == "array" and token == r"\begin" and text[place : place + 1] == "{":
                _, place = _braced(text, place)
        elif token not in _SPACES:
            found.append((kind, token))
    return found


_UNITS = frozenset({"cm", "mm", "km", "kg", "mg", "ml", "mL"})


def _split_word(word: str) -> list[tuple[str, str]]:
    if word in WORDS:
        return [("word", word)]
    for name in ("arcsin", "arccos", "arctan", "sqrt", "sin", "cos", "tan", "log", "ln", "exp", "pi"):
        place = word.find(name)
        if place >= 0 and len(word) <= len(name) + 3:
            return [*_split_word_letters(word[:place]), ("word", name), *_split_word_letters(word[place + len(name) :])]
    return [("unit", word)] if len(word) > 2 or word in _UNITS else _split_word_letters(word)


def _split_word_letters(word: str) -> list[tuple[str, str]]:
    return [("letter", char) for char in word]


def _braced(text: str, place: int) -> tuple[str, int]:
    while text[place : place + 1] == " ":
        place += 1
    if text[place : place + 1] != "{":
        raise NotMaths("a brace was expected")
    depth, start = 0, place + 1
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if not depth:
                return text[start:place], place + 1
        place += 1
    raise NotMaths("a closing brace is missing")
