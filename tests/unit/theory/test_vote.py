"""The vote in every round: literal values, and three exact methods against each other and against the definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim.models import DebateModel, Forgetting, LastRound, Temperature
from madsim.protocols import Judge, Majority, OneAgent, Protocol, Visibility
from madsim.theory import bracket_width, panel_by_round, plurality, vote_by_round


def on(graph, **options):
    return Protocol(visibility=Visibility(graph=graph), **options)


def by_definition(model, n_rounds, ties):
    """Every history, and the vote at the end of each of its rounds."""
    n, k = model.concentration.shape
    own = np.diag(np.broadcast_to(model.self_weight, n).astype(float))
    weights = [model.peer_weight * model.protocol.graph(n, t).to_array() + own for t in range(1, n_rounds + 1)]
    won = np.zeros(n_rounds + 1)

    def follow(round, now, probability):
        belief = now / now.sum(axis=1, keepdims=True)
        for votes in itertools.product(range(k), repeat=n):
            chance = probability * np.prod(belief[range(n), votes])
            counts = np.bincount(votes, minlength=k)
            leaders = np.flatnonzero(counts == counts.max())
            if 0 in leaders:
                first = next(vote for vote in votes if vote in leaders) == 0
                won[round] += chance * {"random": 1 / len(leaders), "fail": len(leaders) == 1, "first": first}[ties]
            if round < n_rounds:
                follow(round + 1, now + weights[round] @ np.eye(k)[list(votes)], chance)

    follow(0, model.concentration, 1.0)
    return won


@pytest.mark.parametrize(
    ("belief", "mass", "values"),
    [
        (0.7, 2.0, {0: 0.8369, 1: 0.7923, 2: 0.7819, 3: 0.7774, 4: 0.7748, 5: 0.7731, 50: 0.7664}),
        (0.3, 2.0, {0: 0.1631, 2: 0.2181, 5: 0.2269}),
        (0.8, 2.0, {0: 0.9421, 2: 0.8901, 5: 0.8810}),
        (0.7, 10.0, {0: 0.8369, 1: 0.8258, 2: 0.8201, 3: 0.8166, 5: 0.8126}),
    ],
)
def test_published_values(belief, mass, values):
    vote = vote_by_round(DebateModel.homogeneous(n_agents=5, belief=belief, mass=mass), max(values))
    for round, value in values.items():
        assert vote[round] == pytest.approx(value, abs=5.001e-5)


def test_four_answers():
    model = DebateModel.homogeneous(n_agents=5, belief=[0.5, 0.2, 0.2, 0.1], mass=2.0)
    vote = vote_by_round(model, 10, ties="random")
    np.testing.assert_allclose(vote[[0, 1, 2, 10]], [0.665, 0.605663, 0.592450, 0.576945], atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(1, 2), (2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (2, 4)]),
    kind=st.sampled_from(["any graph", "complete", "deaf", "unequal urn"]),
    ties=st.sampled_from(["random", "fail", "first"]),
)
def test_every_method_equals_the_definition(seed, shape, kind, ties):
    rng = np.random.default_rng(seed)
    n, k = shape
    alike = kind in ("complete", "deaf")
    concentration = rng.uniform(0.2, 3, (1 if alike else n, k)) * np.ones((n, 1))
    graph = (
        graphs.from_array((rng.random((n, n)) < 0.6) * (1 - np.eye(n))) if kind == "any graph" else graphs.complete(n)
    )
    weight = float(rng.uniform(0.2, 2))
    model = DebateModel(
        concentration=concentration,
        protocol=on(graph),
        self_weight=weight if kind in ("complete", "unequal urn") else float(rng.uniform(0, 2)),
        peer_weight=weight,
    )
    n_rounds = 2 if k**n <= 9 else 1
    np.testing.assert_allclose(
        vote_by_round(model, n_rounds, ties=ties), by_definition(model, n_rounds, ties), atol=1e-13
    )


def test_graphs_in_turn_and_fading_memory_equal_their_definition():
    both = (graphs.line(3), graphs.from_array([[0, 0, 1], [1, 0, 0], [0, 0, 0]]))
    model = DebateModel(concentration=np.array([[3, 1], [1, 2], [0.5, 0.5]]), protocol=on(both))
    np.testing.assert_allclose(vote_by_round(model, 2, ties="random"), by_definition(model, 2, "random"), atol=1e-14)
    for memory in (Forgetting(keep=0.4), Forgetting(keep=0.4, prior_fades=False), LastRound()):
        model = DebateModel.homogeneous(n_agents=4, belief=0.6, mass=2.0, memory=memory)
        np.testing.assert_allclose(vote_by_round(model, 3), panel_by_round(model, 3).vote, atol=1e-13)


def test_a_large_panel_equals_enumeration_free_limits():
    """1001 agents: round 0 is the majority; answer 0 and answer 1 share the vote."""
    model = DebateModel.homogeneous(n_agents=1001, belief=0.52, mass=40.0)
    vote = vote_by_round(model, 2)
    assert vote[0] == pytest.approx(plurality([0.52, 0.48], 1001), abs=1e-12)
    np.testing.assert_allclose(vote + vote_by_round(model, 2, answer=1), 1, atol=1e-12)


def test_bracketing():
    """With two answers on the complete graph the vote moves one way and stays between the majority and the single agent."""
    for n, mass, belief in itertools.product(
        (1, 2, 3, 4, 5, 7, 10), (0.3, 2.0, 10.0), (0.1, 0.3, 0.45, 0.5, 0.6, 0.8, 0.95)
    ):
        vote = vote_by_round(DebateModel.homogeneous(n_agents=n, belief=belief, mass=mass), 6, ties="random")
        steps = np.diff(vote) * np.sign(belief - vote[0] + 1e-300)
        assert (steps >= -1e-12).all()
        assert ((vote - belief) * (vote[0] - belief) >= -1e-12).all()
        assert abs(vote - vote[0]).max() <= bracket_width(n) + 1e-12


def test_ties_come_from_the_protocol():
    model = DebateModel.homogeneous(
        n_agents=4, belief=0.6, mass=2.0, protocol=Protocol(reduction=Majority(ties="fail"))
    )
    np.testing.assert_array_equal(vote_by_round(model, 1), vote_by_round(model, 1, ties="fail"))
    assert vote_by_round(model, 1)[0] < vote_by_round(model, 1, ties="first")[0]
    unlike = DebateModel(concentration=[[9, 1], [1, 1], [1, 1], [1, 9]])
    assert vote_by_round(unlike, 1, ties="first")[0] > vote_by_round(unlike, 1, ties="random")[0] + 0.1
    with pytest.raises(ValueError, match="reduction is Judge"):
        vote_by_round(DebateModel.homogeneous(protocol=Protocol(reduction=Judge())), 1)


def test_one_agent_decides():
    protocol = on(graphs.star(5), reduction=OneAgent(agent=0))
    model = DebateModel(concentration=[[1, 1], [3, 1], [3, 1], [3, 1], [3, 1]], protocol=protocol)
    vote = vote_by_round(model, 2)
    assert vote[0] == 0.5
    assert vote[1] == pytest.approx((1 + 0.5 + 4 * 0.75) / (2 + 5), abs=1e-15)


def test_what_is_out_of_reach_names_the_largest_size():
    with pytest.raises(ValueError, match="8 agents on any graph"):
        vote_by_round(DebateModel.homogeneous(n_agents=20, belief=0.6, protocol=on(graphs.ring(20))), 5)
    with pytest.raises(ValueError, match="6 agents on the complete graph"):
        vote_by_round(DebateModel.homogeneous(n_agents=20, belief=0.6, n_answers=6), 5)
    with pytest.raises(ValueError, match="agents on the complete graph"):
        vote_by_round(DebateModel.homogeneous(n_agents=60, belief=0.6, self_weight=0.0), 5)
    with pytest.raises(ValueError, match="response"):
        vote_by_round(DebateModel.homogeneous(response=Temperature(temperature=0.5)), 2)
