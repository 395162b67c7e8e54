"""The check as a whole: what it reports, which verdict it gives, what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pytest

from madsim import graphs
from madsim.protocols import Protocol, Visibility
from madsim.verify import check
from tests.unit.verify._votes import drawn, votes_of_answers

KEYS = {
    "accuracy_by_round", "vote_by_round", "tests", "equivalence", "verdict", "flips", "unparsed_by_round", "questions_needed",
    "null", "quantity", "given", "level", "delta", "drift", "complete_cases", "detectable_drift", "refuted", "skipped", "warnings",
    "reasons", "moved", "n_questions", "n_debates", "n_agents", "n_rounds", "early_stopping", "anytime",
}  # fmt: skip


def moving(n=40, *, up, down, n_agents=3):
    """Of n questions `up` go from all wrong to all right, `down` the other way, the rest stays right."""
    first, last = np.zeros((n, n_agents), int), np.zeros((n, n_agents), int)
    first[:up], last[up : up + down] = 1, 1
    return votes_of_answers(np.stack([first, last], axis=1))


def test_numbers_of_a_small_run():
    answers = [[[0, 1], [0, 0]], [[1, 1], [1, 0]], [[0, 0], [0, 0]], [[0, 1], [1, 1]]]  # changes +1/2, +1/2, 0, -1/2
    report = check(votes_of_answers(answers))
    drift = report.test("drift")
    assert drift.effect == pytest.approx(0.125)
    assert drift.statistic == pytest.approx(0.125 / np.sqrt(0.0572916666))
    assert drift.pvalue == pytest.approx(0.6376, abs=2e-4)  # Student's t on 3 df
    assert report.drift.n == drift.n == 4
    assert report.equivalence.interval.high == pytest.approx(0.125 + 2.35336 * np.sqrt(0.0572916666), abs=1e-4)
    assert report.detectable_drift == pytest.approx((3.18245 + 0.97847) * np.sqrt(0.0572916666), abs=1e-4)
    assert report.moved == pytest.approx(3 / 8)
    assert report.flips.wrong_to_right == 2
    assert report.flips.right_to_wrong == 1
    assert [one.value for one in report.accuracy_by_round] == [0.5, 0.625]
    assert report.verdict == "inconclusive"


def test_plain_form_is_json_and_has_the_keys():
    plain = check(drawn(), anytime=True).to_dict()
    assert set(plain) >= KEYS
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert {"name", "statistic", "pvalue", "pvalue_holm"} <= set(plain["tests"][0])


def test_drift_is_found_and_named():
    report = check(moving(up=12, down=0))
    assert report.verdict == "drift"
    assert report.refuted[0] == "drift"
    assert "moves by +0.300" in report.reasons[0]
    assert "verdict: drift" in str(report)


def test_flat_is_shown_only_with_a_narrow_interval():
    many, few = moving(3000, up=150, down=150), moving(60, up=3, down=3)
    assert check(many).verdict == "equivalent"
    assert check(few).verdict == "inconclusive"
    assert check(many, delta=0.005).verdict == "inconclusive"


def test_nobody_moves_is_vacuous():
    report = check(moving(up=0, down=0))
    assert report.verdict == "vacuous"
    assert report.test("drift").pvalue == 1
    assert "0.0%" in report.reasons[0]


def test_small_movement_cannot_show_more_than_it_could():
    assert (
        check(moving(1000, up=10, down=10)).verdict == "vacuous"
    )  # 2 % of the agents moved, 3 % would have been drift


def test_drift_inside_the_tolerance_is_said_to_be_small():
    report = check(moving(2000, up=30, down=0))
    assert report.verdict == "drift"
    assert "within the tolerance" in report.reasons[-1]


@pytest.mark.parametrize(
    ("lost", "verdict", "noted"), [(1, "inconclusive", False), (2, "inconclusive", True), (6, "unreadable", True)]
)
def test_unreadable_replies_that_change(lost, verdict, noted):
    answers = np.zeros((50, 2, 2), int)
    answers[:10, 0], answers[10:20, 1] = 1, 1
    answers[20 : 20 + lost, 1, 0] = -1  # out of 100 replies
    report = check(votes_of_answers(answers))
    assert report.verdict == verdict
    assert (report.complete_cases is not None) == noted
    if noted:
        assert report.complete_cases.n == 50 - lost
        assert report.complete_cases.value == 0
        assert report.drift.value == pytest.approx(-lost / 100)
    assert report.unparsed_by_round == (0.0, lost / 100)


def test_five_points_are_still_readable():
    answers = np.zeros((20, 2, 1), int)
    answers[0, 1] = -1
    assert check(votes_of_answers(answers)).verdict != "unreadable"


def stopped():
    """Debates that go on only while their two agents disagree."""
    agreed, split = [[0, 0], [-2, -2], [-2, -2]], [[0, 1], [0, 1], [1, 1]]
    return [agreed] * 10 + [split] * 10


@pytest.mark.parametrize("recorded", [None, True])
def test_early_stopping_bars_the_belief_null(recorded):
    report = check(votes_of_answers(stopped(), early_stopping=recorded))
    assert report.verdict == "unreadable"
    assert report.early_stopping is True
    assert report.tests == ()
    assert set(report.skipped) >= {"drift", "lag-moment"}


def test_early_stopping_is_told_by_the_caller():
    votes = votes_of_answers(stopped(), early_stopping=False)
    report = check(votes)
    assert report.n_short == 10
    assert report.n_debates == 10
    assert any("10 of 20 debates lack a round" in text for text in report.warnings)
    assert check(votes, early_stopping=True).verdict == "unreadable"


def test_early_stopping_carries_answers_under_the_share_null():
    report = check(votes_of_answers(stopped(), early_stopping=True), null="share")
    assert report.n_debates == 20
    assert report.drift.value == pytest.approx(-0.25)
    assert report.verdict == "drift"


def test_a_stop_that_never_happened_is_none():
    report = check(votes_of_answers([[[0, 1], [1, 1]], [[1, 0], [0, 0]]], early_stopping=True))
    assert report.early_stopping is False
    assert report.tests


def test_debates_that_end_without_a_reason_are_no_basis():
    answers = stopped()
    answers[0] = [[0, 1], [-2, -2], [-2, -2]]  # ends in disagreement: no known rule
    report = check(votes_of_answers(answers, early_stopping=None))
    assert report.verdict == "unreadable"
    assert "does not say why" in report.reasons[0]


def test_epochs_of_a_question_are_one_cluster():
    votes = moving(40, up=8, down=2)
    twice = votes_of_answers(np.concatenate([votes.answers] * 2), cluster=np.tile(np.arange(40), 2))
    once, doubled = check(votes), check(twice)
    assert doubled.n_questions == 40
    assert doubled.n_debates == 80
    assert doubled.test("drift").pvalue == pytest.approx(once.test("drift").pvalue)


def test_an_agent_is_no_independent_unit():
    votes = moving(40, up=8, down=2, n_agents=1)
    copied = votes_of_answers(np.repeat(votes.answers, 9, axis=2))
    assert check(copied).test("drift").pvalue == pytest.approx(check(votes).test("drift").pvalue)


def test_samples_without_a_target_are_left_out_of_right_and_wrong():
    votes = moving(30, up=6, down=1)
    shown = np.concatenate([votes.answers, np.full((5, 2, 3), 1)])
    target = np.arange(35) < 30
    report = check(votes_of_answers(shown, has_target=target))
    assert report.drift == check(votes).drift
    assert report.n_questions == 35


def test_without_any_target_only_what_needs_none():
    votes = drawn(n_answers=3)
    blind = replace(votes, answers=np.where(votes.answers == 0, 5, votes.answers), has_target=np.zeros(60, bool))
    report = check(blind)
    assert report.verdict == "inconclusive"
    assert report.drift is None
    assert {one.name for one in report.tests} == {"disagreement-floor"}
    assert "no sample has a target" in report.skipped["drift"]
    json.dumps(report.to_dict(), allow_nan=False)
    assert "verdict" in str(report)


def test_plain_model_tests_are_not_made_where_not_everybody_hears_everybody():
    protocol = Protocol(rounds=2, visibility=Visibility(graph=graphs.ring(5))).to_dict()
    ring = votes_of_answers(drawn(n_agents=5).answers, protocol=protocol)
    assert set(check(ring).skipped) == {"common-belief", "disagreement-floor", "vote-ceiling"}
    whole = votes_of_answers(ring.answers, protocol=Protocol(rounds=2).to_dict())
    assert check(whole).skipped == {}


def test_holm_steps_down():
    report = check(drawn(30, seed=3))
    family = sorted((one.pvalue, one.pvalue_holm) for one in report.tests if one.pvalue_holm is not None)
    assert len(family) == 4
    running = 0.0
    for rank, (raw, corrected) in enumerate(family):
        running = max(running, min(1.0, (4 - rank) * raw))
        assert corrected == pytest.approx(running)


def test_one_question_decides_nothing():
    report = check(votes_of_answers([[[0, 1], [1, 0]]]))
    assert report.verdict == "inconclusive"
    assert "one" in report.skipped["drift"]


def test_the_same_seed_gives_the_same_report():
    assert check(drawn(), rng=4).to_dict() == check(drawn(), rng=4).to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"null": "neutral"}, "'belief' or 'share'"),
        ({"delta": 0.0}, "delta"),
        ({"level": 0.7}, "level"),
        ({"held_out": np.zeros((3, 2), int)}, "60 rows"),
        ({"held_out": np.zeros((60, 2))}, "integers"),
    ],
)
def test_bad_arguments(change, message):
    with pytest.raises(ValueError, match=message):
        check(drawn(), **change)


def test_bad_runs():
    with pytest.raises(TypeError, match="votes_of"):
        check([[0, 1]])
    with pytest.raises(ValueError, match="round 0 alone"):
        check(drawn(n_rounds=0))
    with pytest.raises(ValueError, match="nothing to check"):
        check(votes_of_answers([[[0, 1], [-2, -2]]]))
    with pytest.raises(ValueError, match="no test 'drfit'"):
        check(drawn()).test("drfit")
