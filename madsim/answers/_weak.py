"""What counts where a reply announces no answer: a reply that is nothing but one, its last line, the value that it ends on."""

from __future__ import annotations

import re

from madsim.answers._dress import undressed
from madsim.answers._nothing import is_nothing
from madsim.answers._numbers import parse_number
from madsim.answers._options import Options
from madsim.answers._quantity import read_quantity
from madsim.answers._read_choice import WRONG, checked, letters_of, plausible, read_choice
from madsim.answers._read_maths import math_text
from madsim.answers._read_number import first_sentence, last_number
from madsim.answers._read_other import last_boolean, read_multichoice
from madsim.answers._reading import NOT, Reading, failed, is_placeholder
from madsim.answers._types import AnswerType

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
        return _choice(text, options)
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
    reading = last_number(text, mark)
    if reading.value is None:
        return reading, reading.problem
    if type == "quantity":
        end = text.find("\n", reading.stop)
        reading = read_quantity(text, reading.start, len(text) if end < 0 else end, mark)
    return reading, "last_value" if reading.value is not None else reading.problem


_FORMULA = re.compile(
    r"\$\$(?P<a>[^$]{1,300})\$\$|\$(?P<b>[^$\n]{1,300})\$|\\\((?P<c>.{1,300}?)\\\)|\\\[(?P<d>.{1,300}?)\\\]", re.DOTALL
)


def _maths(text: str, start: int, stop: int, mark: str | None) -> tuple[Reading, str]:
    written = text[start:stop]
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


_ALONE = r"(?<![A-Za-z0-9_'])[A-Z](?![A-Za-z0-9_]|'[a-z])"
_QUALITY = (
    r"(?:correct|right|true|best|accurate|appropriate|answer|suitable|fitting|likely|fit|valid|closest|"
    r"plausible|direct|reasonable|logical|consistent|precise|relevant|convincing)"
)
_CORRECT = re.compile(
    rf"(?P<letter>{_ALONE})[)\]*_`\"'.:,$]{{0,6}}(?P<text>[^.\n]{{0,120}}?)[\s*_)\"',]*\b(?:is|are|would be|"
    rf"seems|appears|must be|remains)\s"
    r"(?:therefore |thus |also |indeed |clearly |definitely |probably |likely )*(?:the |an? )?(?:most |best |more |only |single )?"
    rf"{_QUALITY}\b(?! (?:that|about|for|in)\b)"
)
_MAKING = re.compile(
    rf"\b(?:making|makes|leaving|leaves|points? to|confirms?|supports?)\s(?:option |choice |answer |"
    rf"statement )?[(\[*_`\"'$]{{0,6}}(?P<letter>{_ALONE})"
    rf"[^\n.]{{0,80}}?\b(?:the|as)\s(?:the )?(?:\w+ )?{_QUALITY}\b"
)
_CHOSEN = re.compile(
    r"\b(?:[Cc]hoose|[Cc]hose|choosing|pick|picked|select|selected|go with|going with|went with|opt for|"
    r"vote for|vote|stick with|sticking with|"
    r"settle on|lean towards?|prefer|is|be|are|answer|[Tt]herefore,?|[Tt]hus,?|[Hh]ence,?|[Ss]o,?|with|known as|called|as|say)"
    rf":?\s+(?:option |choice |answer |letter )?[(\[*_`\"'$\\]{{0,6}}(?P<letter>{_ALONE})(?=[)\]*_`\"'.:,;$\s]|$)"
)
_BEST = re.compile(
    rf"\b(?:correct|best|right|(?:most|more) \w+|updated|true|false)\s[^.\n]{{0,160}}?(?:is|would be|are|was|"
    rf"remains):?\s+(?:that |the |option |choice |statement )*"
    rf"[(\[*_`\"'$]{{0,6}}(?P<letter>{_ALONE})(?=[)\]*_`\"':.])"
)
_ENDING = re.compile(r"(?:[.!?:*\"'\]]|\n)[ \t]*[\s*_]*[(\[](?P<letter>[A-Za-z])[)\]][\s*_.`]*$")


def closing_letter(text: str, options: Options | None) -> Reading | None:
    """A bracketed letter that stands alone after the last sentence, as many prompts ask for."""
    match = _ENDING.search(text, max(0, len(text) - 24))
    if match is None:
        return None
    label = _label(match["letter"], options)
    return None if label is None else Reading(label, *match.span("letter"), True)


def _choice(text: str, options: Options | None) -> tuple[Reading, str]:
    lines = _lines(text)
    if not lines:
        return failed("none", 0), "none"
    whole = len(lines) == 1
    last = read_choice(text, *_opening(lines[-1]), options, prose=False)
    short = lines[-1][1] - lines[-1][0] <= 40
    if last.value is not None and (short or _set_off(text, last)):
        return last, _why(last, "bare" if whole else "last_line")
    if last.problem in ("hedge", "out_of_range") and short:
        return last, last.problem
    for start, stop in reversed(lines[-3:]):
        reading = _stated(text, start, stop, options, (_CORRECT, _MAKING, _CHOSEN))
        if reading.value is not None or reading.problem == "hedge":
            return reading, "phrase" if reading.value is not None else "hedge"
    for start, stop in reversed(lines):
        reading = _stated(text, start, stop, options, (_BEST, _MAKING))
        if reading.value is not None:
            return reading, "phrase"
    first = read_choice(text, *_opening(lines[0]), options, prose=False)
    if first.value is not None and _set_off(text, first):
        return first, _why(first, "bare" if whole else "last_value")
    reading = _only_marked(text, lines[0][0], first_sentence(text, *lines[0]), options)
    if reading.value is not None:
        return reading, "last_value"
    for start, stop in reversed(lines):
        reading = _last_marked(text, start, stop, options)
        if reading.value is not None:
            return reading, "last_value"
    return _only_text(text, lines, options)


