"""Checks, fits and forecasts on real transcripts: verdicts that the known figures imply, and nothing that fails."""

import pytest

from madsim.fit import fit_debate
from madsim.planning import forecast, maj_at_n
from madsim.transcripts import import_run, vote_by_round, votes_of
from madsim.verify import check, check_replicator, lone_dissenters, pool_runs
from tests._realdata import REAL_DATA, needs_real_data


def transcripts(name):
    assert REAL_DATA is not None
    return REAL_DATA / "transcripts" / name


@pytest.fixture(scope="module")
def dylan():
    return votes_of(import_run(transcripts("SALT-NLP__DyLAN") / "gold_by_matching.csv", agents=3))


@needs_real_data
def test_debates_that_stop_at_agreement_get_no_verdict_of_drift(dylan):
    belief, share = check(dylan), check(dylan, null="share")
    assert belief.verdict == "unreadable"
    assert belief.early_stopping is True
    assert share.verdict == "drift"
    assert share.drift.value == pytest.approx(0.054, abs=0.002)
    assert share.drift.standard_error == pytest.approx(0.005, abs=5e-4)
    assert share.complete_cases.value == pytest.approx(0.026, abs=0.002)
    assert share.n_questions == 2229


@needs_real_data
def test_maj_at_all_is_the_vote(dylan):
    assert maj_at_n(dylan, 3).value == pytest.approx(vote_by_round(dylan)[0].value, abs=1e-12)
    assert maj_at_n(dylan, 1).value == pytest.approx(0.662, abs=0.002)


@needs_real_data
def test_majorities_count_for_more_than_their_share(dylan):
    fit = fit_debate(dylan, profile=False)
    assert fit.conformity.interval.low > 1.5
    assert fit.lr_test.pvalue < 1e-10
    assert check_replicator(dylan).verdict == "conformity"
    found = lone_dissenters(dylan)
    assert found.asymmetry.value == pytest.approx(0.09, abs=0.03)
    assert found.n_peers_right + found.n_peers_wrong > 800


@needs_real_data
def test_a_small_model_drifts_down_and_does_not_imitate():
    path = next(transcripts("own__qwen2.5-coder-1.5b_csqa").glob("debate_a3_r3_single*.jsonl"))
    votes = votes_of(import_run(path))
    report = check(votes)
    assert report.verdict == "drift"
    assert report.drift.value < -0.1
    assert check_replicator(votes).verdict == "not imitation"
    assert forecast(votes, ["vote:5", "debate:3x2"]).verdict == "vote"


@needs_real_data
def test_runs_on_the_same_questions_are_pooled():
    paths = sorted(transcripts("lferreiraMD__slm_multiagent_debate").glob("gsm_*.json"))
    votes = pool_runs([import_run(path) for path in paths])
    report = check(votes)
    assert report.n_questions == 20
    assert report.n_debates == 20 * len(paths)
    assert report.drift.value > 0.02
    assert {one.n for one in report.tests if one.name == "drift"} == {20}
