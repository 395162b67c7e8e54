"""What counts where a reply announces no answer: a reply that is nothing but one, its last line, the value that it ends on."""

from __future__ import annotations

import re

from madsim.answers._dress import undressed
from madsim.answers._letter_lists import last_list
from madsim.answers._nothing import is_nothing
from madsim.answers._numbers import parse_number
from madsim.answers._options import Options
from madsim.answers._quantity import read_quantity
from madsim.answers._read_boolean import last_boolean
from madsim.answers._read_maths import is_empty, math_text
from madsim.answers._read_number import last_number
from madsim.answers._read_several import chosen_several, letters_in_lines, read_multichoice
from madsim.answers._reading import Reading, failed, is_placeholder
from madsim.answers._types import AnswerType
from madsim.answers._weak_choice import lines_of, unannounced_choice

_MOST_WORDS_BARE = 3
_LONGEST_BARE = 400


def weak_answer(text: str, type: AnswerType, options: Options | None, mark: str | None) -> tuple[Reading, str]:
    """The unannounced answer of a reply and its reason code."""
    start, stop = undressed(text, 0, len(text), maths=type == "math") if len(text) <= _LONGEST_BARE else (0, len(text))
    if start == stop or is_nothing(text[start:stop]) or is_placeholder(text[start:stop]):
        return failed("none", 0), "placeholder" if start < stop and is_placeholder(text[start:stop]) else "none"
    if type in ("number", "quantity"):
        return _number(text, start, stop, type, mark)
    if type == "math":
        return _maths(text, start, stop, mark)
    if type == "choice":
        return unannounced_choice(text, options)
    if type == "multichoice":
        return _several(text, options)
    if type == "boolean":
        reading = last_boolean(text)
        return reading, "last_value" if reading.value else "none"
    written = text[start:stop]
    if "\n" not in written and len(written.split()) <= _MOST_WORDS_BARE:
        return Reading(written, start, stop, True), "bare"
    return failed("none", 0), "none"


def _number(text: str, start: int, stop: int, type: AnswerType, mark: str | None) -> tuple[Reading, str]:
    number = parse_number(text[start:stop], mark) if stop - start < 100 else None
    if number is not None and type == "number":
        return Reading(str(number), start, stop, True), "bare"
    opened = _opening_number(text, mark) if type == "number" else None
    if opened is not None:
        return opened, "bare"
    reading = last_number(text, mark)
    if reading.value is None:
        return reading, reading.problem
    if type == "quantity":
        end = text.find("\n", reading.stop)
        reading = read_quantity(text, reading.start, len(text) if end < 0 else end, mark)
    return reading, "last_value" if reading.value is not None else reading.problem


_CONCLUDING = re.compile(r"\b(?:therefore|thus|hence|so|in total|altogether|finally|in conclusion)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_FIRST_PARAGRAPH = re.compile(r"\s*(?P<line>[^\n]{1,60})\n\s*\n")


def _opening_number(text: str, mark: str | None) -> Reading | None:
    """A number that is the whole first paragraph of a reply which goes on to explain it and concludes nothing."""
    first = _FIRST_PARAGRAPH.match(text)
    if first is None:
        return None
    start, stop = undressed(text, *first.span("line"))
    number = parse_number(text[start:stop], mark)
    if number is None or text[stop : first.end("line")].strip(" *_`$"):
        return None
    if _WORD.search(text, first.end()) is None:
        return None
    return None if _CONCLUDING.search(text, first.end()) else Reading(str(number), start, stop, True)


_FORMULA = re.compile(
    r"\$\$(?P<a>[^$]{1,300})\$\$|\$(?P<b>[^$\n]{1,300})\$|\\\((?P<c>.{1,300}?)\\\)|\\\[(?P<d>.{1,300}?)\\\]", re.DOTALL
)


def _maths(text: str, start: int, stop: int, mark: str | None) -> tuple[Reading, str]:
    written = text[start:stop]
    if is_empty(written):
        return failed("none", 0), "placeholder"
    if stop - start <= 80 and "\n" not in written and not re.search(r"(?<![\\a-zA-Z{])[a-zA-Z]{3,}", written):
        return Reading(math_text(written, mark), start, stop, True), "bare"
    formulas = list(_FORMULA.finditer(text, max(0, len(text) - 3000)))
    if formulas:
        last = formulas[-1]
        begin, end = last.span(str(last.lastgroup))
        equals = text.rfind("=", begin, end)
        begin, end = undressed(text, equals + 1 if equals >= 0 else begin, end, maths=True)
        if begin < end and re.search(r"\d", text[last.end() :]) is None:
            return Reading(math_text(text[begin:end], mark), begin, end, False), "last_value"
    reading = last_number(text, mark)
    return reading, "last_value" if reading.value is not None else reading.problem


def _several(text: str, options: Options | None) -> tuple[Reading, str]:
    lines = lines_of(text)
    listed = letters_in_lines(text, lines, options)
    if listed is not None:
        return listed, "bare" if len(listed.value or "") == 2 * len(lines) - 1 else "last_line"
    for index, (start, stop) in enumerate(reversed(lines)):
        reading = read_multichoice(text, start, min(stop, start + 1000), options)
        if reading.value is not None and reading.exact:
            return reading, "bare" if len(lines) == 1 else "last_line" if not index else "last_value"
    reading = last_list(text, options) or chosen_several(text, options)
    return reading, "phrase" if reading.value is not None else "none"
