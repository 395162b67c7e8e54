"""The four properties: closed forms against brute force over graphs and histories, and literal values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from madsim import graphs
from madsim.models import DebateModel, Stubborn
from madsim.protocols import Protocol, Visibility
from madsim.theory import conditional_drift, debate_moments, martingale_properties, own_history_slopes
from madsim.theory._classify import per_agent_obstacle

DIRECTED_RING = graphs.from_array(np.roll(np.eye(4), 1, axis=1), name="directed ring")


def on(graph, *, belief=0.6, mass=2.0, **options):
    n = graph.n_agents
    belief, mass = np.broadcast_to(belief, n), np.broadcast_to(mass, n)
    concentration = np.column_stack([belief * mass, (1 - belief) * mass])
    return DebateModel(concentration=concentration, protocol=Protocol(visibility=Visibility(graph=graph)), **options)


def matrix_of(model):
    n = model.n_agents
    return model.peer_weight * model.protocol.graph(n, 1).to_array() + np.diag(np.broadcast_to(model.self_weight, n))


def beliefs_after(matrix, concentration, votes):
    """The definition: concentrations plus the votes heard, summed over rounds; `votes` (round, agent) is 1 for right."""
    right = concentration[:, 0] + matrix @ votes.sum(axis=0)
    return right / (concentration.sum(axis=1) + len(votes) * matrix.sum(axis=1))


def next_expected(matrix, mass, belief):
    return (mass * belief + matrix @ belief) / (mass + matrix.sum(axis=1))


def is_martingale(matrix, mass, belief, rounds=(0, 1, 2)):
    """Brute force: the expected belief stays after every sequence of votes of up to two rounds."""
    n = len(matrix)
    heard = matrix.sum(axis=1)
    for t in rounds:
        said = np.array(list(itertools.product(range(t + 1), repeat=n)))
        now = (mass * belief + said @ matrix.T) / (mass + t * heard)
        if np.abs(now @ matrix.T - heard * now).max() > 1e-9:
            return False
    return True


def undirected(n):
    pairs = list(itertools.combinations(range(n), 2))
    for bits in itertools.product((0.0, 1.0), repeat=len(pairs)):
        matrix = np.zeros((n, n))
        for bit, (i, j) in zip(bits, pairs, strict=True):
            matrix[i, j] = matrix[j, i] = bit
        yield matrix


def directed(n):
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    for bits in itertools.product((0.0, 1.0), repeat=len(pairs)):
        matrix = np.zeros((n, n))
        matrix[tuple(zip(*pairs, strict=True)) if pairs else ([], [])] = bits
        yield matrix


def priors(n):
    """Masses and beliefs: equal; one mass differs; one belief differs."""
    equal, belief = np.full(n, 2.0), np.full(n, 0.6)
    first = np.eye(n)[0]
    return [(equal, belief), (equal + first, belief), (equal, belief + 0.1 * first)]


def component_rule(matrix, mass, belief):
    """For agents who all hear themselves, weights 1: every component is a clique with equal mass and belief."""
    linked = (matrix + matrix.T) > 0
    reach = linked
    for _ in range(3):
        reach = reach @ reach
    return all(
        matrix[np.ix_(group, group)].all() and np.ptp(mass[group]) < 1e-9 and np.ptp(belief[group]) < 1e-9
        for group in map(np.flatnonzero, reach)
    )


def _agree(makers, with_self):
    cases = held = 0
    for matrices in makers:
        for matrix in matrices:
            n = len(matrix)
            for mass, belief in priors(n):
                for self_weight in (1.0,) if with_self else (0.0, 0.5):
                    heard = matrix + self_weight * np.eye(n)
                    truth = is_martingale(heard, mass, belief)
                    assert (per_agent_obstacle(heard, mass, belief) is None) == truth, (heard, mass, belief)
                    if with_self:
                        assert component_rule(heard, mass, belief) == truth
                    cases += 1
                    held += truth
    return cases, held


def test_classification_equals_brute_force_with_self():
    cases, held = _agree([undirected(1), undirected(2), undirected(3), undirected(4), directed(2), directed(3)], True)
    assert cases == 3 * (1 + 2 + 8 + 64 + 4 + 64)
    assert held >= 30


def test_classification_equals_brute_force_without_self():
    cases, held = _agree([undirected(2), undirected(3), undirected(4), directed(2), directed(3)], False)
    assert cases == 6 * (2 + 8 + 64 + 4 + 64)
    assert held >= 30


def test_classification_of_all_graphs():
    assert _agree([undirected(5)], True)[0] == 3 * 1024
    assert _agree([directed(4)], True)[0] == 3 * 4096
    assert _agree([undirected(5)], False)[0] == 6 * 1024
    assert _agree([directed(4)], False)[0] == 6 * 4096


def test_classification_of_weighted_graphs():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(4000):
        matrix = rng.integers(0, 3, (3, 3)).astype(float)
        mass = 2 * matrix.sum(axis=1) + (matrix.sum(axis=1) == 0)
        truth = is_martingale(matrix, mass, np.full(3, 0.4))
        assert (per_agent_obstacle(matrix, mass, np.full(3, 0.4)) is None) == truth
        held += truth
    assert held >= 30


def test_a_listener_between_two_groups():
    """Agents 0 and 1 hear themselves; agent 2 hears both with twice their mass. All beliefs are martingales, though the component is no
    clique and its members do not hear the same agents."""
    matrix = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 0]])
    mass, belief = np.array([2.0, 2.0, 4.0]), np.array([0.3, 0.5, 0.4])
    assert is_martingale(matrix, mass, belief, rounds=(0, 1, 2, 3, 4))
    assert per_agent_obstacle(matrix, mass, belief) is None
    assert "mass" in per_agent_obstacle(matrix, np.full(3, 2.0), belief)


def test_reasons_are_specific():
    clique = np.ones((3, 3))
    alike = np.full(3, 2.0), np.full(3, 0.5)
    assert per_agent_obstacle(clique, *alike) is None
    line = np.eye(3) + np.eye(3, k=1) + np.eye(3, k=-1)
    cases = {
        "do not hear the same agents": (line, line.sum(axis=1), alike[1]),
        "different mass": (clique, np.array([2.0, 2.0, 3.0]), alike[1]),
        "does not start from the average": (clique, alike[0], np.array([0.5, 0.5, 0.6])),
        "who hears nobody": (np.array([[1.0, 1.0], [0, 0]]), np.full(2, 2.0), np.full(2, 0.5)),
        "not by those whom it hears": (np.array([[0, 1.0, 0], [0, 0, 1.0], [0, 0, 1.0]]), *alike),
        "a part of the group": (np.array([[1.0, 1, 0], [1, 1, 0], [2, 0, 0]]), *alike),
        "in other shares": (np.array([[1.0, 1, 0], [1, 1, 0], [1.5, 0.5, 0]]), *alike),
    }
    for reason, (matrix, mass, belief) in cases.items():
        assert reason in per_agent_obstacle(matrix, mass, belief)
        assert not is_martingale(matrix, mass, belief)


DRIFTS = [
    (graphs.complete(4), 1.0, 0.0, 0.0),
    (graphs.complete(4), 0.0, 0.0750, 0.0424),
    (graphs.ring(4), 1.0, 0.0500, 0.0300),
    (graphs.ring(5), 1.0, 0.0500, 0.0245),
    (graphs.ring(5), 0.0, 0.1667, 0.0764),
    (graphs.line(3), 1.0, 0.0275, 0.0164),
    (graphs.line(4), 1.0, 0.03875, 0.0186),
    (graphs.star(5), 1.0, 0.0786, 0.0255),
    (DIRECTED_RING, 1.0, 0.0417, 0.0289),
]


@pytest.mark.parametrize(("graph", "self_weight", "largest", "rms"), DRIFTS)
def test_conditional_drift_values(graph, self_weight, largest, rms):
    drift = conditional_drift(on(graph, self_weight=self_weight))
    assert drift.largest.max() == pytest.approx(largest, abs=5.001e-5)
    assert np.sqrt((drift.rms**2).mean()) == pytest.approx(rms, abs=5.001e-5)


@pytest.mark.parametrize("round", [0, 1, 2])
@pytest.mark.parametrize("graph", [graphs.line(3), graphs.from_array([[0, 0.5, 2], [1, 0, 0], [0, 3, 0]])])
def test_conditional_drift_is_that_of_all_histories(graph, round):
    model = on(graph, belief=[0.6, 0.3, 0.8], mass=[1.0, 2.0, 5.0], self_weight=0.7)
    matrix, mass = matrix_of(model), model.mass
    heard, n = matrix.sum(axis=1), 3
    chances, drifts, urn = [], [], []
    for votes in itertools.product((0, 1), repeat=n * round):
        votes = np.array(votes).reshape(round, n)
        chance = 1.0
        for t in range(round):
            belief = beliefs_after(matrix, model.concentration, votes[:t])
            chance *= np.prod(np.where(votes[t] == 1, belief, 1 - belief))
        before = beliefs_after(matrix, model.concentration, votes)
        grown = mass + round * heard
        after = next_expected(matrix, grown, before)
        chances.append(chance)
        drifts.append(after - before)
        urn.append((grown + heard) @ after / (grown + heard).sum() - grown @ before / grown.sum())
    chances, drifts, urn = np.array(chances), np.array(drifts), np.array(urn)
    found = conditional_drift(model, round)
    np.testing.assert_allclose(found.largest, np.abs(drifts).max(axis=0), atol=1e-14)
    np.testing.assert_allclose(found.rms, np.sqrt(chances @ drifts**2), atol=1e-12)
    assert found.mean_largest == pytest.approx(np.abs(drifts.mean(axis=1)).max(), abs=1e-14)
    assert found.mean_rms == pytest.approx(np.sqrt(chances @ drifts.mean(axis=1) ** 2), abs=1e-12)
    assert found.urn_largest == pytest.approx(np.abs(urn).max(), abs=1e-14)
    assert found.urn_rms == pytest.approx(np.sqrt(chances @ urn**2), abs=1e-12)


def test_scale_and_pooled_drift():
    assert conditional_drift(on(graphs.ring(4))).step_rms == pytest.approx(0.0995, abs=5e-5)
    star, deaf = conditional_drift(on(graphs.star(5))), conditional_drift(on(graphs.star(5), self_weight=0.0))
    assert (star.urn_largest, deaf.urn_largest) == pytest.approx((0.0068, 0.0274), abs=5e-5)
    assert (star.mean_largest, deaf.mean_largest) == pytest.approx((0.0157, 0.0640), abs=5e-5)
    ring = conditional_drift(on(graphs.ring(5)), 3)
    assert ring.mean_largest == pytest.approx(0, abs=1e-15)
    assert ring.largest.min() > 0.01


SLOPES = [
    (graphs.complete(5), 1.0, {0: 0.0}),
    (graphs.complete(5), 0.0, {0: -0.100}),
    (graphs.ring(5), 1.0, {0: -0.0833}),
    (graphs.line(4), 1.0, {0: -0.0333, 1: -0.0625, 3: -0.0333}),
    (graphs.star(5), 1.0, {0: -0.100, 1: -0.0714}),
]


@pytest.mark.parametrize(("graph", "self_weight", "values"), SLOPES)
def test_own_history_slopes(graph, self_weight, values):
    """The values, and that the conditional mean given the own past is linear with this slope."""
    model = on(graph, self_weight=self_weight)
    slopes = own_history_slopes(model)[0]
    for agent, value in values.items():
        assert slopes[agent] == pytest.approx(value, abs=5.001e-5)
    matrix, n = matrix_of(model), graph.n_agents
    votes = np.array(list(itertools.product((0, 1), repeat=n)))
    chance = np.prod(np.where(votes == 1, 0.6, 0.4), axis=1)
    before = np.array([beliefs_after(matrix, model.concentration, vote[None]) for vote in votes])
    drift = np.array([next_expected(matrix, 2.0 + matrix.sum(axis=1), belief) for belief in before]) - before
    for agent in values:
        for own in np.unique(before[:, agent].round(12)):
            same = np.isclose(before[:, agent], own)
            expected = chance[same] @ drift[same, agent] / chance[same].sum()
            assert expected == pytest.approx(slopes[agent] * (own - 0.6), abs=1e-11)


def test_the_papers_counterexamples():
    """All right (1) or wrong (0) at round 0, masses 2, then hear: expected beliefs of the first round."""
    flat = np.ones((4, 2))
    line = matrix_of(on(graphs.line(3)))
    np.testing.assert_allclose(beliefs_after(line, flat[:3], np.array([[1, 0, 0]])), [1 / 2, 2 / 5, 1 / 4])
    ring = matrix_of(on(graphs.ring(4)))
    np.testing.assert_allclose(beliefs_after(ring, flat, np.array([[1, 0, 0, 0]])), [2 / 5, 2 / 5, 1 / 5, 2 / 5])


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (on(graphs.complete(5)), (True, True, True, True)),
        (on(graphs.complete(5), self_weight=0.0), (True, False, False, True)),
        (on(graphs.ring(5)), (True, False, False, True)),
        (on(graphs.star(5)), (True, False, False, False)),
        (on(graphs.star(5), mass=[10, 4, 4, 4, 4]), (True, False, False, True)),
        (on(graphs.empty(3)), (True, True, True, True)),
        (on(graphs.complete(3), belief=[0.5, 0.6, 0.7]), (False, False, False, True)),
        (on(graphs.complete(3), mass=[1, 2, 3]), (True, False, False, False)),
        (on(DIRECTED_RING), (True, False, False, True)),
        (on(graphs.complete(3), stubborn=Stubborn(agents=(1,))), (True, False, False, True)),
        (
            on(graphs.from_array([[0, 0, 0], [0, 0, 0], [1, 1, 0]]), belief=[0.3, 0.5, 0.4], mass=[2, 2, 6]),
            (True, False, False, True),
        ),
    ],
)
def test_which_properties_hold(model, expected):
    found = martingale_properties(model, 3)
    assert (
        tuple(getattr(found, name).holds for name in ("unconditional", "per_agent", "own_history", "collective"))
        == expected
    )
    moved = np.abs(np.diff(debate_moments(model, 4).mean, axis=0)).max() > 1e-12
    assert moved == (not found.unconditional.holds)
    text = str(found)
    assert all(name in text for name in ("unconditional", "per_agent", "own_history", "collective"))
    with pytest.raises(TypeError, match=r"\.holds"):
        bool(found.per_agent)


@pytest.mark.parametrize(
    "model",
    [
        on(graphs.ring(5)),
        on(graphs.star(5), mass=[10, 4, 4, 4, 4]),
        on(DIRECTED_RING),
        on(graphs.from_array([[0, 2, 0.5], [1, 0, 0], [0, 3, 0]]), mass=[3.5, 2.0, 4.0]),
        on(graphs.complete(3), belief=[0.5, 0.6, 0.7]),
    ],
)
def test_the_collective_martingale_is_one(model):
    """Its weighted mean has no drift after any votes of two rounds; every agent's own belief has."""
    weights = martingale_properties(model).weights
    assert weights is not None
    assert weights.sum() == pytest.approx(1)
    matrix, n = matrix_of(model), model.n_agents
    mass = model.mass + 2 * matrix.sum(axis=1)
    drifts = []
    for said in itertools.product(range(3), repeat=n):
        belief = (model.concentration[:, 0] + matrix @ said) / mass
        drifts.append(next_expected(matrix, mass, belief) - belief)
    assert np.abs(drifts @ weights).max() < 1e-14


