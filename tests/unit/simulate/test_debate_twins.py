"""Every debate kernel gives, vote by vote, what its plain twin gives on the same stream."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim.models import (
    Conformist,
    CorrectionLock,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Rereading,
    Sticky,
    Stubborn,
    Summary,
)
from madsim.protocols import Convergence, OneByOne, Protocol, Visibility
from madsim.simulate import simulate_debate, simulate_questions
from madsim.simulate._debate_plan import DEBATE_TAG, plan_debate
from madsim.simulate._influence import influence_of, with_own_edges
from tests.reference.debate import FIXED, Tally, plain_debates
from tests.reference.models import plain_models, seeds, variant_models
from tests.reference.streams import Stream
from tests.reference.variants import Debate

slow_draws = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def twin_arguments(model: DebateModel, n_rounds: int):
    """Who hears whom with which weight, worked out edge by edge from the model; own answers first, as the kernel adds them."""
    n = model.n_agents
    own, peer = (np.broadcast_to(np.asarray(w, float), (n,)) for w in (model.self_weight, model.peer_weight))
    graph = model.protocol.visibility.graph
    complete = graph is None or (not isinstance(graph, tuple) and graph.is_complete)
    influence, mass = [[]], [model.concentration.sum(axis=1)]
    for step in range(1, n_rounds + 1):
        rows = []
        for agent in range(n):
            if complete:
                edges, total = [(agent, own[agent] - peer[agent])], own[agent] + (n - 1) * peer[agent]
            else:
                here = model.protocol.graph(n, step)
                others = [(int(j), here[agent, int(j)] * peer[agent]) for j in here.hears(agent)]
                edges, total = [(agent, own[agent]), *others], own[agent] + sum(weight for _, weight in others)
            rows.append((edges, total))
        influence.append([edges for edges, _ in rows])
        mass.append(mass[-1] + [total for _, total in rows])
    return influence, peer if complete else np.zeros(n), np.array(mass)


@slow_draws
@given(model=plain_models(), seed=seeds, first=st.integers(0, 300))
def test_lanes_equal_the_plain_twin(model, seed, first):
    n_rounds, n_trials = model.protocol.rounds, 5
    plan = plan_debate(model, n_rounds)
    assert plan.method.startswith("lanes")
    influence, common, mass = twin_arguments(model, n_rounds)
    key = (int(seed.high), int(seed.low), DEBATE_TAG)
    ordered = model.protocol.reduction.ties == "first"
    votes, heard, tally = plain_debates(
        key, range(first, first + n_trials), model.concentration, influence, common, mass, first=ordered
    )
    longer = simulate_debate(model, n_trials=first + n_trials, rng=seed, keep="votes", threads=1)
    assert np.array_equal(longer.votes.answers[first:], votes)
    own = simulate_debate(model, n_trials=n_trials, rng=seed, keep="votes", threads=1)
    votes, heard, tally = plain_debates(
        key, range(n_trials), model.concentration, influence, common, mass, first=ordered
    )
    assert np.array_equal(own.totals.share, tally.share)
    assert np.array_equal(own.totals.spread, tally.spread)
    assert np.array_equal(own.totals.wins[:, :-1], tally.wins[:, :-1])
    counted = own.totals.wins[:, -1]
    assert np.array_equal(counted, tally.wins[:, -1]) or not counted.any()
    belief = (model.concentration[:, 0] + heard) / mass
    assert np.allclose(own.belief_mean, belief.mean(axis=0), atol=1e-6)
    assert np.allclose(own.belief_sd, belief.std(axis=0, ddof=1), atol=2e-4)


@slow_draws
@given(model=plain_models(), seed=seeds)
def test_double_precision_lanes_equal_the_plain_twin(model, seed):
    # A heavy panel: the same debate at 2**24 times the scale leaves single precision behind.
    scaled = DebateModel(
        concentration=model.concentration * 2.0**24,
        protocol=model.protocol,
        self_weight=np.multiply(model.self_weight, 2.0**24),
        peer_weight=np.multiply(model.peer_weight, 2.0**24),
    )
    n_rounds = model.protocol.rounds
    influence, common, mass = twin_arguments(scaled, n_rounds)
    key = (int(seed.high), int(seed.low), DEBATE_TAG)
    votes, _, tally = plain_debates(key, range(4), scaled.concentration, influence, common, mass, real=np.float64)
    result = simulate_debate(scaled, n_trials=4, rng=seed, keep="votes", threads=1)
    assert np.array_equal(result.votes.answers, votes)
    assert np.array_equal(result.totals.share, tally.share)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(model=variant_models(), seed=seeds)
def test_general_kernel_equals_the_plain_twin(model, seed):
    n_rounds, n_trials = model.protocol.rounds, 3
    result = simulate_debate(model, n_trials=n_trials, rng=seed, keep="votes", method="general", threads=1)
    tally = Tally(n_rounds, model.n_answers)
    total = np.zeros((n_rounds + 1, model.n_agents, 2))
    for trial in range(n_trials):
        stream = Stream(int(seed.high), int(seed.low), DEBATE_TAG, trial)
        votes, beliefs = Debate(model, stream, model.concentration).run(n_rounds)
        shown = [[-1] * model.n_agents if row is None else row for row in votes]
        assert result.votes.answers[trial].tolist() == shown
        carried = votes[0]
        for step, row in enumerate(votes):
            carried = carried if row is None else row
            tally.add(step, carried, first=model.protocol.reduction.ties == "first")
        total[..., 0] += np.array(beliefs)
        total[..., 1] += np.array(beliefs) ** 2
    assert np.array_equal(result.totals.share, tally.share)
    assert np.array_equal(result.totals.spread, tally.spread)
    assert np.array_equal(result.totals.wins, tally.wins)
    assert np.allclose(result.totals.belief / FIXED, total, atol=1e-8)


@settings(slow_draws, derandomize=True)
@given(model=plain_models(), seed=seeds)
def test_general_kernel_runs_the_plain_debate_of_the_lanes(model, seed):
    # The lanes compare the upper 24 bits of the same words: a vote differs about once in 2**24, hence the same examples every time.
    lanes = simulate_debate(model, n_trials=20, rng=seed, keep="votes", threads=1)
    general = simulate_debate(model, n_trials=20, rng=seed, keep="votes", method="general", threads=1)
    assert np.array_equal(lanes.votes.answers, general.votes.answers)


@settings(max_examples=20, deadline=None)
@given(seed=seeds, data=st.data())
def test_questions_equal_the_plain_twin(seed, data):
    n_answers = data.draw(st.integers(2, 4))
    rows = st.lists(st.floats(0.05, 1.0), min_size=n_answers, max_size=n_answers)
    beliefs = np.array(data.draw(st.lists(rows, min_size=1, max_size=4)))
    beliefs /= beliefs.sum(axis=1, keepdims=True)
    simulated = simulate_questions(beliefs, mass=3.0, n_agents=3, n_rounds=2, repeats=2, rng=seed)
    model = DebateModel.homogeneous(n_agents=3, belief=beliefs[0], mass=3.0)
    for trial in range(2 * len(beliefs)):
        stream = Stream(int(seed.high), int(seed.low), DEBATE_TAG, trial)
        row = simulated.beliefs[trial % len(beliefs)] * 3.0
        votes, _ = Debate(model, stream, np.tile(row, (3, 1))).run(2)
        assert simulated.votes.answers[trial].tolist() == votes
    assert simulated.votes.cluster.tolist() == list(range(len(beliefs))) * 2


def test_own_edges_keep_the_influence():
    model = DebateModel.homogeneous(n_agents=3, self_weight=(0.0, 1.0, 2.5), peer_weight=(1.0, 2.0, 0.5))
    influence = with_own_edges(influence_of(model, 2))
    assert influence.offsets.tolist() == [[0, 1, 2, 3]]
    assert influence.weights.tolist() == [-1.0, -1.0, 2.0]
    assert influence.heard_mass.tolist() == [[0, 0, 0], [2.0, 5.0, 3.5], [2.0, 5.0, 3.5]]


def test_a_longer_list_of_questions_starts_like_a_shorter_one():
    beliefs = np.array([[0.7, 0.3], [0.4, 0.6], [0.5, 0.5]])
    long = simulate_questions(beliefs, held_out=3, rng=4)
    short = simulate_questions(beliefs[:2], held_out=3, rng=4)
    assert np.array_equal(long.votes.answers[:2], short.votes.answers)
    assert np.array_equal(long.held_out[:2], short.held_out)
    more = simulate_questions(beliefs, held_out=3, repeats=3, rng=4)
    assert np.array_equal(more.votes.answers[:3], long.votes.answers)


@pytest.mark.parametrize(
    "options",
    [
        *(
            {"intervention": CorrectionLock(probability=0.5, lasting=last, updates=up)}
            for last in (True, False)
            for up in (True, False)
        ),
        *(
            {"intervention": Conformist(ties=ties, among=among)}
            for ties in ("random", "each", "any", "none")
            for among in ("all", "heard")
        ),
        *(
            {"intervention": Follower(ties=ties, updates=up)}
            for ties in ("random", "each", "none")
            for up in (True, False)
        ),
        {"intervention": Sticky(probability=0.5, updates=False)},
        *(
            {"memory": memory}
            for memory in (LastRound(), Rereading(), Forgetting(keep=0.5), Forgetting(keep=0.0, prior_fades=False))
        ),
        {"stubborn": Stubborn(agents=(0, 2))},
        {"stubborn": Stubborn(agents=(1,), repeats=True)},
        {"summary": Summary(noise=0.3)},
        {"summary": Summary(weight=2.0, ties="none")},
        {"conformity": 2.0, "answer_weights": (1.5, 1.0, 0.5)},
    ],
    ids=str,
)
@pytest.mark.parametrize("order", ["together", "declared", "random"])
def test_each_rule_equals_the_plain_twin(options, order):
    protocol = Protocol(
        rounds=4,
        schedule=Protocol().schedule if order == "together" else OneByOne(order=order),
        visibility=Visibility(graph=graphs.ring(4)),
        convergence=Convergence() if order == "declared" else None,
    )
    model = DebateModel.homogeneous(n_agents=4, belief=[0.5, 0.3, 0.2], protocol=protocol, **options)
    result = simulate_debate(model, n_trials=25, rng=8, keep="votes", method="general", threads=1)
    for trial in range(25):
        stream = Stream(int(result.seed.high), int(result.seed.low), DEBATE_TAG, trial)
        votes, _ = Debate(model, stream, model.concentration).run(4)
        assert result.votes.answers[trial].tolist() == [[-1] * 4 if row is None else row for row in votes]
