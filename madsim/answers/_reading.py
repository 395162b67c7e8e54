"""What a reader makes of the place where an answer should be."""

from __future__ import annotations

import re
from typing import NamedTuple


class Reading(NamedTuple):
    """A value read from a stretch of text, or the problem with it.

    `exact` tells whether the stretch opens with the value, so that nothing had to be picked out of prose.
    """

    value: str | None
    start: int
    stop: int
    exact: bool = False
    problem: str = "unreadable"


def failed(problem: str, place: int) -> Reading:
    """A reading without a value."""
    return Reading(None, place, place, False, problem)


OR = r"(?:or|oder|ou|or else|and|und|et|y|e|o|或者?|還是|还是|または|또는|/|vs\.?|versus)"
NOT = re.compile(
    r"(?:\bnot|n't|\bnever|≠|\\neq?|\bnicht|\bkeine?|\bnon|\bpas|\bno es|\bnor|\brather than|\binstead of|"
    r"\bneither|\bunlike|\banything but|\bexcept|不是|并非)"
    r"(?: (?:be|equal|the|to|option|choice|answer|exactly|just|only))*[\s(*\"'$\\{]*$",
    re.IGNORECASE,
)
_LONGEST_PLACEHOLDER = 90
PLACEHOLDER = re.compile(
    r"""[\s*_`"'($\\{]*(?:
        [<{\[](?=[^<>{}\[\]\n]*(?:answer|number|letter|option|value|choice|result|your|insert|here|integer|expression|solution|fill|blank|unit))
            [^<>{}\[\]\n]{0,60}[>}\]] | <\s?[A-Za-z]?\s?> | \{\s?\} | \[\s?\] | \.\.\.+ | … | _{2,}(?![a-z])
            | \?+(?=\s*$) | X{2,}\b |
        (?:your|my|the|final|insert|numerical|single|correct|option|letter|put|write)[ _](?:[^\W_]+[ _]){0,4}?
        (?:answer|number|letter|option|here|value|choice|result)\b | answer\b(?!\s*[:=]) | tb[dac]\b |
        to\sbe\s(?:determined|decided|announced|filled(?:\sin)?)
    )[\s*_`"')}.$\\\]>]*""",
    re.IGNORECASE | re.VERBOSE,
)


def is_placeholder(region: str) -> bool:
    """Whether the whole of `region` only stands for an answer to come."""
    region = region.strip()
    return len(region) <= _LONGEST_PLACEHOLDER and PLACEHOLDER.fullmatch(region) is not None
