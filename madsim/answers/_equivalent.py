"""Whether two answers are the same, and the one spelling of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from madsim.answers._dress import undressed
from madsim.answers._maths import numeric_value, same_maths
from madsim.answers._normal import normal
from madsim.answers._numbers import Number, decimal_mark, maths_number, parse_number
from madsim.answers._options import Options, folded, options_of
from madsim.answers._quantity import Quantity, parse_quantity
from madsim.answers._read_boolean import read_boolean
from madsim.answers._read_choice import read_choice
from madsim.answers._read_maths import math_text
from madsim.answers._read_number import read_number
from madsim.answers._read_several import read_multichoice
from madsim.answers._types import ANSWER_TYPES, AnswerType

Key = tuple


def checked_type(type: str) -> None:
    """Raise ValueError for an unknown answer type."""
    if type not in ANSWER_TYPES:
        raise ValueError(f"type must be one of {', '.join(ANSWER_TYPES)}; got {type!r}")


def canonical(
    answer: str,
    type: AnswerType,
    *,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    locale: str | None = None,
) -> str:
    """The one spelling of a bare answer; what is not of the type comes back undressed.

    Examples
    --------
    >>> canonical("$1,234.50", "number")
    '1234.5'
    """
    checked_type(type)
    if not isinstance(answer, str):
        raise TypeError(f"an answer must be text, got {answer!r}")
    text = normal(answer)
    mark = decimal_mark(locale)
    options = options_of(choices)
    if type in ("number", "quantity", "math"):
        start, stop = undressed(text, 0, len(text), maths=True)
        bare = text[start:stop]
        if type == "math":
            return math_text(bare, mark)
        if type == "quantity":
            quantity = parse_quantity(bare, mark)
            return str(quantity) if quantity is not None else folded(bare)
        number = _number(bare, mark)
        return str(number) if number is not None else folded(bare)
    read = {
        "choice": lambda: read_choice(text, 0, len(text), options, prose=False),
        "multichoice": lambda: read_multichoice(text, 0, len(text), options, prose=False),
        "boolean": lambda: read_boolean(text, 0, len(text), prose=False),
    }.get(type)
    value = read().value if read is not None else None
    start, stop = undressed(text, 0, len(text))
    return value if value is not None else answer[start:stop]


def _number(text: str, mark: str | None) -> Number | None:
    number = parse_number(text, mark)
    if number is not None:
        return number
    value = numeric_value(text, mark)
    if value is not None:
        return Number(value=value, style="decimal")
    reading = read_number(text, 0, len(text), mark, prose=False)
    return parse_number(reading.value, None) if reading.value is not None else None


def answer_key(answer: str, type: AnswerType, options: Options | None, mark: str | None) -> Key:
    """A key that only equal answers share; equal answers of type math may still have different keys."""
    text = normal(answer)
    if type == "text":
        return ("text", folded(text))
    if type in ("number", "math"):
        start, stop = undressed(text, 0, len(text), maths=True)
        number = maths_number(text[start:stop], mark) if type == "math" else _number(text[start:stop], mark)
        if number is not None:
            return ("number", number.value)
        return ("math", text[start:stop]) if type == "math" else ("text", folded(text))
    if type == "quantity":
        start, stop = undressed(text, 0, len(text), maths=True)
        quantity = parse_quantity(text[start:stop], mark)
        return ("quantity", quantity) if quantity is not None else ("text", folded(text))
    written = canonical(
        answer,
        type,
        choices=None
        if options is None
        else dict.fromkeys(options.labels, "") | {label: words for words, label in options.texts},
    )
    return ("text", folded(written))


def same_keys(left: Key, right: Key, tolerance: float, mark: str | None, bare: bool = True) -> bool:
    """Whether two keys stand for equal answers; `bare`: whether maths without a unit equals the same with one."""
    if left == right:
        return True
    kinds = {left[0], right[0]}
    if kinds == {"number"}:
        return _within(left[1], right[1], tolerance)
    if "math" in kinds and kinds <= {"math", "number"}:
        return _same_math(left, right, tolerance, mark, bare)
    if kinds == {"quantity"}:
        return _same_quantity(left[1], right[1], tolerance)
    return False


def _within(a: Fraction, b: Fraction, tolerance: float) -> bool:
    return a == b or (tolerance > 0 and abs(a - b) <= Fraction(tolerance) * max(abs(a), abs(b)))


def _same_math(left: Key, right: Key, tolerance: float, mark: str | None, bare: bool) -> bool:
    texts = [key[1] if key[0] == "math" else str(key[1]) for key in (left, right)]
    if same_maths(*sorted(texts), mark, bare):
        return True
    if tolerance <= 0:
        return False
    values = [numeric_value(text, mark) for text in texts]
    return values[0] is not None and values[1] is not None and _within(values[0], values[1], tolerance)


def _same_quantity(left: Quantity, right: Quantity, tolerance: float) -> bool:
    if left.dimension == right.dimension or None in (left.dimension, right.dimension):
        same_scale = left.dimension == right.dimension
        values = [quantity.value * quantity.factor if same_scale else quantity.value for quantity in (left, right)]
        return _within(values[0], values[1], tolerance)
    return False


def equivalent(
    a: str,
    b: str,
    type: AnswerType,
    *,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    tolerance: float = 0.0,
    locale: str | None = None,
) -> bool:
    """Whether two bare answers are the same.

    Numbers compare exactly, whatever their spelling; maths by value, as sets, tuples, intervals, equations or
    functions; choices by letter or by option text;
    quantities after exact conversion, where a number without a unit equals any unit with that number; text without
    regard to case, blanks and outer marks.

    Parameters
    ----------
    a, b : the answers
    type : one of `ANSWER_TYPES`
    choices : option letters, or a mapping from letter to option text
    tolerance : largest difference of two numbers that count as equal, as a share of the larger one
    locale : language tag that settles commas and points

    Raises
    ------
    TypeError
        If an answer is not text.
    ValueError
        For an unknown type or locale, or a tolerance outside [0, 1).

    Examples
    --------
    >>> equivalent(r"\\frac{1}{2}", "0.5", "math")
    True
    """
    checked_type(type)
    for answer in (a, b):
        if not isinstance(answer, str):
            raise TypeError(f"an answer must be text, got {answer!r}")
    checked_tolerance(tolerance)
    mark, options = decimal_mark(locale), options_of(choices)
    return same_keys(answer_key(a, type, options, mark), answer_key(b, type, options, mark), tolerance, mark)


def checked_tolerance(tolerance: float) -> None:
    """Raise ValueError for a tolerance outside [0, 1)."""
    if not 0 <= tolerance < 1:
        raise ValueError(f"tolerance is a share of the larger number, at least 0 and below 1; got {tolerance!r}")
