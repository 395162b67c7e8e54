"""Exact where theory reaches, simulated where not, and each says which."""

import numpy as np
import pytest

from madsim import graphs, theory
from madsim.evaluate import debate_values, swarm_values
from madsim.models import AsynchronousVoter, Conformist, DebateModel, SynchronousVoter, Temperature
from madsim.protocols import Protocol, Visibility

Q = (0.3, 0.55, 0.7)


def values_of(series):
    return [estimate.value for estimate in series]


def test_a_plain_debate_needs_no_random_number():
    model = DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0)
    found = debate_values(model, 3)
    assert found.simulated is None
    assert [round(value, 4) for value in values_of(found.vote)] == [0.8369, 0.7923, 0.7819, 0.7774]
    assert values_of(found.mean_belief) == pytest.approx([0.7] * 4)
    assert values_of(found.disagreement) == pytest.approx(theory.disagreement(model, 3))
    assert all(estimate.exact for series in (found.share, found.vote) for estimate in series)
    assert found.methods["vote"].name == "dynamic programming or enumeration"
    assert "0.7923 exact" in str(found)


def test_nonlinear_panels_take_the_recursion_and_simulate_the_rest():
    model = DebateModel.homogeneous(n_agents=3, belief=0.6, response=Temperature(temperature=0.7))
    found = debate_values(model, 2, n_trials=20_000, rng=1)
    assert found.vote[2].exact
    assert "panel" in found.methods["vote"].name
    assert not found.disagreement[2].exact
    assert found.methods["disagreement"] == found.simulated.method
    gap = abs(found.simulated.vote_accuracy[2].value - found.vote[2].value)
    assert gap < 5 * found.simulated.vote_accuracy[2].standard_error
    wrong = debate_values(DebateModel.homogeneous(n_agents=3, belief=0.6), 2).vote[2].value
    assert abs(found.simulated.vote_accuracy[2].value - wrong) > 5 * found.simulated.vote_accuracy[2].standard_error


def test_large_graphs_have_exact_beliefs_and_a_simulated_vote():
    ring = Protocol(rounds=2, visibility=Visibility(graph=graphs.ring(40)))
    found = debate_values(DebateModel.homogeneous(n_agents=40, belief=0.6, protocol=ring), n_trials=500, rng=1)
    assert found.mean_belief[2].exact
    assert not found.vote[2].exact
    assert found.vote[2].n == 500


def test_each_way_can_be_asked_for():
    model = DebateModel.homogeneous(n_agents=4, belief=0.6)
    found = debate_values(model, 1, method="simulated", n_trials=20_000, rng=1)
    assert {name: method.name for name, method in found.methods.items()} == dict.fromkeys(
        ("mean_belief", "share", "vote", "disagreement"), "lanes, shared counts"
    )
    assert debate_values(model, 1, method="simulated", n_trials=1).mean_belief[1].standard_error is None
    exact = debate_values(model, 1, method="exact")
    for name in ("mean_belief", "share", "vote", "disagreement"):
        a, b = getattr(found, name)[1], getattr(exact, name)[1]
        assert abs(a.value - b.value) < 5 * a.standard_error
    with pytest.raises(ValueError, match="mean belief has no exact value here"):
        debate_values(DebateModel.homogeneous(intervention=Conformist()), 1, method="exact")
    with pytest.raises(ValueError, match="one of auto, exact, simulated, got 'fast'"):
        debate_values(model, method="fast")
    with pytest.raises(TypeError, match="must be a DebateModel"):
        debate_values(Q)


def test_swarms_take_their_exact_law_where_it_is_small():
    small = AsynchronousVoter(quality=Q, n_agents=12, initial=(4, 4, 4))
    found = swarm_values(small, [0, 5, 400])
    assert found.simulated is None
    assert found.method.name == "forward iteration over all counts"
    assert values_of(found.absorbed[2]) == pytest.approx(theory.share_law(small, [400]).absorbed[0])
    simulated = swarm_values(small, [0, 5, 400], method="simulated", n_trials=4_000, rng=1)
    for exact, estimate in zip(found.share[1], simulated.share[1], strict=True):
        assert abs(exact.value - estimate.value) < 5 * estimate.standard_error
    large = swarm_values(AsynchronousVoter(quality=Q, n_agents=400), [0, 4_000], n_trials=200, rng=1)
    assert large.method.name == "lanes"
    assert np.shape(large.share) == (2, 3)
    with pytest.raises(ValueError, match="would take longer than simulating"):
        swarm_values(AsynchronousVoter(quality=Q, n_agents=400), [4_000], method="exact")
    with pytest.raises(ValueError, match="shares has no exact value here"):
        swarm_values(SynchronousVoter(quality=Q, n_agents=12, n_votes=3), [1], method="exact")
    for method in ("auto", "exact", "simulated"):
        with pytest.raises(ValueError, match="times must ascend"):
            swarm_values(small, [5, 1], method=method)
        with pytest.raises((TypeError, ValueError), match=r"times must be .*whole numbers"):
            swarm_values(small, ["late"], method=method)
    with pytest.raises(TypeError, match="must be a swarm"):
        swarm_values(DebateModel.homogeneous(), [1])
