"""The answer of one agent as the reduction: engine, revote and simulator agree on what it means."""

import pytest

from madsim import graphs, llm
from madsim.models import DebateModel
from madsim.protocols import OneAgent, Protocol, Visibility, protocol_from_dict
from madsim.simulate import simulate_debate
from tests.unit.llm._help import final, number, outcome, scripted


def test_one_agent_decides_against_the_majority():
    rows = [[final(1)], [final(2)], [final(2)]]
    found = outcome(llm.run_debates(Protocol(rounds=0, reduction=OneAgent(agent=0)), scripted(*rows), [number()]))
    assert (found["answer"], found["method"], found["agent"], found["votes"]) == ("1", "one_agent", 0, 1)


def test_its_last_answer_counts_where_the_last_round_has_none():
    rows = [[final(1), "I am lost"], [final(2), final(2)]]
    run = llm.run_debates(Protocol(rounds=1, reduction=OneAgent(agent=0)), scripted(*rows), [number()])
    assert (outcome(run)["answer"], outcome(run)["agent"]) == ("1", 0)
    assert outcome(llm.revote(run, OneAgent(agent=1)))["answer"] == "2"
    with pytest.raises(ValueError, match="agents 0 to 1"):
        llm.revote(run, OneAgent(agent=2))


def test_an_agent_that_does_not_exist_is_found_before_anything_is_asked():
    asked = []
    panel = [llm.Debater(name="Bo", model=llm.CallableModel(function=asked.append))]
    with pytest.raises(ValueError, match="the reduction names agent 1, the panel has agents 0 to 0"):
        llm.run_debates(Protocol(rounds=0, reduction=OneAgent(agent=1)), panel, [number()])
    assert asked == []


def test_a_centralised_debate_is_a_star_whose_hub_decides():
    star = Protocol(rounds=2, visibility=Visibility(graph=graphs.star(4)), reduction=OneAgent())
    assert protocol_from_dict(star.to_dict()) == star
    result = simulate_debate(DebateModel.homogeneous(n_agents=4, protocol=star), n_trials=20_000, rng=1)
    assert result.vote_accuracy == result.accuracy_of(0)
    assert result.vote_accuracy[2].value == pytest.approx(0.7, abs=0.01)
    with pytest.raises(ValueError, match="agents 0 to 2"):
        DebateModel.homogeneous(n_agents=3, protocol=Protocol(reduction=OneAgent(agent=3)))
    with pytest.raises(ValueError, match="at least 0"):
        OneAgent(agent=-1)
