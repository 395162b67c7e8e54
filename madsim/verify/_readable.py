"""Can the run tell at all? Unreadable replies that become more or fewer, and debates that stop early, look like drift."""

from __future__ import annotations

import math
from dataclasses import dataclass

from madsim.transcripts import Votes, unparsed_by_round
from madsim.verify._moments import Null
from madsim.verify._panel import Panel

PARSE_NOTED, PARSE_LIMIT = 0.02, 0.05
_SHORT_LIMIT = 0.05
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What stands between a run and a verdict.

    Attributes
    ----------
    unreadable : why there can be no verdict of drift or its absence; empty where there can
    barred : why no test is made at all; None where tests are made
    parse_change : share of unreadable replies in the last round minus that in round 0, without its sign
    warnings : what to keep in mind
    """

    unreadable: tuple[str, ...]
    barred: str | None
    parse_change: float
    warnings: tuple[str, ...]


def read_conditions(votes: Votes, panel: Panel, *, null: Null, stopping: bool | None) -> Reading:
    """Judge the parse rates and the rounds of a run."""
    unreadable: list[str] = []
    warnings: list[str] = []
    barred = None
    if stopping and null == "belief":
        barred = "debates stopped early: answers carried on from debates that stopped at agreement drift although beliefs do not"
        unreadable.append("Debates stopped early, and shares at the stopping time drift although beliefs do not.")
    elif stopping:
        warnings.append("debates stopped early; their last answers stand in the later rounds")
    if panel.n_short:
        warnings.append(f"{panel.n_short} of {votes.n_samples} debates lack a round and are left out")
        if stopping is None and panel.n_short > _SHORT_LIMIT * votes.n_samples:
            unreadable.append(
                f"{panel.n_short} of {votes.n_samples} debates end before the last round and the run does not say why."
            )
    shares = unparsed_by_round(votes)
    first, last = shares[0], shares[-1]
    if stopping:  # replies of the debates that went on are no fair sample: compare what stands
        first, last = (float((panel.answers[:, t] == -1).sum() / panel.asked[:, t].sum()) for t in (0, -1))
    change = 0.0 if math.isnan(first) or math.isnan(last) else abs(last - first)
    if change > PARSE_LIMIT + _ROUNDING:
        unreadable.append(
            f"Unreadable replies went from {first:.1%} to {last:.1%}: an unreadable reply counts as wrong, so this alone looks like drift."
        )
    elif change >= PARSE_NOTED - _ROUNDING:
        warnings.append(f"unreadable replies went from {first:.1%} to {last:.1%}; look at the complete cases too")
    return Reading(unreadable=tuple(unreadable), barred=barred, parse_change=change, warnings=tuple(warnings))
