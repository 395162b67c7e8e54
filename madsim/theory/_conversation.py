"""Exact moments of any conversation whose turns are known beforehand: one after another, chats, phases, pools.

Write the conversation as acts. With w_su what one vote of act u, once heard, adds to the concentration of the speaker of act s (its own
earlier acts included), a its concentration at the start and M_s the sum of all that it has, the belief behind act s is
``p_s = a / M_s + sum_u w_su / M_s v_u = c_s + sum_u L_su v_u`` with u < s, and vote v_s is right with probability p_s. Hence, with
m = E v and V = Cov v::

    m_s = c_s + L_s m,    V_su = L_s V_u  (u < s),    V_ss = m_s (1 - m_s),    Cov p = L V L'

The cost is O(S^3) for S acts. L is the influence that the structure induces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.html import Printed
from madsim.protocols import Act, acts_of
from madsim.theory._martingale import MartingaleProperty

if TYPE_CHECKING:
    from madsim.models import DebateModel

_MOST_ACTS = 2_000
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConversationMoments(Printed):
    """Exact moments of the beliefs in one answer behind every act, and what they say about martingales.

    Attributes
    ----------
    acts : the conversation
    mean, sd : float64 (act,); the mean is also the probability of giving the answer
    covariance : float64 (act, act), of the beliefs
    influence : float64 (act, act); how much the belief of an act (row) moves with the vote of an earlier one (column)
    answer : the answer that the beliefs are about; 0 is the target
    unconditional : whether the mean belief of every agent stays at its prior
    per_agent : whether the belief of every agent is a martingale given everybody's past
    """

    acts: tuple[Act, ...]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    covariance: NDArray[np.float64]
    influence: NDArray[np.float64]
    answer: int
    unconditional: MartingaleProperty
    per_agent: MartingaleProperty

    def __str__(self) -> str:
        lines = [f"Exact beliefs in answer {self.answer}, {len(self.acts)} acts", "act  round  agent  mean    sd"]
        lines += [
            f"{place:3d}  {act.round:5d}  {act.agent:5d}  {mean:.4f}  {sd:.4f}"
            for place, (act, mean, sd) in enumerate(zip(self.acts, self.mean, self.sd, strict=True))
        ]
        for name, found in (("unconditional", self.unconditional), ("per agent", self.per_agent)):
            lines.append(f"martingale, {name}: {'holds' if found.holds else 'fails'}: {found.reason}")
        return "\n".join(lines)


def conversation_moments(
    model: DebateModel, acts: Sequence[Act] | None = None, *, answer: int = 0
) -> ConversationMoments:
    """Exact moments of the beliefs behind every act of a conversation.

    Parameters
    ----------
    model
        a debate whose beliefs move linearly in the votes heard, all of which are kept
    acts
        the conversation; by default that of the model's protocol. Subscriptions are said to :func:`madsim.protocols.acts_of`.
    answer
        which answer the beliefs are about; 0 is the target

    Raises
    ------
    ValueError
        If the model has another departure than its schedule (the departure is named), turns that are not known beforehand, or there are
        more than 2000 acts.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> from madsim.protocols import GroupChat, Protocol
    >>> chat = Protocol(rounds=2, schedule=GroupChat())
    >>> moments = conversation_moments(DebateModel.homogeneous(n_agents=2, belief=0.7, mass=2.0, protocol=chat))
    >>> [act.agent for act in moments.acts], moments.sd.round(4).tolist()
    ([0, 1, 0, 1], [0.0, 0.0, 0.162, 0.1833])
    """
    odd = sorted(set(model.departures) - {"protocol.schedule"})
    if odd:
        raise ValueError(
            f"no exact value is known for a conversation with its own {', '.join(odd)}; simulate it instead"
        )
    acts = acts_of(model.protocol, model.n_agents) if acts is None else tuple(acts)
    if len(acts) > _MOST_ACTS:
        raise ValueError(f"{len(acts)} acts are too many, {_MOST_ACTS} is the most; simulate the conversation instead")
    answer = as_count(answer, name="answer", maximum=model.n_answers - 1)
    constant, influence = linear_form(model, acts, answer)
    mean, votes = np.zeros(len(acts)), np.zeros((len(acts), len(acts)))
    for place in range(len(acts)):
        mean[place] = constant[place] + influence[place] @ mean
        votes[place, :place] = votes[:place, place] = influence[place] @ votes[:, :place]
        votes[place, place] = mean[place] * (1 - mean[place])
    covariance = influence @ votes @ influence.T
    return ConversationMoments(
        acts=acts,
        mean=readonly(mean),
        sd=readonly(np.sqrt(covariance.diagonal().clip(min=0))),
        covariance=readonly(covariance),
        influence=readonly(influence),
        answer=answer,
        unconditional=_unconditional(model, acts, mean, answer),
        per_agent=_per_agent(acts, constant, influence),
    )


def linear_form(
    model: DebateModel, acts: Sequence[Act], answer: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """c, shape (act,), and L, shape (act, act): the belief behind an act as a linear function of the votes before it.

    Raises
    ------
    ValueError
        If an act hears a later one, or names an agent that the model does not have.
    """
    n_acts = len(acts)
    constant, influence = np.zeros(n_acts), np.zeros((n_acts, n_acts))
    own_weight = np.broadcast_to(np.asarray(model.self_weight, dtype=np.float64), (model.n_agents,))
    peer_weight = np.broadcast_to(np.asarray(model.peer_weight, dtype=np.float64), (model.n_agents,))
    kept: dict[int, NDArray[np.float64]] = {}
    plain = model.protocol.visibility.graph is None
    for place, act in enumerate(acts):
        if not 0 <= act.agent < model.n_agents or any(not 0 <= one < place for one in act.hears):
            raise ValueError(
                f"act {place} must be of an agent from 0 to {model.n_agents - 1} and hear earlier acts only"
            )
        row = kept.get(act.agent, np.zeros(n_acts)).copy()
        graph = None if plain or act.round == 0 else model.protocol.graph(model.n_agents, act.round)
        for one in act.hears:
            row[one] += peer_weight[act.agent] * (1.0 if graph is None else graph[act.agent, acts[one].agent])
        if act.own is not None:
            row[act.own] += own_weight[act.agent]
        kept[act.agent] = row
        total = model.concentration[act.agent].sum() + row.sum()
        constant[place], influence[place] = model.concentration[act.agent, answer] / total, row / total
    return constant, influence


def _unconditional(
    model: DebateModel, acts: Sequence[Act], mean: NDArray[np.float64], answer: int
) -> MartingaleProperty:
    prior = np.array([model.belief[act.agent, answer] for act in acts])
    moved = np.flatnonzero(np.abs(mean - prior) > _TOLERANCE)
    if len(moved):
        act = acts[moved[0]]
        reason = f"the mean belief of agent {act.agent} has moved when it speaks in round {act.round}"
    else:
        reason = "every agent speaks with its prior mean belief, whenever it speaks"
    return MartingaleProperty(holds=not len(moved), quantity="belief of every agent", given="nothing", reason=reason)


def _per_agent(
    acts: Sequence[Act], constant: NDArray[np.float64], influence: NDArray[np.float64]
) -> MartingaleProperty:
    """Every history of votes has positive probability, so each coefficient of the expected change must vanish."""

    def said(holds: bool, reason: str) -> MartingaleProperty:
        return MartingaleProperty(
            holds=holds, quantity="belief of every agent", given="everybody's past", reason=reason
        )

    in_turn = {act.round for act in acts if any(acts[one].round == act.round for one in act.hears)}
    n_acts = len(acts)
    for later, act in enumerate(acts):
        if act.own is None:
            continue
        first = act.own
        known = [
            place for place in range(first) if acts[place].round != acts[first].round or acts[first].round in in_turn
        ]
        offset = np.zeros(n_acts)
        slope = np.zeros((n_acts, n_acts))
        slope[known, known] = 1.0
        for place in sorted(set(range(later)) - set(known)):
            offset[place] = constant[place] + influence[place] @ offset
            slope[place] = influence[place] @ slope
        gap = abs(constant[later] + influence[later] @ offset - constant[first])
        gaps = np.abs(influence[later] @ slope - influence[first])
        if max(gap, gaps.max(initial=0.0)) > _TOLERANCE:
            return said(
                False,
                f"given the votes before round {acts[first].round}, the expected belief of agent {act.agent} in round {act.round} is "
                "another one than it has",
            )
    return said(True, "no vote that is known moves the belief that an agent is expected to have at its next turn")
