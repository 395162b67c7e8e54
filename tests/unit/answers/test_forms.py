"""Every label with every dress, value and language."""

import pytest

from madsim import answers

LABELS = (
    "Final answer:",
    "FINAL ANSWER:",
    "Final Answer -",
    "final-answer:",
    "Answer:",
    "The answer is",
    "The final answer is",
    "So the correct answer is:",
    "My answer:",
    "Antwort:",
    "Endgültige Antwort:",
    "Die Antwort ist",
    "Réponse :",
    "Réponse finale :",
    "La réponse est",
    "Respuesta:",
    "Respuesta final:",
    "La respuesta es",
    "Resposta:",
    "Resposta final:",
    "A resposta é",
    "Risposta:",
    "Risposta finale:",
    "La risposta è",
    "答案：",
    "最终答案：",
    "答案是",
    "最終的な答え：",
    "答えは",
    "回答：",
    "정답:",
    "최종 답변:",
    "정답은",
)
DRESSES = (
    "{}",
    " {}",
    " **{}**",
    " `{}`",
    " ${}$",
    " ({})",
    ' "{}"',
    " {}.",
    "\n{}",
    "\n\n{}",
    "\n\n**{}**",
    "\n```\n{}\n```",
    " \\boxed{{{}}}",
    " $\\boxed{{{}}}$",
    " \\({}\\)",
    "\u00a0{}",
    " **{}**.",
)
VALUES = {
    "number": [
        ("42", "42"),
        ("1,234", "1234"),
        ("4.50", "4.5"),
        ("−7", "-7"),
        ("٤٢", "42"),
        ("４２", "42"),
        ("20%", "20%"),
    ],
    "choice": [("B", "B"), ("Ｂ", "B")],
}
BEFORE = ("", "I first thought of 41 and of (A).\n\n")
AFTER = ("", "\n\nI hope that helps.")


@pytest.mark.parametrize("label", LABELS)
def test_label(label):
    wrong = []
    for type, values in VALUES.items():
        for dress in DRESSES:
            for written, right in values:
                for before in BEFORE:
                    for after in AFTER:
                        text = (
                            before
                            + label
                            + (dress if dress[0] != "{" or label[-1] in "：是は은" else " " + dress).format(written)
                            + after
                        )
                        found = answers.extract(text, type, choices=list("ABCD") if type == "choice" else None)
                        if found.answer != right:
                            wrong.append((text, found.answer, found.reason))
    assert wrong == []


@pytest.mark.parametrize("type", ["number", "choice", "boolean", "text", "math", "quantity", "multichoice"])
def test_bold_around_label(type):
    value, right = {
        "number": ("42", "42"),
        "choice": ("B", "B"),
        "boolean": ("No", "no"),
        "text": ("Bern", "Bern"),
        "math": ("x^2", "x^2"),
        "quantity": ("5 km", "5 km"),
        "multichoice": ("A, C", "A,C"),
    }[type]
    for form in (
        "**Final answer:** {}",
        "**Final answer**: {}",
        "**Final answer: {}**",
        "### Final answer\n\n{}",
        "## Final Answer:\n{}",
        "__Final answer:__ {}",
        "*Final answer:* {}",
        "- **Final Answer:** {}",
        "{{final answer: {}}}",
        "<answer>{}</answer>",
        "<final_answer>{}</final_answer>",
        '{{"reasoning": "because", "answer": "{}"}}',
    ):
        found = answers.extract(
            "Some work.\n\n" + form.format(value), type, choices=list("ABCD") if "choice" in type else None
        )
        assert found.answer == right, form
