"""One-by-one, pool and nested debates of a simulated panel: the engine, the direct simulation and the exact values agree."""

import numpy as np
import pytest

from madsim import graphs, llm, theory
from madsim.models import DebateModel
from madsim.protocols import GroupChat, OneAgent, OneByOne, Phase, Phases, Pool, Protocol, acts_of
from madsim.simulate import simulate_conversation
from madsim.tasks import Sample

UNEQUAL = np.array([[3.0, 1.0], [1.0, 1.0], [1.0, 4.0], [2.0, 0.5]])
PIPELINE = {
    "publishes": ("draft", "draft", "critique", "answer"),
    "subscribes": ((), (), ("draft",), ("draft", "critique")),
}
CIRCLE = {"publishes": ("a", "b", "c", "d"), "subscribes": (("b",), ("c",), ("d",), ("a", "b"))}
CHATS = Phases(phases=(Phase(name="one", first=0, second=1, turns=3), Phase(name="two", first=2, second=3)))
CASES = {
    "one by one": (Protocol(rounds=2, schedule=OneByOne()), {}),
    "pool in a line": (Protocol(rounds=3, schedule=Pool()), PIPELINE),
    "pool in a circle": (Protocol(rounds=2, schedule=Pool(starts="all")), CIRCLE),
    "chat": (Protocol(rounds=5, schedule=GroupChat()), {}),
    "phases": (Protocol(rounds=CHATS.turns - 1, schedule=CHATS), {}),
}


def engine(model, n, protocol, types, *, inner=None):
    """Right answers by (question, act) of the real engine."""
    speaker = llm.SimulatedModel(model, rng=4)
    people = []
    for seat in range(model.n_agents):
        held = speaker
        if inner:
            inside = llm.identical(llm.SimulatedModel(inner, rng=40 + seat), inner.n_agents)
            held = llm.InnerDebate(protocol=inner.protocol, debaters=tuple(inside))
        said = {} if not types else {"publishes": types["publishes"][seat], "subscribes": types["subscribes"][seat]}
        people.append(llm.Debater(name=f"d{seat}", model=held, **said))
    questions = [Sample(id=f"q{i}", question=f"{i}?", target=str(i), answer_type="number") for i in range(n)]
    run = llm.run_debates(protocol, people, questions, rng=4)
    acts = [[(reply.round, reply.agent) for reply in one.replies] for one in run.transcripts]
    right = np.array([[reply.answer == one.sample.target for reply in one.replies] for one in run.transcripts])
    return acts[0], right, np.array([one.outcome["correct"] for one in run.transcripts])


def compare(name, n):
    protocol, types = CASES[name]
    model = DebateModel(concentration=UNEQUAL, protocol=protocol)
    acts = acts_of(protocol, 4, **types)
    exact = theory.conversation_moments(model, acts)
    simulated = simulate_conversation(model, acts=acts, n_trials=20_000, rng=9)
    order, right, _ = engine(model, n, protocol, types)
    by_engine = sorted(range(len(acts)), key=lambda place: (acts[place].round, acts[place].agent))
    assert order == [(acts[place].round, acts[place].agent) for place in by_engine]
    for votes, trials in ((right, n), (simulated.votes[:, by_engine] == 0, 20_000)):
        mean = exact.mean[by_engine]
        assert (np.abs(votes.mean(axis=0) - mean) <= 4.5 * np.sqrt(mean * (1 - mean) / trials)).all()
        together = np.cov(votes.T.astype(float))
        law = theory.conversation_moments(model, acts)
        shared = (law.influence @ _vote_covariance(law))[np.ix_(by_engine, by_engine)]
        earlier = np.array(by_engine)[:, None] > np.array(by_engine)[None, :]
        assert (np.abs(together - shared)[earlier] <= 4.5 * 0.25 / np.sqrt(trials)).all()


def _vote_covariance(law):
    votes = np.zeros_like(law.influence)
    for place in range(len(votes)):
        votes[place, :place] = votes[:place, place] = law.influence[place] @ votes[:, :place]
        votes[place, place] = law.mean[place] * (1 - law.mean[place])
    return votes


@pytest.mark.parametrize("name", CASES)
def test_engine_simulation_and_exact_moments_agree(name):
    compare(name, 150)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_they_agree_over_five_thousand_conversations(name):
    compare(name, 5_000)


def nested(n, *, reduction=None, outer_rounds=1):
    inner_protocol = Protocol(rounds=1, **({} if reduction is None else {"reduction": reduction}))
    inner = DebateModel.homogeneous(n_agents=3, belief=0.7, mass=2.0, protocol=inner_protocol)
    outer = DebateModel.homogeneous(n_agents=3, belief=0.5, mass=1.0, protocol=Protocol(rounds=outer_rounds))
    _, right, decided = engine(outer, n, outer.protocol, {}, inner=inner)
    simulated = simulate_conversation(outer, inner=dict.fromkeys(range(3), inner), n_trials=40_000, rng=9)
    return inner, right, decided, simulated


def agree(share, n, value, error=0.0):
    assert abs(share - value) <= 4 * np.sqrt(value * (1 - value) / n + error**2)


