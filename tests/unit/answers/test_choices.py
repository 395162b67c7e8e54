"""Options, truth values and verdicts as sentences state them: the same words mean the same for every letter."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.answers import equivalent, extract, parse_verdict
from madsim.answers._stance import stance
from madsim.answers._tables import announced_cell
from tests.run_cases import OWN_CASES, read_cases

LETTERS = "ABCD"
CHOICES = [case for case in read_cases(Path(OWN_CASES) / "choices.jsonl") if case["input"]["choices"] == list(LETTERS)]
VERDICTS = [
    case
    for case in read_cases(Path(OWN_CASES) / "verdicts.jsonl")
    if case["input"]["options"] == ["A", "B"] and not {"shown_order", "allow_tie"} & set(case["input"])
]


def swapped(text, left, right):
    """`text` with two letters exchanged wherever they stand alone."""
    return re.sub(
        rf"(?<![A-Za-zÀ-ÿ])[{left}{right}](?![A-Za-zÀ-ÿ'])", lambda match: right if match[0] == left else left, text
    )


def test_no_letter_is_read_better_than_another():
    seen = 0
    for case in CHOICES:
        text, right = case["input"]["text"], case["expected"]
        for left, other in (("B", "D"), ("C", "D")):
            renamed = swapped(text, left, other)
            if right is not None and renamed.count(right) == text.count(right):
                continue  # the letter is spelt in another way, which the exchange does not know
            want = {left: other, other: left}.get(right, right)
            assert extract(renamed, "choice", choices=list(LETTERS)).answer == want, renamed
            seen += 1
    assert seen > 1200


def test_no_side_is_heard_better_than_the_other():
    seen = 0
    for case in VERDICTS:
        text, right = case["input"]["text"], case["expected"]
        renamed = swapped(text, "A", "B")
        if renamed == text:
            continue
        want = {"A": "B", "B": "A"}.get(right, right)
        assert parse_verdict(renamed, ["A", "B"]).winner == want, renamed
        seen += 1
    assert seen > 400


def test_names_are_heard_as_letters_are():
    """A verdict on A and B says the same of Ada and Bo."""
    for case in VERDICTS:
        text, right = case["input"]["text"], case["expected"]
        if right not in ("A", "B") or not re.search(r"(?<![\w'])[AB] (?:is|wins|won|has|prevails|beats)\b", text):
            continue
        named = re.sub(r"(?<![\w'])[AB](?![\w])", lambda match: {"A": "Ada", "B": "Bo"}[match[0]], text)
        assert parse_verdict(named, ["Ada", "Bo"]).winner == {"A": "Ada", "B": "Bo"}[right], named


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("I choose @", "chosen"),
        ("@ is the best answer", "chosen"),
        ("I change my answer from C to @", "chosen"),
        ("Ich entscheide mich für @", "chosen"),
        ("我选择@", "chosen"),
        ("I do not choose @", "rejected"),
        ("@ is wrong", "rejected"),
        ("I choose C rather than @", "rejected"),
        ("it could be @", "maybe"),
        ("I initially chose @", "former"),
        ("if @ is correct, then so be it", "open"),
        ("@ seems right but is wrong", "open"),
        ("the letters @ and C are on the page", "named"),
    ],
)
def test_what_a_sentence_says_of_an_option(sentence, said):
    begin = sentence.index("@")
    text = sentence.replace("@", "B")
    assert stance(text, 0, begin, begin + 1, len(text)) == said


@pytest.mark.parametrize(
    ("table", "cell"),
    [
        ("| Answer | B |", "B"),
        ("| Step | Answer |\n|---|---|\n| 1 | A |\n| 2 | B |", "B"),
        ("| Step | Answer |\n| :-- | --: |\n| 1 | B |\n| 2 | |", "B"),
        ("| Agent | Answer |\n|---|---|\n| 1 | A |", None),
        ("| Answer | |", None),
        ("Answer | B", None),
    ],
)
def test_cells_of_tables(table, cell):
    place = table.index("Answer")
    found = announced_cell(table, place, place + len("Answer"))
    assert (table[slice(*found)].strip() if found else None) == cell


@pytest.mark.parametrize(
    "piece",
    [
        "A → ",
        "A, no, ",
        "A or B, ",
        "A is ",
        "If A, ",
        "not A, ",
        "A > ",
        "A: ",
        "| A ",
        "no tie ",
        "A lost; ",
        "I choose A. ",
    ],
)
def test_repetition_ends(piece):
    """Ten thousand characters of one phrase over and over are read, without an exception and without nested calls."""
    text = (piece * (10_000 // len(piece))) + "end"
    for kind in ("choice", "multichoice", "boolean", "text"):
        extract(text, kind, choices=list(LETTERS) if "choice" in kind else None)
    parse_verdict(text, ["A", "B"])
    equivalent(text, text + "1", "choice", choices=list(LETTERS))


WORDS = st.sampled_from(
    [
        "A",
        "B",
        "(B)",
        "not",
        "is",
        "correct",
        "wrong",
        "I",
        "choose",
        "if",
        "but",
        "now",
        "→",
        "or",
        "and",
        ",",
        ".",
        "?",
        "\n",
        "was",
        "best",
        "yes",
    ]
)


@given(st.lists(WORDS, max_size=30))
def test_any_words_give_an_option_of_the_question_or_none(words):
    text = " ".join(words)
    found = extract(text, "choice", choices=["A", "B"])
    assert found.answer in ("A", "B", None)
    if found.answer is not None:
        assert found.span is not None
        assert text[slice(*found.span)].strip("()").upper() == found.answer
    assert parse_verdict(text, ["A", "B"]).winner in ("A", "B", "tie", None)


@given(st.lists(WORDS, max_size=30))
def test_a_thinking_block_changes_nothing(words):
    text = " ".join(words)
    before = extract("<think>I choose A. B is wrong.</think>\n" + text, "choice", choices=["A", "B"])
    assert before.answer == extract("\n" + text, "choice", choices=["A", "B"]).answer
