"""The tokens of a piece of maths, and the words of its language."""

from __future__ import annotations

import re

from madsim.answers._unit_table import SYMBOLS
from madsim.answers._unit_table import WORDS as WORDS_OF_UNITS

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?!\.\d)|\.\d+)|(?P<command>\\(?:[a-zA-Z]+\*?|[{}%$,;:!|#&\\_ ]))|"
    r"(?P<word>[A-Za-z]+)|(?P<sign><=|>=|!=|≠|≤|≥|\*\*|\.\.\.|[^\s]))"
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
        "~",
        *(
            f"\\{size}"
            for size in [
                "tiny",
                "scriptsize",
                "small",
                "normalsize",
                "large",
                "Large",
                "LARGE",
                "huge",
                "Huge",
                "scriptstyle",
                "bf",
                "it",
                "rm",
                "mathstrut",
                "strut",
            ]
        ),
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
        "sgn",
        "arccot",
        "arcsec",
        "arccsc",
        "coth",
        "arcsinh",
        "arccosh",
        "arctanh",
    }
)
WORDS = frozenset({*FUNCTIONS, "sqrt", "pi", "and", "or", "inf", "infty", "infinity", "oo", "cup", "cap", "in", "pm"})
_TEXT = frozenset({r"\text", r"\textbf", r"\textit", r"\textrm", r"\textsf", r"\texttt", r"\mbox", r"\hbox", r"\emph"})


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
GREEK_SMALL = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
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
    "chi",
    "psi",
    "omega",
]
GREEK_LARGE = ["Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"]
GREEK = frozenset({*GREEK_SMALL, *GREEK_LARGE, "ell", "hbar"})
UNICODE = {
    **{char: f"\\{name}" for char, name in zip("αβγδεζηθικλμνξρστυφχψω", GREEK_SMALL, strict=True)},
    **{char: f"\\{name}" for char, name in zip("ΓΔΘΛΞΠΣΥΦΨΩ", GREEK_LARGE, strict=True)},
    **dict(zip("ϵϑϕµ", (r"\epsilon", r"\theta", r"\phi", r"\mu"), strict=True)),
    **dict(zip("ℝℤℕℚℂ", "RZNQC", strict=True)),
    "…": "...",
    "⋯": "...",
    "′": "'",
    "’": "'",
    "∣": "|",
    "⁄": "/",
    "∠": r"\angle",
    "∑": r"\sum",
    "∏": r"\prod",
    "∫": r"\int",
    "∩": r"\cap",
    "∖": r"\setminus",
}
DOMAINS = frozenset("RZNQC")
SAME_AS = {
    r"\varepsilon": r"\epsilon",
    r"\varphi": r"\phi",
    r"\vartheta": r"\theta",
    r"\varrho": r"\rho",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\lparen": "(",
    r"\rparen": ")",
    r"\langle": "(",
    r"\rangle": ")",
    r"\ldots": "...",
    r"\dots": "...",
    r"\cdots": "...",
    r"\dotsc": "...",
    r"\dotsb": "...",
    r"\colon": ":",
    r"\degree": "°",
    r"\prime": "'",
    r"\vert": "|",
    r"\lor": "∨",
    r"\vee": "∨",
    r"\land": "∧",
    r"\wedge": "∧",
    r"\mathop": r"\operatorname",
    r"\measuredangle": r"\angle",
    r"\backslash": r"\setminus",
    r"\smallsetminus": r"\setminus",
    r"\doteq": "=",
    r"\coloneqq": "=",
    r"\triangleq": "=",
    r"\simeq": r"\approx",
    r"\cong": r"\approx",
}
ACCENTS = frozenset(
    {
        r"\vec",
        r"\hat",
        r"\bar",
        r"\tilde",
        r"\dot",
        r"\ddot",
        r"\widehat",
        r"\widetilde",
        r"\overline",
        r"\overrightarrow",
        r"\overleftrightarrow",
        r"\overset",
    }
)
# commands whose first argument is no part of the maths
_DROPS_ARGUMENT = frozenset(
    {r"\color", r"\textcolor", r"\colorbox", r"\hspace", r"\vspace", r"\mspace", r"\phantom", r"\label", r"\tag"}
)
FONT = frozenset(
    {
        r"\underline",
        r"\boxed",
        r"\fbox",
        r"\num",
        r"\ensuremath",
        r"\textnormal",
        r"\pmb",
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
    """Kind and text of each token: number, command, letter, word, unit, domain, text, environment or sign."""
    found: list[tuple[str, str]] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise NotMaths(f"cannot read {text[place : place + 10]!r}")
        place = match.end()
        kind, token = str(match.lastgroup), match[str(match.lastgroup)]
        token = SAME_AS.get(token, UNICODE.get(token, token))
        if kind == "word" and token not in ("and", "or"):
            found += _split_word(token)
        elif token in ("and", "or"):
            found.append(("word", token))
        elif token in DOMAINS:
            found.append(("domain", token))
        elif token in (r"\mathbb", r"\Bbb", r"\mathds"):
            letter = _BOARD.match(text, place)
            if letter is None:
                raise NotMaths("a letter was expected")
            found.append(("domain", letter[1]))
            place = letter.end()
        elif token == "!=" and found and (found[-1][0] == "number" or found[-1][1] in (")", "n")):
            found += [("sign", "!"), ("sign", "=")]  # a factorial
        elif token in _NAMED and not text[place:].lstrip().startswith("{"):
            found.append(("command", token))
        elif token in _TEXT or token in _NAMED:
            words, after = _braced(text, place)
            name = words.strip().rstrip("*")
            if name in FUNCTIONS:
                found.append(("word", name))
            elif token in _TEXT:
                found.append(("text", words.strip()))
            else:
                found.append(("command", token))
                continue
            place = after
        elif token in (r"\begin", r"\end"):
            name, place = _braced(text, place)
            found.append(("env", f"{token[1:]} {name.strip('*')}"))
            if name.strip("*") == "array" and token == r"\begin" and text[place : place + 1] == "{":
                _, place = _braced(text, place)
        elif token in _DROPS_ARGUMENT:
            _, place = _braced(text, place)
        elif token not in _SPACES:
            found.append(("command" if token.startswith("\\") else kind if kind == "number" else "sign", token))
    return found


_BOARD = re.compile(r"\s*\{?\s*([A-Z])\s*\}?")
_NAMED = frozenset({r"\operatorname", r"\operatorname*", r"\mathrm"})
_UNITS = frozenset({"cm", "mm", "km", "kg", "mg", "ml", "mL"})


def _split_word(word: str) -> list[tuple[str, str]]:
    if word in WORDS:
        return [("word", word)]
    for name in ("arcsin", "arccos", "arctan", "sqrt", "sin", "cos", "tan", "log", "ln", "exp", "pi"):
        place = word.find(name)
        if place >= 0 and len(word) <= len(name) + 3:
            return [*_split_word_letters(word[:place]), ("word", name), *_split_word_letters(word[place + len(name) :])]
    if len(word) > 2 or word in _UNITS:
        known = word in SYMBOLS or word.casefold() in WORDS_OF_UNITS
        return (
            _split_word_letters(word) if _PRODUCT.fullmatch(word) and word != "abs" and not known else [("unit", word)]
        )
    return _split_word_letters(word)


# letters in the order of the alphabet without a vowel among them, such as ``abc`` and ``xyz``
_PRODUCT = re.compile(r"a?b?c?d?f?g?h?j?k?l?m?n?p?q?r?s?t?v?w?x?y?z?|A?B?C?D?")


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
