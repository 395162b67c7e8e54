"""No text makes the readers raise, hang or point outside the text."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from madsim import answers

PIECES = [
    "Final answer:",
    "\\boxed{",
    "}",
    "{",
    "(",
    ")",
    "<think>",
    "</think>",
    "**",
    "*",
    "_",
    "$",
    "\\[",
    "```",
    "\n",
    "\n\n",
    "answer ",
    "the answer is ",
    "####",
    "<answer>",
    '"answer":',
    '{"winner":',
    "A ",
    "B)",
    "(C)",
    "42 ",
    "1,234",
    "-",
    "½",
    "\\frac{",
    "not ",
    "or ",
    "Agent 2 said: ",
    "> ",
    "other agents answered ",
    "答案：",
    "٤٢",
    "\u202e",
    "\x00",
    "\ud800",
    "İ",
    "'",
    '"',
    " is the correct answer",
    "%",
    "e9999",
    "10^",
    "=",
    "[[",
    "verdict:",
    ":",
    " ",
    "\t",
    "\\text ",
    "_ ",
    "best is ",
    "yes ",
    "no ",
    "Alice said ",
    "it is ",
    "I choose ",
    "question:",
    "the final ",
    "B is correct ",
    "| ",
    "winner ",
    "1.",
    "(a",
]
CHOICES = {"A": "Rome", "B": "12", "C": "Paris"}


def read_in_every_way(text):
    for type in answers.ANSWER_TYPES:
        found = answers.extract(text, type, choices=CHOICES if "choice" in type else None)
        if found.answer is None:
            assert found.span is None
        else:
            assert 0 <= found.span[0] <= found.span[1] <= len(text)
            assert found.answer
    assert answers.infer_type(text) in answers.ANSWER_TYPES
    answers.parse_verdict(text, ["A", "B"])


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_pieces_of_replies(text):
    read_in_every_way(text)


@example("²")
@example(r"\right")
@given(st.text(max_size=200))
def test_any_text(text):
    read_in_every_way(text)


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)
def test_any_answers(a, b):
    for type in ("number", "choice", "multichoice", "boolean", "text", "quantity"):
        assert answers.equivalent(a, b, type) == answers.equivalent(b, a, type)
        assert isinstance(answers.canonical(a, type), str)
    answers.converged([a, b], "text")


@pytest.mark.parametrize("piece", PIECES)
def test_ten_thousand_characters_of_one_piece(piece):
    """Quadratic or worse reading of these takes minutes and runs into the test's time limit."""
    text = (piece * (10_000 // len(piece) + 1))[:10_000]
    read_in_every_way(text)
    read_in_every_way(text + "Final answer: 7")
    answers.converged([text, text], "text")


def test_ten_thousand_characters_of_mixed_pieces():
    rng = random.Random(20261201)
    for _ in range(12):
        unit = "".join(rng.choices(PIECES, k=rng.randint(2, 5)))
        read_in_every_way((unit * (10_000 // len(unit) + 1))[:10_000])


def test_a_megabyte_is_read():
    long = "We add the numbers one by one, and again.\n" * 25_000
    assert answers.extract(long + "Final answer: 42", "number").answer == "42"
    assert answers.extract("Final answer: 41\n" + long + "\\boxed{42}.", "number").answer == "42"
