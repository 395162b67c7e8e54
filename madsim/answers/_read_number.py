"""Read a number out of the place where it should be."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from madsim.answers._correct import corrected
from madsim.answers._exact import exact_number
from madsim.answers._number_prose import are_alternatives, asks, explains, gives_up, is_no_candidate
from madsim.answers._numbers import NUMBER, PERCENT, Number, fraction_text, parse_number
from madsim.answers._reading import NOT, OR, Reading, failed, is_placeholder
from madsim.answers._words import MINUS_WORD, opening_words

_FILLER = (
    r"[\s*_`\"'(\[{$<]*+(?:(?:\\(?:text|textbf|mathbf|mathrm|boldsymbol|bf|mbox|left|displaystyle|approx|"
    r"boxed|fbox|\(|\[|quad|,|;)[\s{(]*+|about|approximately|"
    r"approx\.?|roughly|exactly|around|only|just|simply|still|therefore|thus|hence|now|actually|indeed|also|"
    r"definitely|equal to|equals|is|it is|it's|was|are|be|"
    r"to be|a total of|total of|the number|number|值为|大约|约为|大概|约|約|およそ|약|≈|~|=|:|"
    r"maybe|perhaps|possibly|probably|most likely|likely|i (?:think|believe|guess|say|get|got)|#|no\.|"
    r"[A-Za-z](?:_\w|_\{\w+\})?\s?(?:=|\\approx|≈)|a\b|an\b)[\s*_`\"'({$]*+)*+"
)
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"(?<![^\W{_CJK}])(?<![.^\\])(?:{NUMBER})", re.IGNORECASE)
_START = re.compile(rf"{_FILLER}(?P<number>(?:{MINUS_WORD}\s?)?{NUMBER})", re.IGNORECASE)
_LEAD = re.compile(_FILLER.replace(r"|a\b|an\b", ""), re.IGNORECASE)
_OPERATOR = re.compile(
    r"[\s*_`)\]}$\\]*?(?:[²³¹⁰⁴-⁹⁻]|!(?=\s*[=≈])|\s?x\s?(?=\d)|\s*(?:[+×÷·=≈^]|\*(?!\*)|/(?=\s*[\d(])|\\(?:times|cdot|div|approx|pm)\b)|\s+[-–−]\s*(?=[\d(\\])|-(?=[\d(]))"
)
_VARIABLE = re.compile(
    r"(?:\s?(?![eoyu]\s+[\d$*\\-])[a-zA-Z](?![\w'%])(?<![kKmMgsLhlVAWNJCF°$])|\\(?:pi|sqrt|sin|cos|log|ln|theta)|√|π|i\b)"
)
_HEDGE = re.compile(
    rf"[\s*_`)\]}}$%.\\]*(?:\((?=or\b)|text\{{\s?(?=or\b))?"
    rf"(?:[^\W_]+[\s*_`)$]+){{0,3}}?,?\s*(?:{OR}|to|by|through|bis|à|–|-|,)\s*(?:[a-zA-Z]\s?=\s?)?(?:either |maybe |"
    rf"perhaps |possibly |probably |about |approximately |roughly |around |nearly )?[\s*_`(\[{{}}$]*(?P<other>{NUMBER})",
    re.IGNORECASE,
)
_EQUATION = re.compile(r"=|≈|\\approx")
_FORMULA = re.compile(r"[+*/^=<>≤≥×]|\\(?:leq?|geq?|times|cdot|sqrt|pi|frac)\b|[a-zA-Z]\s?-|-\s?\d")
_RANGE = re.compile(r"(?P<low>\d[\d.,]*)\s?(?:-|–|to)\s?(?P<high>\d[\d.,]*)[\sa-zA-Z%]{0,30}$")
_CLOCK = re.compile(r":(?P<minutes>\d\d)\b")
_COMPARED = re.compile(r"\s?(?:[<>≤≥]|\\(?:leq?|geq?|lt|gt)\b)")
_EQUALS = re.compile(r"(?:\bi\.e\.,?\s|=|≈|\\approx|equals|gives|yields|is equal to)")
_SENTENCE = re.compile(r"(?<![\d ])[.!?](?=\s+[A-Z\\*(])|(?<=\d)\.(?=\s+[A-Z])|[?;]\s|!(?!\s*[=≈])\s|\n\s*\n")
_COPULA = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|makes?|made|costs?|cost|gets?|got|needs?|takes?|took|pays?|paid|"
    r"earns?|earned|spends?|spent|of|equals?|"
    r"total|totals|is:|are:|gives|yields|leaves|left with|in|only|sells?|sold|runs?|ran|reads?|eats?|uses?|"
    r"approximately|about|answer):?\s*[\s*_`($\\{]*$",
    re.IGNORECASE,
)
_CERTAIN = re.compile(r"\s?(?:sure|certain|confident|correct|right|accurate|confidence|positive)\b", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9]")
_BOLD = re.compile(r"\*\*([^*\n]{1,40})\*\*")


# what a box says in words of a number, and a sum of named things that nobody worked out
_SAID = re.compile(
    r"\b(?:greater|less|more|fewer|larger|smaller|higher|lower) than\b|\\[hv]?phantom\b|\bany number\b", re.IGNORECASE
)
_SUM_IN_WORDS = re.compile(r"[\s$]*\d[\d.,]*(?:\s[A-Za-z/]+){1,3}\s?[*+×]\s?\d[^=]*$")
_ONLY_IF = re.compile(r"\s(?:[a-zA-Z]+\s)?only (?:if|when)\b", re.IGNORECASE)
_CASES = re.compile(
    r"\s(?:[a-zA-Z]+\s)?if\b[^.\n=]{1,60}?\b(?:\d[\d.,]*\s(?:otherwise|if|else)|(?:otherwise|else),?\s\d)"
)


def first_sentence(text: str, start: int, stop: int) -> int:
    """End of the sentence that starts at `start`."""
    match = _SENTENCE.search(text, start, stop)
    return match.start() if match else stop


def read_number(
    text: str, start: int, stop: int, mark: str | None, *, prose: bool = True, boxed: bool = False
) -> Reading:
    """The number between `start` and `stop`.

    Parameters
    ----------
    text : in normal characters
    mark : decimal mark of the locale, or None
    prose : whether a number may be picked out of a sentence, or has to open the stretch
    boxed : whether the stretch is the whole content of a box, so that an equation counts with its right side and a
        formula is no number
    """
    if boxed and (_SAID.search(text, start, stop) or _SUM_IN_WORDS.match(text, start, stop)):
        return failed("unreadable", start)
    if boxed and _EQUATION.search(text, start, stop):
        whole = _whole_expression(text, start, stop, mark)
        if whole is not None:
            return whole
    start = corrected(text, start, stop)
    match = _START.match(text, start, stop)
    reading = _opening(text, match, stop, mark) if match is not None else _in_words(text, start, stop)
    if reading is not None:
        return reading
    if is_placeholder(text[start:stop]):
        return failed("placeholder", start)
    whole = _whole_expression(text, start, stop, mark)
    if whole is not None:
        return whole
    if not prose or (boxed and _FORMULA.search(text, start, stop)):
        return failed("unreadable", start)
    end = first_sentence(text, start, stop)
    others = _OTHERS.search(text, start, end)
    return _from_sentence(text, start, others.start() if others and others.start() > start else end, mark)


def _opening(text: str, match: re.Match[str], stop: int, mark: str | None) -> Reading | None:
    begin, end = match.span("number")
    if _VARIABLE.match(text, end, stop) or _OPERATOR.match(text, end, stop) or _CERTAIN.match(text, end, stop):
        return None
    if text[end : end + 1].isalpha() and text[end - 1].isalpha():
        return None
    clock = _CLOCK.match(text, end, stop)
    if _COMPARED.match(text, end, stop) or (clock is not None and clock["minutes"] != "00"):
        return failed("unreadable", begin)
    number = parse_number(text[begin:end], mark)
    if number is None:
        return failed("unreadable", begin)
    if _ONLY_IF.match(text, end, stop):
        return failed("unreadable", begin)
    if _CASES.match(text, end, stop):
        return failed("hedge", begin)
    hedge = _HEDGE.match(text, end, stop)
    if hedge is not None:
        other = parse_number(hedge["other"].lstrip("-– "), mark) or parse_number(hedge["other"], mark)
        if (
            other is not None
            and other.value != number.value
            and not _is_list_of_explanation(text, hedge)
            and not (_ROUGHLY.search(hedge[0]) and _is_rounded(other, number))
        ):
            return failed("hedge", begin)
    return Reading(str(number), begin, end, True)


_ROUGHLY = re.compile(r"\b(?:about|approximately|roughly|around|nearly)\b", re.IGNORECASE)


def _is_rounded(rough: Number, number: Number) -> bool:
    """Whether one number is another one rounded."""
    return abs(rough.value - number.value) * 100 <= abs(number.value)


def _in_words(text: str, start: int, stop: int) -> Reading | None:
    """A number in words that opens the stretch; words for two different numbers are a hedge."""
    lead = _LEAD.match(text, start, stop)
    begin = lead.end() if lead else start
    found = opening_words(text, begin, stop)
    if found is None:
        return None
    value, end = found
    if _SHARE_OF.match(text, end, stop):
        return None
    other = _OR_WORD.match(text, end, stop)
    second = opening_words(text, other.end(), stop) if other else None
    if second is not None and second[0] != value:
        return failed("hedge", begin)
    percent = _PERCENT.match(text, end, stop)
    if percent is not None or text.startswith("百分之", begin):
        end = percent.end() if percent is not None else end
        return Reading(f"{fraction_text(value if percent is not None else value * 100)}%", begin, end, True)
    return Reading(fraction_text(value), begin, end, True)


_PERCENT = re.compile(PERCENT, re.IGNORECASE)
_SHARE_OF = re.compile(r"\s(?:of|von|de|des|di|da)\s[\s$*\\(]*\d", re.IGNORECASE)
_OR_WORD = re.compile(rf"[\s*_,]*\b{OR}\s+(?:maybe |perhaps |possibly )?", re.IGNORECASE)


def _is_list_of_explanation(text: str, hedge: re.Match[str]) -> bool:
    after = text[hedge.end() : hedge.end() + 2]
    return after[:1] in ("=", "+", "*", "×") or after[1:2] in ("=", "+", "×")


_CROSS = re.compile(r"(?<=\d)\s?x\s?(?=\d)")
_NEARLY = re.compile(rf"[\s*_`$)]*(?:≈|\\approx)[\s*_`$(]*(?P<number>{NUMBER})", re.IGNORECASE)
_DEFINED = re.compile(r"[\s*_`$)]*=[^=]*[+*×/·-]")


def _whole_expression(text: str, start: int, stop: int, mark: str | None) -> Reading | None:
    """The value of an arithmetic expression such as ``2^{10}``; after the last equals sign where there is one."""
    end = first_sentence(text, start, min(stop, start + 2000))
    first = _START.match(text, start, end)
    near = _NEARLY.match(text, first.end(), end) if first is not None else None
    if first is not None and near is not None:
        exact, rough = parse_number(first["number"], mark), parse_number(near["number"], mark)
        if exact is not None and rough is not None and exact.value.denominator > 1 and _is_rounded(rough, exact):
            return Reading(str(exact), *first.span("number"), True)
    for sign in reversed(list(_EQUALS.finditer(text, start, end))[-8:]):
        match = _START.match(text, sign.end(), end)
        if match is not None:
            reading = _opening(text, match, end, mark)
            if reading is not None and reading.value is not None:
                return reading._replace(exact=True)
    if first is not None and _DEFINED.match(text, first.end(), end):
        number = parse_number(first["number"], mark)
        if number is not None:
            return Reading(str(number), *first.span("number"), True)
    piece = text[start:end].strip(" \t\n*_`\"'$.")
    span = _RANGE.match(piece)
    if span is not None and span["low"] != span["high"]:
        return failed("hedge", start)
    if not 0 < len(piece) <= 80 or not re.search(
        r"[\^!*/+\\×÷²³¹⁰⁴-⁹√-]|\dx\d|\d x \d|sqrt|log|gcd|lcm|max|min", piece
    ):
        return None
    value = exact_number(_CROSS.sub("*", piece))
    if value is None:
        return None
    begin = start + text[start:end].find(piece)
    return Reading(value, begin, begin + len(piece), True)


def _from_sentence(text: str, start: int, stop: int, mark: str | None) -> Reading:
    stop = min(stop, start + 2000)
    tokens = list(_tokens(text, start, stop, mark))
    if not tokens:
        return failed("unreadable", start)
    if (
        len(tokens) == 2
        and tokens[0][2].value != tokens[1][2].value
        and _EITHER.search(text, max(start, tokens[0][0] - 24), tokens[0][0])
    ):
        return failed("hedge", start)
    bold = [token for token in tokens if text[: token[0]].endswith("**") or _in_bold(text, token[0], token[1])]
    if bold:
        tokens = bold
    outside = [token for token in tokens if text.count("(", start, token[0]) <= text.count(")", start, token[0])]
    tokens = outside or tokens
    chosen = next(
        (
            token
            for token in reversed(tokens[-_MOST_TOKENS:])
            if _COPULA.search(text, max(start, token[0] - 60), token[0])
        ),
        tokens[-1],
    )
    if not bold:
        place = tokens.index(chosen)
        for one, other in itertools.pairwise(tokens[max(0, place - 1) : place + 2]):
            if one[2].value != other[2].value and are_alternatives(text, start, one[:2], other[:2]):
                return failed("hedge", one[0])
        first = chosen
        hedge = _HEDGE.match(text, first[1], stop)
        if hedge is not None and re.match(r".*\b(?:or|oder|ou)\b", hedge[0], re.DOTALL | re.IGNORECASE):
            other = parse_number(hedge["other"].strip(), mark)
            if other is not None and other.value != first[2].value:
                return failed("hedge", first[0])
    return Reading(
        str(chosen[2]), chosen[0], chosen[1], len(tokens) == 1 and not text[start : chosen[0]].strip(" *_$(")
    )


_MOST_TOKENS = 60
_OR_NAME = re.compile(r"\bor\s+[$\\(]*[a-zA-Z]\s?$")
_OTHERS = re.compile(r",?\s(?:and |but |while |whereas )?(?:the )?other(?:s| agents?| debaters?)\b")
_EITHER = re.compile(r"\b(?:either|between|from|entweder|zwischen|soit|entre)\s(?:the\s)?[\s*_`($]*$", re.IGNORECASE)


def _in_bold(text: str, begin: int, end: int) -> bool:
    left = text.rfind("**", max(0, begin - 40), begin)
    if left < 0 or "\n" in text[left:begin]:
        return False
    right = text.find("**", end, end + 40)
    return (
        right >= 0
        and "\n" not in text[end:right]
        and text.count("**", max(0, text.rfind("\n", 0, begin)), left + 2) % 2 == 1
    )


# the argument of a function, or a bound
_INSIDE = re.compile(
    r"(?:(?:√|\b(?:sqrt|log|ln|sin|cos|tan))\s?[({]?\s?|(?<!\S)[<>]\s+|[≤≥]|\\(?:leq?|geq?|sqrt|lt|gt)\b\s?[({]?)$"
)


def _tokens(text: str, start: int, stop: int, mark: str | None) -> list[tuple[int, int, Number]]:
    """Every number that is not negated, with its place."""
    found = []
    for match in _TOKEN.finditer(text, start, stop):
        begin, end = match.span()
        clock = _CLOCK.match(text, end, stop)
        if NOT.search(text, max(start, begin - 30), begin) or _CERTAIN.match(text, end, stop):
            continue
        if (clock is not None and clock["minutes"] != "00") or (
            text[begin - 1 : begin] == ":" and text[begin - 2 : begin - 1].isdigit()
        ):
            continue
        if _INSIDE.search(text, max(start, begin - 12), begin) or is_no_candidate(text, start, begin, end, stop):
            continue
        token = match[0]
        if token[0] in "-–—+" and begin > start and (text[begin - 1].isalnum() or text[begin - 1] in ")]}"):
            begin, token = begin + 1, token[1:]
        elif token[:2] in ("- ", "– ", "— ", "+ "):
            begin, token = begin + 2, token[2:]
        number = parse_number(token, mark)
        if number is not None:
            found.append((begin, end, number))
    return found


_CONCLUDES = re.compile(
    r"(?:^|[.!?:]\s|[,;]\s(?=so\s|thus\s|hence\s|therefore\s))[\s*_#-]{0,12}"
    r"(?:therefore|thus|hence|so|in conclusion|in summary|to summari[sz]e|finally|"
    r"overall|consequently|as a result|in total|conclusion|altogether)\b",
    re.IGNORECASE,
)
_LINES_BACK = 8


def last_number(text: str, mark: str | None) -> Reading:
    """The number that the reply ends on: from its last concluding sentence, or else from its last line that has
    one; bold numbers and statements first."""
    if gives_up(text) or _TIME_OF_DAY.search(text, max(0, len(text) - 600)):
        return failed("none", 0)
    text = _without_programs(text)
    lines = _lines_with_digits(text)
    concluding = itertools.islice(_conclusions(text, lines[:_LINES_BACK]), 2)
    for start, stop in itertools.chain(concluding, lines):
        reading = _last_of_line(text, start, stop, mark)
        if reading.value is not None or reading.problem == "hedge":
            return reading
    return failed("none", 0)


_TIME_OF_DAY = re.compile(r"\*\*[^*\n]{0,20}\b\d{1,2}:(?!00)[0-5]\d\s?[ap]\.?m\b[^*\n]{0,12}\*\*", re.IGNORECASE)
_PROGRAM = re.compile(r"```(?:python|py|javascript|js|java|cpp|c|r|julia)\d?\b[^`]*(?:```|$)", re.IGNORECASE)


def _without_programs(text: str) -> str:
    """`text` with its programs blanked: what they print is not known."""
    if "```" not in text:
        return text
    return _PROGRAM.sub(lambda match: " " * len(match[0]), text)


def _conclusions(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """From the last word of conclusion to the end of each line that has one."""
    for start, stop in lines:
        found = list(_CONCLUDES.finditer(text[start:stop]))
        if found:
            yield start + found[-1].start(), stop


def _lines_with_digits(text: str) -> list[tuple[int, int]]:
    """The last lines that hold digits, the last one first."""
    lines: list[tuple[int, int]] = []
    stop = len(text)
    for _ in range(60):
        start = text.rfind("\n", 0, stop) + 1
        if _DIGIT.search(text, max(start, stop - 3000), stop):
            lines.append((start, stop))
        if not start:
            break
        stop = start - 1
    return lines


def _last_of_line(text: str, start: int, stop: int, mark: str | None) -> Reading:
    start = max(start, stop - 3000)
    bounds = [start, *(match.end() for match in _SENTENCE.finditer(text, start, stop)), stop]
    sentences = [(low, high) for low, high in itertools.pairwise(bounds) if _DIGIT.search(text, low, high)]
    stated = [(low, high) for low, high in sentences if not asks(text[low:high])]
    stated.sort(key=lambda sentence: not explains(text[sentence[0] : sentence[1]]))  # reasons are looked at last
    for low, high in reversed(stated):
        low = corrected(text, low, high)
        signs = list(_EQUALS.finditer(text, low, high))
        if len(signs) > 1 and _OR_NAME.search(text, signs[-2].end(), signs[-1].start()):
            return failed("hedge", low)
        if signs:
            match = _START.match(text, signs[-1].end(), high)
            reading = _opening(text, match, high, mark) if match else None
            if reading is not None and reading.value is not None:
                return reading
        reading = _from_sentence(text, low, high, mark)
        if reading.value is not None or reading.problem == "hedge":
            return reading
    return failed("none", start)
