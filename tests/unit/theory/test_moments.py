"""Exact moments against the enumeration of every history, and against literal values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim.models import Cumulative, DebateModel, Forgetting, LastRound, Rereading, Stubborn, Temperature
from madsim.protocols import Protocol, Visibility
from madsim.theory import debate_mean, debate_moments, disagreement, disagreement_law


def on(graph, **options):
    return Protocol(visibility=Visibility(graph=graph), **options)


def histories(model, n_rounds, keep=1.0, anchored=False):
    """Every history: its probability and the beliefs (round, agent, answer) along it, from the definition."""
    n, k = model.concentration.shape
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
            yield from grow(keep * now + prior + weights[len(beliefs) - 1] @ np.eye(k)[list(votes)], chance, beliefs)

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
