"""Exact moments against the enumeration of every history, and against literal values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim.models import Cumulative, DebateModel, Forgetting, LastRound, Rereading, Stubborn, Temperature
from madsim.protocols import OneByOne, Protocol, Visibility
from madsim.theory import debate_mean, debate_moments, disagreement, disagreement_law


def on(graph, **options):
    return Protocol(visibility=Visibility(graph=graph), **options)


def histories(model, n_rounds, keep=1.0, anchored=False, similarity=None):
    """Every history: its probability and the beliefs (round, agent, answer) along it, from the definition."""
    n, k = model.concentration.shape
    counted = np.eye(k) if similarity is None else similarity
    weights = [
        np.broadcast_to(model.peer_weight, n)[:, None] * model.protocol.graph(n, t).to_array()
        + np.diag(np.broadcast_to(model.self_weight, n))
        for t in range(1, n_rounds + 1)
    ]

    def grow(now, probability, beliefs):
        belief = now / now.sum(axis=1, keepdims=True)
        beliefs = [*beliefs, belief]
        if len(beliefs) > n_rounds:
            yield probability, np.array(beliefs)
            return
        for votes in itertools.product(range(k), repeat=n):
            chance = probability * np.prod(belief[range(n), votes])
            prior = (1 - keep) * anchored * model.concentration
            yield from grow(keep * now + prior + weights[len(beliefs) - 1] @ counted[list(votes)], chance, beliefs)

    return list(grow(model.concentration, 1.0, []))


def random_model(seed, n, k=2, **options):
    rng = np.random.default_rng(seed)
    matrix = rng.uniform(0, 2, (n, n)) * (rng.random((n, n)) < 0.6) * (1 - np.eye(n))
    return DebateModel(
        concentration=rng.uniform(0.3, 4, (n, k)),
        protocol=on(graphs.from_array(matrix)),
        self_weight=tuple(rng.uniform(0, 2, n)),
        peer_weight=float(rng.uniform(0.2, 2)),
        **options,
    )


MEMORIES = [
    (Cumulative(), 1.0, False),
    (Forgetting(keep=0.6), 0.6, False),
    (Forgetting(keep=0.6, prior_fades=False), 0.6, True),
    (LastRound(), 0.0, True),
]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 4), k=st.integers(2, 3), memory=st.sampled_from(MEMORIES))
def test_moments_are_those_of_all_histories(seed, n, k, memory):
    kind, keep, anchored = memory
    n_rounds = 2 if k**n <= 27 else 1
    model = random_model(seed, n, k, memory=kind)
    probability, beliefs = zip(*histories(model, n_rounds, keep, anchored), strict=True)
    probability, beliefs = np.array(probability), np.array(beliefs)  # (history,), (history, round, agent, answer)
    mean = np.tensordot(probability, beliefs, axes=1)
    for answer in range(k):
        moments = debate_moments(model, n_rounds, answer=answer)
        centred = beliefs[..., answer] - mean[..., answer]
        np.testing.assert_allclose(moments.mean, mean[..., answer], atol=1e-13)
        np.testing.assert_allclose(moments.sd**2, np.tensordot(probability, centred**2, axes=1), atol=1e-13)
        np.testing.assert_allclose(
            moments.covariance, np.einsum("h,hi,hj->ij", probability, centred[:, -1], centred[:, -1]), atol=1e-13
        )
        np.testing.assert_allclose(moments.pooled_sd**2, probability @ centred.mean(axis=2) ** 2, atol=1e-13)
        np.testing.assert_allclose(debate_mean(model, n_rounds, answer=answer), moments.mean, atol=1e-14)
    if n > 1:
        pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
        agree = sum(
            np.tensordot(probability, (beliefs[:, :, i] * beliefs[:, :, j]).sum(axis=2), axes=1) for i, j in pairs
        )
        np.testing.assert_allclose(disagreement(model, n_rounds), 1 - agree / len(pairs), atol=1e-13)


def turns(model, n_rounds, orders):
    """Agents one after the other, from the definition: mean and second moments of the beliefs with which they answer, by round."""
    n, keep, prior = model.n_agents, getattr(model.memory, "keep", 1.0), model.concentration
    kept = 0.0 if getattr(model.memory, "prior_fades", True) else 1 - keep
    weights = model.peer_weight * model.protocol.graph(n, 1).to_array() + np.diag(np.broadcast_to(model.self_weight, n))
    first, second = np.zeros((n_rounds + 1, n)), np.zeros((n_rounds + 1, n, n))

    def speak(round, place, order, chance, now, votes, beliefs):
        if place == n:
            first[round] += chance * np.array(beliefs)
            second[round] += chance * np.outer(beliefs, beliefs)
            if round < n_rounds:
                for following in orders:
                    speak(round + 1, 0, following, chance / len(orders), now, votes, beliefs)
            return
        agent = order[place]
        if round:
            heard = weights[agent] @ np.eye(2)[list(votes)]
            now = now.copy()
            now[agent] = keep * now[agent] + kept * prior[agent] + heard
        belief = now[agent, 0] / now[agent].sum()
        beliefs = [belief if i == agent else b for i, b in enumerate(beliefs)]
        for vote, likely in ((0, belief), (1, 1 - belief)):
            said = tuple(vote if i == agent else v for i, v in enumerate(votes))
            speak(round, place + 1, order, chance * likely, now, said, beliefs)

    speak(0, 0, tuple(range(n)), 1.0, prior, (0,) * n, [0.0] * n)
    return first, second


@pytest.mark.parametrize("order", ["declared", "random"])
@pytest.mark.parametrize("memory", [Cumulative(), Forgetting(keep=0.6, prior_fades=False)])
def test_one_after_the_other(order, memory):
    graph = graphs.from_array([[0, 1, 0.5], [2, 0, 0], [1, 1, 0]])
    model = DebateModel(
        concentration=np.array([[3.0, 1], [1, 2], [0.5, 0.5]]),
        protocol=on(graph, schedule=OneByOne(order=order)),
        self_weight=0.7,
        peer_weight=1.3,
        memory=memory,
    )
    orders = [(0, 1, 2)] if order == "declared" else list(itertools.permutations(range(3)))
    first, second = turns(model, 2, orders)
    moments = debate_moments(model, 2)
    np.testing.assert_allclose(moments.mean, first, atol=1e-13)
    np.testing.assert_allclose(moments.sd**2, np.diagonal(second, axis1=1, axis2=2) - first**2, atol=1e-13)
    np.testing.assert_allclose(moments.covariance, second[-1] - np.outer(first[-1], first[-1]), atol=1e-13)
    np.testing.assert_allclose(debate_mean(model, 2), first, atol=1e-13)


def test_order_matters_for_the_spread_not_for_the_mean():
    once = DebateModel.homogeneous(n_agents=5, belief=0.6, mass=2.0)
    turn = DebateModel.homogeneous(n_agents=5, belief=0.6, mass=2.0, protocol=Protocol(schedule=OneByOne()))
    np.testing.assert_allclose(debate_moments(turn, 3).mean, 0.6, atol=1e-13)
    assert (debate_moments(turn, 3).sd[2, -1] > debate_moments(once, 3).sd[2, -1]).all()
    with pytest.raises(ValueError, match="6 agents is the largest"):
        debate_moments(DebateModel.homogeneous(n_agents=7, protocol=Protocol(schedule=OneByOne(order="random"))), 1)
    with pytest.raises(ValueError, match=r"protocol\.schedule"):
        disagreement(turn, 2)


@pytest.mark.parametrize("memory", [(Cumulative(), 1.0, False), (Forgetting(keep=0.6, prior_fades=False), 0.6, True)])
def test_similar_answers(memory):
    """Counts pass through the similarity before they are added."""
    kind, keep, anchored = memory
    leak = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    model = random_model(3, 3, 3, memory=kind, similarity=leak)
    probability, beliefs = zip(*histories(model, 2, keep, anchored, leak), strict=True)
    probability, beliefs = np.array(probability), np.array(beliefs)
    for answer in range(3):
        mean = np.tensordot(probability, beliefs[..., answer], axes=1)
        centred = beliefs[..., answer] - mean
        moments = debate_moments(model, 2, answer=answer)
        np.testing.assert_allclose(moments.mean, mean, atol=1e-13)
        np.testing.assert_allclose(moments.sd**2, np.tensordot(probability, centred**2, axes=1), atol=1e-13)
        spread = np.einsum("h,hi,hj->ij", probability, centred[:, -1], centred[:, -1])
        np.testing.assert_allclose(moments.covariance, spread, atol=1e-13)
        np.testing.assert_allclose(debate_mean(model, 2, answer=answer), mean, atol=1e-13)


def test_a_sequence_of_graphs():
    both = (graphs.line(3), graphs.from_array([[0, 0, 2], [1, 0, 0], [0, 0, 0]]))
    model = DebateModel(concentration=np.array([[3, 1], [1, 2], [0.5, 0.5]]), protocol=on(both))
    probability, beliefs = zip(*histories(model, 2), strict=True)
    mean = np.tensordot(probability, np.array(beliefs)[..., 0], axes=1)
    np.testing.assert_allclose(debate_moments(model, 2).mean, mean, atol=1e-14)
    with pytest.raises(ValueError, match="rounds 1 to 2"):
        debate_moments(model, 3)


def test_large_sparse_panel_equals_dense(monkeypatch):
    model = DebateModel.homogeneous(n_agents=60, belief=0.6, mass=3.0, protocol=on(graphs.ring(60)), self_weight=0.5)
    dense = debate_moments(model, 4)
    monkeypatch.setattr("madsim.theory._influence._LARGEST_DENSE", 10)
    sparse = debate_moments(model, 4)
    np.testing.assert_allclose(sparse.covariance, dense.covariance, atol=1e-15)
    np.testing.assert_allclose(sparse.mean, dense.mean, atol=1e-15)


def test_mean_of_a_very_large_panel():
    n = 100_000
    model = DebateModel.homogeneous(n_agents=n, belief=0.3, mass=2.0, protocol=on(graphs.ring(n)))
    np.testing.assert_allclose(debate_mean(model, 3), 0.3, atol=1e-12)
    with pytest.raises(ValueError, match="4000 is the largest"):
        debate_moments(model, 3)


def test_the_complete_graph_has_a_largest_size():
    with pytest.raises(ValueError, match="disagreement_law"):
        debate_mean(DebateModel.homogeneous(n_agents=100_000, belief=0.3, mass=2.0), 3)


def test_stubborn_agents_stay():
    model = DebateModel.homogeneous(n_agents=3, belief=0.6, mass=2.0, stubborn=Stubborn(agents=(1,)))
    moments = debate_moments(model, 3)
    np.testing.assert_array_equal(moments.sd[:, 1], 0)
    assert (moments.sd[1:, 0] > 0).all()


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 12), mass=st.floats(0.1, 30), belief=st.floats(0.05, 0.95))
def test_complete_graph_follows_the_disagreement_law(n, mass, belief):
    """Var p_t = p (1 - p) (1 - D_t / D_0), beside the matrix recursion."""
    moments = debate_moments(DebateModel.homogeneous(n_agents=n, belief=belief, mass=mass), 6)
    left = disagreement_law(n, mass, 6)
    np.testing.assert_allclose(moments.sd[:, 0] ** 2, belief * (1 - belief) * (1 - left), atol=1e-12)
    np.testing.assert_allclose(moments.pooled_sd, moments.sd[:, 0], atol=1e-9)


def test_what_is_not_linear_is_named():
    with pytest.raises(ValueError, match="response"):
        debate_moments(DebateModel.homogeneous(response=Temperature(temperature=0.5)), 2)
    with pytest.raises(ValueError, match="memory"):
        debate_moments(DebateModel.homogeneous(memory=Rereading()), 2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        debate_moments(DebateModel.homogeneous(), 2, answer=2)
    with pytest.raises(ValueError, match="at least two agents"):
        disagreement(DebateModel.homogeneous(n_agents=1))


def test_prints_well():
    text = str(debate_moments(DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0), 1))
    assert text.splitlines()[-1].split() == ["1", "0.7000", "0.1464"]
