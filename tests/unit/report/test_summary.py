"""The numbers behind the page."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim.llm import echo_chamber
from madsim.report._independence import independence
from madsim.report._spend import spend_of
from madsim.report._summary import FLAGS, flags, summarise
from madsim.transcripts import Reply, Run, State, Transcript, Votes
from tests.unit.plot._votes import votes_from
from tests.unit.report._runs import run_of_answers


def named(mask):
    return {name for place, name in enumerate(FLAGS) if mask >> place & 1}


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        ([[0, 0, 0], [0, 0, 0]], set()),
        ([[0, 0, 1], [0, 0, 0]], {"changed"}),
        ([[1, 1, 0], [0, 0, 0]], {"changed", "corrected"}),
        ([[0, 0, 0], [0, 1, 1]], {"changed", "collapsed", "wrong", "disagreement"}),
        ([[1, 1, 1], [1, 1, 1]], {"wrong"}),
        ([[0, 0, 0], [0, 0, -1]], {"unparsed"}),
        ([[0, 0, -1], [0, 1, -1]], {"changed", "collapsed", "wrong", "unparsed", "disagreement"}),
        ([[-1, -1, -1], [-1, -1, -1]], {"wrong", "unparsed"}),
    ],
)
def test_flags_of_one_debate(rounds, expected):
    assert named(flags(summarise("x", votes_from([rounds])))[0]) == expected


def test_without_a_target_nothing_is_wrong():
    votes = votes_from([[[1, 2], [1, 1]]], has_target=[False])
    one = summarise("x", votes)
    assert named(flags(one)[0]) == {"changed"}
    assert one.accuracy is None
    assert one.ledger is None
    assert one.steps == ()


def test_the_ledger_counts_debates():
    one = summarise("x", votes_from([[[0], [0]], [[1], [0]], [[0], [1]], [[1], [2]], [[0], [-1]]]))
    assert one.ledger is not None
    book = one.ledger
    assert (book.kept_right, book.corrected, book.collapsed, book.kept_wrong) == (1, 1, 2, 1)


def test_the_change_of_the_vote_is_paired_by_question():
    # Votes 1, 1, 0, 0 and then 1, 0, 1, 1: differences 0, -1, 1, 1 with mean 1/4 and sd sqrt(11/12).
    one = summarise("x", votes_from([[[0], [0]], [[0], [1]], [[1], [0]], [[1], [0]]]))
    assert one.vote_change is not None
    assert one.vote_change.value == pytest.approx(0.25)
    assert one.vote_change.standard_error == pytest.approx(math.sqrt(11 / 12 / 4))


def test_a_debate_that_ended_keeps_its_vote():
    votes = Votes(
        answers=np.array([[[0, 0], [-1, -1]], [[0, 1], [1, 1]]]),
        state=np.array([[[0, 0], [State.NOT_ASKED] * 2], [[0, 0], [0, 0]]]),
        samples=("a", "b"),
        cluster=np.arange(2),
        has_target=np.ones(2, dtype=bool),
        agents=("A", "B"),
        early_stopping=True,
    )
    assert summarise("x", votes).credit.tolist() == [[1.0, 1.0], [0.5, 0.0]]


def test_votes_without_cells_are_refused():
    empty = Votes(
        answers=np.zeros((0, 1, 2)), state=np.zeros((0, 1, 2)), samples=(), cluster=(), has_target=(), agents=("A", "B")
    )
    with pytest.raises(ValueError, match="nothing to report"):
        summarise("x", empty)


def test_spend_sums_replies_and_costs():
    run = run_of_answers([[["1", None]], [["1", "2"]]], usage={"input": 10, "output": 3}, agents=("A", "B"))
    spend = spend_of(run)
    assert (spend.replies, spend.input_tokens, spend.output_tokens, spend.without_usage) == (4, 30, 9, 1)
    assert spend.cost == pytest.approx(0.5)
    assert spend.tokens == 39


def test_the_debates_own_totals_come_first():
    reply = Reply(round=0, agent=0, text="x", usage={"prompt_tokens": 1, "completion_tokens": 1})
    sample = run_of_answers([[["1"]]]).transcripts[0].sample
    totals = {"usage": {"input": 100, "output": 20}, "cost": 2}
    both = Run(agents=("A",), transcripts=(Transcript(sample=sample, replies=(reply,), outcome=totals),))
    assert (spend_of(both).input_tokens, spend_of(both).output_tokens, spend_of(both).without_usage) == (100, 20, 0)
    one_only = Run(agents=("A",), transcripts=(*both.transcripts, Transcript(sample=sample, replies=(reply,))))
    assert (spend_of(one_only).input_tokens, spend_of(one_only).output_tokens) == (2, 2)


@pytest.mark.parametrize("usage", [None, {}, {"input": "many"}, {"input": math.nan}, {"input": True}, "text", [1]])
def test_usage_that_is_no_number_is_no_usage(usage):
    sample = run_of_answers([[["1"]]]).transcripts[0].sample
    reply = Reply(round=0, agent=0, text="x", usage=usage)
    spend = spend_of(
        Run(agents=("A",), transcripts=(Transcript(sample=sample, replies=(reply,), outcome={"cost": "much"}),))
    )
    assert (spend.input_tokens, spend.tokens, spend.without_usage, spend.cost) == (None, None, 1, None)


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_error_correlation_is_that_of_the_diagnostics(n_questions, n_agents, seed):
    answers = np.random.default_rng(seed).integers(-1, 2, (n_questions, 1, n_agents))
    votes = votes_from(answers)
    found, plain = independence(votes), echo_chamber(votes)
    if plain.correlation is None:
        assert found is None
    else:
        assert found is not None
        assert found.correlation.value == pytest.approx(plain.correlation, abs=1e-12)
        if found.voters is not None:
            assert found.voters == pytest.approx(plain.effective_voters)


def test_the_error_is_a_jackknife_over_questions():
    answers = np.random.default_rng(8).integers(0, 2, (12, 1, 4))
    cluster = np.array([0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7])
    found = independence(votes_from(answers, cluster=cluster))
    assert found is not None
    left = [
        independence(votes_from(answers[cluster != c], cluster=cluster[cluster != c])).correlation.value
        for c in range(8)
    ]
    assert found.correlation.standard_error == pytest.approx(math.sqrt(7 * np.var(left)))
    assert found.correlation.n == 8


def test_agents_that_err_together_are_one_voter():
    found = independence(votes_from([[[0, 0, 0]], [[1, 1, 1]], [[0, 0, 0]], [[1, 2, 3]]]))
    assert found is not None
    assert found.correlation.value == pytest.approx(1.0)
    assert found.voters == pytest.approx(1.0)


def test_the_interval_of_the_correlation_covers_the_truth():
    # p_q ~ Beta(2, 1): Var / (mu (1 - mu)) = (1/18) / (2/9) = 1/4; 400 data sets, three sds of a binomial with chance .95.
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(400):
        chance = rng.beta(2, 1, size=(150, 1, 1))
        found = independence(votes_from((rng.random((150, 1, 4)) > chance).astype(int)))
        assert found is not None
        interval = found.correlation.interval()
        assert interval is not None
        hits += interval.low <= 0.25 <= interval.high
    assert 0.95 - 3 * math.sqrt(0.05 * 0.95 / 400) - 0.01 <= hits / 400 <= 1


def test_repeats_of_a_question_are_one_unit():
    once = independence(votes_from([[[0, 1]], [[0, 0]], [[1, 1]], [[0, 0]]]))
    twice = independence(votes_from([[[0, 1]], [[0, 0]], [[1, 1]], [[0, 0]]] * 2, cluster=[0, 1, 2, 3] * 2))
    assert once is not None
    assert twice is not None
    assert twice.correlation.value == pytest.approx(once.correlation.value)
    assert twice.correlation.standard_error == pytest.approx(once.correlation.standard_error)
