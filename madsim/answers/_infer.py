"""Guess which type an answer has, where the task does not say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from madsim.answers._anchors import anchors
from madsim.answers._dress import undressed
from madsim.answers._normal import normal
from madsim.answers._numbers import parse_number
from madsim.answers._options import options_of
from madsim.answers._quantity import parse_quantity
from madsim.answers._types import AnswerType

_LETTER = re.compile(r"(?:option\s|choice\s)?\(?[A-J]\)?(?:[.):]\s?.*)?", re.IGNORECASE)
_LETTERS = re.compile(r"\(?[A-J]\)?(?:\s?(?:,|;|and|&)+\s?(?:and\s)?\(?[A-J]\)?)+")
_TRUTH = re.compile(r"(?:yes|no|true|false)\b.{0,60}", re.IGNORECASE)
_MATHS = re.compile(r"\\[a-zA-Z]+|[\^_]|[a-z]\s?[=+]\s?\S|√|π|^[(\[].*,.*[)\]]$")


def infer_type(
    text: str | Sequence[str | None], *, choices: Sequence[str] | Mapping[str, str] | None = None
) -> AnswerType:
    """The type that a reply's answer seems to have, or that most of several replies seem to have.

    Parameters
    ----------
    text : a reply or a bare answer, or several of them; those without an answer do not count
    choices : options of the question; where given the type is ``"choice"``, or ``"multichoice"`` if an answer names
        several letters

    Examples
    --------
    >>> infer_type("Final answer: 12 km")
    'quantity'
    """
    if not isinstance(text, str):
        seen: list[AnswerType] = [infer_type(item, choices=choices) for item in text if item]
        if seen:
            return max(seen, key=seen.count)
        return "choice" if choices is not None else "text"
    answer = _announced(text)
    if options_of(choices) is not None:
        return "multichoice" if answer is not None and _LETTERS.fullmatch(answer) else "choice"
    if answer is None:
        return "text"
    if parse_number(answer) is not None:
        return "number"
    if _LETTERS.fullmatch(answer):
        return "multichoice"
    if _LETTER.fullmatch(answer) and (answer.strip("()").isupper() or len(answer) > 1):
        return "choice"
    if _TRUTH.fullmatch(answer):
        return "boolean"
    quantity = parse_quantity(answer)
    if quantity is not None and quantity.unit is not None and len(answer.split()) <= 4:
        return "quantity"
    return "math" if _MATHS.search(answer) else "text"


def _announced(text: str) -> str | None:
    """What stands where the answer is announced, or the whole of a short reply."""
    text = normal(text)
    for anchor in anchors(text, text.lower()):
        if not anchor.back and not anchor.strict and anchor.start < anchor.stop:
            start, stop = undressed(text, anchor.start, anchor.stop, maths=anchor.kind == "box")
            if start < stop:
                return text[start:stop]
    start, stop = undressed(text, 0, len(text))
    return text[start:stop] if 0 < stop - start <= 60 and "\n" not in text[start:stop] else None
