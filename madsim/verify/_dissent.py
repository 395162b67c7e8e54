"""Lone dissenters: how often an agent takes over the answer on which all its peers agree, when they are right and when they are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate
from madsim._core.html import Printed
from madsim.transcripts import Votes, clustered_mean
from madsim.verify._panel import panel_of
from madsim.verify._report import plain_estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class LoneDissenters(Printed):
    """Adoption of the peers' answer by agents that stood alone against peers who all agreed.

    Attributes
    ----------
    peers_right, peers_wrong : share that took the peers' answer over, clustered by question; None where it never happened
    n_peers_right, n_peers_wrong : how often it happened
    asymmetry : share adopted when the peers were right less that when they were wrong; None where one of them never happened
    """

    peers_right: Estimate | None
    peers_wrong: Estimate | None
    n_peers_right: int
    n_peers_wrong: int
    asymmetry: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        plain: dict[str, Any] = {"n_peers_right": self.n_peers_right, "n_peers_wrong": self.n_peers_wrong}
        for name in ("peers_right", "peers_wrong", "asymmetry"):
            found: Estimate | None = getattr(self, name)
            plain[name] = None if found is None else plain_estimate(found)
        return plain


def lone_dissenters(votes: Votes) -> LoneDissenters:
    """Adoption by lone dissenters, over all steps from one round to the next.

    A dissenter that was right cannot have peers that are right; where the peers are wrong it may have been right or wrong. An agent
    without a readable answer is no dissenter, and peers without one do not agree.

    Raises
    ------
    ValueError
        If no sample has a target, the panel has fewer than three agents, or no round follows round 0.
    """
    if votes.n_agents < 3:
        raise ValueError(f"a lone dissenter needs at least two peers; the panel has {votes.n_agents} agents")
    if votes.n_rounds < 1:
        raise ValueError("adoption shows only in rounds after round 0")
    if not votes.has_target.any():
        raise ValueError("no sample has a target, so right and wrong peers cannot be told apart")
    panel = panel_of(votes, carry=True)
    answers = panel.answers[panel.has_target]
    cluster = panel.cluster[panel.has_target]
    before, after = answers[:, :-1], answers[:, 1:]
    alone = np.zeros(before.shape, bool)
    theirs = np.zeros(before.shape, before.dtype)
    for agent in range(votes.n_agents):
        peers = np.delete(before, agent, axis=2)
        agreed = (peers == peers[:, :, :1]).all(axis=2) & (peers[:, :, 0] >= 0)
        theirs[:, :, agent] = peers[:, :, 0]
        alone[:, :, agent] = agreed & (before[:, :, agent] >= 0) & (before[:, :, agent] != peers[:, :, 0])
    adopted = after == theirs
    question = np.broadcast_to(cluster[:, None, None], before.shape)
    right, wrong = alone & (theirs == 0), alone & (theirs > 0)

    def share(where: NDArray[np.bool_]) -> Estimate | None:
        return clustered_mean(adopted[where].astype(np.float64), question[where]) if where.any() else None

    return LoneDissenters(
        peers_right=share(right),
        peers_wrong=share(wrong),
        n_peers_right=int(right.sum()),
        n_peers_wrong=int(wrong.sum()),
        asymmetry=_difference(adopted, right, wrong, question),
    )


def _difference(
    adopted: NDArray[np.bool_], right: NDArray[np.bool_], wrong: NDArray[np.bool_], question: NDArray[np.int64]
) -> Estimate | None:
    """Difference of two shares whose questions overlap: the error comes from each question's part in both."""
    if not right.any() or not wrong.any():
        return None
    first, second = float(adopted[right].mean()), float(adopted[wrong].mean())
    part = np.zeros(adopted.shape)
    part[right] = (adopted[right] - first) / right.sum()
    part[wrong] = -(adopted[wrong] - second) / wrong.sum()
    either = right | wrong
    _, index = np.unique(question[either], return_inverse=True)
    sums = np.bincount(index.ravel(), weights=part[either])
    n = len(sums)
    error = None if n < 2 else float(np.sqrt(n / (n - 1) * (sums @ sums)))
    return Estimate(value=first - second, standard_error=error, n=n)