def test_degrees_weigh_an_undirected_graph():
    model = on(graphs.star(5), mass=[10, 4, 4, 4, 4])
    np.testing.assert_allclose(martingale_properties(model).weights, np.array([5, 2, 2, 2, 2]) / 13)


def test_large_sparse_graphs_are_classified(monkeypatch):
    ring = on(graphs.ring(30), self_weight=0.5)
    small = martingale_properties(ring)
    monkeypatch.setattr("madsim.theory._influence._LARGEST_DENSE", 8)
    monkeypatch.setattr("madsim.theory._martingale._LARGEST_DENSE", 8)
    for model in (ring, on(graphs.from_array(np.roll(np.eye(30), 1, axis=1)))):
        large = martingale_properties(model)
        assert (large.per_agent.holds, large.own_history.holds, large.collective.holds) == (False, False, True)
        assert "from round 1 to 2" in large.own_history.reason
        np.testing.assert_allclose(large.weights, small.weights, atol=1e-12)


def test_weights_of_a_large_digraph(monkeypatch):
    """Sparse and dense ways agree, and the weights are stationary."""
    rng = np.random.default_rng(6)
    matrix = (
        rng.uniform(0.5, 2, (40, 40)) * (rng.random((40, 40)) < 0.1) * (1 - np.eye(40))
        + np.eye(40, k=1)
        + np.eye(40, k=-39)
    )
    graph = graphs.from_array(matrix * (1 - np.eye(40)))
    model = on(graph, mass=3 * (graph.heard_weight + 1.0))
    dense = martingale_properties(model).weights
    monkeypatch.setattr("madsim.theory._influence._LARGEST_DENSE", 8)
    sparse = martingale_properties(model).weights
    np.testing.assert_allclose(sparse, dense, atol=1e-12)
    walk = matrix_of(model) / matrix_of(model).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(dense @ walk, dense, atol=1e-12)


