"""Hypothesis strategies: graphs, plain debates and variant debates of every kind."""

import numpy as np
from hypothesis import strategies as st

from madsim import graphs
from madsim._core.rng import Seed
from madsim.models import (
    Argmax,
    Conformist,
    CorrectionLock,
    Cumulative,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Matching,
    Rereading,
    Sticky,
    Stubborn,
    Summary,
    Temperature,
    TopP,
)
from madsim.protocols import Convergence, Majority, OneByOne, Protocol, Simultaneous, Visibility

seeds = st.integers(0, 2**128 - 1).map(Seed)
chances = st.sampled_from([0.0, 0.1, 0.5, 1.0])


@st.composite
def some_graph(draw, n):
    """A graph of any kind over `n` agents, or None for the complete graph."""
    kind = draw(st.sampled_from(["none", "complete", "empty", "ring", "star", "weighted"]))
    if kind == "none" or n == 1:
        return None
    if kind != "weighted":
        return getattr(graphs, kind)(n)
    weights = np.array(draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0, 0.3]), min_size=n * n, max_size=n * n)))
    return graphs.from_array(weights.reshape(n, n) * (1 - np.eye(n)))


@st.composite
def some_weight(draw, n):
    """One weight, or one an agent."""
    value = st.sampled_from([0.0, 1.0, 1.0, 2.0, 0.7])
    return draw(st.one_of(value, st.lists(value, min_size=n, max_size=n).map(tuple)))


@st.composite
def plain_models(draw, most_answers=5):
    """Plain debates: any panel, prior, weights, graph, changing graphs."""
    n = draw(st.integers(1, 7))
    k = draw(st.integers(2, most_answers))
    alike = draw(st.booleans())
    row = st.lists(st.floats(0.05, 5.0), min_size=k, max_size=k)
    rows = [draw(row)] * n if alike else [draw(row) for _ in range(n)]
    rounds = draw(st.integers(0, 4))
    graph = draw(some_graph(n))
    if graph is not None and rounds and draw(st.booleans()):
        graph = tuple(draw(some_graph(n)) or graphs.complete(n) for _ in range(rounds))
    ties = draw(st.sampled_from(["first", "random", "fail"]))
    return DebateModel(
        concentration=np.array(rows),
        protocol=Protocol(rounds=rounds, visibility=Visibility(graph=graph), reduction=Majority(ties=ties)),
        self_weight=draw(some_weight(n)),
        peer_weight=draw(some_weight(n)),
    )


responses = st.one_of(
    st.just(Matching()),
    st.builds(Temperature, temperature=st.sampled_from([0.3, 0.7, 1.0, 2.5]), from_round=st.integers(0, 2)),
    st.builds(TopP, mass=st.sampled_from([0.2, 0.6, 0.9, 1.0]), from_round=st.integers(0, 2)),
    st.builds(Argmax, ties=st.sampled_from(["random", "first"]), from_round=st.integers(0, 2)),
)
memories = st.one_of(
    st.sampled_from([Cumulative(), LastRound(), Rereading()]),
    st.builds(Forgetting, keep=st.sampled_from([0.3, 1.0]), prior_fades=st.booleans()),
    st.just(Forgetting(keep=0.0, prior_fades=False)),
)
among = st.sampled_from(["all", "heard"])
interventions = st.one_of(
    st.none(),
    st.builds(CorrectionLock, probability=chances, lasting=st.booleans(), updates=st.booleans()),
    st.builds(Conformist, among=among, ties=st.sampled_from(["random", "each", "any", "none"]), updates=st.booleans()),
    st.builds(
        Follower,
        probability=chances,
        among=among,
        ties=st.sampled_from(["random", "each", "none"]),
        updates=st.booleans(),
    ),
    st.builds(Sticky, probability=chances, updates=st.booleans()),
)
summaries = st.one_of(
    st.none(),
    st.builds(
        Summary, weight=st.sampled_from([None, 0.5, 3.0]), noise=chances, ties=st.sampled_from(["random", "none"])
    ),
)


@st.composite
def variant_models(draw):
    """Debates with every departure that a model can name."""
    base = draw(plain_models())
    n, k = base.n_agents, base.n_answers
    schedule = draw(st.sampled_from([Simultaneous(), OneByOne(), OneByOne(order="random")]))
    stop = draw(st.sampled_from([None, None, Convergence(), Convergence(quorum=4)]))
    plain = base.protocol
    similarity = None
    if draw(st.booleans()):
        raw = np.array(draw(st.lists(st.sampled_from([0.0, 0.1, 0.5]), min_size=k * k, max_size=k * k))).reshape(k, k)
        similarity = raw + np.eye(k)
        similarity /= similarity.sum(axis=1, keepdims=True)
    stubborn = None
    if draw(st.booleans()):
        agents = draw(st.sets(st.integers(0, n - 1), min_size=1))
        stubborn = Stubborn(agents=tuple(sorted(agents)), repeats=draw(st.booleans()))
    weights = draw(st.one_of(st.none(), st.lists(st.sampled_from([0.0, 1.0, 1.5]), min_size=k, max_size=k).map(tuple)))
    return DebateModel(
        concentration=base.concentration,
        protocol=Protocol(
            rounds=plain.rounds,
            schedule=schedule,
            visibility=plain.visibility,
            reduction=plain.reduction,
            convergence=stop,
        ),
        self_weight=base.self_weight,
        peer_weight=base.peer_weight,
        response=draw(responses),
        memory=draw(memories),
        conformity=draw(st.sampled_from([1.0, 1.0, 1.7, 0.5])),
        answer_weights=weights,
        similarity=similarity,
        stubborn=stubborn,
        summary=draw(summaries),
        intervention=draw(interventions),
        wrong_answers_agree=draw(st.booleans()),
    )