@pytest.mark.parametrize("n", [120, pytest.param(1_000, marks=pytest.mark.slow)])
def test_nested_debates_that_vote(n):
    """The first answer is exact; what follows is not linear, and simulation and engine agree."""
    inner, right, decided, simulated = nested(n)
    first = theory.compound_answer(inner)[0]
    agree(right[:, :3].mean(), n * 3, first)
    agree((simulated.votes[:, :3] == 0).mean(), 120_000, first)
    for place in range(6):
        agree(right[:, place].mean(), n, simulated.right[place].value, simulated.right[place].standard_error)
    agree(decided.mean(), n, simulated.accuracy.value, simulated.accuracy.standard_error)
    with pytest.raises(ValueError, match="Majority, which is not linear"):
        theory.compound_model(Protocol(), [inner] * 3)


@pytest.mark.parametrize("n", [120, pytest.param(1_000, marks=pytest.mark.slow)])
def test_nested_debates_with_a_spokesman_are_plain_agents(n):
    inner, right, decided, simulated = nested(n, reduction=OneAgent(agent=2), outer_rounds=2)
    plain = theory.compound_model(Protocol(rounds=2), [inner] * 3)
    exact = theory.vote_by_round(plain)[-1]
    agree(decided.mean(), n, exact)
    agree(simulated.accuracy.value, 40_000, exact)
    assert theory.debate_moments(plain).mean == pytest.approx(0.7)
    agree(right.mean(axis=0).mean(), n, 0.7)


def test_acts_are_the_moments_of_the_debates_that_were_known_before():
    for schedule in (None, OneByOne()):
        for graph in (None, graphs.ring(4), graphs.star(4)):
            protocol = Protocol(rounds=3)
            parts = {} if schedule is None else {"schedule": schedule}
            from dataclasses import replace

            protocol = replace(protocol, visibility=replace(protocol.visibility, graph=graph), **parts)
            model = DebateModel(
                concentration=UNEQUAL, protocol=protocol, self_weight=0.7, peer_weight=(1.0, 2.0, 0.5, 1.0)
            )
            found, known = theory.conversation_moments(model), theory.debate_moments(model)
            assert found.mean.reshape(4, 4) == pytest.approx(known.mean, abs=1e-12)
            assert found.sd.reshape(4, 4) == pytest.approx(known.sd, abs=1e-12)
            if schedule is None:
                alike = DebateModel.homogeneous(n_agents=4, protocol=protocol)
                classes, acts = theory.martingale_properties(alike, 3), theory.conversation_moments(alike)
                assert acts.per_agent.holds == classes.per_agent.holds
                assert acts.unconditional.holds == classes.unconditional.holds


def test_a_chat_of_two_by_hand():
    """Agent 1 speaks last with (1.4 + v0 + v1 + v2) / 5, where v2 is drawn from (1.4 + v0 + v1) / 4."""
    model = DebateModel.homogeneous(n_agents=2, belief=0.7, mass=2.0, protocol=Protocol(rounds=2, schedule=GroupChat()))
    found = theory.conversation_moments(model)
    p, v = 0.7, 0.21
    shared = 2 * v / 4  # Cov(v2, v0 + v1)
    assert found.covariance[3, 3] == pytest.approx((2 * v + v + 2 * shared) / 25)
    assert found.mean.tolist() == pytest.approx([p] * 4)
    assert found.per_agent.holds
    uneven = DebateModel(concentration=np.array([[3.0, 1.0], [1.0, 1.0]]), protocol=model.protocol)
    assert not theory.conversation_moments(uneven).unconditional.holds


def test_a_longer_simulation_begins_with_the_shorter_one_and_a_wrong_law_is_noticed():
    model = DebateModel(concentration=UNEQUAL, protocol=Protocol(rounds=2, schedule=OneByOne()))
    short, long = (simulate_conversation(model, n_trials=n, rng=3).votes for n in (500, 20_000))
    assert (long[:500] == short).all()
    deaf = DebateModel(concentration=UNEQUAL, protocol=Protocol(rounds=2), self_weight=0.0, peer_weight=0.0)
    mean = theory.conversation_moments(deaf).mean
    assert (np.abs((long == 0).mean(axis=0) - mean) > 4.5 * np.sqrt(mean * (1 - mean) / 20_000)).any()


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (Protocol(schedule=GroupChat(speaker="model")), "chosen by a model"),
        (Protocol(schedule=OneByOne(order="random")), "no one list of turns"),
        (Protocol(rounds=CHATS.turns - 1, schedule=CHATS), "seats up to 3, the panel has 2"),
    ],
)
def test_turns_that_are_not_known_are_refused(protocol, message):
    with pytest.raises(ValueError, match=message):
        acts_of(protocol, 2)


def test_models_that_are_not_linear_are_refused():
    odd = DebateModel.homogeneous(n_agents=2, conformity=2.0)
    for work in (theory.conversation_moments, lambda model: simulate_conversation(model, n_trials=1)):
        with pytest.raises(ValueError, match="its own conformity"):
            work(odd)


def test_a_phase_of_an_odd_length_hands_on_what_its_writer_said_last():
    acts = acts_of(CASES["phases"][0], 4)
    assert [act.agent for act in acts] == [0, 1, 0, 2, 3]
    assert [act.hears for act in acts] == [(), (0,), (1,), (1,), (1, 3)]
