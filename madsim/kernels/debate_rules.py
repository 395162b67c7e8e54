"""The parts of a variant debate: what is heard, how a belief becomes an answer, what the majority was. One trial at a time."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from madsim.kernels.streams import next_uniform

SIMULTANEOUS, DECLARED, RANDOM = 0, 1, 2
MATCHING, TEMPERATURE, TOP_P, ARGMAX = 0, 1, 2, 3
CUMULATIVE, FORGETTING, LAST_ROUND, REREADING = 0, 1, 2, 3
NO_RULE, LOCK, CONFORMIST, FOLLOWER, STICKY = 0, 1, 2, 3, 4
TIES_RANDOM, TIES_EACH, TIES_ANY, TIES_NONE = 0, 1, 2, 3
MOVES, DRAWS, REPEATS = 0, 1, 2
NEVER, ON_ANY, ON_TARGET = 0, 1, 2

_CLOSE = 1 - 1e-12  # beliefs this near to the largest are equal: sums of the same weights in another order


class Rules(NamedTuple):
    """Every choice of a variant debate, as numbers and arrays (the constants above name the codes).

    order : who hears whose newest answer
    complete : whether everybody hears everybody, by `common` instead of edges
    graph_of_round, offsets, heard_agent, weights : as in `debate_sparse`, without the agents' own answers; weights float64
    common, own : float64 (agent,); weight of every other agent's answer on top of the edges, and of one's own
    answer_weights : float64 (answer,)
    similarity : float64 (answer, answer), or (0, 0) where an answer counts for itself alone
    conformity : exponent on the counts heard
    response, response_setting, response_from : code, its number, first round
    memory, keep, prior_fades : code and its numbers
    stubborn : int8 (agent,)
    summary : float64 (agent,); weight of the summary, or (0,) where agents hear each other
    summary_noise, summary_ties : chance of another answer; code
    rule, probability, among_heard, rule_ties, updates, lasting : the intervention
    stop : when a debate ends early
    ties_first : whether the last entry of ``wins`` is filled
    """

    order: int
    complete: bool
    graph_of_round: np.ndarray
    offsets: np.ndarray
    heard_agent: np.ndarray
    weights: np.ndarray
    common: np.ndarray
    own: np.ndarray
    answer_weights: np.ndarray
    similarity: np.ndarray
    conformity: float
    response: int
    response_setting: float
    response_from: int
    memory: int
    keep: float
    prior_fades: bool
    stubborn: np.ndarray
    summary: np.ndarray
    summary_noise: float
    summary_ties: int
    rule: int
    probability: float
    among_heard: bool
    rule_ties: int
    updates: bool
    lasting: bool
    stop: int
    ties_first: bool


@njit(inline="always", error_model="numpy")
def hear(answer_weights, similarity, answer, weight, heard):
    """Add one answer to the counts `heard`, float64 (answer,)."""
    weight *= answer_weights[answer]
    if similarity.shape[0] == 0:
        heard[answer] += weight
    else:
        for other in range(heard.shape[0]):
            heard[other] += weight * similarity[answer, other]


@njit(nogil=True, cache=True, error_model="numpy")
def bend(heard, exponent):
    """Raise the shares of the counts `heard`, float64 (answer,), to a power and keep their total."""
    total, largest = heard.sum(), heard.max()
    if total > 0.0:
        powered = 0.0
        for answer in range(heard.shape[0]):
            heard[answer] = (heard[answer] / largest) ** exponent
            powered += heard[answer]
        for answer in range(heard.shape[0]):
            heard[answer] *= total / powered


@njit(inline="always", error_model="numpy")
def listen(
    answer_weights, similarity, common, own, agent, shown, crowd, rows, heard_agent, weights, conformity, heard
):  # fmt: skip
    """Add to the counts `heard`, float64 (answer,), all that one agent hears in a round.

    `shown` int64 (agent,) holds the answers to be heard, `crowd` float64 (answer,) how often each is given; `rows` is the graph's row of
    ``Rules.offsets``.
    """
    if common != 0.0:
        for answer in range(heard.shape[0]):
            others = crowd[answer] - (shown[agent] == answer)
            if others > 0.0:
                hear(answer_weights, similarity, answer, common * others, heard)
    for edge in range(rows[agent], rows[agent + 1]):
        hear(answer_weights, similarity, shown[heard_agent[edge]], weights[edge], heard)
    if own != 0.0:
        hear(answer_weights, similarity, shown[agent], own, heard)
    if conformity != 1.0:
        bend(heard, conformity)


@njit(inline="always", error_model="numpy")
def remember(memory, keep, heard, evidence, transcript):
    """Update one agent's `evidence` and `transcript`, float64 (answer,), by what it heard."""
    for answer in range(heard.shape[0]):
        if memory == LAST_ROUND:
            evidence[answer] = heard[answer]
        elif memory == FORGETTING:
            evidence[answer] = keep * evidence[answer] + heard[answer]
        elif memory == REREADING:
            transcript[answer] += heard[answer]
            evidence[answer] += transcript[answer]
        else:
            evidence[answer] += heard[answer]


