"""Panels, controls and diagnostics: what stands beside a debate."""

import numpy as np
import pytest

from madsim import graphs, llm
from madsim.models import DebateModel
from madsim.protocols import Convergence, Judge, Protocol, Visibility, Weighted
from madsim.tasks import Sample
from madsim.transcripts import State, Votes
from tests.unit.llm._help import choice, final, number, outcome, panel_of, scripted

MODEL = llm.ScriptedModel(replies=lambda r: final(r.context.agent))


def simulated(n=3, *, belief=0.6, mass=2.0, unparsed=0.0):
    debate = DebateModel.homogeneous(n_agents=n, belief=belief, mass=mass)
    return panel_of(llm.SimulatedModel(debate, rng=1, unparsed=unparsed), n)


def questions(n):
    return [Sample(id=f"q{i}", question=f"Number {i}?", target=str(i), answer_type="number") for i in range(n)]


# --- panels


def test_ready_made_panels():
    assert [one.name for one in llm.identical(MODEL, 3, temperature=0.2)] == ["Debater 1", "Debater 2", "Debater 3"]
    roles = llm.personas(MODEL, ["lawyer", "doctor", "lawyer"])
    assert [one.name for one in roles] == ["lawyer 1", "doctor", "lawyer 2"]
    assert roles[0].system == llm.PERSONAS["lawyer"]
    assert len({one.system for one in llm.affirmative_negative(MODEL)}) == 2
    assert "devil" in llm.devils_advocate(MODEL, 3)[-1].system
    assert "35%" in llm.agreement_dial(MODEL, 2, 0.35)[0].system
    for panel in (
        llm.identical(MODEL, 3),
        roles,
        llm.affirmative_negative(MODEL),
        llm.devils_advocate(MODEL, 3),
        llm.agreement_dial(MODEL, 2, 0),
    ):
        assert outcome(llm.run_debates(Protocol(rounds=1), panel, [number()]))["calls"] == 2 * len(panel)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: llm.identical(MODEL, 0), "n_agents"),
        (lambda: llm.personas(MODEL, ["wizard"]), "unknown personas wizard"),
        (lambda: llm.devils_advocate(MODEL, 1), "at least 2"),
        (lambda: llm.agreement_dial(MODEL, 2, 1.5), r"\[0, 1\]"),
    ],
)
def test_wrong_panels_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_two_sides_and_a_weaker_judge():
    """The debaters defend what they are assigned, the judge decides in both orders."""

    def reply(request):
        side = "A" if "(A) ash" in request.messages[1]["content"].partition("your side is")[2] else "B"
        return f"It is {side}.\nFinal answer: {side}"

    judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=['{"winner": "B"}', '{"winner": "A"}']))
    run = llm.run_debates(
        Protocol(rounds=1, reduction=Judge(kind="comparative")),
        llm.two_sides(llm.ScriptedModel(replies=reply)),
        [choice(target="B")],
        judge=judge,
    )
    found = outcome(run)
    assert (found["answer"], found["method"], found["correct"]) == ("B", "judge", True)
    assert found["details"]["winners"] == ["B", "B"]


# --- controls


def test_the_reask_control_hears_nobody_and_never_stops_early():
    made = llm.control("reask", Protocol(rounds=2, convergence=Convergence()), simulated())
    assert made.protocol.graph(3, 1) == graphs.empty(3)
    assert made.protocol.convergence is None
    run = llm.run_control("reask", Protocol(rounds=2), simulated(), questions(3))
    assert run.control == "reask"
    assert all(len(one.replies) == 9 for one in run.transcripts)


def test_the_vote_control_spends_as_many_calls():
    protocol = Protocol(rounds=2)
    run = llm.run_control("vote", protocol, simulated(3, mass=2.0), questions(4))
    debate = llm.run_debates(protocol, simulated(3), questions(4))
    assert [one.outcome["calls"] for one in run.transcripts] == [one.outcome["calls"] for one in debate.transcripts]
    assert len(set(run.agents)) == 9
    assert len({reply.text for reply in run.transcripts[0].replies}) > 1


def test_the_placebo_shows_the_words_of_another_question():
    seen = {}

    def reply(request):
        seen[request.context.sample.id, request.context.agent, request.context.round] = request.messages[-1]["content"]
        return f"words about {request.context.sample.id}\n" + final(1)

    panel = panel_of(llm.ScriptedModel(replies=reply), 2)
    debate = llm.run_debates(Protocol(rounds=1), panel, questions(3))
    assert "> words about q0" in seen["q0", 0, 1]
    run = llm.run_control("placebo", Protocol(rounds=1), panel, questions(3), debate=debate)
    assert "> words about q1" in seen["q0", 0, 1]
    assert "> words about q0" in seen["q2", 1, 1]
    assert run.control == "placebo"
    with pytest.raises(ValueError, match="debate="):
        llm.control("placebo", Protocol(), panel)
    with pytest.raises(ValueError, match="at least two questions"):
        llm.control("placebo", Protocol(), panel, debate=llm.run_debates(Protocol(), panel, questions(1)))