def test_a_listener_outside_and_a_deaf_agent():
    """Weights lie on the group that is listened to; a constant belief counts as a martingale only where nothing else does."""
    outside = graphs.from_array([[0, 1, 0], [1, 0, 0], [1, 0, 0]])
    np.testing.assert_allclose(martingale_properties(on(outside)).weights, [0.5, 0.5, 0])
    deaf = martingale_properties(on(graphs.star(3), stubborn=Stubborn(agents=(0,))))
    assert deaf.collective.holds
    assert "trivially" in deaf.collective.reason
    np.testing.assert_allclose(deaf.weights, [1, 0, 0])


def test_heavy_priors_do_not_hide_a_violation():
    """Masses of a million make drifts tiny, not absent."""
    found = martingale_properties(on(graphs.ring(5), mass=1e6))
    assert (found.per_agent.holds, found.own_history.holds) == (False, False)
    both = Protocol(rounds=2, visibility=Visibility(graph=(graphs.ring(4), graphs.complete(4))))
    model = DebateModel.homogeneous(n_agents=4, belief=0.6, mass=1e6, protocol=both)
    assert martingale_properties(model, 2).per_agent.holds is False


def test_a_very_large_ring_is_classified():
    found = martingale_properties(on(graphs.ring(20_000)))
    assert (found.per_agent.holds, found.own_history.holds, found.collective.holds) == (False, False, True)


