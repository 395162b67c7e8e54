"""A simulated panel that speaks through the engine has the law that theory and `simulate_debate` give it."""

import numpy as np
import pytest

from madsim import graphs, llm, theory
from madsim.models import Argmax, DebateModel, Forgetting, LastRound, Rereading, Stubborn, Summary, Temperature, TopP
from madsim.protocols import OneByOne, Protocol, Visibility
from madsim.tasks import Sample
from madsim.transcripts import accuracy_by_round, disagreement_by_round, vote_by_round, votes_of
from tests.unit.llm._help import number, panel_of


def engine_votes(model, n, *, seed=1, record=None):
    speaker = llm.SimulatedModel(model, rng=seed)
    samples = [Sample(id=f"q{i}", question=f"{i}?", target=str(i), answer_type="number") for i in range(n)]
    run = llm.run_debates(model.protocol, panel_of(speaker, model.n_agents), samples, rng=seed, record=record)
    return votes_of(run)


def scores(votes):
    """Means and standard errors of accuracy, vote and disagreement by round."""
    parts = (accuracy_by_round(votes), vote_by_round(votes), disagreement_by_round(votes))
    return np.array([[(one.value, one.standard_error) for one in part] for part in parts])


MODELS = {
    "plain": {},
    "ring": {"protocol": Protocol(rounds=2, visibility=Visibility(graph=graphs.ring(5)))},
    "line without self": {
        "protocol": Protocol(rounds=2, visibility=Visibility(graph=graphs.line(5))),
        "self_weight": 0.0,
    },
    "one by one": {"protocol": Protocol(rounds=2, schedule=OneByOne())},
    "sharper": {"response": Temperature(temperature=0.7)},
    "nucleus": {"response": TopP(mass=0.8), "n_answers": 4},
    "likeliest": {"response": Argmax()},
    "forgetting": {"memory": Forgetting(keep=0.5)},
    "last round": {"memory": LastRound()},
    "stubborn": {"stubborn": Stubborn(agents=(0,))},
    "rereading": {"memory": Rereading()},
    "conformist": {"conformity": 1.7, "n_answers": 3},
    "similar answers": {"similarity": np.array([[0.8, 0.2], [0.3, 0.7]])},
    "right answers weigh more": {"answer_weights": (1.5, 1.0)},
}


def compare(model, n, record=None):
    from madsim.simulate import simulate_debate

    simulated = simulate_debate(model, n_trials=n, rng=7, keep="votes").votes
    a, b = scores(engine_votes(model, n, record=record)), scores(simulated)
    gap, error = a[..., 0] - b[..., 0], np.sqrt(a[..., 1] ** 2 + b[..., 1] ** 2)
    assert (np.abs(gap) <= 4 * error + 1e-12).all(), (gap / error).round(1)


@pytest.mark.parametrize("name", MODELS)
def test_the_engine_and_the_simulator_have_the_same_law(name):
    options = {"n_agents": 5, "belief": 0.7, "mass": 2.0, "protocol": Protocol(rounds=2), **MODELS[name]}
    compare(DebateModel.homogeneous(**options), 80)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_same_law_over_twenty_thousand_debates(name, tmp_path):
    options = {"n_agents": 5, "belief": 0.7, "mass": 2.0, "protocol": Protocol(rounds=2), **MODELS[name]}
    compare(DebateModel.homogeneous(**options), 20_000, tmp_path / "run.jsonl")


def test_beliefs_are_those_of_the_exact_recursion():
    model = DebateModel(concentration=np.array([[3.0, 1.0], [1.0, 1.0], [1.0, 4.0]]), protocol=Protocol(rounds=2))
    votes = engine_votes(model, 300)
    exact = theory.debate_moments(model, 2).mean
    share = votes.right.mean(axis=0)
    error = np.sqrt(exact * (1 - exact) / 300)
    assert (np.abs(share - exact) <= 4.5 * error).all()


