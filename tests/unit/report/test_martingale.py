"""The check on the page: the verdict of the check, in words, and nothing that was not tested passed over."""

import re
from dataclasses import replace

import pytest

from madsim.report import write_report
from madsim.report._martingale import plain_words
from madsim.report._summary import summarise
from madsim.simulate import draw_beliefs, simulate_questions
from madsim.verify import check
from tests.unit.plot._votes import drawn, votes_from
from tests.unit.report._runs import plain_run

UP = [[[1, 1, 1], [0, 0, 0]]] * 20 + [[[0, 0, 0], [0, 0, 1]]] * 20
STILL = [[[0, 0, 0]] * 2, [[1, 1, 1]] * 2] * 20
LOST = [[[0, 0, 0], [0, -1, -1]], [[1, 0, 1], [-1, 0, 1]]] * 20


def text_of(path):
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", path.read_text(encoding="utf-8")))


def flat():
    beliefs = draw_beliefs(400, accuracy=0.72, kappa=4, rng=1)
    return simulate_questions(beliefs, n_rounds=2, rng=2).votes


@pytest.mark.parametrize(
    ("votes", "delta", "verdict", "words"),
    [
        (votes_from(UP), 0.03, "drift", "The answers moved"),
        (flat(), 0.05, "equivalent", "stayed the same, to within 5.0 points"),
        (votes_from(STILL), 0.03, "vacuous", "Hardly any answer moved"),
        (votes_from(LOST), 0.03, "unreadable", "No verdict"),
        (drawn(n_questions=12), 0.03, "inconclusive", "Undecided"),
    ],
)
def test_the_page_says_the_verdict_of_the_check(tmp_path, votes, delta, verdict, words):
    report = check(votes, delta=delta)
    assert report.verdict == verdict
    path = write_report(votes, tmp_path / "r.html", delta=delta)
    text = text_of(path)
    assert f"verdict: {verdict}" in text
    assert words in text
    assert all(reason.replace("<", "&lt;") in text for reason in report.reasons)
    for test in report.tests:
        assert test.claim in text
    for name, reason in report.skipped.items():
        assert f"{name} {reason}" in text


def test_undecided_says_how_many_more_questions(tmp_path):
    report = check(drawn(n_questions=12))
    assert report.questions_needed is not None
    assert f"About {report.questions_needed - 12} more questions" in plain_words(report).replace("\u202f", "")


def test_the_drift_is_drawn_with_its_interval_and_tolerance(tmp_path):
    votes = drawn(n_questions=100)
    path = write_report({"mine": votes}, tmp_path / "r.html", delta=0.1, level=0.1)
    report = check(votes, delta=0.1, level=0.1)
    page = path.read_text(encoding="utf-8")
    assert report.drift is not None
    assert report.equivalence is not None
    drawing = re.search(r'<svg[^>]*aria-labelledby="drift-t drift-d".*?</svg>', page, re.S)
    assert drawing is not None
    zone = re.search(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*class="tolerance"', drawing[0])
    bar = re.search(r'<line x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)" y2="[\d.]+" class="whisker wide s0"', drawing[0])
    zero = re.search(r'<line x1="([\d.]+)"[^>]*class="zero"', drawing[0])
    assert zone is not None
    assert bar is not None
    assert zero is not None
    scale = float(zone[2]) / 0.2
    left, right = ((float(place) - float(zero[1])) / scale for place in bar.groups())
    assert left == pytest.approx(report.equivalence.interval.low, abs=2e-3)
    assert right == pytest.approx(report.equivalence.interval.high, abs=2e-3)
    assert "80 % intervals" in drawing[0] + page


def test_bets_are_drawn_where_they_are_asked_for(tmp_path):
    votes = votes_from(UP)
    report = check(votes, anytime=True)
    assert report.anytime is not None
    page = write_report(votes, tmp_path / "r.html", anytime=True)
    assert f"reached 20 after {report.anytime.rejected_at} questions" in text_of(page)
    assert "95 % confidence sequences" in text_of(page)
    assert "Bets against no drift" not in text_of(write_report(votes, tmp_path / "r.html"))


def test_the_null_is_the_readers_choice(tmp_path):
    early = replace(votes_from([[[0, 0, 0], [0, 0, 0]], [[0, 1, 1], [0, 1, 0]]] * 20), early_stopping=False)
    assert "shares of answers are a martingale" in text_of(write_report(early, tmp_path / "r.html", null="share"))
    assert "beliefs are a martingale" in text_of(write_report(early, tmp_path / "r.html", null="belief"))


def test_a_run_that_cannot_be_checked_says_why(tmp_path):
    one = summarise("x", votes_from([[[0, 1]], [[1, 1]]]))
    assert one.check is None
    text = text_of(write_report(votes_from([[[0, 1]], [[1, 1]]]), tmp_path / "r.html"))
    assert "Not checked: the run has round 0 alone" in text
    assert "No run could be checked" in text


@pytest.mark.parametrize("options", [{"null": "vibes"}, {"delta": 0}, {"delta": 1}, {"level": 0.5}, {"level": -1}])
def test_bad_settings_are_errors_not_remarks(tmp_path, options):
    with pytest.raises(ValueError, match="null must be"):
        write_report(plain_run(), tmp_path / "r.html", **options)


@pytest.mark.parametrize(
    "protocol",
    [{"schedule": {"type": "Simultaneous"}, "visibility": {"graph": {"x": 1}}}, {"schedule": 3}, {"visibility": []}],
)
def test_a_strange_protocol_does_not_stop_the_page(tmp_path, protocol):
    votes = replace(drawn(), protocol=protocol)
    assert "verdict" in text_of(write_report(votes, tmp_path / "r.html"))
