"""Panels of equal agents under every rule: against single agents followed through every history, and literal values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from madsim import graphs
from madsim.models import (
    Argmax,
    Conformist,
    CorrectionLock,
    Cumulative,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Oracle,
    Rereading,
    Sticky,
    Stubborn,
    Summary,
    Temperature,
    TopP,
)
from madsim.protocols import Convergence, OneByOne, Protocol, Visibility
from madsim.theory import panel_by_round, plurality, vote_by_round


def reaction(model, belief, round):
    """Chance of every answer drawn from one belief, answer by answer."""
    response = model.response
    if type(response).__name__ == "Matching" or round < response.from_round:
        return belief
    if isinstance(response, Temperature):
        powered = [p ** (1 / response.temperature) for p in belief]
        return [p / sum(powered) for p in powered]
    if isinstance(response, Argmax):
        best = [k for k, p in enumerate(belief) if p > max(belief) - 1e-9]
        best = best[:1] if response.ties == "first" else best
        return [(k in best) / len(best) for k in range(len(belief))]
    kept, total = [], 0.0
    for k in sorted(range(len(belief)), key=lambda k: (-round_to(belief[k]), k)):
        if total < response.mass - 1e-9:
            kept.append(k)
            total += belief[k]
    return [(k in kept) * p / total for k, p in enumerate(belief)]


def round_to(value):
    return round(value, 10)


def agent_law(model, belief, round, own, votes, locked, majority):
    """Chance of every answer of one agent, given everybody's last votes and the answer drawn among those tied."""
    k, rule = len(belief), model.intervention
    drawn = np.array(reaction(model, belief, round))
    if round == 0:
        return drawn
    enough = model.protocol.convergence is not None and (model.protocol.convergence.quorum or 1) <= len(votes)
    if enough and len(set(votes)) == 1 and (model.wrong_answers_agree or votes[0] == 0):
        return np.eye(k)[own]
    best = leaders(model, votes)
    keep = 0.0
    if isinstance(rule, Follower):
        if len(best) > 1 and rule.ties == "none":
            return drawn
        adopted = {
            "random": np.eye(k)[majority],
            "each": np.isin(range(k), best) / len(best),
            "none": np.eye(k)[best[0]],
        }
        return rule.probability * adopted[rule.ties] + (1 - rule.probability) * drawn
    if isinstance(rule, CorrectionLock):
        keep = float(locked) if rule.lasting else rule.probability * (own == 0)
    if isinstance(rule, Sticky):
        keep = rule.probability
    if isinstance(rule, Conformist) and own in best:
        keep = {"any": 1.0, "none": float(len(best) == 1), "each": 1 / len(best), "random": float(own == majority)}[
            "each" if rule.among == "heard" else rule.ties
        ]
    return keep * np.eye(k)[own] + (1 - keep) * drawn


def leaders(model, votes):
    counts = [votes.count(answer) for answer in range(model.n_answers)]
    return [answer for answer in range(model.n_answers) if votes and counts[answer] == max(counts)]


def heard_by_all(model, votes):
    """What everybody adds, with its probability."""
    n, k = model.concentration.shape
    weight = model.peer_weight
    counts = np.array([votes.count(answer) for answer in range(k)], dtype=float)
    summary = Summary() if model.protocol.visibility.show == "summary" else model.summary
    if summary is not None:
        best = np.flatnonzero(counts == counts.max())
        if len(best) > 1 and summary.ties == "none":
            return [(1.0, np.zeros(k))]
        amount = weight * n if summary.weight is None else summary.weight
        said = np.isin(np.arange(k), best) / len(best)
        noisy = (1 - summary.noise) * said + summary.noise * (1 - said) / (k - 1)
        return [(noisy[answer], amount * np.eye(k)[answer]) for answer in range(k) if noisy[answer] > 0]
    if model.conformity != 1:
        counts = n * counts**model.conformity / (counts**model.conformity).sum()
    if model.answer_weights is not None:
        counts = counts * np.array(model.answer_weights)
    if model.similarity is not None:
        counts = counts @ model.similarity
    return [(1.0, weight * counts)]


