"""Find the answer in a reply."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from madsim.answers._anchors import anchors
from madsim.answers._choose import revised
from madsim.answers._dress import undressed
from madsim.answers._infer import infer_type
from madsim.answers._labels import Anchor
from madsim.answers._mask import is_claim, without_claims, without_quotes, without_struck, without_thinking
from madsim.answers._normal import normal
from madsim.answers._nothing import is_no_value, is_nothing
from madsim.answers._numbers import NUMBER, decimal_mark, parse_number
from madsim.answers._option_words import without_option_words
from madsim.answers._options import Options, latin_letters, options_of
from madsim.answers._quantity import read_quantity
from madsim.answers._read_boolean import read_boolean
from madsim.answers._read_choice import read_choice
from madsim.answers._read_maths import math_text, read_math
from madsim.answers._read_number import read_number
from madsim.answers._read_several import read_multichoice
from madsim.answers._read_text import read_text
from madsim.answers._reading import Reading, failed
from madsim.answers._types import ANSWER_TYPES, AnswerType, Extraction
from madsim.answers._weak import weak_answer
from madsim.answers._weak_choice import closing_letter

_PLAIN_LABEL = re.compile(r"(?:\*\*)?(?:final answer|answer)(?:\*\*)?:(?:\*\*)? ?(?:\*\*)?", re.IGNORECASE)
_PLAIN_VALUE = {
    "number": re.compile(r"(?P<value>0|-?[1-9]\d{0,17})(?:\*\*)?\.?\s*$"),
    "math": re.compile(r"(?P<value>0|-?[1-9]\d{0,17})(?:\*\*)?\.?\s*$"),
    "choice": re.compile(r"(?P<open>\()?(?P<value>[A-Z])(?(open)\))(?:\*\*)?\.?\s*$"),
    "boolean": re.compile(r"(?P<value>yes|no)(?:\*\*)?\.?\s*$", re.IGNORECASE),
}
_REFUSES = re.compile(
    r"\b(?:I(?:'m| am)? (?:sorry|unable|cannot|can't|can not|won't|will not|do not feel able)|I apologi[sz]e|"
    r"as an ai|not able to (?:help|answer|assist)|decline to|refuse to|cannot (?:help|assist|provide)|"
    r"can't (?:help|assist|provide))\b",
    re.IGNORECASE,
)
_MOST_CLAIMS = 10
_STRONG = frozenset({"label", "box", "tag", "field", "marker"})
_DRESS = " \t\n*_`$\\,;:!~."
_NO_GUESS = frozenset({"box", "tag", "field"})


def extract(
    text: str | None,
    type: AnswerType | None = None,
    *,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    finish_reason: str | None = None,
    locale: str | None = None,
) -> Extraction:
    """The answer of a reply, or the reason why it has none.

    The last announced answer counts: a label such as ``Final answer:`` (in nine languages), ``\\boxed{}``, an
    answer tag, a JSON field, the ``####`` marker, or a
    sentence that states it. Without any, a reply that is nothing but an answer counts, then the value that it ends
    on. Thinking blocks, quoted peers and
    echoed instructions never count.

    Parameters
    ----------
    text : the reply as it came; None for no reply
    type : one of `ANSWER_TYPES`; None infers it, and the result says so
    choices : option letters, or a mapping from letter to option text
    finish_reason : why the model stopped, as its server says; ``"length"`` means that the reply was cut, so that
        nothing is guessed from how it ends
    locale : language tag that settles what commas and points in numbers mean, such as ``"de"``; by default ``3,5``
        is 3.5 and ``1,234`` is 1234

    Returns
    -------
    Extraction

    Raises
    ------
    TypeError
        If `text` is neither text nor None, or `choices` is neither a mapping nor a sequence.
    ValueError
        For an unknown `type` or `locale`, or empty `choices`.

    Examples
    --------
    >>> extract("I get 41... no.\\n\\n**Final answer:** 42", "number").answer
    '42'
    """
    if text is not None and not isinstance(text, str):
        raise TypeError(f"a reply must be text or None, got {text!r}")
    if type is not None and type not in ANSWER_TYPES:
        raise ValueError(f"type must be one of {', '.join(ANSWER_TYPES)}, or None to infer it; got {type!r}")
    options = options_of(choices)
    inferred = type is None
    if type is None:
        type = infer_type(text or "", choices=choices)
    if text is None or not text.strip():
        return Extraction(answer=None, reason="empty", span=None, type=type, inferred=inferred)
    mark = decimal_mark(locale)
    reading, reason = _plain(text, type, options) or _read(normal(text), type, options, mark, finish_reason)
    if not reading.value:  # an empty value: decoration such as \right, with nothing in it
        reason = reason if reading.value is None else "unreadable"
        return Extraction(answer=None, reason=reason, span=None, type=type, inferred=inferred)
    return Extraction(
        answer=reading.value, reason=reason, span=(reading.start, reading.stop), type=type, inferred=inferred
    )


def _plain(text: str, type: AnswerType, options: Options | None) -> tuple[Reading, str] | None:
    """The common case in a few microseconds: the last line is a label with a plain value, and nothing before could
    change it."""
    pattern = _PLAIN_VALUE.get(type)
    if pattern is None:
        return None
    end = len(text)
    while end and text[end - 1] in "\n ":
        end -= 1
    start = text.rfind("\n", 0, end) + 1
    if end - start > 60:
        return None
    label = _PLAIN_LABEL.match(text, start)
    if label is None:
        return None
    value = pattern.match(text, label.end(), end)
    if value is None or "<" in text or "```" in text or "[" in text or "◁" in text:
        return None
    before = text[:start].rstrip()
    if before.endswith((":", '"', "'")) or any(
        word in before for word in ("uestion", "\nQ", "Problem", "User", "Human", "Example")
    ):
        return None
    written = value["value"]
    if type == "choice":
        known = options.label(written) if options else written
        if known is None:
            return None
        written = known
    elif type == "boolean":
        written = written.lower()
    return Reading(written, value.start("value"), value.end("value"), True), "label"


def _read(
    text: str, type: AnswerType, options: Options | None, mark: str | None, finish_reason: str | None
) -> tuple[Reading, str]:
    cut = finish_reason in ("length", "max_tokens", "model_length")
    unclosed = False
    if "<" in text or "[" in text or "◁" in text:
        text, unclosed = without_thinking(text)
        if unclosed:
            return failed("unclosed_thinking", 0), "unclosed_thinking"
    if "~~" in text or "</" in text or "\\s" in text:
        text = without_struck(text)
    if type in ("choice", "multichoice") and not text.isascii():
        text = latin_letters(text, options)
    if type == "choice":
        text = without_option_words(text)
    text = _own_turn(text, type, options, mark)
    own, quotes = without_quotes(text)
    reading, reason = _announced(own, type, options, mark, cut)
    if type == "choice":
        if reason in ("label", "phrase") and (later := revised(own, options, reading)) is not None:
            reading, reason = later, "phrase"
        closing = closing_letter(own, options)
        if closing is not None and closing.value != reading.value:
            return closing, "last_line"
    if reading.value is None and quotes and reason in ("none", "unreadable"):
        reading, reason = _announced(text, type, options, mark, cut)
    if reading.value is None and reason == "none":
        if finish_reason == "content_filter" or (_REFUSES.search(own) and len(own) < 1500):
            reason = "refused"
        elif cut:
            reason = "truncated"
    return reading, reason


_NEXT_TURN = re.compile(
    r"\n[ \t*#]*(?:question|q|problem|human|user|example|next question)(?:\s?\d+)?[ *]{0,3}:", re.IGNORECASE
)
_TURN_WORDS = ("question", "\nq", "problem", "human", "user", "example", "**q")


def _own_turn(text: str, type: AnswerType, options: Options | None, mark: str | None) -> str:
    """`text` up to the next question, where a model answers and then goes on to invent further questions."""
    lowered = text.lower()
    if "answer" not in lowered or not any(word in lowered for word in _TURN_WORDS):
        return text
    turn = _NEXT_TURN.search(text)
    if turn is None or not text[: turn.start()].strip():
        return text
    reading, reason = _announced(text[: turn.start()], type, options, mark, True)
    return text[: turn.start()] if reading.value is not None and reason == "label" else text


def _announced(
    text: str, type: AnswerType, options: Options | None, mark: str | None, cut: bool
) -> tuple[Reading, str]:
    backup: tuple[Reading, str] | None = None
    problem, claimed, wordy = "", 0, False
    for anchor in anchors(text, text.lower()):
        if is_claim(text, anchor.place):
            claimed += 1
            if claimed == _MOST_CLAIMS:
                break
            continue
        if not anchor.closed and anchor.kind in ("box",):
            return failed("truncated", anchor.place), "truncated"
        if anchor.start >= len(text.rstrip()) and anchor.kind == "label" and not anchor.strict:
            if problem or backup:
                continue
            return failed("truncated", anchor.place), "truncated"
        reading = _read_at(text, anchor, type, options, mark)
        if reading.value is not None:
            if anchor.kind == "box" and type in ("number", "math"):
                reading = _with_neighbours(text, anchor, reading, type, mark)
                if reading.value is None:
                    return reading, reading.problem
            reason = "option_text" if reading.problem == "option_text" else anchor.kind
            if reading.exact or anchor.kind in _NO_GUESS:
                return reading, reason
            if backup is None:
                backup = reading, reason
                if not _more_follows(text, anchor):
                    return backup
            continue
        if reading.problem == "hedge":
            if backup is None:
                return reading, "hedge"
            continue
        if anchor.strict and anchor.kind != "marker":
            continue
        if reading.problem in ("out_of_range", "none_of_these", "none") and anchor.kind in _STRONG and backup is None:
            return reading, reading.problem
        if (
            anchor.kind == "box"
            and type in ("number", "math", "quantity")
            and backup is None
            and reading.problem != "placeholder"
        ):
            return reading, reading.problem
        wordy = wordy or (anchor.kind == "label" and type in _NUMERIC and _holds_words_only(text, anchor))
        if anchor.kind in _STRONG or anchor.kind == "phrase":
            rank = {"placeholder": 3, "out_of_range": 2, "none_of_these": 2, "none": 2}
            if rank.get(reading.problem, 1) > rank.get(problem, 0) and (
                anchor.kind in _STRONG or reading.problem != "unreadable"
            ):
                problem = reading.problem
    if backup is not None:
        return backup
    if cut or wordy:
        return failed("none", 0), problem or "none"
    if type in _NUMERIC and _ends_without(text):
        return failed("none", 0), "none"
    weak, reason = weak_answer(text, type, options, mark)
    if reason == "hedge" or (weak.value is not None and is_claim(text, weak.start)):
        weak, reason = weak_answer(without_claims(text), type, options, mark)
    if weak.value is not None or reason == "hedge":
        guessed = reason == "last_value" or (type == "text" and reason == "bare")
        if problem in ("placeholder", "none_of_these", "out_of_range", "none") and guessed:
            return failed(problem, 0), problem
        return weak, reason
    return failed(problem or reason, 0), problem or reason


_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def _ends_without(text: str) -> bool:
    """Whether the last sentence says that there is no answer."""
    ended = text.rstrip()
    last = ended[max(0, len(ended) - 400) :].rsplit("\n", 1)[-1]
    return is_no_value(_SENTENCES.split(last)[-1])


def _holds_words_only(text: str, anchor: Anchor) -> bool:
    """Whether a label is followed by words in place of a number, such as "cannot be determined", and no number comes
    after them; words that point back, such as "see above", hold the place of the number before.
    """
    return (
        not anchor.strict
        and _DIGIT.search(text, anchor.start) is None
        and _POINTS_BACK.search(text, anchor.start, anchor.stop) is None
    )


_NUMERIC = frozenset({"number", "quantity"})
_VALUES = frozenset({"number", "quantity", "math"})
_DIGIT = re.compile(r"[\d½⅓¼¾]")
_POINTS_BACK = re.compile(
    r"\b(?:above|see|same|before|previous(?:ly)?|stated|shown|given in|computed|calculated|derived|found earlier|unchanged|"
    r"correct|right|that|this|oben|siehe|ci-dessus|arriba|acima|sopra)\b|如上|上述|以上|同上|위",
    re.IGNORECASE,
)


_ITEM_MARK = re.compile(r"\n[ \t]*(?:[-*•+]|\(?\d+[.)])[ \t]+[*_`$]*$")
_NEXT_ITEM = re.compile(
    rf"\n[ \t]*(?:[-*•+]|\(?\d+[.)])[ \t]+[*_`$]*(?P<value>{NUMBER})[*_`$.]*[ \t]*(?=\n|$)", re.IGNORECASE
)


def _lists_others(text: str, anchor: Anchor, reading: Reading, mark: str | None) -> bool:
    """Whether the value is the first item of a list whose next item is another value alone."""
    if _ITEM_MARK.search(text, max(0, anchor.start - 12), anchor.start) is None:
        return False
    item = _NEXT_ITEM.match(text, anchor.stop)
    other = parse_number(item["value"], mark) if item is not None else None
    return other is not None and parse_number(str(reading.value)) != other


def _more_follows(text: str, anchor: Anchor) -> bool:
    return bool(text[anchor.stop :].strip(" \n*`$\\)]}"))


def _read_at(text: str, anchor: Anchor, type: AnswerType, options: Options | None, mark: str | None) -> Reading:
    start, stop, kind = anchor.start, anchor.stop, anchor.kind
    if anchor.back and type in ("text", "math"):
        return _backward_text(text, anchor, type, mark)
    if anchor.back and type == "choice" and (comma := text.rfind(", ", start, stop)) >= 0:
        nearest = read_choice(text, comma + 2, stop, options, prose=True)
        if nearest.value is not None:
            return nearest
    if type == "multichoice" and kind == "label":
        stop = _list_end(text, start, stop)
    if kind in _STRONG and type in _VALUES and is_no_value(text[start:stop]):
        return failed("none", start)
    prose = not anchor.strict
    if type == "number":
        reading = read_number(text, start, stop, mark, prose=prose, boxed=kind == "box")
    elif type == "quantity":
        reading = read_quantity(text, start, stop, mark, prose=prose)
    elif type == "choice":
        reading = read_choice(text, start, stop, options, prose=prose)
    elif type == "multichoice":
        reading = read_multichoice(text, start, stop, options, prose=prose)
    elif type == "boolean":
        reading = read_boolean(text, start, stop, prose=prose)
    elif type == "math":
        reading = _maths(text, anchor, mark)
    else:
        reading = read_text(text, start, stop, kind=kind)
    if reading.value is None or type in ("text", "math"):
        if reading.value is None and kind in _NO_GUESS and not text[start:stop].strip(_DRESS):
            return failed("placeholder", start)
        if reading.value is None and reading.problem == "unreadable" and is_nothing(text[start:stop]):
            return failed("none", start)
        return (
            reading
            if not anchor.strict or kind == "marker" or _fills(text, reading, stop)
            else failed("unreadable", start)
        )
    if anchor.strict and not (_fills(text, reading, stop) or (type == "choice" and _set_off(text, reading))):
        return failed("unreadable", start)
    if type in _NUMERIC and kind == "label" and _lists_others(text, anchor, reading, mark):
        return failed("hedge", start)
    if anchor.quoted:
        return reading._replace(exact=False)
    return reading


def _maths(text: str, anchor: Anchor, mark: str | None) -> Reading:
    """Maths in its place; a box inside a label's stretch is the label's answer."""
    inner = text.find("oxed{", anchor.start, anchor.stop)
    if anchor.kind != "box" and inner >= 0:
        return failed("unreadable", anchor.start)
    return read_math(text, anchor.start, anchor.stop, mark, kind=anchor.kind)


_TAIL = re.compile(r"[\s*_`)\]}$.\\\"']*+(?:\s?[^\W_]+){0,2}[\s*_`)\]}$.\\\"']*")


_JOINED = re.compile(
    r"oxed\s?\{(?P<inner>[^{}]{1,80})\}[\s$\\)(\],]*(?:[A-Za-z]+\s){0,4}?(?P<word>and|or|,|und|et|y|oder|ou|e|o)?[\s$\\(\[]*\\[bf]$"
)


def _with_neighbours(text: str, anchor: Anchor, reading: Reading, type: AnswerType, mark: str | None) -> Reading:
    """The values of boxes that a comma or a conjunction joins: a list of type math, several answers of type number."""
    values, place, start = [str(reading.value)], anchor.place, reading.start
    while (match := _JOINED.search(text, max(0, place - 140), place)) is not None and len(values) < 10:
        if match["word"] is None and "," not in match[0][match.end("inner") - match.start() :]:
            break
        if type == "number":
            beside = read_number(text, *match.span("inner"), mark, boxed=True).value
            if beside is None:
                break
            values.insert(0, beside)
        else:
            values.insert(0, math_text(match["inner"].strip(), mark))
        place, start = match.start(), match.start("inner")
    if len(values) == 1 or len(set(values)) == 1:
        return reading
    return Reading(", ".join(values), start, reading.stop, True) if type == "math" else failed("hedge", start)


_ITEM = re.compile(r"\n[ \t]*(?:[-*•+]|\d+[.)])?[ \t]*[(\[*]*[A-Za-z](?:[)\].:*]|[ \t]*(?=\n|$))[^\n]{0,80}")


def _list_end(text: str, start: int, stop: int) -> int:
    """End of the list of options that starts on this line."""
    while (item := _ITEM.match(text, stop)) is not None:
        stop = item.end()
    return stop


def _set_off(text: str, reading: Reading) -> bool:
    """Whether a letter opens its stretch and is marked as an option."""
    return reading.exact and text[reading.stop : reading.stop + 1] in (")", "]", "*")


def _fills(text: str, reading: Reading, stop: int) -> bool:
    """Whether nothing but dress, and a unit, follows the value."""
    return reading.exact and _TAIL.fullmatch(text, reading.stop, stop) is not None


def _backward_text(text: str, anchor: Anchor, type: AnswerType, mark: str | None) -> Reading:
    piece = text[anchor.start : anchor.stop]
    lead = re.match(
        r"\s*(?:(?:so|thus|therefore|hence|and|then|i (?:think|believe|say)|in conclusion),?\s)*(?:that\s)?",
        piece,
        re.IGNORECASE,
    )
    start, stop = undressed(text, anchor.start + (lead.end() if lead else 0), anchor.stop, maths=type == "math")
    written = text[start:stop]
    if not 0 < len(written.split()) <= 5 or re.search(
        r"\b(?:what|which|this|that|it|there|here|how|not|who)\b", written, re.IGNORECASE
    ):
        return failed("unreadable", anchor.start)
    return read_math(text, start, stop, mark, kind="phrase") if type == "math" else Reading(written, start, stop, False)
