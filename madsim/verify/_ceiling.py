"""Vote ceiling: how far debate can move the vote of the panel in the plain model with two answers."""

from __future__ import annotations

import numpy as np

from madsim.theory import bracket_width
from madsim.transcripts import plurality_credit
from madsim.verify._panel import Panel
from madsim.verify._result import Check, t_interval, t_pvalue, t_test


def vote_ceiling_test(panel: Panel, *, level: float) -> Check:
    """The change of the vote's accuracy beyond the largest that the plain model has been found to allow, either way.

    With two answers on the complete graph the vote of a question moves from the majority's value towards the single agent's and stays
    between them (checked exactly, not proved), so no mean change exceeds `madsim.theory.bracket_width`. Outside the family of tests.

    Raises
    ------
    ValueError
        If fewer than two questions can be used.
    """
    size = panel.asked.all(axis=1).sum(axis=1)
    width = np.array([bracket_width(n) if n else 0.0 for n in range(int(size.max(initial=0)) + 1)])[size]
    credit = plurality_credit(panel.answers)
    moved = np.where(panel.has_target, credit[:, -1] - credit[:, 0], np.nan)
    change, _, _ = t_test(moved, panel.cluster)
    upward = change.value >= 0
    beyond, _, _ = t_test(moved - width if upward else moved + width, panel.cluster)
    statistic, pvalue = t_pvalue(beyond, "above" if upward else "below")
    return Check(
        name="vote-ceiling",
        role="ceiling",
        claim="debate moves the vote no further than the plain model with two answers does",
        given="nothing (mean over questions)",
        assumptions="agents are alike and hear everybody; two answers (a bound found by exact enumeration, not proved)",
        statistic=statistic,
        pvalue=min(1.0, 2 * pvalue),
        effect=change.value,
        interval=t_interval(change, 1 - level),
        n=change.n,
    )
