"""Hidden conformity: changes that cancel on average but go with the majority, question by question.

The tempting version, the change regressed on the share that it starts from, rejects true martingales of belief: a share is its belief plus
noise, and noise regresses to the mean. Under ``null="belief"`` the condition is therefore one round older than the change, or comes from
answers that no debater ever saw.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from madsim.verify._panel import Panel
from madsim.verify._result import Check, t_interval, t_test

Null = Literal["belief", "share"]


def lag_moment_test(panel: Panel, *, null: Null, level: float) -> Check:
    """Mean over questions of the sum over rounds of (earlier share right - 1/2) times the next change.

    Under ``null="belief"`` the earlier share is one round before the change starts (so two rounds after round 0 are needed); under
    ``null="share"`` it is the share that the change starts from.

    Raises
    ------
    ValueError
        With too few rounds or fewer than two questions.
    """
    share = panel.share()
    if null == "belief":
        if panel.n_rounds < 2:
            raise ValueError("conditioning one round further back needs two rounds after round 0")
        earlier, steps = share[:, :-2], np.diff(share, axis=1)[:, 1:]
        given = "the answers of the round before the last two"
    else:
        if panel.n_rounds < 1:
            raise ValueError("a change needs a round after round 0")
        earlier, steps = share[:, :-1], np.diff(share, axis=1)
        given = "the answers of the last round"
    claim = "no change goes with or against the majority of right or wrong"
    return _moment(
        "lag-moment", claim, given, "questions are independent", _sum_of(earlier, steps), panel.cluster, level
    )


def held_out_moment_test(panel: Panel, held_share: NDArray[np.float64], *, level: float) -> Check:
    """Mean over questions of (share right among held-out round-0 answers - 1/2) times the whole change.

    Parameters
    ----------
    held_share : (sample of the panel,); share of right answers among round-0 answers that no debater saw, NaN where there are none

    Raises
    ------
    ValueError
        With fewer than two questions.
    """
    return _moment(
        "held-out-moment",
        "no change goes with or against what the question's answers tend to",
        "round-0 answers that no debater saw",
        "questions are independent; held-out answers come from the debaters' own round-0 law",
        (held_share - 0.5) * panel.change(),
        panel.cluster,
        level,
    )


def plurality_drift_test(panel: Panel, held: NDArray[np.int32], *, level: float) -> Check:
    """Without labels: the mean change in the share of the answer that most held-out answers gave (tied ones count evenly).

    Parameters
    ----------
    held : int32 (sample of the panel, held-out answer); numbered like the panel's answers, below 0 for none

    Raises
    ------
    ValueError
        If no sample has a held-out answer, or fewer than two questions have.
    """
    top = int(max(panel.answers.max(initial=0), held.max(initial=0))) + 1
    counts = np.stack([(held == k).sum(axis=1) for k in range(top)], axis=1)
    most = counts.max(axis=1, keepdims=True)
    leading = (counts == most) & (most > 0)
    both = panel.asked[:, 0] & panel.asked[:, -1]
    change = np.zeros(len(held))
    for k in range(top):
        moved = (panel.answers[:, -1] == k).astype(np.int64) - (panel.answers[:, 0] == k)
        with np.errstate(invalid="ignore"):
            change += leading[:, k] * (moved * both).sum(axis=1) / both.sum(axis=1)
    with np.errstate(invalid="ignore"):
        change = np.where(most[:, 0] > 0, change / leading.sum(axis=1), np.nan)
    return _moment(
        "held-out-plurality",
        "the share of the likeliest answer does not move on average",
        "round-0 answers that no debater saw",
        "questions are independent; held-out answers come from the debaters' own round-0 law; needs no target",
        change,
        panel.cluster,
        level,
    )


def _sum_of(earlier: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    return ((earlier - 0.5) * steps).sum(axis=1)


def _moment(
    name: str,
    claim: str,
    given: str,
    assumptions: str,
    values: NDArray[np.float64],
    cluster: NDArray[np.int64],
    level: float,
) -> Check:
    estimate, statistic, pvalue = t_test(values, cluster)
    return Check(
        name=name,
        role="hidden",
        claim=claim,
        given=given,
        assumptions=assumptions,
        statistic=statistic,
        pvalue=pvalue,
        effect=estimate.value,
        interval=t_interval(estimate, 1 - level),
        n=estimate.n,
    )
