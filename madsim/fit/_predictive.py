"""Does the fitted debate model give runs like the one it was fitted to?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count
from madsim._core.estimate import Interval
from madsim._core.html import Printed
from madsim._core.rng import RNG, resolve_seed
from madsim.fit._debate import DebateFit, recorded_graph
from madsim.graphs import Graph
from madsim.transcripts import State, Votes

_KEY = 0x70726564


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictiveCheck(Printed):
    """One number of the run beside the same number of runs drawn from the fit.

    Attributes
    ----------
    name : of the number
    observed : in the run
    expected, interval : mean and 95 % range over the drawn runs
    pvalue : how often drawn runs lie at least as far out, two-sided; small values mean that the model does not give such runs
    """

    name: str
    observed: float
    expected: float
    interval: Interval
    pvalue: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return {**plain, "interval": list(self.interval)}

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.name}: {self.observed:.4f}, the fit gives {self.expected:.4f} [{low:.4f}, {high:.4f}], p {self.pvalue:.3g}"


def predictive_checks(
    votes: Votes, fit: DebateFit, *, n_draws: int = 200, graph: Graph | None = None, rng: RNG = 0
) -> tuple[PredictiveCheck, ...]:
    """Numbers that the fit was not told, in the run and in runs drawn from the fit.

    Share right by round, disagreement on right and wrong by round, unanimous debates in the last round, and how often an agent repeats
    its own rightness. Replies that were not asked for are left out of the drawn runs at the same places. The p-values do not
    allow for the fit having seen the run: they are a little too large.

    Parameters
    ----------
    votes, fit : the run and its fit
    n_draws : drawn runs
    graph : who hears whom, if it was named for the fit

    Raises
    ------
    ValueError
        If the fit belongs to a run of another size.
    """
    n_draws = as_count(n_draws, name="n_draws", minimum=20)
    known = votes.has_target
    answers, state = votes.answers[known], votes.state[known]
    if (fit.n_agents, fit.n_rounds) != (votes.n_agents, votes.n_rounds):
        raise ValueError(
            f"the fit has {fit.n_agents} agents and {fit.n_rounds} rounds, the run {votes.n_agents} and {votes.n_rounds}"
        )
    asked = state != State.NOT_ASKED
    _, question = np.unique(votes.cluster[known], return_inverse=True)
    generator = resolve_seed(rng).generator(_KEY)
    influence = _influence(recorded_graph(votes) if graph is None else graph, votes.n_agents, fit.self_weight)
    observed = _numbers((answers == 0) & asked, asked)
    drawn = [_numbers(_draw(fit, question.ravel(), asked, influence, generator), asked) for _ in range(n_draws)]
    return tuple(_compare(name, value, np.array([one[name] for one in drawn])) for name, value in observed.items())


def _influence(graph: Graph | None, n: int, self_weight: float) -> NDArray[np.float64]:
    influence = np.ones((n, n)) if graph is None else np.zeros((n, n))
    if graph is not None:
        influence[np.repeat(np.arange(n), graph.degrees), graph.heard] = graph.weights
    np.fill_diagonal(influence, self_weight)
    return influence


def _draw(
    fit: DebateFit,
    question: NDArray[np.int64],
    asked: NDArray[np.bool_],
    influence: NDArray[np.float64],
    generator: np.random.Generator,
) -> NDArray[np.bool_]:
    from scipy.special import expit

    law = generator.choice(fit.difficulty, size=int(question.max()) + 1, p=fit.weights)
    theta = np.clip(law, 1e-12, 1 - 1e-12)[question][:, None]
    mass = min(max(fit.mass.value, 1e-6), 1e9)
    conformity, correction = min(fit.conformity.value, 1e3), float(np.clip(fit.correction.value, -50, 50))
    right = np.zeros(asked.shape, bool)
    right[:, 0] = (generator.random(asked[:, 0].shape) < theta) & asked[:, 0]
    heard_right = heard = np.zeros(asked[:, 0].shape)
    for t in range(1, asked.shape[1]):
        last_right, last = right[:, t - 1] @ influence.T, asked[:, t - 1] @ influence.T
        keep = 1.0 if fit.memory == "cumulative" else 0.0
        heard_right, heard = keep * heard_right + last_right, keep * heard + last
        logit = np.log(mass * theta + heard_right) - np.log(mass * (1 - theta) + heard - heard_right)
        chance = expit(conformity * logit + correction)
        right[:, t] = (generator.random(chance.shape) < chance) & asked[:, t]
    return right


def _numbers(right: NDArray[np.bool_], asked: NDArray[np.bool_]) -> dict[str, float]:
    n = asked.sum(axis=2)
    found: dict[str, float] = {}
    for t in range(right.shape[1]):
        some = n[:, t] > 0
        found[f"share right in round {t}"] = float((right[some, t].sum(axis=1) / n[some, t]).mean())
    for t in range(right.shape[1]):
        pairs = n[:, t] > 1
        if pairs.any():
            k, size = right[pairs, t].sum(axis=1), n[pairs, t]
            found[f"disagreement in round {t}"] = float((2 * k * (size - k) / (size * (size - 1))).mean())
    last = right[:, -1].sum(axis=1)
    known = n[:, -1] > 0
    if known.any():
        found["unanimous in the last round"] = float(((last == 0) | (last == n[:, -1]))[known].mean())
    both = asked[:, :-1] & asked[:, 1:]
    if both.any():
        found["same as the own last answer"] = float((right[:, :-1] == right[:, 1:])[both].mean())
    return found


def _compare(name: str, observed: float, drawn: NDArray[np.float64]) -> PredictiveCheck:
    low, high = np.quantile(drawn, [0.025, 0.975])
    above = (1 + int((drawn >= observed - 1e-12).sum())) / (1 + len(drawn))
    below = (1 + int((drawn <= observed + 1e-12).sum())) / (1 + len(drawn))
    return PredictiveCheck(
        name=name,
        observed=observed,
        expected=float(drawn.mean()),
        interval=Interval(float(low), float(high)),
        pvalue=min(1.0, 2 * min(above, below)),
    )
