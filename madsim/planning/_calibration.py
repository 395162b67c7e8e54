"""Do forecasts keep their word? Chances foretold for debates that the forecast has not seen, beside what came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count
from madsim._core.estimate import Estimate
from madsim._core.html import Printed
from madsim._core.rng import RNG, resolve_seed
from madsim.fit import recorded_graph
from madsim.planning._forecast import pilot_draws
from madsim.planning._values import last_given_first, last_values
from madsim.transcripts import State, Votes, carry_forward, clustered_mean, plurality_credit

_KEY = 0x63616C69
_MOST_GROUPS = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPoint(Printed):
    """Debates with about as many right answers in round 0.

    Attributes
    ----------
    right : least and largest number of right answers in round 0
    said : mean foretold chance that the vote of the last round is right
    happened : share of them whose vote was right (a tie in part), with an error over questions
    n_debates : how many
    """

    right: tuple[int, int]
    said: float
    happened: Estimate
    n_debates: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {
            "right": list(self.right),
            "said": self.said,
            "happened": {"value": self.happened.value, "standard_error": self.happened.standard_error},
            "n_debates": self.n_debates,
        }

    def __str__(self) -> str:
        first, last = self.right
        right = f"{first}" if first == last else f"{first} to {last}"
        return f"{right} right at first: foretold {self.said:.3f}, happened {self.happened} ({self.n_debates} debates)"


def calibration(votes: Votes, *, n_folds: int = 5, n_draws: int = 100, rng: RNG = 0) -> tuple[CalibrationPoint, ...]:
    """Foretold chances of the last vote against what came, question sets apart (cross-validation).

    The questions are dealt into folds. For each fold the debaters are fitted to the other folds as in `forecast`, and each debate of the
    fold is told, from its number of right answers in round 0 alone, the chance that its last vote will be right. Debates are then put
    together by that number (at most 11 groups).

    Parameters
    ----------
    votes
        of a run in which everybody heard everybody
    n_folds
        parts of the questions, at least 2
    n_draws
        versions of the debaters, per fold
    rng
        for the folds and the draws

    Raises
    ------
    ValueError
        If not everybody heard everybody, there are fewer questions than folds, no debate has a target and all its replies in the first
        and the last round, or the run has round 0 alone.

    Examples
    --------
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> votes = simulate_questions(draw_beliefs(200, accuracy=0.7, kappa=4, rng=1), n_rounds=2, rng=2).votes
    >>> points = calibration(votes, n_folds=2, n_draws=20)
    >>> [one.right for one in points], points[0].said < points[-1].said
    ([(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)], True)
    """
    n_folds, n_draws = as_count(n_folds, name="n_folds", minimum=2), as_count(n_draws, name="n_draws", minimum=2)
    if votes.n_rounds < 1:
        raise ValueError("the run has round 0 alone; there is no debate to foretell")
    graph = recorded_graph(votes)
    if graph is not None and not graph.is_complete:
        raise ValueError("chances are foretold where everybody hears everybody; in this run not everybody does")
    last = carry_forward(votes)
    whole = (last.state[:, [0, -1]] != State.NOT_ASKED).all(axis=(1, 2)) & votes.has_target
    questions = np.unique(votes.cluster[whole])
    if len(questions) < n_folds:
        raise ValueError(
            f"{len(questions)} questions have a target and all replies of the first and the last round; {n_folds} folds need as many"
        )
    seed = resolve_seed(rng)
    dealt = seed.generator(_KEY).permutation(len(questions)) % n_folds
    fold = np.full(votes.n_samples, -1)
    fold[whole] = dealt[np.searchsorted(questions, votes.cluster[whole])]
    right = (votes.answers[:, 0] == 0).sum(axis=1)
    said = np.full(votes.n_samples, np.nan)
    for number in range(n_folds):
        away = np.isin(votes.cluster, questions[dealt == number])
        said[fold == number] = _chances(_only(votes, ~away), n_draws, seed)[right[fold == number]]
    credit = plurality_credit(last.answers[:, -1])
    return tuple(_points(right[whole], said[whole], credit[whole], votes.cluster[whole], votes.n_agents))


def _chances(pilot: Votes, n_draws: int, seed: Any) -> NDArray[np.float64]:
    """Chance of a right last vote by number of right answers in round 0."""
    draws, _ = pilot_draws(pilot, n_draws, seed)
    law = last_given_first(draws, pilot.n_agents, pilot.n_rounds).mean(axis=0, keepdims=True)
    value = last_values(draws, pilot.n_agents).mean(axis=0)
    return (law[0] @ value) / np.maximum(law[0].sum(axis=1), 1e-300)


def _only(votes: Votes, kept: NDArray[np.bool_]) -> Votes:
    return replace(
        votes,
        answers=votes.answers[kept],
        state=votes.state[kept],
        samples=tuple(name for name, keep in zip(votes.samples, kept.tolist(), strict=True) if keep),
        cluster=votes.cluster[kept],
        has_target=votes.has_target[kept],
    )


def _points(
    right: NDArray[np.int64],
    said: NDArray[np.float64],
    credit: NDArray[np.float64],
    cluster: NDArray[np.int64],
    n_agents: int,
) -> list[CalibrationPoint]:
    groups = min(_MOST_GROUPS, n_agents + 1)
    group = right * groups // (n_agents + 1)
    found = []
    for number in np.unique(group).tolist():
        inside = group == number
        found.append(
            CalibrationPoint(
                right=(int(right[inside].min()), int(right[inside].max())),
                said=float(said[inside].mean()),
                happened=clustered_mean(credit[inside], cluster[inside]),
                n_debates=int(inside.sum()),
            )
        )
    return found