def test_other_controls():
    panel = simulated()
    assert llm.control("replicate", Protocol(rounds=3), panel).protocol == Protocol(rounds=3)
    assert llm.control("held_out", Protocol(rounds=3), panel).protocol.rounds == 0
    with pytest.raises(ValueError, match="kind must be one of reask, vote"):
        llm.control("nonsense", Protocol(), panel)  # pyright: ignore[reportArgumentType]


# --- diagnostics


def votes(answers):
    table = np.asarray(answers, dtype=np.int32)
    return Votes(
        answers=table,
        state=np.where(table >= 0, State.ANSWERED, State.UNPARSED).astype(np.int8),
        samples=tuple(str(i) for i in range(len(table))),
        cluster=np.arange(len(table)),
        has_target=np.ones(len(table), dtype=bool),
        agents=tuple(f"d{i}" for i in range(table.shape[2])),
    )


def test_errors_in_common():
    alike = votes([[[0, 0, 0]], [[1, 1, 1]]] * 10)
    assert llm.echo_chamber(alike) == llm.EchoChamber(
        correlation=pytest.approx(1.0), effective_voters=pytest.approx(1.0)
    )
    grid = votes([[[a, b]] for a in (0, 1) for b in (0, 1)])
    assert llm.echo_chamber(grid).correlation == pytest.approx(0.0)
    assert llm.echo_chamber(grid).effective_voters == pytest.approx(2.0)
    assert llm.echo_chamber(votes([[[0, 0]], [[0, 0]]])).correlation is None


def test_diagnostics_of_a_single_round_and_of_errors_that_cancel():
    import json

    vote = llm.run_debates(Protocol(rounds=0), scripted([final(4)], [final(5)]), [number("a"), number("b")])
    found = llm.diagnose(vote)
    assert (found.flips.total, found.growth, found.adoption.chances, found.collapsed) == (0, None, 0, 0)
    opposed = votes([[[0, 1]], [[1, 0]]] * 5)
    assert llm.echo_chamber(opposed) == llm.EchoChamber(correlation=pytest.approx(-1.0), effective_voters=None)
    assert json.dumps(found.to_dict())


def test_adoption_of_the_majority():
    table = votes([[[0, 1, 1], [1, 1, 1]], [[0, 1, 1], [0, 1, 1]], [[2, 1, 0], [1, 1, 1]], [[1, 0, 0], [-1, 0, 0]]])
    found = llm.adoption(table)
    assert (found.chances, found.adopted) == (2, 0.5)
    assert found.linear == pytest.approx(2 / 3)
    assert llm.adoption(votes([[[0, 0]], [[1, 1]]])).adopted is None


def test_the_conformity_of_an_urn_is_the_linear_law():
    """A panel with hardly any belief of its own adopts what it hears by its share, and one that is sure does not."""
    urn = llm.run_debates(Protocol(rounds=1), simulated(5, mass=0.01, belief=0.5), questions(150))
    found = llm.diagnose(urn).adoption
    error = (found.linear * (1 - found.linear) / found.chances) ** 0.5
    assert abs(found.adopted - found.linear) < 4 * error
    stubborn = llm.diagnose(llm.run_debates(Protocol(rounds=1), simulated(5, mass=500.0, belief=0.5), questions(150)))
    assert stubborn.adoption.adopted < found.adopted - 0.05
    assert abs(stubborn.adoption.adopted - 0.5) < 4 * error


def test_diagnostics_of_a_run():
    judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=lambda r: final(r.context.sample.target)))
    protocol = Protocol(rounds=2, reduction=Judge())
    debate = llm.run_debates(protocol, simulated(5, unparsed=0.1), questions(40), judge=judge)
    control = llm.run_control("vote", protocol, simulated(5), questions(40))
    found = llm.diagnose(debate, vote_control=control)
    assert len(found.accuracy) == len(found.vote) == len(found.unparsed) == 3
    assert 0.02 < found.unparsed[0] < 0.25
    assert found.matched_vote.value > 0.5
    assert found.input_tokens[0] < found.input_tokens[1] < found.input_tokens[2]
    assert found.growth == found.input_tokens[2] / found.input_tokens[0]
    assert 0.5 < found.coordination < 1
    assert 0 < found.judge_agrees.value < 1
    judged = [one.outcome for one in debate.transcripts]
    assert found.judge_agrees.value == sum(one["details"]["agrees_with_vote"] for one in judged) / 40
    assert found.collapsed + found.corrected <= 40
    plain = found.to_dict()
    assert plain["flips"]["kept_right"] == found.flips.kept_right
    assert plain["echo_chamber"]["effective_voters"] == found.echo_chamber.effective_voters


