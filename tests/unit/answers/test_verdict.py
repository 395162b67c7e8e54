"""Verdicts: what a judge said is data, never code, and never a guess."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.answers import Verdict, parse_verdict, reconcile

SHOWN = [["x", "y"], ["y", "x"]]


@pytest.mark.parametrize(
    "form",
    [
        '{{"winner": "{}"}}',
        '```json\n{{"winner": "{}"}}\n```',
        '{{"why": "so", "verdict": "Debater {}"}}',
        "VERDICT: {}",
        "**Winner:** {}",
        "I vote for {}.",
        "[[{}]]",
        "{}",
        "\\boxed{{{}}}",
        '{{"winner": "{}", "why": "cut of',
    ],
)
@pytest.mark.parametrize("letter", ["A", "B"])
@pytest.mark.parametrize("shown", SHOWN)
def test_letters_are_places(form, letter, shown):
    verdict = parse_verdict(form.format(letter), ["x", "y"], shown_order=shown)
    place = "AB".index(letter)
    assert (verdict.winner, verdict.position) == (shown[place], place)


@pytest.mark.parametrize("name", ["x", "y"])
def test_names_win_over_places(name):
    assert parse_verdict(f'{{"winner": "{name}"}}', ["x", "y"], shown_order=["y", "x"]).winner == name


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty"),
        (" ", "empty"),
        ("I can't help with that.", "refused"),
        ("The weather is nice.", "none"),
        ('{"winner": "Z"}', "unknown_option"),
        ("Verdict: A or B", "hedge"),
        ('["A"]', "none"),
        ("__import__('os').getcwd()", "none"),
        ('{"winner": true}', "unknown_option"),
    ],
)
def test_no_verdict(text, reason):
    verdict = parse_verdict(text, ["A", "B"])
    assert (verdict.winner, verdict.reason, verdict.position) == (None, reason, None)


def test_a_tie_counts_only_where_it_may():
    assert parse_verdict("Verdict: tie", ["A", "B"]).winner == "tie"
    refused = parse_verdict("Verdict: tie", ["A", "B"], allow_tie=False)
    assert (refused.winner, refused.reason) == (None, "tie_not_allowed")


def test_resolved_is_kept():
    assert parse_verdict('{"resolved": true, "winner": "B"}', ["A", "B"]).resolved is True
    assert parse_verdict('{"resolved": false}', ["A", "B"]).resolved is False
    assert parse_verdict("B", ["A", "B"]).resolved is None


def test_wrong_arguments():
    with pytest.raises(TypeError, match="text"):
        parse_verdict(3, ["A"])
    with pytest.raises(ValueError, match="option"):
        parse_verdict("A", [])
    with pytest.raises(ValueError, match="shown_order"):
        parse_verdict("A", ["A", "B"], shown_order=["A", "A"])
    with pytest.raises(ValueError, match="at least one"):
        reconcile([])


def verdict_of(winner, shown):
    return Verdict(winner=winner, reason="json", position=shown.index(winner) if winner in shown else None)


@pytest.mark.parametrize("pair", list(itertools.product(["x", "y", "tie", None], repeat=2)))
@pytest.mark.parametrize("allow_tie", [True, False])
def test_two_orders(pair, allow_tie):
    verdicts = [verdict_of(winner, shown) for winner, shown in zip(pair, SHOWN, strict=True)]
    found = reconcile(verdicts, allow_tie=allow_tie)
    if None in pair:
        right = None
    elif pair[0] == pair[1] and (pair[0] != "tie" or allow_tie):
        right = pair[0]
    else:
        right = "tie" if allow_tie else None
    assert found.winner == right
    assert found.orders == tuple(verdicts)
    assert (found.reason == "position_bias") == (set(pair) == {"x", "y"})
    assert reconcile(verdicts[::-1], allow_tie=allow_tie).winner == right


@given(st.text(alphabet="{}[]\":,\\'ABwinerdct \nTIE0123<>/`*", max_size=200))
def test_nothing_makes_it_raise(text):
    verdict = parse_verdict(text, ["A", "B"])
    assert verdict.winner in ("A", "B", "tie", None)
