"""Held-out answers from another run: matched question by question, numbered alike, refused where the questions differ."""

from dataclasses import replace

import numpy as np
import pytest

from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, Transcript, votes_of
from madsim.verify import check, match_held_out
from tests.unit.verify._votes import votes_of_answers


def run_of(answers, *, question="What is {}?", target="4", choices=None, prefix="q", agents=None):
    """A run from answers (sample, round, agent) as texts; None is a reply without an answer, "" one that was not asked for."""
    transcripts = tuple(
        Transcript(
            sample=Sample(
                id=f"{prefix}{number}",
                question=question.format(number),
                target=target,
                choices=choices,
                answer_type="number",
            ),
            replies=tuple(
                Reply(round=t, agent=a, answer=given)
                for t, row in enumerate(rounds)
                for a, given in enumerate(row)
                if given != ""
            ),
        )
        for number, rounds in enumerate(answers)
    )
    return Run(
        agents=tuple("ABCDEFG"[: agents or max(len(row) for rounds in answers for row in rounds)]),
        transcripts=transcripts,
        early_stopping=False,
    )


DEBATES = [[["4", "7"], ["7", "9"]], [["4", "4"], ["4", "5"]]]


def test_answers_are_numbered_as_in_the_run():
    held = run_of([[["9", "4.0", "8"]], [["5", None, ""]]], agents=3)
    found = match_held_out(run_of(DEBATES), held)
    assert np.array_equal(found.votes.answers, votes_of(run_of(DEBATES)).answers)
    assert found.votes.answers[0].tolist() == [[0, 1], [1, 2]]
    assert found.answers.tolist() == [[2, 0, 3], [1, -2, -1]]
    assert found.votes.agents == ("A", "B")
    assert found.votes.early_stopping is False


def test_later_rounds_of_the_held_out_run_do_not_count_and_epochs_go_together():
    debates = run_of(DEBATES)
    held = run_of([[["9", "4"], ["7", "7"]], [["5", "5"], ["4", "4"]]])
    twice = replace(held, transcripts=(*held.transcripts, *(replace(one, epoch=1) for one in held.transcripts)))
    assert match_held_out(debates, twice).answers.tolist() == [[2, 0, 2, 0], [1, 1, 1, 1]]
    again = replace(debates, transcripts=(*debates.transcripts, replace(debates.transcripts[0], epoch=1)))
    assert match_held_out(again, held).answers.tolist() == [[2, 0], [1, 1], [2, 0]]


def test_both_tests_are_made():
    rng = np.random.default_rng(0)
    debates = run_of(rng.choice(["4", "5", "6"], (30, 3, 3), p=[0.5, 0.3, 0.2]).tolist())
    held = run_of(rng.choice(["4", "5", "6"], (30, 1, 4), p=[0.5, 0.3, 0.2]).tolist())
    found = match_held_out(debates, held)
    report = check(found.votes, held_out=found.answers)
    assert {"held-out-moment", "held-out-plurality"} <= {one.name for one in report.tests}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": "What is  {}, then?"}, r"sample 'q0' is another question .* its question is 'What is 0, then\?'"),
        ({"target": "5"}, "its target is '5', here it is '4'"),
        ({"choices": {"A": "4", "B": "5"}}, None),
        ({"prefix": "p"}, "2 of 2 samples have no held-out answers .*'q0'"),
    ],
)
def test_other_questions_are_refused(change, message):
    held = run_of([[["9"]], [["5"]]], **change)
    if message is None:  # absent on one side: nothing to compare
        match_held_out(run_of(DEBATES), held)
        return
    with pytest.raises(ValueError, match=message):
        match_held_out(run_of(DEBATES), held)


def test_other_choices_are_refused():
    one, other = ({"A": first, "B": second} for first, second in (("4", "5"), ("5", "4")))
    with pytest.raises(ValueError, match="list of choices"):
        match_held_out(run_of(DEBATES, choices=one), run_of([[["9"]], [["5"]]], choices=other))


def test_white_space_and_spelling_of_a_target_make_no_other_question():
    held = run_of([[["9"]], [["5"]]], question=" What  is {}? ", target="4.0")
    assert match_held_out(run_of(DEBATES), held).answers.tolist() == [[2], [1]]


def test_a_copy_of_the_run_is_no_held_out_run():
    copy = run_of([[debate[0]] for debate in DEBATES])
    with pytest.raises(ValueError, match="copy"):
        match_held_out(run_of(DEBATES), copy)


def test_a_copy_of_a_run_of_two_epochs_is_seen_too():
    one, two = run_of(DEBATES), run_of([[["5", "8"], ["7", "9"]], [["4", "6"], ["4", "5"]]])
    both = replace(one, transcripts=(*one.transcripts, *(replace(debate, epoch=1) for debate in two.transcripts)))
    with pytest.raises(ValueError, match="copy"):
        match_held_out(both, both)
    assert match_held_out(both, two).answers.shape == (4, 2)


def test_votes_of_other_questions_are_refused_as_far_as_votes_can_tell():
    votes = votes_of_answers([[[0, 1], [1, 1]]] * 3, n_answers=4)
    with pytest.raises(ValueError, match="5 possible answers, those of the run 4"):
        check(votes, held_out=votes_of_answers([[[0, 1]]] * 3, n_answers=5))
    with pytest.raises(ValueError, match=r"1 of 3 samples have a target in one of the two runs only .*'q1'"):
        check(votes, held_out=votes_of_answers([[[0, 1]]] * 3, n_answers=4, has_target=[True, False, True]))