def test_the_ledger_of_collapses_and_corrections():
    rows = [[final(4), final(5)], [final(4), final(5)], [final(5), final(5)]]
    back = [[final(5), final(4)], [final(5), final(4)], [final(4), final(4)]]
    first = llm.diagnose(llm.run_debates(Protocol(rounds=1), scripted(*rows), [number()]))
    second = llm.diagnose(llm.run_debates(Protocol(rounds=1), scripted(*back), [number()]))
    assert (first.collapsed, first.corrected) == (1, 0)
    assert (second.collapsed, second.corrected) == (0, 1)
    assert first.input_tokens is None or first.coordination is None or first.coordination >= 0


def test_context_grows_with_everybody_s_words():
    """With the whole transcript shown, input grows with agents times rounds; with the last reply alone it does not."""
    everything = Protocol(rounds=4, visibility=Visibility(show="all"))
    growth = llm.diagnose(llm.run_debates(everything, simulated(4), questions(3))).growth
    last = llm.diagnose(
        llm.run_debates(Protocol(rounds=4), simulated(4), questions(3), prompts=llm.Prompts(memory="last"))
    )
    assert growth > 1.5 * last.growth
    assert last.input_tokens[4] == pytest.approx(last.input_tokens[1], rel=0.05)


# --- forks and probes


def test_a_fork_keeps_what_was_said_and_goes_on_anew(tmp_path):
    debate = DebateModel.homogeneous(n_agents=3, belief=0.5, mass=1.0)
    run = llm.run_debates(Protocol(rounds=2), panel_of(llm.SimulatedModel(debate, rng=1), 3), questions(20))
    other = panel_of(llm.SimulatedModel(debate, rng=2), 3)
    forked = llm.fork(run, 1, other, copies=2, record=tmp_path / "fork.jsonl")

    def texts(run, epoch, rounds):
        return [[r.text for r in one.replies if r.round in rounds] for one in run.transcripts if one.epoch == epoch]

    assert texts(forked, 0, {0, 1}) == texts(forked, 1, {0, 1}) == texts(run, 0, {0, 1})
    assert texts(forked, 0, {2}) != texts(run, 0, {2})
    assert texts(forked, 0, {2}) != texts(forked, 1, {2})
    assert {one.outcome["calls"] for one in forked.transcripts} == {3}
    assert len(forked.transcripts) == 40
    assert len(llm.fork(run, 0, other).transcripts[0].replies) == 9
    again = llm.resume(tmp_path / "fork.jsonl", other)
    assert texts(again, 1, {0, 1, 2}) == texts(forked, 1, {0, 1, 2})


@pytest.mark.parametrize(
    ("after", "names", "message"),
    [(2, "d0 d1 d2", "from 0 to 1"), (-1, "d0 d1 d2", "from 0"), (0, "x y z", "agents are d0")],
)
def test_wrong_forks_are_refused(after, names, message):
    run = llm.run_debates(Protocol(rounds=2), simulated(), questions(1))
    panel = [llm.Debater(name=name, model=MODEL) for name in names.split()]
    with pytest.raises(ValueError, match=message):
        llm.fork(run, after, panel)


def test_the_probe_asks_for_the_role_outside_the_debate():
    asked = []

    def reply(request):
        if request.context.role != "probe":
            return final(4)
        asked.append(request)
        return "I was a patient clerk who counts twice." if request.context.agent == 0 else "I am an assistant."

    model = llm.ScriptedModel(replies=reply)
    roles = {"a": "You are a patient clerk. Count twice.", "b": "You are a pirate captain.", "c": None}
    panel = [llm.Debater(name=name, model=model, system=system) for name, system in roles.items()]
    run = llm.run_debates(Protocol(rounds=1), panel, [number()], probe=True)
    assert outcome(run)["details"]["roles"] == {"a": 0.75, "b": 0.0, "c": None}
    assert len(asked) == 2
    assert outcome(run)["calls"] == 8
    assert len(run.transcripts[0].replies) == 6
    assert llm.role_score("You are a patient clerk.", "A PATIENT clerk!") == 1.0


def test_a_weighted_vote_asks_for_confidence():
    for protocol, asks in ((Protocol(rounds=0, reduction=Weighted()), True), (Protocol(rounds=0), False)):
        run = llm.run_debates(protocol, scripted([final(4)]), [number()])
        assert ("Confidence: 60%" in run.transcripts[0].replies[0].messages[-1]["content"]) is asks
