"""What results show of themselves in a notebook."""

import re

from madsim.models import DebateModel
from madsim.protocols import Protocol
from madsim.theory import debate_moments
from tests.unit.plot._votes import votes_from
from tests.unit.report._runs import hostile_run, run_of_answers


def cells(markup):
    return [
        re.sub("<[^>]*>", "", row)
        for row in re.findall("<tr>.*?</tr>", markup.replace("</td><td>", " | ").replace("</th><td>", " | "))
    ]


def test_votes_show_their_scores_by_round():
    votes = votes_from([[[0, 0], [0, 1]], [[0, -1], [0, 0]]])
    assert cells(votes._repr_html_())[1:] == [
        "0 | 0.2500 | 0.7500 +- 0.2500 (n = 2) | 1.0000 +- 0.0000 (n = 2)",
        "1 | 0.0000 | 0.7500 +- 0.2500 (n = 2) | 0.7500 +- 0.2500 (n = 2)",
    ]


def test_votes_without_targets_show_no_accuracy():
    assert cells(votes_from([[[1, -1]]], has_target=[False])._repr_html_())[1:] == ["0 | 0.5000"]


def test_a_run_counts_its_replies():
    run = run_of_answers([[["1", None], ["1", "2"]]] * 3, agents=("A", "B"))
    assert cells(run._repr_html_())[1:] == ["0 | 6 | 0 | 3", "1 | 6 | 0 | 0"]


def test_names_in_a_notebook_are_text():
    markup = hostile_run()._repr_html_()
    assert "&lt;script&gt;window.planted" in markup
    assert not re.search("<(script|img|style)", markup)


def test_moments_show_every_agent_of_a_small_panel():
    moments = debate_moments(DebateModel.homogeneous(n_agents=2, belief=0.7, mass=2.0, protocol=Protocol(rounds=1)))
    assert cells(moments._repr_html_())[1:] == [
        "0 | 0.7000 | 0.0000 | 0.7000 ± 0.0000 | 0.7000 ± 0.0000",
        "1 | 0.7000 | 0.1620 | 0.7000 ± 0.1620 | 0.7000 ± 0.1620",
    ]
    many = debate_moments(DebateModel.homogeneous(n_agents=13, protocol=Protocol(rounds=1)))
    assert "agent" not in many._repr_html_().replace("agents", "")