def test_replies_depend_on_the_call_and_not_on_when_it_is_made():
    model = DebateModel.homogeneous(n_agents=3, belief=0.6, mass=3.0)
    samples = [number(f"q{i}") for i in range(12)]
    runs = [
        llm.run_debates(model.protocol, panel_of(llm.SimulatedModel(model, rng=5), 3), order, concurrency=limit)
        for order, limit in ((samples, 1), (samples, 9), (samples[::-1], 4))
    ]
    texts = [{(t.sample.id, r.round, r.agent): r.text for t in run.transcripts for r in t.replies} for run in runs]
    assert texts[0] == texts[1] == texts[2]
    other = llm.run_debates(model.protocol, panel_of(llm.SimulatedModel(model, rng=6), 3), samples)
    assert {(t.sample.id, r.round, r.agent): r.text for t in other.transcripts for r in t.replies} != texts[0]


def test_epochs_are_separate_draws():
    model = DebateModel.homogeneous(n_agents=1, belief=0.5, mass=2.0)
    run = llm.run_debates(Protocol(rounds=0), panel_of(llm.SimulatedModel(model, rng=1), 1), [number()], epochs=64)
    assert 16 <= sum(one.replies[0].answer == "4" for one in run.transcripts) <= 48


def test_unparsed_replies_and_other_kinds_of_answers():
    model = DebateModel.homogeneous(n_agents=2, belief=0.6, mass=2.0, n_answers=3, protocol=Protocol(rounds=1))
    letters = [
        Sample(id=f"q{i}", question="?", target="B", choices={"A": "a", "B": "b", "C": "c"}, answer_type="choice")
        for i in range(200)
    ]
    speaker = llm.SimulatedModel(model, rng=1, unparsed=0.3)
    run = llm.run_debates(model.protocol, panel_of(speaker, 2), letters)
    answers = [reply.answer for one in run.transcripts for reply in one.replies]
    assert 170 <= answers.count(None) <= 310
    assert {"A", "B", "C", None} == set(answers)
    yes = [Sample(id="q", question="?", target="no", answer_type="boolean")]
    binary = DebateModel.homogeneous(n_agents=2, belief=0.99, mass=2.0, protocol=Protocol(rounds=0))
    assert (
        llm.run_debates(binary.protocol, panel_of(llm.SimulatedModel(binary, rng=3), 2), yes)
        .transcripts[0]
        .outcome["correct"]
    )


def test_questions_of_different_difficulty():
    hard = DebateModel.homogeneous(n_agents=2, belief=0.02, mass=2.0)
    easy = DebateModel.homogeneous(n_agents=2, belief=0.98, mass=2.0)
    speaker = llm.SimulatedModel(lambda sample: easy if sample.id.startswith("easy") else hard, rng=1)
    samples = [number(f"{kind}{i}") for kind in ("easy", "hard") for i in range(30)]
    run = llm.run_debates(Protocol(rounds=0), panel_of(speaker, 2), samples)
    right = [one.outcome["correct"] for one in run.transcripts]
    assert sum(right[:30]) > 25
    assert sum(right[30:]) < 5


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (Sample(id="q", question="?", answer_type="number"), "no target"),
        (Sample(id="q", question="?", target="Rome", answer_type="text"), "cannot make other answers"),
        (Sample(id="q", question="?", target="A", choices={"A": "a"}, answer_type="choice"), "needs 2 choices"),
    ],
)
def test_samples_that_cannot_be_simulated_fail_with_the_reason(sample, message):
    model = DebateModel.homogeneous(n_agents=1)
    with pytest.raises(llm.MisuseError, match=message):
        llm.run_debates(Protocol(rounds=0), panel_of(llm.SimulatedModel(model, rng=1), 1), [sample])


def test_models_that_cannot_speak_are_refused():
    with pytest.raises(ValueError, match="summary"):
        llm.SimulatedModel(DebateModel.homogeneous(summary=Summary()))
    with pytest.raises(TypeError, match="DebateModel"):
        llm.SimulatedModel("a model")  # pyright: ignore[reportArgumentType]
