"""Fit of the debate model: how heavy prior beliefs are, whether majorities count for more, whether debate corrects."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim import graphs
from madsim._core.arrays import readonly
from madsim._core.estimate import Interval
from madsim._core.html import Printed
from madsim.fit._cells import Cells, Memory, cells_of
from madsim.fit._likelihood import BetaLikelihood, FreeLikelihood, Mixing, Objective
from madsim.fit._search import Found, covariance_of, maximise, profile_interval
from madsim.graphs import Graph
from madsim.transcripts import Votes

if TYPE_CHECKING:
    import pandas

_WIDE = 0.4
_PARABOLA = 0.15  # standard error of a logarithm below which profile and curvature give the same interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Printed):
    """A fitted number with its interval.

    Attributes
    ----------
    value : at the maximum; infinite where the likelihood keeps rising
    interval : by profile likelihood where the parameter is not known so well that it makes no difference, else by the curvature at the
        maximum; an end is infinite (or 0 on a logarithmic scale) where the likelihood never falls far enough; None where neither tells
    standard_error : on the scale of the search (logarithm of mass, conformity, kappa; logit of accuracy; correction as it is); None where
        there is no curvature to take it from
    """

    value: float
    interval: Interval | None
    standard_error: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form; infinite numbers are None."""
        ends = None if self.interval is None else [_plain(end) for end in self.interval]
        return {"value": _plain(self.value), "interval": ends, "standard_error": self.standard_error}

    def __str__(self) -> str:
        around = "" if self.interval is None else f" [{self.interval.low:.3g}, {self.interval.high:.3g}]"
        return f"{self.value:.3g}{around}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioTest:
    """A likelihood-ratio test of a simpler model."""

    claim: str
    statistic: float
    df: int
    pvalue: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateFit:
    """The debate model that makes a run likeliest.

    ``logit P(right in round t) = conformity * logit p_t + correction`` for t > 0, with ``p_t`` the belief of the Dirichlet-multinomial
    debate of this mass; round 0 matches the question's difficulty.

    Attributes
    ----------
    mass : weight of the first belief, in answers of a peer
    conformity : 1 in the plain model, above 1 majorities count for more than their share
    correction : 0 in the plain model, above 0 debate moves towards the target, below 0 away from it
    accuracy, kappa : mean and concentration of the questions' difficulty (under ``"free"`` mixing of the same mean and variance)
    lr_test : the plain model (conformity 1, correction 0) against this fit
    lr_tests : the same with conformity and correction one by one
    difficulty, weights : the fitted law of the difficulty, on a grid
    log_likelihood : at the maximum
    mixing, self_weight, memory, graph_complete : what was fitted
    n_questions, n_agents, n_rounds : size of the data
    converged, message : of the search
    vector, covariance : the maximum on the scale of the search, and the inverse curvature of its first numbers (None where singular)
    warnings : what the fit does not cover and the run says of itself
    """

    mass: Parameter
    conformity: Parameter
    correction: Parameter
    accuracy: Parameter
    kappa: Parameter
    lr_test: RatioTest
    lr_tests: tuple[RatioTest, ...]
    difficulty: NDArray[np.float64]
    weights: NDArray[np.float64]
    log_likelihood: float
    mixing: Mixing
    self_weight: float
    memory: Memory
    graph_complete: bool
    n_questions: int
    n_agents: int
    n_rounds: int
    converged: bool
    message: str
    vector: NDArray[np.float64]
    covariance: NDArray[np.float64] | None
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        parameters = ("mass", "conformity", "correction", "accuracy", "kappa")
        others = (
            "log_likelihood", "mixing", "self_weight", "memory", "graph_complete", "n_questions", "n_agents", "n_rounds",
            "converged", "message",
        )  # fmt: skip
        return {
            **{name: getattr(self, name).to_dict() for name in parameters},
            "lr_test": self.lr_test.to_dict(),
            "lr_tests": [one.to_dict() for one in self.lr_tests],
            **{name: getattr(self, name) for name in others},
            "warnings": list(self.warnings),
        }

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a parameter: value, interval, standard error on the scale of the search.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        return dataframe(self._rows())

    def _repr_html_(self) -> str:
        """What a notebook shows: the parameters with their intervals, and the tests of simpler models."""
        from madsim._core.tables import shown

        tests = [f"{one.claim}: p {one.pvalue:.3g}" for one in (self.lr_test, *self.lr_tests)]
        head = f"Debate model fitted to {self.n_questions} questions, {self.mixing} mixing ({self.message})"
        return shown(self._rows(), caption="; ".join([head, *tests]))

    def _rows(self) -> list[dict[str, Any]]:
        from madsim._core.tables import ends, finite

        found = [(name, getattr(self, name)) for name in ("mass", "conformity", "correction", "accuracy", "kappa")]
        return [
            {
                "parameter": name,
                "value": one.value,
                "low": ends(one.interval)[0],
                "high": ends(one.interval)[1],
                "standard_error": finite(one.standard_error),
            }
            for name, one in found
        ]

    def __str__(self) -> str:
        lines = [f"{name}: {getattr(self, name)}" for name in ("mass", "conformity", "correction", "accuracy", "kappa")]
        lines += [
            f"{one.claim}: likelihood ratio {one.statistic:.2f} on {one.df} df, p {one.pvalue:.3g}"
            for one in (self.lr_test, *self.lr_tests)
        ]
        lines.append(f"{self.n_questions} questions, {self.mixing} mixing: {self.message}")
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])