@njit(nogil=True, cache=True, error_model="numpy")
def respond(kind, setting, concentration, chances, state):
    """Draw an answer from a `concentration`, float64 (answer,); `chances` is scratch of the same shape."""
    n_answers = concentration.shape[0]
    if kind == MATCHING:
        return draw(concentration, state)
    largest = concentration.max()
    if kind == TEMPERATURE:
        for answer in range(n_answers):
            chances[answer] = math.exp(math.log(concentration[answer] / largest) / setting)
    elif kind == ARGMAX:
        for answer in range(n_answers):
            chances[answer] = 1.0 if concentration[answer] >= largest * _CLOSE else 0.0
        if setting == 1.0:  # ties go to the lowest number
            return np.argmax(chances)
    else:
        needed = setting * concentration.sum() * _CLOSE
        chances[:] = 0.0
        reached = 0.0
        while reached < needed:
            best = -1
            for answer in range(n_answers):
                if chances[answer] == 0.0 and (best < 0 or concentration[answer] > concentration[best]):
                    best = answer
            chances[best] = concentration[best]
            reached += concentration[best]
    return draw(chances, state)


@njit(inline="always", error_model="numpy")
def draw(chances, state):
    """A number with probability proportional to `chances`, float64 (answer,)."""
    total = 0.0
    for answer in range(chances.shape[0]):
        total += chances[answer]
    point = next_uniform(state) * total
    last = 0
    below = 0.0
    for answer in range(chances.shape[0]):
        if chances[answer] > 0.0:
            last = answer
            below += chances[answer]
            if point < below:
                return answer
    return last


@njit(nogil=True, cache=True, error_model="numpy")
def leaders(rules, step, agent, last, tally):
    """Mark the answers with most votes in the last round; returns how many there are.

    `tally`, float64 (answer,), gets 1 for each of them, else 0. Counted over all agents, or over those that `agent` hears and itself
    where the rule says so; `agent` -1 always means all. Every agent counts once, whatever its weight.
    """
    tally[:] = 0.0
    everybody = agent < 0 or not rules.among_heard or rules.complete
    if everybody:
        for other in range(last.shape[0]):
            tally[last[other]] += 1.0
    else:
        rows = rules.offsets[rules.graph_of_round[step]]
        for edge in range(rows[agent], rows[agent + 1]):
            tally[last[rules.heard_agent[edge]]] += 1.0
        tally[last[agent]] += 1.0
    most = tally.max()
    number = 0
    for answer in range(tally.shape[0]):
        tally[answer] = 1.0 if tally[answer] == most else 0.0
        number += tally[answer] == 1.0
    return number


@njit(nogil=True, cache=True, error_model="numpy")
def summarise(rules, last, tally, state):
    """The answer that the summariser names after a round; -1 where a tie leaves none."""
    number = leaders(rules, 0, -1, last, tally)
    if number > 1 and rules.summary_ties == TIES_NONE:
        return -1
    named = draw(tally, state) if number > 1 else np.argmax(tally)
    if rules.summary_noise > 0.0 and next_uniform(state) < rules.summary_noise:
        other = np.int64(next_uniform(state) * (tally.shape[0] - 1))
        named = other if other < named else other + 1
    return named


@njit(nogil=True, cache=True, error_model="numpy")
def announce(rules, last, tally, state):
    """The last round's majority for everybody; -1 where the rule needs none, or agents find it by themselves."""
    if rules.among_heard or rules.rule_ties != TIES_RANDOM or (rules.rule != CONFORMIST and rules.rule != FOLLOWER):
        return -1
    return draw(tally, state) if leaders(rules, 0, -1, last, tally) > 1 else np.argmax(tally)


@njit(nogil=True, cache=True, error_model="numpy")
def rule_answer(rules, step, agent, last, announced, locked, tally, state):
    """The answer that the intervention gives an agent; -1 where it draws anew. `locked` int8 (agent,) is updated."""
    own = last[agent]
    if rules.rule == LOCK:
        if locked[agent] == 1:
            return own
        if own == 0 and (rules.probability == 1.0 or next_uniform(state) < rules.probability):
            locked[agent] = rules.lasting
            return own
        return -1
    if rules.rule == STICKY:
        return own if next_uniform(state) < rules.probability else -1
    if rules.rule == FOLLOWER and not next_uniform(state) < rules.probability:
        return -1
    majority = announced
    if majority < 0:
        number = leaders(rules, step, agent, last, tally)
        if number > 1 and rules.rule_ties == TIES_NONE:
            return -1
        if rules.rule_ties == TIES_ANY:
            return own if tally[own] == 1.0 else -1
        majority = draw(tally, state) if number > 1 else np.argmax(tally)
    if rules.rule == FOLLOWER:
        return majority
    return own if majority == own else -1
