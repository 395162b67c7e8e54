"""What a run cost: calls, tokens and money, as far as its record tells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from madsim.transcripts import Run

_INPUT = ("input", "input_tokens", "prompt_tokens")
_OUTPUT = ("output", "output_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """Totals of a run.

    Attributes
    ----------
    replies : replies asked for, those that failed included
    input_tokens, output_tokens : None where no usage was reported
    without_usage : replies that report none, so that the tokens are a lower bound; 0 where the debates' own totals are known
    cost : sum over the debates that state one, in the prices' currency; None where none does
    """

    replies: int
    input_tokens: int | None
    output_tokens: int | None
    without_usage: int
    cost: float | None

    @property
    def tokens(self) -> int | None:
        """Input and output together."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


def spend_of(run: Run) -> Spend:
    """The totals of a run: the debates' own where every debate states them (judges and summaries included), else the replies'."""
    outcomes = [transcript.outcome or {} for transcript in run.transcripts]
    replies = [reply for transcript in run.transcripts for reply in transcript.replies]
    totals = [outcome.get("usage") for outcome in outcomes]
    whole = bool(totals) and all(_number(usage, _OUTPUT) is not None for usage in totals)
    usages = totals if whole else [reply.usage for reply in replies]
    known = [usage for usage in usages if _number(usage, _INPUT + _OUTPUT) is not None]
    costs = [cost for outcome in outcomes if (cost := _number(outcome, ("cost",))) is not None]
    return Spend(
        replies=len(replies),
        input_tokens=_sum(known, _INPUT),
        output_tokens=_sum(known, _OUTPUT),
        without_usage=len(usages) - len(known),
        cost=sum(costs) if costs else None,
    )


def _sum(usages: Iterable[Any], names: tuple[str, ...]) -> int | None:
    found = [number for usage in usages if (number := _number(usage, names)) is not None]
    return int(sum(found)) if found else None


def _number(mapping: Any, names: tuple[str, ...]) -> float | None:
    """The first finite number under one of `names`; records come from anywhere, so nothing is taken for granted."""
    if not isinstance(mapping, Mapping):
        return None
    for name in names:
        value = mapping.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            return value
    return None
