"""Controls, lone dissenters, difficulty, pooled runs, imitation."""

import json

import numpy as np
import pytest

from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, Transcript
from madsim.verify import (
    check,
    check_against_control,
    check_replicator,
    drift_by_difficulty,
    innovation_rate,
    lone_dissenters,
    pool_runs,
)
from tests.unit.verify._votes import drawn, votes_of_answers


def test_control_is_subtracted_question_by_question():
    debate = votes_of_answers([[[0, 1], [0, 0]], [[1, 1], [0, 0]], [[0, 0], [0, 0]]])  # +1/2, +1, 0
    control = votes_of_answers([[[0, 1], [0, 0]], [[1, 1], [0, 1]], [[0, 0], [1, 0]]])  # +1/2, +1/2, -1/2
    found = check_against_control(debate, control)
    assert found.debate.value == pytest.approx(0.5)
    assert found.control.value == pytest.approx(1 / 6)
    assert found.effect.value == pytest.approx(1 / 3)
    assert found.effect.standard_error == pytest.approx(np.std([0, 0.5, 0.5], ddof=1) / np.sqrt(3))
    assert "difference +0.3333" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_control_is_matched_by_name_whatever_the_order():
    debate, control = drawn(20, seed=1), drawn(20, seed=2)
    order = np.random.default_rng(0).permutation(20)
    mixed = votes_of_answers(control.answers[order])
    object.__setattr__(mixed, "samples", tuple(control.samples[i] for i in order))
    assert check_against_control(debate, mixed) == check_against_control(debate, control)
    with pytest.raises(ValueError, match="share 1 questions"):
        check_against_control(debate, drawn(1))


def test_control_puts_epochs_together():
    debate = votes_of_answers(drawn(6, seed=1).answers, cluster=[0, 0, 1, 1, 2, 2])
    object.__setattr__(debate, "samples", ("a#0", "a#1", "b#0", "b#1", "c#0", "c#1"))
    control = votes_of_answers(drawn(3, seed=2).answers)
    object.__setattr__(control, "samples", ("c", "b", "a"))
    found = check_against_control(debate, control)
    assert (found.n_questions, found.n_left_out) == (3, 0)
    change = debate.right[:, -1].mean(axis=1) - debate.right[:, 0].mean(axis=1)
    assert found.debate.value == pytest.approx(change.mean())
    assert found.debate.n == 3


def test_numbers_in_names_are_no_epochs():
    names = tuple(f"task#{number}" for number in range(20))
    debate, control = drawn(20, seed=1), drawn(20, seed=2)
    for one in (debate, control):
        object.__setattr__(one, "samples", names)
    assert check_against_control(debate, control).n_questions == 20


def test_lone_dissenters():
    answers = [
        [[1, 0, 0], [0, 0, 0]],  # stood alone, peers right, adopted
        [[1, 0, 0], [1, 0, 0]],  # kept
        [[0, 1, 1], [1, 1, 1]],  # peers wrong, adopted
        [[2, 1, 1], [0, 1, 1]],  # peers wrong, went elsewhere
        [[0, 0, 0], [0, 0, 0]],  # nobody dissents
        [[-1, 0, 0], [0, 0, 0]],  # no answer is no dissent
        [[1, -1, -1], [1, 1, 1]],  # nothing to agree on
    ]
    found = lone_dissenters(votes_of_answers(answers))
    assert (found.n_peers_right, found.n_peers_wrong) == (2, 2)
    assert found.peers_right.value == found.peers_wrong.value == 0.5
    assert found.asymmetry.value == 0
    assert lone_dissenters(votes_of_answers(answers[:2])).asymmetry is None
    with pytest.raises(ValueError, match="two peers"):
        lone_dissenters(votes_of_answers([[[0, 1], [0, 0]]]))


def test_difficulty_comes_from_the_other_repeats():
    rng = np.random.default_rng(3)
    chance = np.tile(rng.random(300), 4)[:, None, None]
    still = votes_of_answers((rng.random((1200, 2, 5)) > chance).astype(int), cluster=np.tile(np.arange(300), 4))
    bins = drift_by_difficulty(still)
    assert sum(one.n_debates for one in bins) == 1200
    for one in bins:  # no question moves: no bin may seem to
        assert abs(one.drift.value) < 4 * one.drift.standard_error
    first = still.right[:, 0].mean(axis=1)
    change = still.right[:, 1].mean(axis=1) - first
    own = change[first < 0.25]
    assert own.mean() > 4 * own.std() / np.sqrt(len(own))  # sorted by their own answers the hard ones seem to rise
    with pytest.raises(ValueError, match="two"):
        drift_by_difficulty(drawn(10))
    with pytest.raises(ValueError, match="edges"):
        drift_by_difficulty(still, edges=(0.0, 0.5))


def run_of(answers, agents):
    transcripts = tuple(
        Transcript(
            sample=Sample(id=f"s{number}", question=f"Question {number}?", target="1", answer_type="number"),
            replies=tuple(
                Reply(round=t, agent=i, answer=text) for t, row in enumerate(rounds) for i, text in enumerate(row)
            ),
        )
        for number, rounds in enumerate(answers)
    )
    return Run(agents=agents, transcripts=transcripts, early_stopping=False)


def test_pooled_runs_are_clustered_by_question():
    small = run_of([[["1", "2"], ["1", "1"]], [["2", "2"], ["2", "1"]]], ("a", "b"))
    large = run_of([[["1", "2", "3"], ["1", "1", "3"]], [["2", "1", "1"], ["2", "1", "1"]]], ("a", "b", "c"))
    votes = pool_runs([small, large])
    assert votes.answers.shape == (4, 2, 3)
    assert votes.cluster.tolist() == [0, 1, 0, 1]
    report = check(votes)
    assert report.n_questions == 2
    assert report.n_debates == 4
    assert report.drift.value == pytest.approx(np.mean([0.5, 0.5, 1 / 3, 0]))
    with pytest.raises(ValueError, match="rounds"):
        pool_runs([small, run_of([[["1"], ["1"], ["1"]]], ("a",))])
    with pytest.raises(ValueError, match="no run"):
        pool_runs([])


def test_innovation_is_what_nobody_gave():
    votes = votes_of_answers([[[0, 1], [0, 2]], [[1, 1], [0, 3]], [[-1, -1], [0, 0]]])
    assert innovation_rate(votes).value == pytest.approx(np.mean([0.5, 1.0]))


def test_new_answers_forbid_imitation():
    report = check_replicator(drawn(100, n_answers=6, chance=0.3))
    assert report.verdict == "not imitation"
    assert report.fit is None
    json.dumps(report.to_dict(), allow_nan=False)


def test_agents_who_never_meet_themselves_again_leave_no_drift_and_are_not_called_questions_without_a_target():
    pool = votes_of_answers([[[0, -2], [-2, 0]], [[1, -2], [-2, 1]]])
    found = check(pool)
    assert found.verdict == "inconclusive"
    why = "in no debate was one agent asked both in the first round and in the last"
    assert found.reasons == (f"Drift from wrong to right cannot be told: {why}.",)
    assert (found.skipped["drift"], found.skipped["drift-sign-flip"]) == (why, why)
    assert found.accuracy_by_round is not None
    assert "disagreement by round: - 0.0000\n" in str(found)  # in round 0 there is nobody to differ from
    unknown = check(votes_of_answers(pool.answers, has_target=[False, False]))
    assert unknown.reasons == ("Drift from wrong to right cannot be told: no sample has a target.",)
    assert unknown.skipped["drift"] == "no sample has a target"