def fit_debate(
    votes: Votes,
    *,
    mixing: Mixing = "beta",
    graph: Graph | None = None,
    self_weight: float = 1.0,
    memory: Memory = "cumulative",
    level: float = 0.95,
    profile: bool = True,
) -> DebateFit:
    """Maximum likelihood of the debate model on right and wrong answers, always with mass, conformity and correction together.

    The mass alone, fitted where there is conformity, gives confident nonsense. Mass is told from reactions to peers, never from round 0;
    below about 100 questions it is known to a factor of 5 only. Replies without an answer count as not right. Debates that stopped early
    are used as they are: whether a debate stops depends on its answers alone.

    Parameters
    ----------
    votes
        of a run with at least one round after round 0
    mixing
        law of the questions' difficulty: a Beta law, or ``"free"`` weights on a grid of 31; compare both, for a wrong law of
        difficulty misleads the mass
    graph
        who hears whom; by default the protocol's, where it is recorded, else everybody
    self_weight
        of an agent's own answers
    memory
        whether all answers heard count or those of the last round only
    level
        of the intervals
    profile
        intervals by profile likelihood where the likelihood is not a parabola (slower)

    Raises
    ------
    ValueError
        If the run has no round after round 0, no sample has a target, or the options do not fit the run.
    """
    graph = recorded_graph(votes) if graph is None else graph
    cells, objective = objective_of(
        votes, mixing=mixing, graph=graph, self_weight=self_weight, memory=memory, level=level
    )
    best = maximise(objective, objective.starts())
    pins: tuple[dict[int, float], ...] = ({1: 0.0, 2: 0.0}, {1: 0.0}, {2: 0.0})
    nested = [maximise(objective, [best.vector], pinned=pinned) for pinned in pins]
    claims = ("the plain model (conformity 1, correction 0)", "conformity is 1", "correction is 0")
    tests = tuple(
        _ratio(claim, best, one, len(pinned)) for claim, one, pinned in zip(claims, nested, pins, strict=True)
    )
    covariance = covariance_of(objective, best.vector)
    scale = _Scale(objective=objective, best=best, covariance=covariance, level=level)
    difficulty, weights = objective.law(best.vector)
    accuracy, kappa = (
        (scale.parameter(3, _logistic), scale.parameter(4, _exp, profile=profile))
        if mixing == "beta"
        else _moments(difficulty, weights)
    )
    return DebateFit(
        mass=scale.parameter(0, _exp, profile=profile),
        conformity=scale.parameter(1, _exp, profile=profile, parabola=_WIDE),
        correction=scale.parameter(2, float, profile=profile, parabola=2 * _WIDE),
        accuracy=accuracy,
        kappa=kappa,
        lr_test=tests[0],
        lr_tests=tests[1:],
        difficulty=readonly(difficulty),
        weights=readonly(weights),
        log_likelihood=best.value,
        mixing=mixing,
        self_weight=float(self_weight),
        memory=memory,
        graph_complete=graph is None or graph.is_complete,
        n_questions=cells.n_questions,
        n_agents=votes.n_agents,
        n_rounds=votes.n_rounds,
        converged=best.converged,
        message=best.message,
        vector=readonly(best.vector),
        covariance=None if covariance is None else readonly(covariance),
        warnings=schedule_warnings(votes),
    )