def by_definition(model, n_rounds):
    """Share, vote with fair ties, and belief by round, following every agent through every history."""
    n, k = model.concentration.shape
    share, vote, belief = np.zeros((n_rounds + 1, k)), np.zeros(n_rounds + 1), np.zeros((n_rounds + 1, k))

    def stopped(votes):
        return (
            model.protocol.convergence is not None
            and (model.protocol.convergence.quorum or 1) <= n
            and len(set(votes)) == 1
            and (model.wrong_answers_agree or votes[0] == 0)
        )

    profiles = np.array(list(itertools.product(range(k), repeat=n)))
    counts = (profiles[:, :, None] == np.arange(k)).sum(axis=1)
    won = (counts[:, 0] == counts.max(axis=1)) / (counts == counts.max(axis=1, keepdims=True)).sum(axis=1)

    def follow(round, chance, now, running, votes, locked):
        p = now / now.sum()
        belief[round] += chance * p
        tied = leaders(model, votes) or [None]
        for majority in tied:
            laws = [
                agent_law(model, p, round, votes[i] if votes else None, votes, locked[i], majority) for i in range(n)
            ]
            likely = chance / len(tied) * np.prod([laws[i][profiles[:, i]] for i in range(n)], axis=0)
            share[round] += likely @ counts / n
            vote[round] += likely @ won
            if round < n_rounds:
                for weight, said in zip(likely, profiles.tolist(), strict=True):
                    if weight > 0:
                        hear(round, weight, now, running, votes, tuple(said), locked)

    def hear(round, chance, now, running, votes, said, locked):
        rule = model.intervention
        lasting = isinstance(rule, CorrectionLock) and rule.lasting
        free = [i for i in range(n) if lasting and said[i] == 0 and not locked[i]]
        for bits in itertools.product((False, True), repeat=len(free)):
            locks, odds = list(locked), 1.0
            for i, bit in zip(free, bits, strict=True):
                locks[i] = bit
                odds *= rule.probability if bit else 1 - rule.probability
            for part, heard in heard_by_all(model, said):
                total, memory = running + heard, model.memory
                if votes and stopped(votes):
                    grown, total = now, running
                elif isinstance(memory, Cumulative):
                    grown = now + heard
                elif isinstance(memory, LastRound):
                    grown = model.concentration[0] + heard
                elif isinstance(memory, Rereading):
                    grown = now + total
                else:
                    kept = 0.0 if memory.prior_fades else (1 - memory.keep) * model.concentration[0]
                    grown = memory.keep * now + kept + heard
                follow(round + 1, chance * odds * part, grown, total, said, locks)

    follow(0, 1.0, model.concentration[0], np.zeros(k), (), [False] * n)
    return share, vote, belief


LEAK = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
STOP = Protocol(convergence=Convergence())
OPTIONS = [
    {},
    {"response": Temperature(temperature=0.6)},
    {"response": Temperature(temperature=2.0, from_round=1)},
    {"response": Argmax()},
    {"response": Argmax(ties="first", from_round=1)},
    {"response": TopP(mass=0.7)},
    {"memory": Forgetting(keep=0.5)},
    {"memory": Forgetting(keep=0.5, prior_fades=False)},
    {"memory": LastRound()},
    {"memory": Rereading()},
    {"conformity": 2.0},
    {"answer_weights": (1.5, 1.0, 0.5)},
    {"similarity": LEAK},
    {"summary": Summary()},
    {"protocol": Protocol(visibility=Visibility(show="summary"))},
    {"protocol": Protocol(convergence=Convergence(quorum=3))},
    {"summary": Summary(noise=0.3, weight=1.5, ties="none")},
    {"intervention": Conformist()},
    {"intervention": Conformist(ties="none")},
    {"intervention": Conformist(ties="any")},
    {"intervention": Conformist(ties="each")},
    {"intervention": Conformist(ties="random", among="heard")},
    {"intervention": Follower(probability=0.3)},
    {"intervention": Follower(probability=0.6, ties="none")},
    {"intervention": Follower(probability=0.6, ties="each")},
    {"intervention": Oracle()},
    {"intervention": CorrectionLock(probability=0.4, lasting=True)},
    {"intervention": CorrectionLock(probability=0.4, lasting=False, updates=True)},
    {"intervention": Sticky(probability=0.8)},
    {"protocol": STOP},
    {"protocol": STOP, "wrong_answers_agree": False},
    {"self_weight": 0.6, "peer_weight": 0.6, "intervention": Oracle(), "response": Temperature(temperature=0.7)},
]


