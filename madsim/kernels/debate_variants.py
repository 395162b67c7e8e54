"""Every variant of the debate in one readable loop, trial by trial in float64: the slow path where no lane kernel applies.

Slower than the lanes by a factor of ten or so, and general: any order of speaking, response, memory, intervention, summary and early
stop, and a first belief that may differ from trial to trial. After an early stop agents still add the last answers to their beliefs, once:
a belief is stopped when its debate is, with all that was heard.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.debate_rules import (
    FORGETTING,
    MATCHING,
    MOVES,
    NEVER,
    NO_RULE,
    ON_ANY,
    RANDOM,
    REPEATS,
    SIMULTANEOUS,
    announce,
    hear,
    listen,
    remember,
    respond,
    rule_answer,
    summarise,
)
from madsim.kernels.streams import next_uniform, seed_state

NOT_HELD = 255
"""Vote of a round that an early stop left out."""


@njit(nogil=True, cache=True, error_model="numpy")
def debate_variants(key, first_trial, n_trials, prior, rules, belief, right, share, wins, spread, votes):
    """Run the trials ``first_trial`` to ``first_trial + n_trials - 1`` and add their statistics.

    Parameters
    ----------
    key : uint64 (2,), see `streams.stream_key`
    prior : float64 (prior, agent, answer); trial r starts from prior ``r % prior.shape[0]``
    rules : `debate_rules.Rules`
    belief : int64 (round, agent, 2); adds sum and sum of squares of the belief in the target, in units of 2**-32
    right : int64 (round, agent); adds the number of right answers of each agent
    share, wins, spread : as in `debate_tally.tally_round`
    votes : uint8 (trial, round, agent), or of no trial where votes are not kept; `NOT_HELD` after an early stop
    """
    n_agents, n_answers = prior.shape[1:]
    n_rounds = belief.shape[0]
    answer_weights, similarity = rules.answer_weights, rules.similarity
    state = np.empty(4, np.uint32)
    crowd = np.empty(n_answers)
    evidence = np.empty((n_agents, n_answers))
    transcript = np.empty((n_agents, n_answers))
    prior_share = np.empty(n_agents)
    heard, concentration, chances = np.empty(n_answers), np.empty(n_answers), np.empty(n_answers)
    last, now, order = np.empty(n_agents, np.int64), np.empty(n_agents, np.int64), np.empty(n_agents, np.int64)
    locked = np.empty(n_agents, np.int8)
    believed = np.empty(n_agents)
    for trial in range(n_trials):
        seed_state(key, first_trial + trial, state)
        start = prior[(first_trial + trial) % prior.shape[0]]
        evidence[:] = 0.0
        transcript[:] = 0.0
        prior_share[:] = 1.0
        locked[:] = 0
        stopped, settled = False, False
        for step in range(n_rounds):
            if not settled:
                last[:] = now
                settled = stopped
                crowd[:] = 0.0
                if step > 0:
                    for agent in range(n_agents):
                        crowd[last[agent]] += 1.0
                summary = -1
                if step > 0 and rules.summary.shape[0] > 0:
                    summary = summarise(rules, last, heard, state)
                announced = -1
                if step > 0 and not stopped:
                    announced = announce(rules, last, heard, state)
                for place in range(n_agents):
                    order[place] = place
                if step > 0 and rules.order == RANDOM and not stopped:
                    for place in range(n_agents - 1, 0, -1):
                        other = np.int64(next_uniform(state) * (place + 1))
                        order[place], order[other] = order[other], order[place]
                shown = last if rules.order == SIMULTANEOUS else now
                for place in range(n_agents):
                    agent = order[place]
                    moves = rules.stubborn[agent] == MOVES
                    answer = -1
                    if step > 0:
                        if stopped or rules.stubborn[agent] == REPEATS:
                            answer = last[agent]
                        elif moves and rules.rule != NO_RULE:
                            answer = rule_answer(rules, step, agent, last, announced, locked, heard, state)
                        updates = rules.updates or (locked[agent] == 0 if stopped else answer < 0)
                        if moves and updates:
                            heard[:] = 0.0
                            if summary >= 0:
                                hear(answer_weights, similarity, summary, rules.summary[agent], heard)
                            elif rules.summary.shape[0] == 0:
                                listen(
                                    answer_weights, similarity, rules.common[agent], rules.own[agent], agent, shown, crowd,
                                    rules.offsets[rules.graph_of_round[step]], rules.heard_agent, rules.weights,
                                    rules.conformity, heard,
                                )  # fmt: skip
                            remember(rules.memory, rules.keep, heard, evidence[agent], transcript[agent])
                            if rules.memory == FORGETTING and rules.prior_fades:
                                prior_share[agent] *= rules.keep
                    mass = 0.0
                    for k in range(n_answers):
                        concentration[k] = prior_share[agent] * start[agent, k] + evidence[agent, k]
                        mass += concentration[k]
                    believed[agent] = concentration[0] / mass
                    if answer < 0:
                        kind = rules.response if step >= rules.response_from else MATCHING
                        answer = respond(kind, rules.response_setting, concentration, chances, state)
                    if step > 0 and rules.order != SIMULTANEOUS:
                        crowd[now[agent]] -= 1.0
                        crowd[answer] += 1.0
                    now[agent] = answer
            for agent in range(n_agents):
                belief[step, agent, 0] += np.int64(believed[agent] * 4294967296.0)
                belief[step, agent, 1] += np.int64(believed[agent] * believed[agent] * 4294967296.0)
                right[step, agent] += now[agent] == 0
                if votes.shape[0] > 0:
                    votes[trial, step, agent] = NOT_HELD if stopped else now[agent]
            unanimous = count_votes(now, n_answers, rules.ties_first, share[step], wins[step], spread[step], heard)
            if unanimous and rules.stop != NEVER and (rules.stop == ON_ANY or now[0] == 0):
                stopped = True


@njit(nogil=True, cache=True, error_model="numpy")
def count_votes(now, n_answers, ties_first, share, wins, spread, tally):
    """Add one round of one trial to the totals; returns whether all agents agree. `tally` is scratch, float64 (answer,)."""
    n_agents = now.shape[0]
    tally[:] = 0.0
    for agent in range(n_agents):
        tally[now[agent]] += 1.0
    most = tally.max()
    number = 0
    agreeing = 0.0
    for answer in range(n_answers):
        number += tally[answer] == most
        agreeing += tally[answer] * tally[answer]
    right = np.int64(tally[0])
    share[0] += right
    share[1] += right * right
    if tally[0] == most:
        wins[number - 1] += 1
        if ties_first:
            agent = 0
            while tally[now[agent]] != most:
                agent += 1
            wins[n_answers] += now[agent] == 0
    if n_agents > 1:
        square = np.float64(n_agents) * np.float64(n_agents)
        fraction = (square - agreeing) * (4294967296.0 / (np.float64(n_agents) * np.float64(n_agents - 1)))
        spread[0] += np.int64(fraction)
        spread[1] += np.int64(fraction * fraction * 2.0**-32)
    return most == n_agents
