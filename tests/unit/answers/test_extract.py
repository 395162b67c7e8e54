"""What an extraction says besides the answer, and what it refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim import answers

REASONS = [
    ("Final answer: 42", "number", "label"),
    ("So \\boxed{42}", "number", "box"),
    ("<answer>42</answer>", "number", "tag"),
    ("6*7\n#### 42", "number", "marker"),
    ('{"answer": "42"}', "number", "field"),
    ("The answer is 42.", "number", "phrase"),
    ("42", "number", "bare"),
    ("He pays 42 dollars.", "number", "last_value"),
    ("Because of the river.\n(B)", "choice", "last_line"),
    ("", "number", "empty"),
    ("   \n", "number", "empty"),
    (None, "number", "empty"),
    ("no idea", "number", "none"),
    ("Final answer: none of the above", "choice", "none_of_these"),
    ("First \\boxed{7}, then \\boxed{1", "number", "truncated"),
    ("So we have it.\n\nFinal answer:", "number", "truncated"),
    ("<think>Final answer: 4", "number", "unclosed_thinking"),
    ("Final answer: 4 or 5", "number", "hedge"),
    ("Final answer: <your answer>", "number", "placeholder"),
    ("I'm sorry, I can't help with that.", "number", "refused"),
    ("Final answer: F", "choice", "out_of_range"),
    ("So \\boxed{x + y}", "number", "unreadable"),
]


@pytest.mark.parametrize(("text", "type", "reason"), REASONS)
def test_reason(text, type, reason):
    found = answers.extract(text, type, choices=list("ABCD") if type == "choice" else None)
    assert found.reason == reason
    assert (found.answer is None) == (found.span is None)


def test_option_text_is_told_from_the_letter():
    assert answers.extract("Final answer: Paris", "choice", choices={"A": "Rome", "B": "Paris"}).reason == "option_text"


def test_every_reason_is_documented_and_reached():
    reached = {reason for _, _, reason in REASONS} | {"option_text"}
    assert reached == set(answers.REASONS)
    assert all(answers.REASONS.values())


def test_an_undocumented_reason_is_refused():
    with pytest.raises(ValueError, match="reason must be one of"):
        answers.Extraction(answer=None, reason="luck", span=None, type="text")


@pytest.mark.parametrize(
    ("text", "type", "slice_"),
    [
        ("Thus\n**Final Answer:**\n\n 42 apples", "number", "42"),
        ("نعم\nFinal answer: ٤٢", "number", "٤٢"),
        ("<think>1</think>The answer is (C).", "choice", "C"),
        ("x \\boxed{ \\frac{1}{2} }", "math", "\\frac{1}{2}"),
        ("Final answer: **New York**.", "text", "New York"),
        ("Final answer: 12 km.", "quantity", "12 km"),
    ],
)
def test_span_is_a_place_in_the_original(text, type, slice_):
    start, stop = answers.extract(text, type).span
    assert text[start:stop] == slice_


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("Final answer: 42", "number"),
        ("Final answer: yes", "boolean"),
        ("Final answer: B", "choice"),
        ("Final answer: A, C", "multichoice"),
        ("Final answer: 12 km", "quantity"),
        ("Final answer: $x^2+1$", "math"),
        ("Final answer: the red house", "text"),
    ],
)
def test_inference_is_reported(text, type):
    found = answers.extract(text)
    assert (found.type, found.inferred) == (type, True)
    assert not answers.extract(text, type).inferred
    assert answers.infer_type(text) == type


def test_one_type_for_several_replies():
    assert (
        answers.infer_type(
            ["Final answer: 4", "no idea at all, this one is really too hard to say", "Final answer: 5", None]
        )
        == "number"
    )
    assert answers.infer_type([], choices=["A", "B"]) == "choice"
    assert answers.infer_type("Final answer: B", choices=["A", "B"]) == "choice"


def test_a_cut_reply_counts_only_if_its_answer_is_there():
    assert answers.extract("Final answer: 42 because", "number", finish_reason="length").answer == "42"
    cut = answers.extract("Adding 40 and 2 we come to", "number", finish_reason="length")
    assert (cut.answer, cut.reason) == (None, "truncated")
    assert answers.extract("Adding 40 and 2 we come to", "number").answer is not None


def test_a_filtered_reply_is_refused():
    assert answers.extract("It would be", "number", finish_reason="content_filter").reason == "refused"


@pytest.mark.parametrize(
    ("text", "locale", "right"),
    [
        ("1.234", None, "1.234"),
        ("1,234", None, "1234"),
        ("3,5", None, "3.5"),
        ("1.234", "de", "1234"),
        ("1,234", "de-DE", "1.234"),
        ("1,234", "en_GB", "1234"),
        ("1.234,5", "fr", "1234.5"),
        ("1'234.5", "de-CH", "1234.5"),
    ],
)
def test_locale(text, locale, right):
    assert answers.extract(f"Final answer: {text}", "number", locale=locale).answer == right


@pytest.mark.parametrize(
    ("arguments", "keywords", "error"),
    [
        ((42, "number"), {}, TypeError),
        ((b"42", "number"), {}, TypeError),
        (("42", "integer"), {}, ValueError),
        (("42", "number"), {"locale": "klingon"}, ValueError),
        (("A", "choice"), {"choices": []}, ValueError),
        (("A", "choice"), {"choices": "ABCD"}, TypeError),
        (("A", "choice"), {"choices": [1, 2]}, TypeError),
        (("A", "choice"), {"choices": [f"option {i}" for i in range(27)]}, ValueError),
    ],
)
def test_wrong_arguments(arguments, keywords, error):
    with pytest.raises(error):
        answers.extract(*arguments, **keywords)


def test_texts_as_choices_are_lettered():
    assert answers.extract("Final answer: Bonn am Rhein", "choice", choices=["Rome", "Bonn am Rhein"]).answer == "B"


def test_items_of_several_letters():
    found = answers.extract("Final answer: C and A", "multichoice", choices=list("ABCD"))
    assert (found.answer, found.items) == ("A,C", ("A", "C"))
    assert answers.extract("no idea", "multichoice").items == ()
    assert answers.extract("Final answer: 1,234", "number").items == ("1234",)


@given(st.integers(-(10**18), 10**18))
def test_any_whole_number_comes_back(value):
    for form in (f"{value}", f"{value:,}", f"**{value}**", f"\\boxed{{{value:,}}}", f"{value}.00"):
        assert answers.extract(f"Work.\nFinal answer: {form}", "number").answer == str(value)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_any_decimal_comes_back_exactly(value):
    found = answers.extract(f"The answer is {value:,f}.", "number").answer
    assert answers.equivalent(found, f"{value:f}", "number")
