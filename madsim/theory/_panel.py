"""Exact votes and shares of a panel of equal agents on the complete graph, with any response, memory, rule or early stop.

While all agents start alike and hear everything with one weight, they hold one common concentration. What the next round depends on is this
concentration, the counts of the last answers, and, for lasting corrections, how many right answers are locked. The law of that state is
carried forward exactly; states that are equal to twelve digits are merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim.theory._counts import Ties, as_ties, count_vectors, law_of_unlike, n_count_vectors, winner_shares
from madsim.theory._panel_rules import Rules, rules_of

if TYPE_CHECKING:
    from madsim.models import DebateModel

_LARGEST_WORK = 60_000_000
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PanelValues:
    """Exact values of a panel by round.

    Attributes
    ----------
    share : float64 (round, answer); expected share of the votes
    vote : float64 (round,); probability that the answer asked about wins
    belief : float64 (round, answer); expected belief of an agent that still draws its answers, round 0 the prior; it stops with the debate
    unanimous : float64 (round,); probability that all agents agree
    """

    share: NDArray[np.float64]
    vote: NDArray[np.float64]
    belief: NDArray[np.float64]
    unanimous: NDArray[np.float64]


@dataclass(slots=True)
class _States:
    """The law over states: probability, common concentration, sum of all heard, last counts, right answers locked."""

    law: NDArray[np.float64]
    concentration: NDArray[np.float64]
    running: NDArray[np.float64]
    last: NDArray[np.int64]
    locked: NDArray[np.int64]


def panel_by_round(
    model: DebateModel, n_rounds: int | None = None, *, ties: Ties | None = None, answer: int = 0
) -> PanelValues:
    """Exact votes and shares, round by round, of equal agents who all hear everybody alike, whatever else the model asks for.

    Covers every response, memory, conformity exponent, weight of answers, similarity, summary and intervention under which the agents
    who still draw share one concentration, and stopping at unanimity with the answers carried on.

    Parameters
    ----------
    model
        Equal agents on the complete graph whose own answer weighs like anybody's.
    n_rounds
        Rounds after round 0; by default the protocol's.
    ties
        What a tie in the vote gives: ``"random"``, ``"fail"`` or ``"first"``; by default the protocol's rule, ``"random"`` where its
        decision knows no ties.
    answer
        Whose probability of winning; 0 is the target.

    Raises
    ------
    ValueError
        If agents differ, if an option makes them differ, or if there are too many states.

    Examples
    --------
    >>> from madsim.models import Conformist, DebateModel
    >>> model = DebateModel.homogeneous(n_agents=5, belief=0.7, mass=5.0, intervention=Conformist())
    >>> panel_by_round(model, 5).share[:, 0].round(4).tolist()
    [0.7, 0.8074, 0.8334, 0.8378, 0.8378, 0.8374]
    """
    n_rounds = as_count(model.protocol.rounds if n_rounds is None else n_rounds, name="n_rounds")
    rule = as_ties(ties if ties is not None else getattr(model.protocol.reduction, "ties", "random"))
    answer = as_count(answer, name="answer", maximum=model.n_answers - 1)
    rules = rules_of(model)
    n_agents, n_answers = model.concentration.shape
    _require_feasible(1, n_agents, n_answers, 0)
    outcomes = count_vectors(n_agents, n_answers)
    wins = winner_shares(outcomes, rule)[:, answer]
    agree = (outcomes == n_agents).any(axis=1)
    prior = model.concentration[:1]
    states = _States(
        law=np.ones(1),
        concentration=prior,
        running=np.zeros_like(prior),
        last=np.full((1, n_answers), -1),
        locked=np.zeros(1, dtype=np.int64),
    )
    share, vote, belief, unanimous = [], [], [], []
    for round in range(n_rounds + 1):
        _require_feasible(len(states.law), n_agents, n_answers, round)
        law = states.law[:, None] * _vote_law(rules, states, round, outcomes)
        total = law.sum(axis=0)
        share.append(total @ outcomes / n_agents)
        vote.append(total @ wins)
        unanimous.append(total @ agree)
        mass = states.concentration.sum(axis=1, keepdims=True)
        belief.append(states.law @ (states.concentration / mass))
        if round < n_rounds:
            states = _advance(rules, states, law, outcomes, prior)
    return PanelValues(
        share=readonly(np.array(share)),
        vote=readonly(np.array(vote)),
        belief=readonly(np.array(belief)),
        unanimous=readonly(np.array(unanimous)),
    )


def _require_feasible(n_states: int, n_agents: int, n_answers: int, round: int) -> None:
    if n_states * n_count_vectors(n_agents, n_answers) * n_agents > _LARGEST_WORK:
        reach = f"rounds 0 to {round - 1} are feasible" if round else "no round is feasible"
        raise ValueError(
            f"{n_agents} agents and {n_answers} answers have too many states in round {round}: {reach}. "
            "Fewer agents, answers or rounds reach further, or simulate it with simulate_debate"
        )


def _vote_law(rules: Rules, states: _States, round: int, outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Law of the round's counts in every state, shape (state, outcome)."""
    drawn = rules.response(states.concentration, round)
    n_agents = int(outcomes[0].sum())
    if round == 0:
        return law_of_unlike(np.repeat(drawn[:, None], n_agents, axis=1))
    place = np.arange(n_agents)
    # the agents in order of their last answers
    owner = (place[None, :, None] >= states.last.cumsum(axis=1)[:, None, :]).sum(axis=2)
    stopped = rules.stops(states.last)
    law = np.zeros((len(states.law), len(outcomes)))
    for chance, majority in rules.majorities(states.last):
        chances = np.empty((len(states.law), n_agents, drawn.shape[1]))
        for agent in range(n_agents):
            chances[:, agent] = rules.next_answer(drawn, owner[:, agent], majority, agent < states.locked)
        chances[stopped] = np.eye(drawn.shape[1])[owner[stopped]]
        law += chance[:, None] * law_of_unlike(chances)
    return law


def _advance(
    rules: Rules, states: _States, law: NDArray[np.float64], outcomes: NDArray[np.int64], prior: NDArray[np.float64]
) -> _States:
    """The states after everybody heard the round's votes."""
    state, outcome = np.nonzero(law)
    last = outcomes[outcome]
    weight = law[state, outcome]
    locked = states.locked[state]
    state, last, weight, locked = rules.lock(state, last, weight, locked)
    state, last, weight, locked, heard = rules.heard(state, last, weight, locked)
    before, sums = states.concentration[state], states.running[state]
    # the votes that end a debate are still heard, those carried on are not
    stopped = rules.stops(states.last[state])[:, None]
    running = np.where(stopped, sums, sums + heard)
    concentration = np.where(stopped, before, rules.remember(before, running, heard, prior))
    return _merged(_States(law=weight, concentration=concentration, running=running, last=last, locked=locked), rules)


def _merged(states: _States, rules: Rules) -> _States:
    columns = [states.concentration, states.locked[:, None], states.last]
    if rules.rereads:
        columns.append(states.running)
    key = np.zeros(len(states.law), dtype=np.int64)
    for column in np.concatenate(columns, axis=1).round(_DIGITS).T:
        values, index = np.unique(column, return_inverse=True)
        _, key = np.unique(key * len(values) + index, return_inverse=True)
    _, first = np.unique(key, return_index=True)
    return _States(
        law=np.bincount(key, weights=states.law).astype(np.float64),
        concentration=states.concentration[first],
        running=states.running[first],
        last=states.last[first],
        locked=states.locked[first],
    )