def _opening(line: tuple[int, int]) -> tuple[int, int]:
    return line[0], min(line[1], line[0] + 600)


def _why(reading: Reading, reason: str) -> str:
    return "option_text" if reading.problem == "option_text" else reason


def _set_off(text: str, reading: Reading) -> bool:
    """Whether the letter is marked as an option: by brackets, a closing bracket, emphasis, a point or a colon."""
    return (
        reading.problem == "option_text"
        or text[reading.stop : reading.stop + 1] in (")", "]", "*", ".", ":", "}")
        or reading.stop == len(text.rstrip())
    )


def _lines(text: str) -> list[tuple[int, int]]:
    """The lines that are not blank, without code fences; at most the first and the last two hundred."""
    spans: list[tuple[int, int]] = []
    place = 0
    for line in text.split("\n"):
        if line.strip(" \t*_`$") and not line.lstrip().startswith("```"):
            spans.append((place, place + len(line)))
        place += len(line) + 1
    return spans if len(spans) <= 400 else spans[:200] + spans[-200:]


def _label(letter: str, options: Options | None) -> str | None:
    return options.label(letter) if options else letter.upper()


def _stated(
    text: str, start: int, stop: int, options: Options | None, patterns: tuple[re.Pattern[str], ...]
) -> Reading:
    """An option that a sentence of this line calls right or chooses; the last such sentence."""
    start = max(start, stop - 3000)
    found: list[tuple[int, Reading]] = []
    for pattern in patterns:
        for match in pattern.finditer(text, start, stop):
            begin, end = match.span("letter")
            if NOT.search(text, max(start, begin - 30), begin) or not plausible(text, begin, end, stop):
                continue
            if WRONG.match(text, end, min(stop, end + 80)) or _UNABLE.search(text, max(start, begin - 80), begin):
                continue
            if re.search(r"\b(?:not|n't|incorrect|wrong)\b", match[0]):
                continue
            reading = checked(text, begin, end, stop, options)
            if reading.value is not None or reading.problem == "hedge":
                found.append((begin, reading))
    return max(found)[1] if found else failed("none", start)


_UNABLE = re.compile(
    r"\b(?:unable to|cannot|can't|could not|not able to|difficult to|hard to|any of the)\b[^.\n]*$", re.IGNORECASE
)


def _marked(text: str, start: int, stop: int, options: Options | None) -> list[tuple[int, int, str]]:
    """The options that stand in brackets or in bold and are not negated."""
    start = max(start, stop - 3000)
    found = []
    for match in letters_of(options.labels if options else None).any.finditer(text, start, stop):
        begin, end = match.span("letter")
        marked = text[end : end + 1] in (")", "*", "]", "}") and text[begin - 1 : begin] in (
            "(",
            "*",
            "[",
            "{",
            "",
            " ",
            "\n",
        )
        label = _label(match["letter"], options)
        if (
            marked
            and label is not None
            and text[begin:end].isupper()
            and not NOT.search(text, max(start, begin - 30), begin)
        ):
            found.append((begin, end, label))
    return found


def _only_marked(text: str, start: int, stop: int, options: Options | None) -> Reading:
    """The option of a sentence that names one alone."""
    found = _marked(text, start, stop, options)
    return (
        Reading(found[0][2], *found[0][:2], False)
        if len({label for _, _, label in found}) == 1
        else failed("none", start)
    )


def _last_marked(text: str, start: int, stop: int, options: Options | None) -> Reading:
    found = _marked(text, start, stop, options)
    if not found or len({label for _, _, label in found}) > 2:
        return failed("none", start)
    begin, end, label = found[-1]
    return Reading(label, begin, end, False)


def _only_text(text: str, lines: list[tuple[int, int]], options: Options | None) -> tuple[Reading, str]:
    if options is None or not options.texts:
        return failed("none", 0), "none"
    for start, stop in reversed(lines[-3:]):
        reading = read_choice(text, start, min(stop, start + 2000), options)
        if reading.value is not None and reading.problem == "option_text":
            return reading, "option_text"
    return failed("none", 0), "none"


def _several(text: str, options: Options | None) -> tuple[Reading, str]:
    lines = _lines(text)
    for index, (start, stop) in enumerate(reversed(lines)):
        reading = read_multichoice(text, start, min(stop, start + 1000), options)
        if reading.value is not None and reading.exact:
            return reading, "bare" if len(lines) == 1 else "last_line" if not index else "last_value"
    return failed("none", 0), "none"
