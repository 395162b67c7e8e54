import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from madsim import graphs


def matrix_of(pairs, n):
    matrix = np.zeros((n, n))
    for i, j in pairs:
        matrix[i, j] = 1
    return matrix


@pytest.mark.parametrize(
    ("graph", "pairs"),
    [
        (graphs.complete(3), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]),
        (graphs.ring(4), [(0, 1), (1, 2), (2, 3), (3, 0), (1, 0), (2, 1), (3, 2), (0, 3)]),
        (graphs.ring(2), [(0, 1), (1, 0)]),
        (graphs.line(3), [(0, 1), (1, 0), (1, 2), (2, 1)]),
        (graphs.star(4, hub=2), [(2, 0), (2, 1), (2, 3), (0, 2), (1, 2), (3, 2)]),
        (graphs.empty(2), []),
        (graphs.complete(1), []),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_named_graphs_hear_exactly_these(graph, pairs):
    np.testing.assert_array_equal(graph.to_array(), matrix_of(pairs, graph.n_agents))
    np.testing.assert_array_equal(graph.to_sparse().toarray(), graph.to_array())
    assert graph.n_edges == len(pairs)


@st.composite
def matrices(draw):
    n = draw(st.integers(1, 7))
    matrix = draw(hnp.arrays(np.float64, (n, n), elements=st.sampled_from([0.0, 0.0, 1.0, 0.25, 3.0])))
    np.fill_diagonal(matrix, 0)
    return matrix


@given(matrices())
def test_a_matrix_survives(matrix):
    graph = graphs.from_array(matrix)
    np.testing.assert_array_equal(graph.to_array(), matrix)
    np.testing.assert_array_equal(graph.heard_weight, matrix.sum(axis=1))
    np.testing.assert_array_equal(graph.degrees, (matrix > 0).sum(axis=1))
    again = graphs.from_dict(graph.to_dict())
    assert again == graph
    assert hash(again) == hash(graph)
    assert all(graph[i, j] == matrix[i, j] for i in range(len(matrix)) for j in range(len(matrix)))


@given(matrices())
def test_networkx_words_flow_along_edges(matrix):
    speaks_to = networkx.from_numpy_array(matrix.T, create_using=networkx.DiGraph)
    np.testing.assert_array_equal(graphs.from_networkx(speaks_to).to_array(), matrix)


def test_undirected_networkx_edges_count_both_ways():
    np.testing.assert_array_equal(graphs.from_networkx(networkx.path_graph(3)).to_array(), graphs.line(3).to_array())


def test_random_graphs_are_what_they_say_and_repeat():
    regular = graphs.random_regular(20, 3, rng=1)
    assert set(regular.degrees) == {3}
    np.testing.assert_array_equal(regular.to_array(), regular.to_array().T)
    assert regular == graphs.random_regular(20, 3, rng=1)
    assert regular != graphs.random_regular(20, 3, rng=2)
    small = graphs.small_world(30, 4, 0.2, rng=1)
    assert small.n_edges == 30 * 4
    lattice = graphs.small_world(30, 2, 0.0, rng=1)
    assert lattice == graphs.ring(30)


def test_shape_and_completeness_are_told():
    assert graphs.from_array([[0, 1], [1, 0]]).is_complete
    assert not graphs.from_array([[0, 2], [2, 0]]).is_complete
    assert not graphs.ring(4).is_complete
    assert graphs.ring(3).is_complete


def self_loop():
    graph = networkx.Graph()
    graph.add_edge(1, 1)
    return graph


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: graphs.from_array([[1, 0], [0, 0]]), "self_weight"),
        (lambda: graphs.from_array([[0, -1], [0, 0]]), "at least 0"),
        (lambda: graphs.from_array([[0, np.nan], [0, 0]]), "finite"),
        (lambda: graphs.from_array([[0, 1]]), "square"),
        (lambda: graphs.ring(1), "between 2"),
        (lambda: graphs.star(3, hub=3), "hub"),
        (lambda: graphs.random_regular(5, 3), "even"),
        (lambda: graphs.small_world(9, 3, 0.1), "even"),
        (lambda: graphs.small_world(9, 4, 1.1), "rewiring"),
        (lambda: graphs.from_networkx(self_loop()), "self-loop"),
        (lambda: graphs.from_networkx(networkx.Graph()), "at least one agent"),
        (lambda: graphs.from_dict({"name": "ring", "n_agents": 4}), "hears"),
        (lambda: graphs.from_dict({"name": "x", "n_agents": 2, "hears": [[0], []]}), "itself"),
        (lambda: graphs.from_dict({"name": "x", "n_agents": 2, "hears": [[1, 1], []]}), "twice"),
        (lambda: graphs.from_dict({"name": "x", "n_agents": 2, "hears": [[5], []]}), "heard agent"),
        (lambda: graphs.from_dict({"name": "x", "n_agents": 2, "hears": [[1], []], "weights": [-1.0]}), "above 0"),
        (lambda: graphs.complete(3)[0, 3], "agent must be"),
        (lambda: graphs.ring(10**23), "between 2 and 1000000"),
        (lambda: graphs.star(10**9), "between 2 and 1000000"),
        (lambda: graphs.empty(10**9), "between 1 and 1000000"),
        (lambda: graphs.complete(200_000), "too many edges"),
        (lambda: graphs.random_regular(1_000_000, 1_000), "too many edges"),
        (lambda: graphs.small_world(1_000_000, 1_000, 0.1), "too many edges"),
        (lambda: graphs.from_dict({"name": "complete", "n_agents": 10**12}), "between 1 and 1000000"),
        (lambda: graphs.from_array([[0, 1e308], [1, 0]]), "too large"),
        (lambda: graphs.from_dict({"name": "x", "n_agents": 2, "hears": [[1], []], "weights": [1e101]}), "too large"),
    ],
)
def test_bad_graphs_are_refused_with_the_reason(make, message):
    with pytest.raises(ValueError, match=message):
        make()
