"""The unannounced option of a reply: its last or first line, what its sentences choose, what it marks."""

from __future__ import annotations

import re
from collections import deque

from madsim.answers._choose import chosen, closing_word
from madsim.answers._options import Options
from madsim.answers._read_choice import checked, letters_of, plausible, read_choice
from madsim.answers._read_number import first_sentence, last_number
from madsim.answers._reading import NOT, Reading, failed
from madsim.answers._stance import stance

_ALONE = r"(?<![A-Za-z0-9_'])[A-Z](?![A-Za-z0-9_]|'[a-z])"
_QUALITY = (
    r"(?:correct|right|true|best|accurate|appropriate|answer|suitable|fitting|likely|fit|valid|closest|"
    r"plausible|direct|reasonable|logical|consistent|precise|relevant|convincing)"
)
_CORRECT = re.compile(
    rf"(?P<letter>{_ALONE})[)\]*_`\"'.:,$]{{0,6}}(?P<text>[^.\n]{{0,120}}?)[\s*_)\"',]*\b(?:is|are|would be|"
    rf"seems|appears|must be|remains)\s"
    r"(?:therefore |thus |also |indeed |clearly |definitely |probably |likely )*(?:the |an? )?(?:most |best |"
    r"more |only |single )?"
    rf"{_QUALITY}\b(?! (?:that|about|for|in|only|if|when|but)\b)"
)
_MAKING = re.compile(
    rf"\b(?:making|makes|leaving|leaves|points? to|confirms?|supports?)\s(?:option |choice |answer |"
    rf"statement )?[(\[*_`\"'$]{{0,6}}(?P<letter>{_ALONE})"
    rf"[^\n.]{{0,80}}?\b(?:the|as)\s(?:the )?(?:\w+ )?{_QUALITY}\b"
)
_CHOSEN = re.compile(
    r"\b(?:[Cc]hoose|[Cc]hose|choosing|pick|picked|select|selected|go with|going with|went with|opt for|"
    r"vote for|vote|stick with|sticking with|"
    r"settle on|lean towards?|prefer|is|be|are|answer|[Tt]herefore,?|[Tt]hus,?|[Hh]ence,?|[Ss]o,?|with|known as|"
    r"called|as|say)"
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


def unannounced_choice(text: str, options: Options | None) -> tuple[Reading, str]:
    """The unannounced option of a reply and its reason code.

    In this order: a last line that is nothing but an option, the last sentence that chooses one, a reply that ends on
    one, a first line that is nothing but an option, and what the reply marks as an option.
    """
    lines = lines_of(text)
    if not lines:
        return failed("none", 0), "none"
    whole = len(lines) == 1
    named = _ANSWER_INITIAL.fullmatch(text, *lines[-1])
    if named is not None and (label := _label(named["letter"], options)) is not None:
        return Reading(label, *named.span("letter"), True), "label"
    judged = _judged_options(text, lines, options)
    if judged is not None:
        return judged, "phrase" if judged.value is not None else judged.problem
    last = read_choice(text, *_opening(lines[-1]), options, prose=False)
    short = lines[-1][1] - lines[-1][0] <= 40
    listed = _listed(text, lines, options)
    if (
        last.value is not None
        and _ends(text, last, lines[-1][1])
        and not (listed and _has_remark(text, last, lines[-1][1]))
    ):
        return last, _why(last, "bare" if whole else "last_line")
    if last.problem in ("hedge", "out_of_range") and short:
        return last, last.problem
    reading, reason = chosen(text, options, lines[-min(3, len(lines))][0])
    if reading.value is not None or reason == "hedge":
        return reading, reason
    if last.value is not None and _set_off(text, last) and not listed:
        return last, _why(last, "bare" if whole else "last_line")
    reading = closing_word(text, options)
    if reading.value is not None:
        return reading, "phrase"
    first = read_choice(text, *_opening(lines[0]), options, prose=False)
    if first.value is not None and _ends(text, first, lines[0][1]):
        return first, _why(first, "bare" if whole else "last_value")
    for start, stop in reversed(lines[-3:]):
        reading = _stated(text, start, stop, options, (_CORRECT, _MAKING, _CHOSEN))
        if reading.value is not None or reading.problem == "hedge":
            return reading, "phrase" if reading.value is not None else "hedge"
    reading, reason = chosen(text, options)
    if reading.value is not None or reason == "hedge":
        return reading, reason
    for start, stop in reversed(lines):
        reading = _stated(text, start, stop, options, (_BEST, _MAKING))
        if reading.value is not None:
            return reading, "phrase"
    if len(_items(text, lines, options)) == len(lines) > 2:
        return failed("none", 0), "none"
    if first.value is not None and _set_off(text, first) and not listed:
        return first, _why(first, "bare" if whole else "last_value")
    reading = _only_marked(text, lines[0][0], first_sentence(text, *lines[0]), options)
    if reading.value is not None:
        return reading, "last_value"
    for start, stop in reversed(lines):
        reading = _last_marked(text, start, stop, options)
        if reading.value is not None:
            return reading, "last_value"
    return _only_text(text, lines, options)


_ANSWER_INITIAL = re.compile(
    r"[\s*_]*A(?:ns)?[\s*_]*[:=][\s(\[*_]*(?P<letter>[A-Za-z]|\d{1,2})[)\].*_\s]*"
)  # as in "Q: ... A: B"
_END = re.compile(
    r"[\s\\)\]*_`\"'$}>~.!,:]*(?:(?:\s?[-–—]\s|[:.,(]\s?|\s)(?:because|since|as|for)\b.*|"
    r"\s[-–—]\s(?:(?![(\s][A-Z][)\s.,]).)*|\s?>{1,2}\s?[A-Z].*|"
    r"\s(?:rather than|instead of|over|not)\b.*|,\s(?:obviously|"
    r"clearly|definitely|of course|certainly|surely|I (?:think|believe|suppose|guess|would say|reckon)|for sure|"
    r"not|nicht|pas|no|não|non|with [(*_]{0,3}[A-Z][)*_]{0,3} (?:as|a close|in)|followed by|then [(*_]{0,3}[A-Z]\b|"
    r"ahead of|in my)\b.*|"
    r"\([^()\n]*\)[\s.!]*)?$",
    re.IGNORECASE,
)


def _ends(text: str, reading: Reading, stop: int) -> bool:
    """Whether nothing follows the option on its line but dress, a remark in brackets or its reason."""
    return _END.fullmatch(text, reading.stop, stop) is not None


def _has_remark(text: str, reading: Reading, stop: int) -> bool:
    return re.search(r"[^\W\d_]{2}", text[reading.stop : stop]) is not None


_ITEM = re.compile(
    r"[ \t>*_#|+-]*(?:option |choice |选项)?[(\[*_`\"'$]{0,4}(?P<letter>[A-Za-z]|\d{1,2})[)\]*_`\"'$.:|"
    r"]{0,5}(?:\s?[-–—:|]|\s|$)",
    re.IGNORECASE,
)
_RIGHT_MARK = re.compile(
    r"✅|✓|✔|☑|\b(?:correct|true|right|yes|richtig|wahr|correcte?|vraie?|correct[ao]|verdader[ao]|cert[ao]|"
    r"corrett[ao]|ver[ao])\b|正确|正確|正しい|맞",
    re.IGNORECASE,
)
_WRONG_MARK = re.compile(
    r"❌|✗|✘|✖|\b(?:incorrect|wrong|false|not|no|fails?|falsch|faux|fausse|incorrect[ao]|fals[ao]|errad[ao]|"
    r"sbagliat[ao]|"
    r"cannot|can't|isn't|doesn't|eliminated|impossible|unlikely|out)\b|不|错|錯|間違|誤|틀",
    re.IGNORECASE,
)


def _items(text: str, lines: list[tuple[int, int]], options: Options | None) -> list[tuple[int, int, str, int]]:
    """The lines at the end that each open with an option, in order: place and end of the letter, label, end of the line."""
    items: list[tuple[int, int, str, int]] = []
    for start, stop in reversed(lines[-12:]):
        match = _ITEM.match(text, start, stop)
        label = _label(match["letter"], options) if match else None
        if match is None or label is None or any(label == other for _, _, other, _ in items):
            break
        items.append((*match.span("letter"), label, stop))
    return items[::-1]


def _listed(text: str, lines: list[tuple[int, int]], options: Options | None) -> bool:
    """Whether the reply ends on a list of several options, so that its last line is one item of it."""
    return len(_items(text, lines, options)) > 1


def _judged_options(text: str, lines: list[tuple[int, int]], options: Options | None) -> Reading | None:
    """The only option that a closing list of options calls right, or None where there is no such list."""
    items = _items(text, lines, options)
    if len(items) < 2:
        return None
    right, wrong = [], 0
    for begin, end, label, stop in items:
        verdict = text[end : min(stop, end + 200)]
        if _WRONG_MARK.search(verdict):
            wrong += 1
        elif _RIGHT_MARK.search(verdict):
            right.append(Reading(label, begin, end, True))
    if len(right) == 1 and wrong + 1 == len(items):
        return right[0]
    return None


def _opening(line: tuple[int, int]) -> tuple[int, int]:
    return line[0], min(line[1], line[0] + 600)


def _why(reading: Reading, reason: str) -> str:
    return "option_text" if reading.problem == "option_text" else reason


def _set_off(text: str, reading: Reading) -> bool:
    """Whether the letter is marked as an option: by brackets, a closing bracket, emphasis, a point or a colon."""
    return (
        reading.problem == "option_text"
        or text[reading.stop : reading.stop + 2].lstrip()[:1] in (")", "]", "*", ".", ":", "}")
        or reading.stop == len(text.rstrip())
    )


def lines_of(text: str) -> list[tuple[int, int]]:
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


_MOST_STATEMENTS = 24


def _stated(
    text: str, start: int, stop: int, options: Options | None, patterns: tuple[re.Pattern[str], ...]
) -> Reading:
    """An option that a sentence of this line calls right or chooses; the last such sentence."""
    start = max(start, stop - 3000)
    found: list[tuple[int, Reading]] = []
    for pattern in patterns:
        for match in reversed(deque(pattern.finditer(text, start, stop), maxlen=_MOST_STATEMENTS)):
            begin, end = match.span("letter")
            if not plausible(text, begin, end, stop) or _UNABLE.search(text, max(start, begin - 80), begin):
                continue
            if stance(text, start, begin, end, stop) in ("rejected", "former", "maybe", "open"):
                continue
            if re.search(r"\b(?:not|n't|incorrect|wrong)\b", match[0]):
                continue
            reading = checked(text, begin, end, stop, options)
            if reading.value is not None or reading.problem == "hedge":
                found.append((begin, reading))
                break
    return max(found)[1] if found else failed("none", start)


_UNABLE = re.compile(
    r"\b(?:unable to|cannot|can't|could not|not able to|difficult to|hard to|any of the|example|format|"
    r"for instance)\b[^.\n]*$",
    re.IGNORECASE,
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
            and not (text[begin - 1 : begin] == " " and _in_brackets(text, begin))
            and label is not None
            and text[begin:end].isupper()
            and not NOT.search(text, max(start, begin - 30), begin)
        ):
            found.append((begin, end, label))
    return found


def _in_brackets(text: str, place: int) -> bool:
    """Whether `place` is a later letter of brackets that name several, such as ``(A, B, C)``; not of ``(choice A)``."""
    low = max(0, place - 60)
    opening = text.rfind("(", low, place)
    closed = max(text.rfind(")", low, place), text.rfind("\n", low, place))
    return opening > closed and _LETTER_BEFORE.search(text, opening, place) is not None


_LETTER_BEFORE = re.compile(r"(?<![A-Za-z'])[A-Z](?=[,/&]|\s(?:and|or)\b)")


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


_SHORT = 3
_BEFORE_IN_FORMULA = re.compile(r"(?:[-+*/^=<>×·(]|\d|\\\w+)[\s{]*$")
_AFTER_IN_FORMULA = re.compile(r"[\s}]*(?:[-+*/^=<>×·]|\\(?!\)|\]))|\(|\s?\)")


def _only_in_formulas(text: str, start: int, stop: int, reading: Reading) -> bool:
    """Whether a short option text such as ``i`` or ``1`` is only a part of formulas on its line."""
    length = reading.stop - reading.start
    if length > _SHORT:
        return False
    written = re.escape(text[reading.start : reading.stop].casefold())  # not "I", the speaker
    for match in re.finditer(rf"(?<![A-Za-z]){written}(?![A-Za-z\d])", text[start : min(stop, start + 2000)]):
        begin, end = start + match.start(), start + match.end()
        if (
            _BEFORE_IN_FORMULA.search(text, max(start, begin - 24), begin) is None
            and _AFTER_IN_FORMULA.match(text, end) is None
        ):
            return False
    return True


def _only_text(text: str, lines: list[tuple[int, int]], options: Options | None) -> tuple[Reading, str]:
    if options is None or not options.texts:
        return failed("none", 0), "none"
    for start, stop in reversed(lines[-3:]):
        reading = read_choice(text, start, min(stop, start + 2000), options)
        if (
            reading.value is not None
            and reading.problem == "option_text"
            and not _only_in_formulas(text, start, stop, reading)
        ):
            return reading, "option_text"
    number = last_number(text, None)
    if number.value is None or _AFTER_IN_FORMULA.match(text, number.stop) is not None:
        return failed("none", 0), "none"
    label = options.of_text(number.value)
    if label is not None:
        return Reading(label, number.start, number.stop, False, "option_text"), "option_text"
    return failed("none", 0), "none"
