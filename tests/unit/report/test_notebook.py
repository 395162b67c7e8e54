"""What results show of themselves in a notebook."""

import re

from madsim.models import DebateModel
from madsim.protocols import Protocol
from madsim.simulate import simulate_debate
from madsim.theory import debate_moments
from madsim.verify import check
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


def test_simulated_debates_show_their_means_by_round():
    model = DebateModel.homogeneous(n_agents=3, belief=0.7, mass=2.0, protocol=Protocol(rounds=1))
    result = simulate_debate(model, n_trials=40, rng=1)
    first = cells(result._repr_html_())[1]
    share, vote, apart = (scores[0] for scores in (result.share, result.vote_accuracy, result.disagreement))
    shown = " | ".join(f"{one.value:.4f} ± {one.standard_error:.4f}" for one in (share, vote, apart))
    assert first == f"0 | 0.7000 | {shown}"


def test_a_check_shows_its_verdict_and_every_test():
    report = check(votes_from([[[1, 1, 1], [0, 0, 0]]] * 20 + [[[0, 0, 0], [0, 0, 1]]] * 20))
    markup = report._repr_html_()
    assert "verdict: drift" in markup
    assert [row.split(" | ")[0].removesuffix(report.tests[n].claim) for n, row in enumerate(cells(markup)[1:])] == [
        test.name for test in report.tests
    ]
