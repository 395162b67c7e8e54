"""The exact vote in every round of a debate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim.protocols import Majority, OneAgent, Reduction
from madsim.theory import _occupancy, _urn
from madsim.theory._counts import Ties, as_ties, count_vectors, profiles, winner_shares, winners_in_order
from madsim.theory._enumeration import graph_lengths, is_enumerable, profile_law, states, vote_law
from madsim.theory._influence import Influence, influence_of
from madsim.theory._moments import debate_mean
from madsim.theory._plurality import plurality, plurality_of_unequal

if TYPE_CHECKING:
    from madsim.models import DebateModel


def vote_by_round(
    model: DebateModel, n_rounds: int | None = None, *, ties: Ties | None = None, answer: int = 0
) -> NDArray[np.float64]:
    """Exact probability that an answer wins the vote, round by round.

    Parameters
    ----------
    model
        A debate whose beliefs move linearly in the votes heard.
    n_rounds
        Rounds after round 0; by default the protocol's.
    ties
        ``"random"``, ``"fail"`` or ``"first"`` (the tied answer that an agent earliest in declared order gave); by default the protocol's
        rule.
    answer
        Whose probability of winning; 0 is the target.

    Returns
    -------
    ndarray
        Shape (round,), round 0 first. On the complete graph by dynamic programming over the urn (one weight for all votes), or over how
        often each agent said the answer (two answers, own vote weighing differently); on other graphs by enumeration. Where one agent
        decides (the protocol's reduction), its mean belief.

    Raises
    ------
    ValueError
        If no exact method is feasible; the message names the largest size that is.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> vote_by_round(DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0), 3).round(4).tolist()
    [0.8369, 0.7923, 0.7819, 0.7774]
    """
    n_rounds = as_count(model.protocol.rounds if n_rounds is None else n_rounds, name="n_rounds")
    answer = as_count(answer, name="answer", maximum=model.concentration.shape[1] - 1)
    reduction = model.protocol.reduction
    if ties is None and isinstance(reduction, OneAgent):
        return readonly(debate_mean(model, n_rounds, answer=answer)[:, reduction.agent].copy())
    rule = _ties(reduction, ties)
    influence = influence_of(model, n_rounds, memory=True)
    concentration = influence.concentration
    alike = bool((concentration == concentration[0]).all())
    if n_rounds == 0:
        beliefs = concentration / influence.mass[:, None]
        if alike:
            return readonly(np.array([plurality(beliefs[0], len(beliefs), ties=rule, answer=answer)]))
        return readonly(np.array([plurality_of_unequal(beliefs, ties=rule, answer=answer)]))
    return readonly(_vote(influence, n_rounds, rule, answer, alike))


def _ties(reduction: Reduction, ties: Ties | None) -> Ties:
    if ties is not None:
        return as_ties(ties)
    if not isinstance(reduction, Majority):
        raise ValueError(
            f"exact votes are plurality votes, the protocol's reduction is {type(reduction).__name__}; "
            "name ties='random', 'fail' or 'first' to count a plurality all the same"
        )
    return as_ties(reduction.ties)


def _vote(influence: Influence, n_rounds: int, ties: Ties, answer: int, alike: bool) -> NDArray[np.float64]:
    n_agents, n_answers = influence.concentration.shape
    weights = shared_weights(influence)
    limits = []
    in_order = ties == "first" and not (weights is not None and alike) and (n_answers > 2 or n_agents % 2 == 0)
    if weights is not None and weights[0] == weights[1] and not in_order:
        if _urn.is_feasible(n_agents, n_answers, n_rounds, alike):
            return _urn.urn_expectations(
                influence.concentration, weights[0], n_rounds, lambda counts: winner_shares(counts, ties)[:, answer]
            )
        largest = _urn.largest_feasible_panel(n_answers, n_rounds, alike)
        limits.append(f"{largest} agents on the complete graph")
    elif weights is not None and alike and n_answers == 2:
        if _occupancy.is_feasible(n_agents, n_rounds):
            return _occupancy.vote_by_round(influence.concentration[0], *weights, n_agents, n_rounds, ties, answer)
        limits.append(f"{_occupancy.largest_feasible_panel(n_rounds)} agents on the complete graph")
    lengths = graph_lengths(influence, n_rounds)
    if is_enumerable(n_agents, n_answers, lengths):
        if in_order:
            first = winners_in_order(profiles(n_agents, n_answers), n_answers) == answer
            return np.array([profile_law(belief, law) @ first for law, belief in states(influence, n_rounds)])
        wins = winner_shares(count_vectors(n_agents, n_answers), ties)[:, answer]
        return np.array([vote_law(belief, law) @ wins for law, belief in states(influence, n_rounds)])
    largest = n_agents
    while largest > 1 and not is_enumerable(largest, n_answers, lengths):
        largest -= 1
    if largest > 1 or not limits:
        limits.append(f"{largest} agents on any graph")
    raise ValueError(
        f"the exact vote of {n_agents} agents, {n_answers} answers and {n_rounds} rounds is out of reach; feasible are "
        f"{', '.join(limits)}. Fewer rounds or answers reach further, or simulate it with simulate_debate"
    )


def shared_weights(influence: Influence) -> tuple[float, float] | None:
    """(self weight, peer weight) where everybody hears everybody with one weight in every round, else None."""
    if influence.keep != 1.0 or not influence.is_static or not influence.graphs[0].is_complete:
        return None
    matrix = np.asarray(influence.matrices[0])
    own = matrix.diagonal()
    if (own != own[0]).any():
        return None
    if len(matrix) == 1:
        return float(own[0]), float(own[0])
    peers = matrix[~np.eye(len(matrix), dtype=bool)]
    return (float(own[0]), float(peers[0])) if (peers == peers[0]).all() else None
