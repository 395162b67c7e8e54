"""Debates against the vote of equal cost: what is counted, what is forecast, and when neither can be."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from madsim import graphs
from madsim.cli import main
from madsim.planning import Forecast, Prices, equal_cost_vote, parse_option
from madsim.protocols import OneByOne, Protocol, Visibility
from madsim.report import write_report
from madsim.report._equal_cost import EqualCost, debate_option, equal_cost
from madsim.report._forecast import answer, outlook
from madsim.report._summary import summarise
from madsim.simulate import draw_beliefs, simulate_questions
from madsim.transcripts import write_run
from tests.unit.plot._votes import votes_from
from tests.unit.report._runs import plain_run, run_of_answers
from tests.unit.verify._votes import votes_of_answers


def compared(debate, *controls, prices=None):
    """The comparison of the first run; the others stand beside it."""
    summaries = [summarise(f"run {number}", run) for number, run in enumerate((debate, *controls))]
    found = equal_cost(summaries[0], summaries, prices or Prices())
    assert isinstance(found, EqualCost)
    return found


def by_calls(debate):
    """The same run as one that stopped early, so that costs are compared by calls."""
    return replace(debate, early_stopping=True)


FIRST = [["1", "2", "2"], ["1", "1", "2"]]
DEBATE = [[FIRST[0], ["1", "1", "2"]], [FIRST[1], ["2", "2", "2"]]]


def test_a_vote_of_equal_cost_is_counted_with_the_held_out_answers():
    held_out = replace(run_of_answers([[["1", "1", "3"]], [["2", "2", None]]]), control="held_out")
    found = compared(by_calls(run_of_answers(DEBATE)), held_out)
    # Six calls a debate. Votes of all six: 1 1 1 2 2 3 is right; 1 1 2 2 2 and silence is wrong. Debates: right, then wrong.
    assert (found.n_answers, found.collected) == (6, 6)
    assert found.counted is not None
    assert found.counted.vote.value == pytest.approx(0.5)
    assert (found.counted.difference.value, found.counted.difference.n) == (pytest.approx(0), 2)
    assert found.largest is None


def test_without_enough_answers_the_largest_vote_is_counted():
    found = compared(by_calls(run_of_answers(DEBATE)))
    assert (found.n_answers, found.collected, found.counted) == (6, 3, None)
    assert found.largest is not None
    # Votes of three: 1 2 2 is wrong, 1 1 2 is right; the debates end right and wrong.
    assert (found.largest.n_answers, found.largest.vote.value) == (3, pytest.approx(0.5))
    assert found.largest.difference.standard_error == pytest.approx(1)


def test_repeats_of_a_question_are_pooled():
    run = run_of_answers(DEBATE)
    twice = replace(run, transcripts=(*run.transcripts, *(replace(one, epoch=1) for one in run.transcripts)))
    found = compared(by_calls(twice))
    assert (found.n_answers, found.collected) == (6, 6)
    assert found.counted is not None
    assert found.counted.vote.value == pytest.approx(0.5)
    assert found.counted.vote.n == 2


@pytest.mark.parametrize(
    ("kind", "collected"), [("vote", 6), ("held_out", 6), ("reask", 3), ("placebo", 3), ("replicate", 3)]
)
def test_only_answers_that_no_debate_went_on_from_are_pooled(kind, collected):
    other = replace(run_of_answers([[["1", "1", "1"], ["1", "1", "1"]]] * 2), control=kind)
    assert compared(by_calls(run_of_answers(DEBATE)), other).collected == collected


def test_answers_to_other_questions_are_not_pooled():
    held_out = replace(run_of_answers([[["1", "1", "3"]]] * 2), control="held_out")
    moved = [
        replace(one, sample=replace(one.sample, question=f"Other {one.sample.id}")) for one in held_out.transcripts
    ]
    assert compared(by_calls(run_of_answers(DEBATE)), replace(held_out, transcripts=tuple(moved))).collected == 3


def test_costs_are_those_of_the_option_with_the_tokens_of_the_run():
    used = run_of_answers(DEBATE, usage={"input": 100, "output": 50})
    sizes = Prices(question_tokens=100, answer_tokens=50, price_in=1, price_out=4)
    found = compared(used, prices=Prices(price_in=1, price_out=4))
    assert found.prices == sizes
    assert found.n_answers == equal_cost_vote(parse_option("debate:3x1"), sizes) == 7
    assert "recorded: a question of 100 and a reply of 50 tokens" in found.basis
    assert "supposed: a question of 200 and a reply of 300 tokens" in compared(run_of_answers(DEBATE)).basis


@pytest.mark.parametrize(
    ("protocol", "option"),
    [
        (None, "debate:4x2"),
        (Protocol(rounds=2), "debate:4x2"),
        (Protocol(rounds=2, visibility=Visibility(graph=graphs.complete(4))), "debate:4x2"),
        (Protocol(rounds=2, visibility=Visibility(graph=graphs.ring(4), show="all")), "debate:4x2:ring:transcript"),
        (Protocol(rounds=2, visibility=Visibility(graph=graphs.star(4))), "debate:4x2:star"),
        (Protocol(rounds=2, visibility=Visibility(graph=graphs.line(4))), "debate:4x2:line"),
        (Protocol(rounds=2, visibility=Visibility(graph=graphs.empty(4))), None),
        (Protocol(rounds=2, visibility=Visibility(graph=(graphs.ring(4), graphs.star(4)))), None),
        (Protocol(rounds=2, schedule=OneByOne()), None),
    ],
)
def test_the_protocol_as_an_option(protocol, option):
    votes = votes_from([[[0, 0, 0, 0]] * 3])
    told = replace(votes, protocol=None if protocol is None else json.loads(json.dumps(protocol.to_dict())))
    found, why = debate_option(told)
    assert (None if found is None else str(found)) == option
    assert bool(why) == (option is None)


@pytest.mark.parametrize("size", [(2, 1, 1001), (2, 1002, 2)])
def test_a_debate_too_large_for_a_forecast_is_no_option(size):
    found, why = debate_option(votes_of_answers(np.zeros(size, int)))
    assert (found, why) == (None, "more than 1000 agents or rounds")


@pytest.mark.parametrize("graph", [{"name": "ring"}, "ring", 3, {"hears": [[9]], "n_agents": 1}])
def test_a_graph_that_cannot_be_read_is_no_option(graph):
    votes = replace(votes_from([[[0, 0]] * 2]), protocol={"visibility": {"graph": graph}, "schedule": None})
    assert debate_option(votes)[0] is None


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (replace(plain_run(3), control="reask"), "a control is no debate"),
        (votes_from([[[1, 2], [2, 2]]], has_target=[False]), "no question has a known target"),
        (votes_from([[[0, 1]], [[1, 1]]]), "there was one round only"),
    ],
)
def test_it_says_why_there_is_no_comparison(run, reason):
    one = summarise("x", run)
    why = equal_cost(one, [one], Prices())
    assert isinstance(why, str)
    assert why.startswith(reason)
    assert outlook(one, why).forecast == why


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        (votes_from([[[0, 1], [0, 0]]]), "one question says nothing about others"),
        (votes_from([[[0] * 5] * 10] * 2), "take too long for a page"),
        (
            replace(votes_from([[[0, 0], [0, 0]]] * 2), protocol={"schedule": {"type": "GroupChat"}}),
            "agents spoke in turn",
        ),
    ],
)
def test_it_says_why_there_is_no_forecast(votes, reason):
    one = summarise("x", votes)
    found = outlook(one, equal_cost(one, [one], Prices()))
    assert isinstance(found.forecast, str)
    assert reason in found.forecast
    assert reason in answer(found)


def population(n_questions, *, kappa=3.0, **options):
    beliefs = draw_beliefs(n_questions, accuracy=0.7, kappa=kappa, rng=1)
    return simulate_questions(beliefs, n_agents=3, n_rounds=1, rng=2, **options).votes


def looked(votes, **prices):
    one = summarise("x", votes)
    return outlook(one, equal_cost(one, [one], Prices(**prices)))


def test_the_three_answers_in_words():
    assert re.match(
        r"Vote: for the same cost a vote of 7 is expected right on \d\d.% of the questions, this debate on \d\d.%\.",
        answer(looked(population(300, kappa=40.0))),
    )
    from madsim.models import Oracle

    helped = population(300, intervention=Oracle())
    assert re.match(
        r"Debate: this debate is expected right on \d\d.% of the questions, a vote of 7 for the same",
        answer(looked(helped)),
    )
    few = looked(population(12))
    assert isinstance(few.forecast, Forecast)
    assert few.forecast.verdict == "undecided"
    assert answer(few).startswith("Vote or debate? Not settled: for the same cost a vote of 7 is expected right on ")


def test_the_vote_of_as_many_calls_is_forecast_where_debates_stopped_early():
    one = summarise("x", replace(population(60), early_stopping=True))
    look = outlook(one, equal_cost(one, [one], Prices()))
    assert not isinstance(look.rival, str)
    assert (look.rival.n_answers, look.rival.basis) == (6, "as many calls (debates stopped early)")
    assert look.rival_forecast is not None
    assert str(look.rival_forecast.option) == "vote:6"


def text_of(path):
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", path.read_text(encoding="utf-8")))


def test_the_command_on_the_page_gives_the_numbers_on_the_page(tmp_path, capsys):
    run = plain_run(30)
    text = text_of(write_report(run, tmp_path / "r.html"))
    record = tmp_path / "run.jsonl"
    write_run(run, record)
    command = re.search(r"madsim (forecast RUN [-a-z0-9:. ]+)", text)
    assert command is not None
    assert main([*command[1].replace("RUN", str(record)).split(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reason"] in text
    for one in found["options"]:
        assert f"{100 * one['accuracy']:.1f} % {100 * one['interval'][0]:.1f} to" in text.replace("\u00a0", " ")


def test_equal_runs_give_equal_pages(tmp_path):
    pages = [write_report(plain_run(30), tmp_path / f"{n}.html").read_bytes() for n in range(2)]
    assert pages[0] == pages[1]
    dear = write_report(plain_run(30), tmp_path / "dear.html", prices=Prices(price_in=5, price_out=1)).read_bytes()
    assert dear != pages[0]


def test_the_command_line_takes_a_price_list(tmp_path, capsys):
    record = tmp_path / "run.jsonl"
    write_run(plain_run(30), record)
    priced = ["--price-in", "4", "--price-out", "1"]
    assert main(["report", str(record), "--out", str(tmp_path / "dear.html"), *priced]) == 0
    assert "at 4 and 1 per million read and written" in text_of(tmp_path / "dear.html")
    assert main(["report", str(record), "--out", str(tmp_path / "bad.html"), "--price-in", "-1"]) == 2
    assert "price_in must be a finite number of at least 0" in capsys.readouterr().err