def test_what_could_not_be_decided_is_said():
    """Graphs that leave two components apart keep more than one weighting."""
    cut = graphs.from_array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    model = DebateModel.homogeneous(
        n_agents=3,
        belief=0.6,
        mass=2.0,
        protocol=Protocol(rounds=2, visibility=Visibility(graph=(graphs.empty(3), cut))),
    )
    found = martingale_properties(model, 2).collective
    assert found.holds is None
    assert "independent weightings" in found.reason


def test_graphs_in_turn():
    both = (graphs.ring(4), graphs.complete(4))
    model = DebateModel.homogeneous(
        n_agents=4, belief=0.6, mass=2.0, protocol=Protocol(rounds=2, visibility=Visibility(graph=both))
    )
    found = martingale_properties(model, 2)
    assert found.unconditional.holds
    assert found.per_agent.holds is False
    assert found.collective.holds
    np.testing.assert_allclose(found.weights, 0.25)
    cliques = (graphs.empty(4), graphs.complete(4))
    model = DebateModel.homogeneous(
        n_agents=4, belief=0.6, mass=2.0, protocol=Protocol(rounds=2, visibility=Visibility(graph=cliques))
    )
    assert (
        martingale_properties(model, 2).per_agent.holds is False
    )  # agents that heard only themselves differ when they meet
    with pytest.raises(ValueError, match="rounds 1 to 2"):
        martingale_properties(model, 3)
