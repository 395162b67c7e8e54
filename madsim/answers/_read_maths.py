"""Read a piece of maths out of the place where it should be."""

from __future__ import annotations

import re

from madsim.answers._correct import corrected
from madsim.answers._dress import undressed
from madsim.answers._nothing import is_nothing
from madsim.answers._numbers import maths_number, parse_number
from madsim.answers._read_number import read_number
from madsim.answers._reading import Reading, failed, is_placeholder

_MATH_END = re.compile(
    r"\s+\((?:confidence|certainty|i am|probability|about|approx|roughly|or about|≈|~)[^)\n]*\)|"
    r",?\s(?:or )?(?:about|approximately|roughly)\s|,?\s(?:because|since|which|where|so that|by)\s|[.!?](?=\s+[A-Z])|\n",
    re.IGNORECASE,
)
_WORDY = re.compile(r"(?<![\\a-zA-Z{])[a-zA-Z]{3,}")
_KNOWN = re.compile(
    r"\\[a-zA-Z]+|\b(?:sqrt|sin|cos|tan|log|ln|exp|pi|and|or|inf|infty|arcsin|arccos|arctan|cot|sec|csc|mod|theta|alpha|beta)\b"
)
# spacing and size of type; a row break keeps its two backslashes
_SPACING = re.compile(
    r"(?P<row>\\\\)|\\[,;:! ]|\\(?:quad|qquad|displaystyle|textstyle|left|right|tiny|small|normalsize|large|Large|LARGE|huge|Huge)"
    r"(?![a-zA-Z])|\\(?:textcolor|color)\s?\{[^{}]*\}"
)
_FORMULA = r"(?:\\\(|\\\[|\$\$?)(?P<{name}>[^$\n]{{1,400}}?)(?:\\\)|\\\]|\$\$?)"
_FIRST = re.compile(r"[\s*_:]*" + _FORMULA.format(name="maths"))
_JOINED = re.compile(
    r"\s*(?P<join>,|;|,?\s?\b(?:and|or|und|oder|et|ou|y|o|e)\b|和|或)\s*" + _FORMULA.format(name="more")
)
_EMPTY = re.compile(r"(?:[\s.,;:~_?-]|\\[,;:! ]|\\(?:[lc]?dots)?(?![a-zA-Z])|…|\\(?:text|mathrm)\s?\{[\s.?_]*\})*")


def read_math(text: str, start: int, stop: int, mark: str | None, *, kind: str) -> Reading:
    """The piece of maths between `start` and `stop`, as written but without dress and spacing commands."""
    if is_placeholder(text[start:stop]):
        return failed("placeholder", start)
    if kind in ("label", "phrase"):
        if text.startswith(("\\(", "\\["), start - 2) and start > 1:
            start -= 2
        start = corrected(text, start, stop)
        dollar = _FIRST.match(text, start, stop)
        if dollar is not None and not re.match(r"[\d.,]+\s?(?:and|or)?\s?$", dollar["maths"]):
            several = _formulas(text, dollar, stop, mark)
            if several is not None:
                return several
            start, stop = dollar.span("maths")
        else:
            end = _MATH_END.search(text, start, stop)
            stop = end.start() if end else stop
    start, stop = undressed(text, start, stop, maths=True)
    written = text[start:stop]
    if not written:
        return failed("unreadable", start)
    if is_empty(written):
        return failed("placeholder", start)
    if is_nothing(written):
        return failed("none", start)
    hedge = re.fullmatch(r"(?:either\s)?(?P<left>.+?)\s+or\s+(?P<right>.+)", written, re.IGNORECASE)
    if hedge is not None:
        left, right = (parse_number(hedge[side].strip(" $"), mark) for side in ("left", "right"))
        if left is not None and right is not None and left.value != right.value and kind != "box":
            return failed("hedge", start)
    if kind == "phrase" and _WORDY.search(_KNOWN.sub(" ", written)):
        number = read_number(text, start, stop, mark, prose=False)
        return number if number.value is not None else failed("unreadable", start)
    if kind == "label":
        words = _WORDY.findall(_KNOWN.sub(" ", re.sub(r"\\text\s?\{[^{}]*\}", " ", written)))
        if len(words) >= 1:
            number = read_number(text, start, stop, mark, prose=True)
            if number.value is not None or number.problem == "hedge":
                return number
    return Reading(math_text(written, mark), start, stop, True)


def is_empty(written: str) -> bool:
    """Whether a piece of maths is nothing but blanks, dots or a placeholder."""
    return _EMPTY.fullmatch(written) is not None or is_placeholder(written)


def _formulas(text: str, first: re.Match[str], stop: int, mark: str | None) -> Reading | None:
    """Formulas that commas or conjunctions join, such as ``$x = 1$ and $x = 2$``; None for one alone."""
    parts, end = [first["maths"]], first.end()
    while (more := _JOINED.match(text, end, stop)) is not None:
        join = more["join"].strip()
        parts += [
            f"{join} " if join in (",", ";") else f" \\text{{ {_ENGLISH.get(join.strip(', '), join)} }} ",
            more["more"],
        ]
        end = more.end()
    if len(parts) == 1:
        return None
    return Reading(math_text("".join(parts), mark), first.start("maths"), end, True)


_ENGLISH = {
    "oder": "or",
    "ou": "or",
    "o": "or",
    "或": "or",
    "und": "and",
    "et": "and",
    "y": "and",
    "e": "and",
    "和": "and",
}


def math_text(written: str, mark: str | None = None) -> str:
    """Canonical spelling of a piece of maths: spacing commands gone, plain numbers plain."""
    number = maths_number(written, mark) if len(written) < 80 and "frac" not in written else None
    if number is not None and number.style != "fraction":
        return str(number)
    cleaned = re.sub(r"\s+", " ", _SPACING.sub(lambda match: match["row"] or "", written)).strip()
    number = maths_number(cleaned, mark) if len(cleaned) < 80 and "frac" not in cleaned else None
    return str(number) if number is not None and number.style != "fraction" else cleaned
