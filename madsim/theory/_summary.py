"""All exact values of one debate, or of one vote, in plain JSON form."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from madsim._core.arrays import as_count
from madsim.theory._bounds import vote_bounds
from madsim.theory._counts import Ties
from madsim.theory._disagreement import disagreement
from madsim.theory._martingale import martingale_properties
from madsim.theory._moments import debate_moments
from madsim.theory._plurality import plurality
from madsim.theory._vote import vote_by_round

if TYPE_CHECKING:
    from madsim.models import DebateModel


def debate_summary(model: DebateModel, n_rounds: int | None = None, *, ties: Ties | None = None) -> dict[str, Any]:
    """Everything exact about a debate, as plain lists by round.

    Returns
    -------
    dict
        ``mean_belief`` (average over agents), ``sd_belief`` (root of the average variance over agents), ``mean_belief_by_agent`` and
        ``sd_belief_by_agent`` (round, agent), ``sd_pooled_belief`` (of the plain mean over agents), ``vote_accuracy`` (None where no exact
        method is feasible; then ``vote_accuracy_reason`` says why), ``disagreement`` (None for a single agent) and ``martingale``
        with a truth value for each property and a ``reason`` for each.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> summary = debate_summary(DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0), 1)
    >>> summary["mean_belief"], [round(vote, 4) for vote in summary["vote_accuracy"]], summary["martingale"]["per_agent"]
    ([0.7, 0.7], [0.8369, 0.7923], True)
    """
    n_rounds = as_count(model.protocol.rounds if n_rounds is None else n_rounds, name="n_rounds")
    moments = debate_moments(model, n_rounds)
    properties = martingale_properties(model, n_rounds)
    names = ("unconditional", "per_agent", "own_history", "collective")
    summary: dict[str, Any] = {
        "mean_belief": [round(value, 15) for value in moments.mean.mean(axis=1).tolist()],
        "sd_belief": np.sqrt((moments.sd**2).mean(axis=1)).tolist(),
        "sd_pooled_belief": moments.pooled_sd.tolist(),
        "mean_belief_by_agent": moments.mean.tolist(),
        "sd_belief_by_agent": moments.sd.tolist(),
        "vote_accuracy": None,
        "disagreement": disagreement(model, n_rounds).tolist() if model.n_agents > 1 else None,
        "martingale": {
            **{name: getattr(properties, name).holds for name in names},
            "reason": {name: getattr(properties, name).reason for name in names},
        },
    }
    try:
        summary["vote_accuracy"] = vote_by_round(model, n_rounds, ties=ties).tolist()
    except ValueError as error:
        summary["vote_accuracy_reason"] = str(error)
    return summary


def vote_summary(p: ArrayLike, n_voters: int, *, ties: Ties = "random") -> dict[str, Any]:
    """The exact probability that answer 0 wins a vote, and its lower bounds (None where one does not apply).

    Examples
    --------
    >>> round(vote_summary([0.5, 0.2, 0.2, 0.1], 5)["exact"], 3)
    0.665
    """
    return {"exact": plurality(p, n_voters, ties=ties), "bounds": asdict(vote_bounds(p, n_voters))}