@pytest.mark.parametrize(
    "options", OPTIONS, ids=[" ".join(map(repr, option.values()))[:60] or "plain" for option in OPTIONS]
)
@pytest.mark.parametrize("n_agents", [2, 3])
def test_equals_single_agents_through_every_history(options, n_agents):
    n_rounds = 2
    model = DebateModel.homogeneous(n_agents=n_agents, belief=[0.5, 0.3, 0.2], mass=2.0, **options)
    share, vote, belief = by_definition(model, n_rounds)
    found = panel_by_round(model, n_rounds, ties="random")
    np.testing.assert_allclose(found.share, share, atol=1e-12)
    np.testing.assert_allclose(found.vote, vote, atol=1e-12)
    np.testing.assert_allclose(found.belief, belief, atol=1e-12)


def five(belief, **options):
    return panel_by_round(DebateModel.homogeneous(n_agents=5, belief=belief, mass=5.0, **options), 5, ties="random")


def test_what_breaks_flatness():
    assert five(0.6, response=Temperature(temperature=0.7)).belief[-1, 0] == pytest.approx(0.6592, abs=5e-5)
    assert five(0.4, response=Temperature(temperature=0.7)).belief[-1, 0] == pytest.approx(0.3408, abs=5e-5)
    assert five(0.6, response=Argmax()).belief[-1, 0] == pytest.approx(14 / 15, abs=1e-12)
    assert five(0.6, answer_weights=(1.5, 1.0)).belief[-1, 0] == pytest.approx(0.7216, abs=5e-5)
    assert five(0.6, answer_weights=(1.0, 1.5)).belief[-1, 0] == pytest.approx(0.4643, abs=5e-5)


@pytest.mark.parametrize(
    "options",
    [{}, {"memory": Forgetting(keep=0.5)}, {"memory": LastRound()}, {"memory": Rereading()}, {"protocol": STOP}],
)
def test_what_does_not(options):
    np.testing.assert_allclose(five(0.6, **options).belief[:, 0], 0.6, atol=1e-12)


@pytest.mark.parametrize(
    ("rule", "belief", "share", "vote"),
    [
        (None, 0.7, 0.7, 0.7954),
        (Conformist(), 0.7, 0.8374, 0.8369),
        (Follower(), 0.7, 0.7636, 0.8324),
        (Oracle(), 0.7, 0.9978, 0.9998),
        (None, 0.4, 0.4, 0.3438),
        (Conformist(), 0.4, 0.3171, 0.3174),
        (Follower(), 0.4, 0.3612, 0.3190),
        (Oracle(), 0.4, 0.9470, 0.9759),
    ],
)
def test_interventions(rule, belief, share, vote):
    found = five(belief, intervention=rule)
    assert found.share[-1, 0] == pytest.approx(share, abs=5.001e-5)
    assert found.vote[-1] == pytest.approx(vote, abs=5.001e-5)


