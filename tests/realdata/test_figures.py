"""Real transcripts: the scores reproduce published measurements exactly, and every set is imported without a silent loss."""

from functools import cache

import numpy as np
import pytest

from madsim.transcripts import accuracy_by_round, flips, import_run, unparsed_by_round, vote_by_round, votes_of
from tests._realdata import REAL_DATA, needs_real_data
from tests.realdata.comparison import compare, drift, figures, parsed_answers, table, votes_of_answers

# Measured with another reader of answers: a set whose replies are read alike must agree to rounding, any other within the replies that
# are read differently.
ROUNDED = 2e-6


@cache
def rows():
    return list(compare())


@needs_real_data
def test_scores_of_all_parsed_runs_equal_their_figures():
    known, parsed = figures(), parsed_answers()
    assert len(known) == len(parsed) == 71
    for key, lines in parsed.items():
        votes = votes_of_answers(lines)
        expected = known[key]
        for ours, theirs in ((accuracy_by_round(votes), expected["single"]), (vote_by_round(votes), expected["mv"])):
            np.testing.assert_allclose([one.value for one in ours], [value for value, _ in theirs], atol=ROUNDED)
            np.testing.assert_allclose([one.standard_error for one in ours], [se for _, se in theirs], atol=ROUNDED)
        change = drift(votes)
        np.testing.assert_allclose([change.value, change.standard_error], expected["drift_total"], atol=ROUNDED)
        asked_right = expected["p_correct_to_wrong"][1]
        moves = flips(votes)
        assert moves.kept_right + moves.right_to_wrong + moves.lost_right == asked_right
        left = (moves.right_to_wrong + moves.lost_right) / asked_right
        assert left == pytest.approx(expected["p_correct_to_wrong"][0], abs=ROUNDED)


@needs_real_data
def test_every_set_is_imported():
    names = [row.key for row in rows()]
    assert len(names) == len(set(names)) == 3 + 1 + 3 + 12 + 1 + 3 + 2
    for row in rows():
        assert row.run.notes.keys() <= {"truths_of_low_confidence", "questions_without_target", "unused_keys"}, row.key
        if row.figures is not None:
            shape = (row.figures["n"], row.figures["rounds"], row.figures["agents"])
            assert row.votes.answers.shape == shape
            assert row.votes.has_target.all()
    assert table(rows()).count("\n") == len(names) + 1


@needs_real_data
def test_sets_without_texts_agree_exactly():
    found = {row.key: row for row in rows()}
    keys = [
        key for key in found if key[0] in ("SALT-NLP/DyLAN", "mathismusic/multiagent-sycophancy") and found[key].figures
    ]
    assert len(keys) == 5
    for key in keys:
        row = found[key]
        assert row.figures is not None
        np.testing.assert_allclose(
            [one.value for one in row.accuracy], [v for v, _ in row.figures["single"]], atol=ROUNDED
        )
        np.testing.assert_allclose([one.value for one in row.vote], [v for v, _ in row.figures["mv"]], atol=ROUNDED)
        assert row.drift.value == pytest.approx(row.figures["drift_total"][0], abs=ROUNDED)
        assert row.read_differently == (0, 0, 0)


@needs_real_data
def test_sets_with_texts_differ_by_no_more_than_the_replies_read_differently():
    for row in rows():
        if row.figures is None or row.theirs is None:
            continue
        changed, gained, lost = row.read_differently
        cells = row.votes.answers.size
        assert changed <= 0.16 * cells, row.key
        ours = sum(one.value for one in row.accuracy)
        theirs = sum(value for value, _ in row.figures["single"])
        per_cell = row.votes.answers.shape[1] / cells
        assert ours - theirs == pytest.approx((gained - lost) * per_cell, abs=1e-4), row.key


@needs_real_data
def test_debates_that_stop_at_agreement_are_recognised():
    for row in rows():
        assert row.votes.early_stopping is (row.key[0] == "SALT-NLP/DyLAN"), row.key
    assert REAL_DATA is not None
    # the same without being told: the answers alone show it
    lines = parsed_answers()["SALT-NLP/DyLAN", "mmlu_optimal7_3"]
    short = [{**one, "answers": _uncarried(one["answers"])} for one in lines]
    assert votes_of_answers(short).early_stopping is True


@needs_real_data
def test_verdicts_of_checks_on_real_debates():
    found = {row.key: row.report for row in rows()}
    for key, report in found.items():
        if key[0] == "SALT-NLP/DyLAN":  # stops at agreement: shares drift although beliefs need not
            assert report.verdict == "unreadable", key
    stress = found["mathismusic/multiagent-sycophancy", "original"]
    assert stress.verdict in ("drift", "unreadable")
    assert stress.drift is not None
    assert stress.drift.value == pytest.approx(-0.061905, abs=1e-6)


def _uncarried(answers):
    """Rounds after the first unanimous one are what the parsed files carried on."""
    for number, given in enumerate(answers):
        if len(set(given)) == 1 and given[0] is not None:
            return answers[: number + 1]
    return answers


@needs_real_data
def test_one_question_is_one_cluster():
    found = {row.key: row for row in rows()}
    stress = found["mathismusic/multiagent-sycophancy", "original"]
    assert (stress.votes.n_samples, len(np.unique(stress.votes.cluster))) == (140, 20)
    gsm = found["tt6746690/llm_multiagent_debate", "gsm_3_2_100"]
    assert len(np.unique(gsm.votes.cluster)) == 100


@needs_real_data
@pytest.mark.parametrize(("flags", "graph"), [("", None), ("_SPARSE", "ring"), ("_CENTRAL", "star"), ("_HETERO", None)])
def test_the_four_layout_files_give_the_same_votes(flags, graph):
    assert REAL_DATA is not None
    path = REAL_DATA / "formats" / "debate-or-vote" / f"arithmetics_3__qwen2.5-7b_N=5_R=2{flags}.jsonl"
    run = import_run(path)
    votes = votes_of(run)
    assert votes.answers.shape == (3, 3, 5)
    assert [one.value for one in vote_by_round(votes)] == pytest.approx([2 / 3, 1, 2 / 3])
    assert unparsed_by_round(votes) == pytest.approx((2 / 15, 2 / 15, 0))
    assert run.protocol is not None
    shown = run.protocol["visibility"]["graph"]
    assert (None if shown is None else shown["name"]) == graph
