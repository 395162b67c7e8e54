"""Group equal answers: a partition that does not depend on the order of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from madsim.answers._equivalent import Key, answer_key, checked_tolerance, checked_type, same_keys
from madsim.answers._maths import unit_in
from madsim.answers._numbers import decimal_mark
from madsim.answers._options import options_of
from madsim.answers._types import AnswerType


def group(
    answers: Sequence[str | None],
    type: AnswerType,
    *,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    tolerance: float = 0.0,
    locale: str | None = None,
) -> tuple[int | None, ...]:
    """The group of each answer, numbered by first appearance; None for a missing one.

    Which answers share a group does not depend on their order: groups are the connected parts of "is equivalent
    to". A quantity or a piece of maths without a unit joins
    the unit of the others where one unit alone occurs; otherwise bare numbers are groups of their own.

    Parameters
    ----------
    answers : bare answers, None for no answer
    type : one of `ANSWER_TYPES`
    choices, tolerance, locale : as in `equivalent`

    Examples
    --------
    >>> group(["5 m", "5", "5 km"], "quantity")
    (0, 1, 2)
    """
    checked_type(type)
    checked_tolerance(tolerance)
    if isinstance(answers, str):
        raise TypeError(f"answers must be a sequence of texts, got the text {answers!r}")
    mark, options = decimal_mark(locale), options_of(choices)
    keys = [None if answer is None else answer_key(answer, type, options, mark) for answer in answers]
    if type == "quantity":
        keys = _with_the_only_unit(keys)
    distinct = list(dict.fromkeys(key for key in keys if key is not None))
    part = (
        _parts(distinct, tolerance, mark, type != "math" or _one_unit(distinct, mark))
        if type in ("math", "quantity") or tolerance > 0
        else dict(zip(distinct, range(len(distinct)), strict=True))
    )
    number: dict[int, int] = {}
    return tuple(None if key is None else number.setdefault(part[key], len(number)) for key in keys)


def _with_the_only_unit(keys: list[Key | None]) -> list[Key | None]:
    """The keys with the unit of the vote given to bare numbers, if there is one unit; with a unit of their own otherwise."""
    units = {key[1].unit for key in keys if key is not None and key[0] == "quantity" and key[1].unit is not None}
    if len(units) == 1:
        model = next(key[1] for key in keys if key is not None and key[0] == "quantity" and key[1].unit is not None)
        given = {"unit": model.unit, "dimension": model.dimension, "factor": model.factor}
    else:
        given = {"unit": "", "dimension": ""}
    return [
        ("quantity", replace(key[1], **given))
        if key is not None and key[0] == "quantity" and key[1].unit is None and key[1].dimension is None
        else key
        for key in keys
    ]


def _one_unit(keys: list[Key], mark: str | None) -> bool:
    """Whether the pieces of maths have one unit at most, which those without one may join."""
    units = {unit_in(key[1], mark) for key in keys if key[0] == "math"}
    return len(units - {None}) < 2


def _parts(keys: list[Key], tolerance: float, mark: str | None, bare: bool) -> dict[Key, int]:
    """Number of the connected part of each key."""
    part = dict(zip(keys, range(len(keys)), strict=True))
    for i, left in enumerate(keys):
        for right in keys[:i]:
            if part[left] != part[right] and same_keys(left, right, tolerance, mark, bare):
                old, new = part[left], part[right]
                part = {key: new if number == old else number for key, number in part.items()}
    return part
