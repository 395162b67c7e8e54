import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim import graphs
from madsim._core.canonical import canonical_json
from madsim.protocols import (
    Convergence,
    Majority,
    OneByOne,
    Protocol,
    Simultaneous,
    Visibility,
    protocol_from_dict,
)

GRAPHS = st.sampled_from([None, graphs.ring(4), graphs.star(4), (graphs.ring(4), graphs.complete(4))])
PROTOCOLS = st.builds(
    Protocol,
    rounds=st.integers(0, 5),
    schedule=st.sampled_from([Simultaneous(), OneByOne(), OneByOne(order="random")]),
    visibility=st.builds(Visibility, graph=GRAPHS, show=st.sampled_from(["last", "all", "answers"])),
    reduction=st.builds(Majority, ties=st.sampled_from(["first", "random", "fail"])),
    convergence=st.none() | st.builds(Convergence, quorum=st.none() | st.integers(1, 4), similarity=st.just(0.9)),
)


@given(PROTOCOLS)
def test_a_protocol_survives_its_plain_form(protocol):
    plain = protocol.to_dict()
    canonical_json(plain)
    assert protocol_from_dict(plain) == protocol


def test_no_graph_means_the_complete_one_of_any_size():
    assert Protocol().graph(3) == graphs.complete(3)
    assert Protocol().graph(7, 2) == graphs.complete(7)


def test_graphs_in_turn():
    protocol = Protocol(visibility=Visibility(graph=(graphs.ring(4), graphs.star(4))))
    assert protocol.graph(4, 1) == graphs.ring(4)
    assert protocol.graph(4, 2) == graphs.star(4)
    with pytest.raises(ValueError, match="round 3 has none"):
        protocol.graph(4, 3)


def test_a_graph_for_another_panel_is_refused():
    with pytest.raises(ValueError, match="has 4 agents, the panel has 5"):
        Protocol(visibility=Visibility(graph=graphs.ring(4))).graph(5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Protocol(rounds=-1), "rounds"),
        (lambda: Protocol(rounds=True), "rounds"),
        (lambda: OneByOne(order="alphabetical"), "order"),
        (lambda: Majority(ties="coin"), "ties"),
        (lambda: Convergence(quorum=0), "quorum"),
        (lambda: Convergence(similarity=0.0), "similarity"),
        (lambda: Visibility(show="everything"), "show"),
        (lambda: Visibility(graph=(graphs.ring(3), graphs.ring(4))), "same number"),
        (lambda: protocol_from_dict({}), "not a protocol record"),
        (
            lambda: protocol_from_dict({**Protocol().to_dict(), "schedule": {"type": "Shouting"}}),
            "unknown protocol part 'Shouting'",
        ),
    ],
)
def test_bad_protocols_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("graph", [(), "ring", (graphs.ring(3), None)])
def test_what_is_no_graph_is_refused(graph):
    with pytest.raises(TypeError, match="graph"):
        Visibility(graph=graph)