def test_a_conformist_panel_votes_as_in_round_0():
    """Two answers, odd panel: the majority keeps its answers, so the winner never changes; with four answers ties let it change."""
    np.testing.assert_allclose(five(0.7, intervention=Conformist()).vote, plurality([0.7, 0.3], 5), atol=1e-13)
    model = DebateModel.homogeneous(
        n_agents=5, belief=[0.5, 0.2, 0.2, 0.1], mass=5.0, intervention=Conformist(ties="any")
    )
    np.testing.assert_allclose(
        panel_by_round(model, 4, ties="random").vote, [0.665, 0.6835, 0.6873, 0.6880, 0.6881], atol=5e-5
    )


@pytest.mark.parametrize(
    ("mass", "options", "shares"),
    [
        (2.0, {"wrong_answers_agree": False}, [0.66, 0.6991, 0.7344]),
        (5.0, {"wrong_answers_agree": False}, [0.66, 0.7211, 0.7659]),
        (2.0, {"n_answers": 4}, [0.66, 0.6979, 0.7267]),
        (5.0, {"n_answers": 4}, [0.66, 0.7193, 0.7599]),
    ],
)
def test_stopping_at_unanimity_makes_shares_rise_and_beliefs_not(mass, options, shares):
    model = DebateModel.homogeneous(n_agents=3, belief=0.66, mass=mass, protocol=STOP, **options)
    found = panel_by_round(model, 2, ties="random")
    np.testing.assert_allclose(found.share[:, 0], shares, atol=5.001e-5)
    np.testing.assert_allclose(found.belief[:, 0], 0.66, atol=1e-12)
    plain = DebateModel.homogeneous(n_agents=3, belief=0.66, mass=mass)
    np.testing.assert_allclose(panel_by_round(plain, 2, ties="random").share[:, 0], 0.66, atol=1e-12)


def test_plain_panel_equals_the_urn():
    model = DebateModel.homogeneous(n_agents=6, belief=0.35, mass=1.5)
    for ties in ("random", "fail", "first"):
        np.testing.assert_allclose(
            panel_by_round(model, 4, ties=ties).vote, vote_by_round(model, 4, ties=ties), atol=1e-13
        )
    assert panel_by_round(model, 0).unanimous[0] == pytest.approx(0.35**6 + 0.65**6, abs=1e-15)


def test_an_agent_alone_has_its_self_weight():
    alone = DebateModel.homogeneous(
        n_agents=1, belief=0.6, mass=2.0, self_weight=3.0, response=Temperature(temperature=0.5)
    )
    sharp = 0.36 / (0.36 + 0.16)
    assert panel_by_round(alone, 1).belief[1, 0] == pytest.approx((1.2 + 3 * sharp) / 5, abs=1e-15)


def test_an_extreme_conformity_stays_a_number():
    model = DebateModel.homogeneous(n_agents=5, belief=0.6, mass=2.0, conformity=1e4)
    assert panel_by_round(model, 2).belief[1, 0] == pytest.approx((1.2 + 5 * plurality([0.6, 0.4], 5)) / 7, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"self_weight": 2.0}, "own answer does not weigh"),
        ({"stubborn": Stubborn(agents=(0,))}, "stubborn"),
        ({"intervention": Sticky(updates=False)}, "drift apart"),
        ({"protocol": Protocol(schedule=OneByOne())}, "schedule"),
        ({"protocol": Protocol(visibility=Visibility(graph=graphs.ring(5)))}, "not everybody hears"),
    ],
)
def test_agents_that_do_not_stay_equal_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        panel_by_round(DebateModel.homogeneous(n_agents=5, **options), 2)


def test_too_many_states_are_refused():
    with pytest.raises(ValueError, match="too many states"):
        panel_by_round(DebateModel.homogeneous(n_agents=12, n_answers=6, belief=0.3), 4)
    with pytest.raises(ValueError, match="no round is feasible"):
        panel_by_round(DebateModel.homogeneous(n_agents=200, n_answers=6, belief=0.3), 4)
    with pytest.raises(ValueError, match="different concentrations"):
        panel_by_round(DebateModel(concentration=[[1, 2], [2, 1]]), 1)
