"""Debates against controls: paired by question, whatever the order and the number of repeats."""

import math
import re
from dataclasses import replace

import pytest

from madsim.report import write_report
from madsim.report._controls import against_controls
from madsim.report._summary import summarise
from tests.unit.plot._votes import drawn
from tests.unit.report._runs import plain_run, run_of_answers


def debate_and_control(kind="reask"):
    debate = run_of_answers(
        [[["2", "2", "1"], ["1", "1", "1"]], [["1", "1", "2"], ["1", "1", "2"]], [["2"] * 3, ["2"] * 3]]
    )
    control = run_of_answers(
        [[["2", "2", "1"], ["2", "2", "1"]], [["1", "1", "2"], ["1", "1", "1"]], [["2"] * 3, ["2"] * 3]]
    )
    return debate, replace(control, control=kind)


def test_differences_are_paired_by_question():
    debate, control = debate_and_control()
    shuffled = replace(control, transcripts=control.transcripts[::-1])
    (one,) = against_controls([summarise("d", debate), summarise("c", shuffled)])
    # Votes: 1 - 0, 1 - 1, 0 - 0. Agents: 1 - 1/3, 2/3 - 1, 0 - 0.
    assert one.vote.value == pytest.approx(1 / 3)
    assert one.vote.standard_error == pytest.approx(math.sqrt(1 / 3 / 3))
    assert one.agent.value == pytest.approx(1 / 9)
    assert (one.vote.n, one.debate, one.control, one.kind) == (3, "d", "c", "reask")


def test_repeats_of_a_question_are_averaged_first():
    debate, control = debate_and_control()
    twice = replace(debate, transcripts=(*debate.transcripts, *(replace(one, epoch=1) for one in debate.transcripts)))
    (once,) = against_controls([summarise("d", debate), summarise("c", control)])
    (again,) = against_controls([summarise("d", twice), summarise("c", control)])
    assert again == once


def test_only_shared_questions_and_only_controls_are_compared():
    debate, control = debate_and_control()
    one_shared = replace(control, transcripts=control.transcripts[:1])
    (one,) = against_controls([summarise("d", debate), summarise("c", one_shared)])
    assert (one.vote.n, one.vote.standard_error) == (1, None)
    other = [replace(t, sample=replace(t.sample, question=f"Other {t.sample.id}")) for t in control.transcripts]
    assert against_controls([summarise("d", debate), summarise("c", replace(control, transcripts=tuple(other)))]) == []
    assert against_controls([summarise("a", debate), summarise("b", plain_run(3)), summarise("v", drawn())]) == []


def test_the_page_shows_the_difference_or_asks_for_a_control(tmp_path):
    def text(runs):
        return re.sub(
            r"\s+", " ", re.sub("<[^>]*>", " ", write_report(runs, tmp_path / "r.html").read_text(encoding="utf-8"))
        )

    debate, control = debate_and_control("vote")
    assert "d c a plain vote with as many calls 3 +33.3" in text({"d": debate, "c": control})
    assert "No control run stands beside these debates" in text({"d": debate})
