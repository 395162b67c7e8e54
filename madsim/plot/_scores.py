"""Accuracy, vote, disagreement and unparsed replies by round, of one run or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from madsim._core.estimate import Estimate
from madsim.plot._rounds import draw_estimates, draw_exact
from madsim.plot._style import BLUE, CYCLE, GREY, MARKERS, VERMILLION, dress, in_percent, legend, plain, whole_rounds
from madsim.transcripts import (
    Votes,
    accuracy_by_round,
    disagreement_by_round,
    entropy_by_round,
    unparsed_by_round,
    vote_by_round,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Measure = Literal["accuracy", "vote", "disagreement", "entropy"]

_MEASURES: dict[str, tuple[Callable[[Votes], Sequence[Estimate]], str]] = {
    "accuracy": (accuracy_by_round, "accuracy of a single agent"),
    "vote": (vote_by_round, "accuracy of the vote"),
    "disagreement": (disagreement_by_round, "chance that two agents differ"),
    "entropy": (entropy_by_round, "entropy of the answers (nats)"),
}


def draw_scores(
    axes: Axes,
    votes: Votes,
    *,
    exact_accuracy: ArrayLike | None = None,
    exact_vote: ArrayLike | None = None,
    level: float = 0.95,
) -> None:
    """Draw how often a single agent and the vote are right, by round, with intervals over questions.

    An answer that could not be read counts as wrong for the agent and abstains in the vote; ties are split evenly.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    votes
        of a simulated or a real run
    exact_accuracy, exact_vote
        known values by round, drawn as dashed lines
    level
        of the intervals, clustered by question

    Raises
    ------
    ValueError
        If no sample has a target.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(20, accuracy=0.7, kappa=3.0, rng=1)
    >>> votes = simulate_questions(beliefs, n_agents=3, n_rounds=2, rng=2).votes
    >>> figure, axes = new_figure()
    >>> draw_scores(axes, votes)
    >>> [line.get_label() for line in axes.lines]
    ['single agent', 'vote of 3']
    """
    series = (
        (accuracy_by_round(votes), exact_accuracy, "single agent", BLUE, "o", -0.03),
        (vote_by_round(votes), exact_vote, f"vote of {votes.n_agents}", VERMILLION, "s", 0.03),
    )
    for estimates, exact, label, colour, marker, shift in series:
        draw_estimates(axes, estimates, label=label, colour=colour, marker=marker, level=level, shift=shift)
        if exact is not None:
            draw_exact(axes, exact, label=f"{label}, exact")
    whole_rounds(axes, votes.n_rounds)
    dress(axes, y="share right")
    in_percent(axes)
    legend(axes, loc="best")
    _say_n(axes, votes, level)


def draw_comparison(axes: Axes, runs: Mapping[str, Votes], *, measure: Measure = "vote", level: float = 0.95) -> None:
    """Draw one measure of several runs by round, with intervals over questions.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    runs
        votes by name, at most seven
    measure
        ``"vote"``, ``"accuracy"``, ``"disagreement"`` or ``"entropy"``
    level
        of the intervals, clustered by question

    Raises
    ------
    ValueError
        For another measure, no run, or more runs than colours.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(20, accuracy=0.7, kappa=3.0, rng=1)
    >>> votes = simulate_questions(beliefs, n_agents=3, n_rounds=2, rng=2).votes
    >>> figure, axes = new_figure()
    >>> draw_comparison(axes, {"plain": votes}, measure="disagreement")
    >>> axes.get_ylabel()
    'chance that two agents differ'
    """
    if measure not in get_args(Measure):
        raise ValueError(f"measure must be one of {', '.join(get_args(Measure))}; got {measure!r}")
    if not 1 <= len(runs) <= len(CYCLE):
        raise ValueError(f"one figure compares 1 to {len(CYCLE)} runs, got {len(runs)}; draw the others on other axes")
    score, words = _MEASURES[measure]
    spread = np.linspace(-0.08, 0.08, len(runs)) if len(runs) > 1 else np.zeros(1)
    for (name, votes), colour, marker, shift in zip(runs.items(), CYCLE, MARKERS, spread, strict=False):
        draw_estimates(axes, score(votes), label=name, colour=colour, marker=marker, level=level, shift=float(shift))
    whole_rounds(axes, max(votes.n_rounds for votes in runs.values()))
    dress(axes, y=words)
    if measure != "entropy":
        in_percent(axes)
    legend(axes, loc="best")


def draw_disagreement(axes: Axes, votes: Votes, *, floor: bool = True, level: float = 0.95) -> None:
    """Draw the chance that two agents gave different answers, by round, with the least that the plain model allows.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    votes
        of a simulated or a real run
    floor
        draw the floor of the Dirichlet-multinomial debate on the complete graph with equal agents: the share of the first
        disagreement that is left whatever the agents' masses are. Points clearly below it refute that model without a fit; for
        another graph or other agents it means nothing.
    level
        of the intervals, clustered by question

    Raises
    ------
    ValueError
        If the panel has one agent only.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(20, accuracy=0.7, kappa=3.0, rng=1)
    >>> votes = simulate_questions(beliefs, n_agents=3, n_rounds=2, rng=2).votes
    >>> figure, axes = new_figure()
    >>> draw_disagreement(axes, votes)
    >>> [line.get_label() for line in axes.lines]
    ['3 agents', 'floor of the plain model']
    """
    if votes.n_agents < 2:
        raise ValueError("disagreement needs at least two agents, this panel has one")
    estimates = disagreement_by_round(votes)
    draw_estimates(axes, estimates, label=f"{votes.n_agents} agents", colour=BLUE, level=level)
    if floor and votes.n_rounds and np.isfinite(estimates[0].value):
        from madsim.theory import disagreement_floor

        left = [1.0, *(disagreement_floor(votes.n_agents, t) for t in range(1, votes.n_rounds + 1))]
        draw_exact(axes, estimates[0].value * np.array(left), label="floor of the plain model", style=":")
    axes.set_ylim(bottom=0)
    whole_rounds(axes, votes.n_rounds)
    dress(axes, y=_MEASURES["disagreement"][1])
    in_percent(axes)
    legend(axes, loc="best")
    _say_n(axes, votes, level)


def draw_unparsed(axes: Axes, runs: Mapping[str, Votes]) -> None:
    """Draw the share of replies without a readable answer, by round, for each run.

    A share that moves by more than 5 points between the first and the last round makes accuracies of the rounds incomparable.

    Raises
    ------
    ValueError
        If there is no run.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(20, accuracy=0.7, kappa=3.0, rng=1)
    >>> votes = simulate_questions(beliefs, n_agents=3, n_rounds=2, rng=2).votes
    >>> figure, axes = new_figure()
    >>> draw_unparsed(axes, {"plain": votes})
    >>> [float(bar.get_height()) for bar in axes.patches]
    [0.0, 0.0, 0.0]
    """
    if not runs:
        raise ValueError("nothing to draw: no run was given")
    width = 0.8 / len(runs)
    top = 0.0
    for number, (name, votes) in enumerate(runs.items()):
        shares = np.array(unparsed_by_round(votes))
        x = np.arange(len(shares)) + (number - (len(runs) - 1) / 2) * width
        axes.bar(x, shares, width=0.92 * width, color=CYCLE[number % len(CYCLE)], label=plain(name))
        top = max(top, float(np.nanmax(shares, initial=0.0)))
    whole_rounds(axes, max(votes.n_rounds for votes in runs.values()))
    axes.set_xlim(-0.6, max(votes.n_rounds for votes in runs.values()) + 0.6)
    axes.set_ylim(0, max(0.05, 1.15 * top))
    dress(axes, y="share without a readable answer")
    in_percent(axes)
    legend(axes, loc="best")


def _say_n(axes: Axes, votes: Votes, level: float) -> None:
    questions = len(np.unique(votes.cluster))
    text = f"{questions} questions · {100 * level:g} % intervals"
    axes.annotate(text, (1, 1.01), xycoords="axes fraction", ha="right", va="bottom", fontsize="x-small", color=GREY)
