"""Fit of imitation: do agents copy answers, do large camps attract more than their share, do right answers?

    P(next = a | own = o, shares x) = (1 - e) [(1 - h) 1{a = o} + h x_a^g f_a / sum_b x_b^g f_b] + e m_a

with f the fitness (1 for wrong answers, exp(s) for the right one) and m even over the options. g = 1 is replicator dynamics, g = 1 and
s = 0 the neutral voter model, g > 1 conformity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim.transcripts import State, Votes

if TYPE_CHECKING:
    import pandas

_NAMES = ("imitation", "exponent", "selection", "innovation")
_BOUNDS = [(-8.0, 8.0), (0.02, 8.0), (-6.0, 6.0), (-14.0, 4.0)]  # logit of h, g, s, logit of e
_OPEN_OPTIONS = 20  # open-ended answers: an innovation hits a given answer this rarely


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImitationFit:
    """The imitation model that makes a run's changes likeliest.

    Attributes
    ----------
    imitation : h, chance that an agent looks at the panel instead of keeping its answer
    exponent : g
    selection : s, logarithm of the right answer's advantage
    innovation : e, chance of an answer out of nowhere
    errors : standard errors of (imitation, exponent, selection, innovation), clustered by question, 0 on the edge of a range; None where
        the curvature is singular
    covariance : of (logit imitation, exponent, selection, logit innovation), clustered by question
    log_likelihood : at the maximum
    n_questions, n_steps : questions, and steps of one agent from one round to the next
    converged, message : of the search
    """

    imitation: float
    exponent: float
    selection: float
    innovation: float
    errors: tuple[float, float, float, float] | None
    covariance: NDArray[np.float64] | None
    log_likelihood: float
    n_questions: int
    n_steps: int
    converged: bool
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        errors = dict.fromkeys(_NAMES) if self.errors is None else dict(zip(_NAMES, self.errors, strict=True))
        return {
            **{name: {"value": getattr(self, name), "standard_error": errors[name]} for name in _NAMES},
            "log_likelihood": self.log_likelihood,
            "n_questions": self.n_questions,
            "n_steps": self.n_steps,
            "converged": self.converged,
            "message": self.message,
        }

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a parameter: value and standard error.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        return dataframe(self._rows())

    def _repr_html_(self) -> str:
        """What a notebook shows: the parameters with their standard errors."""
        from madsim._core.tables import shown

        size = f"Imitation fitted to {self.n_steps} steps on {self.n_questions} questions ({self.message})"
        return shown(self._rows(), caption=size)

    def _rows(self) -> list[dict[str, Any]]:
        errors = [float("nan")] * len(_NAMES) if self.errors is None else self.errors
        return [
            {"parameter": name, "value": getattr(self, name), "standard_error": error}
            for name, error in zip(_NAMES, errors, strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps:
    """Steps of one agent from a round to the next.

    Attributes
    ----------
    same : whether the next answer is the agent's own last one
    own_known : whether it had one
    chosen, right : agents that gave the next answer last time; whether it is the target
    n_right, wrong : agents right last time; agents with each wrong answer, (step, wrong answer) in descending order
    options : number of options
    question : of each step
    """

    same: NDArray[np.float64]
    own_known: NDArray[np.float64]
    chosen: NDArray[np.float64]
    right: NDArray[np.float64]
    n_right: NDArray[np.float64]
    wrong: NDArray[np.float64]
    options: NDArray[np.float64]
    question: NDArray[np.int64]


def fit_imitation(votes: Votes) -> ImitationFit:
    """Maximum likelihood of the imitation model over all steps of a run in which everybody hears everybody.

    Steps to a reply without an answer are left out, and so are steps after a round without any answer.

    Raises
    ------
    ValueError
        If no sample has a target, or there is no step.

    Notes
    -----
    The regression of the change of a share on x (1 - x) is absent on purpose: it finds selection where there is none.
    """
    from scipy.optimize import minimize

    steps = steps_of(votes)
    table = np.column_stack(
        [steps.same, steps.own_known, steps.chosen, steps.right, steps.n_right, steps.options, steps.wrong]
    )
    rows, row_of = np.unique(table, axis=0, return_inverse=True)
    row_of = row_of.ravel()
    counts = np.bincount(row_of).astype(np.float64)
    by_row, slopes, curvature = (lambda v, f=f: np.asarray(_call(f, v, rows), dtype=np.float64) for f in _compiled())

    def negative(vector: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        return -float(counts @ by_row(vector)), -(counts @ slopes(vector))

    starts = [np.array([0.0, 1.0, 0.0, -3.5]), np.array([-2.0, 2.0, 0.0, -3.5])]
    found = [minimize(negative, start, jac=True, method="L-BFGS-B", bounds=_BOUNDS) for start in starts]
    best = min(found, key=lambda one: one.fun)
    vector = np.asarray(best.x, dtype=np.float64)
    inside = np.array([min(at - low, high - at) > 1e-6 for at, (low, high) in zip(vector, _BOUNDS, strict=True)])
    stuck = [name for name in ("exponent", "selection") if not inside[_NAMES.index(name)]]
    bread = np.einsum("r,rij->ij", counts, -curvature(vector))
    covariance = _sandwich(bread, slopes(vector)[row_of], steps.question, inside)
    h, e = (float(1 / (1 + np.exp(-vector[i]))) for i in (0, 3))
    errors = None
    if covariance is not None:
        spread = np.sqrt(np.diag(covariance))
        errors = (float(h * (1 - h) * spread[0]), float(spread[1]), float(spread[2]), float(e * (1 - e) * spread[3]))
    message = "converged" if best.success else str(best.message)
    if stuck:
        message += f", but the likelihood keeps rising in {' and '.join(stuck)}"
    return ImitationFit(
        imitation=h,
        exponent=float(vector[1]),
        selection=float(vector[2]),
        innovation=e,
        errors=errors,
        covariance=None if covariance is None else readonly(covariance),
        log_likelihood=-float(best.fun),
        n_questions=len(np.unique(steps.question)),
        n_steps=len(row_of),
        converged=bool(best.success) and not stuck,
        message=message,
    )


def steps_of(votes: Votes) -> Steps:
    """The steps of a run on samples with a target.

    Raises
    ------
    ValueError
        If no sample has a target, or there is no step between two answers.
    """
    known = votes.has_target
    if not known.any():
        raise ValueError("no sample has a target, so the right answer's advantage cannot be told")
    answers, state = votes.answers[known], votes.state[known]
    before, after = answers[:, :-1], answers[:, 1:]
    top = max(int(answers.max(initial=0)) + 1, 2)
    counts = np.stack([(before == k).sum(axis=2) for k in range(top)], axis=-1)  # (sample, step, answer)
    used = (after >= 0) & (counts.sum(axis=2) > 0)[:, :, None] & (state[:, :-1] != State.NOT_ASKED)
    sample, step, agent = np.nonzero(used)
    if not len(sample):
        raise ValueError("there is no step from one answer to the next")
    own, chosen = before[sample, step, agent], after[sample, step, agent]
    here = counts[sample, step]
    options = np.full(len(sample), float(votes.n_answers or max(_OPEN_OPTIONS, top)))
    wrong = -np.sort(-here[:, 1:], axis=1)
    wrong = wrong[:, : max(1, int((wrong > 0).any(axis=0).sum()))]
    _, question = np.unique(votes.cluster[known], return_inverse=True)
    return Steps(
        same=(own == chosen).astype(np.float64),
        own_known=(own >= 0).astype(np.float64),
        chosen=here[np.arange(len(sample)), chosen].astype(np.float64),
        right=(chosen == 0).astype(np.float64),
        n_right=here[:, 0].astype(np.float64),
        wrong=wrong.astype(np.float64),
        options=options,
        question=question.ravel()[sample],
    )


def _call(function: Any, *arguments: Any) -> Any:
    import jax

    with jax.enable_x64(True):
        return function(*arguments)


@lru_cache(maxsize=1)
def _compiled() -> tuple[Any, Any, Any]:
    import jax
    import jax.numpy as jnp

    def by_row(vector: Any, rows: Any) -> Any:
        same, own_known, chosen, right, n_right, options = rows.T[:6]
        wrong = rows[:, 6:]
        h, e = jax.nn.sigmoid(vector[0]), jax.nn.sigmoid(vector[3])
        g, advantage = vector[1], jnp.exp(vector[2])

        def pull(count: Any) -> Any:
            return jnp.where(count > 0, jnp.exp(g * jnp.log(jnp.maximum(count, 1.0))), 0.0)

        everything = pull(n_right) * advantage + pull(wrong).sum(axis=1)
        copied = pull(chosen) * jnp.where(right > 0, advantage, 1.0) / everything
        imitated = jnp.where(own_known > 0, (1 - h) * same + h * copied, copied)
        return jnp.log((1 - e) * imitated + e / options)

    return jax.jit(by_row), jax.jit(jax.jacfwd(by_row)), jax.jit(jax.jacfwd(jax.jacfwd(by_row)))


def _sandwich(
    bread: NDArray[np.float64], slopes: NDArray[np.float64], question: NDArray[np.int64], inside: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Covariance that holds whatever goes on inside a question; None where the curvature is singular or there is one question.

    Coordinates on the edge of their range (no innovation at all, say) are held there and have variance 0.
    """
    bread, slopes = bread[np.ix_(inside, inside)], slopes[:, inside]
    eigenvalues = np.linalg.eigvalsh(bread)
    seen = len(np.unique(question))
    if seen < 2 or not inside.any() or eigenvalues[0] <= 1e-8 * eigenvalues[-1]:
        return None
    sums = np.stack([np.bincount(question, weights=column) for column in slopes.T], axis=1)
    inverse = np.linalg.inv(bread)
    covariance = np.zeros((len(inside), len(inside)))
    covariance[np.ix_(inside, inside)] = inverse @ (sums.T @ sums) @ inverse * (seen / (seen - 1))
    return covariance