def objective_of(
    votes: Votes, *, mixing: Mixing, graph: Graph | None, self_weight: float, memory: Memory, level: float
) -> tuple[Cells, Objective]:
    """The cells of a run and their likelihood; with `graph` None everybody hears everybody.

    Raises
    ------
    ValueError
        As for `fit_debate`.
    """
    if votes.n_rounds < 1:
        raise ValueError("the run has round 0 alone; mass, conformity and correction show only in the rounds after it")
    if mixing not in ("beta", "free"):
        raise ValueError(f"mixing must be 'beta' or 'free', got {mixing!r}")
    if memory not in ("cumulative", "last"):
        raise ValueError(f"memory must be 'cumulative' or 'last', got {memory!r}")
    if not (math.isfinite(self_weight) and self_weight >= 0):
        raise ValueError(f"self_weight must be finite and at least 0, got {self_weight!r}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    cells = cells_of(votes, graph=graph, self_weight=self_weight, memory=memory)
    return cells, BetaLikelihood(cells) if mixing == "beta" else FreeLikelihood(cells)


def schedule_warnings(votes: Votes) -> tuple[str, ...]:
    """A warning where the run says that its agents did not answer at once, as those of the fitted model do."""
    schedule = (votes.protocol or {}).get("schedule")
    kind = schedule.get("type") if isinstance(schedule, dict) else None
    if not isinstance(kind, str) or kind == "Simultaneous":
        return ()
    return (
        f"agents did not answer at once ({kind}), as those of the fitted model do: mass, conformity and correction are not theirs",
    )


def recorded_graph(votes: Votes) -> Graph | None:
    """Who heard whom, where the protocol tells; None for everybody, or where nothing is recorded.

    Raises
    ------
    ValueError
        If the graph changed from round to round, which the fit does not cover.
    """
    try:
        plain = (votes.protocol or {})["visibility"]["graph"]
    except (KeyError, TypeError):
        return None
    if isinstance(plain, list):
        raise ValueError("the graph of this run changes from round to round; name one graph to fit with")
    return None if plain is None else graphs.from_dict(plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    """From the scale of the search to parameters with intervals."""

    objective: Objective
    best: Found
    covariance: NDArray[np.float64] | None
    level: float

    def parameter(
        self, index: int, back: Callable[[Any], Any], *, profile: bool = False, parabola: float = _PARABOLA
    ) -> Parameter:
        """By profile where asked for and the standard error exceeds `parabola`: there profile and curvature part ways."""
        at = float(self.best.vector[index])
        low, high = self.objective.bounds[index]
        inside = low + 1e-6 < at < high - 1e-6
        value = float(back(at)) if inside else float(back(-math.inf if at < 0 else math.inf))
        error = None if self.covariance is None or not inside else math.sqrt(self.covariance[index, index])
        if profile and (error is None or error > parabola):
            ends = profile_interval(self.objective, self.best, index, level=self.level)
        elif error is None:
            return Parameter(value=value, interval=None, standard_error=None)
        else:
            from scipy.special import ndtri

            half = float(ndtri((1 + self.level) / 2)) * error
            ends = at - half, at + half
        interval = Interval(*(float(back(end)) for end in ends))
        return Parameter(value=value, interval=interval, standard_error=error)


def _ratio(claim: str, best: Found, nested: Found, df: int) -> RatioTest:
    from scipy.special import chdtrc

    statistic = max(0.0, 2 * (best.value - nested.value))
    return RatioTest(claim=claim, statistic=statistic, df=df, pvalue=float(chdtrc(df, statistic)))


def _moments(chance: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[Parameter, Parameter]:
    mean = float(weights @ chance)
    variance = float(weights @ (chance - mean) ** 2)
    kappa = mean * (1 - mean) / variance - 1 if variance > 1e-12 else math.inf
    return (
        Parameter(value=mean, interval=None, standard_error=None),
        Parameter(value=kappa, interval=None, standard_error=None),
    )


def _logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _exp(value: float) -> float:
    return value if value == math.inf else math.exp(value)


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
