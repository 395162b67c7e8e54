"""Conversations that cannot be: refused before anything is drawn."""

import pytest

from madsim.models import DebateModel
from madsim.protocols import Act
from madsim.simulate import simulate_conversation


@pytest.mark.parametrize(
    ("acts", "message"),
    [
        ([], "at least one act"),
        ([Act(round=0, agent=0), Act(round=0, agent=2)], "act 1 is one of agent 2; the model has agents 0 to 1"),
        ([Act(round=0, agent=-1)], "act 0 is one of agent -1"),
        ([Act(round=0, agent=0, hears=(1,)), Act(round=0, agent=1)], r"act 0 hears the acts \[1\]"),
        ([Act(round=0, agent=0), Act(round=1, agent=0, own=1)], r"act 1 hears the acts \[1\]"),
        ([Act(round=0, agent=0), Act(round=0, agent=1, hears=(-1,))], "only those that stand before it"),
    ],
)
def test_acts_must_be_of_known_agents_and_hear_earlier_ones(acts, message):
    with pytest.raises(ValueError, match=message):
        simulate_conversation(DebateModel.homogeneous(n_agents=2), n_trials=3, acts=acts)
