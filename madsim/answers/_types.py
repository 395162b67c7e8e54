"""The types of the answer layer: what an answer can be, why it was or was not found, and what a vote or a judge came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

AnswerType = Literal["number", "math", "choice", "multichoice", "boolean", "text", "quantity"]

ANSWER_TYPES: tuple[AnswerType, ...] = get_args(AnswerType)

REASONS: MappingProxyType[str, str] = MappingProxyType(
    {
        # an answer was found
        "label": "after a label that announces it, such as 'Final answer:' or 'Antwort:'",
        "box": r"inside \boxed{...} or \fbox{...}",
        "tag": "inside an answer tag such as <answer>...</answer>",
        "marker": "after the '####' marker",
        "field": "in the answer field of a JSON object",
        "phrase": "in a sentence that states it, such as 'the answer is ...'",
        "option_text": "the text of one option, instead of its letter",
        "bare": "the reply is nothing but the answer",
        "last_line": "the last line is nothing but the answer",
        "last_value": "the last value of the right type in the reply",
        # none was found
        "empty": "the reply is missing or blank",
        "none": "the reply holds no answer of the asked type",
        "none_of_these": "the reply rejects every option",
        "truncated": "the reply was cut off before or inside its answer",
        "unclosed_thinking": "the reply ends inside its thinking block",
        "hedge": "the reply offers several different answers",
        "placeholder": "the answer's place holds a placeholder, as in an echoed instruction",
        "refused": "the reply declines to answer",
        "out_of_range": "the answer is none of the offered options",
        "unreadable": "the answer's place holds something that is not of the asked type",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The answer of one reply, or the reason why it has none.

    Attributes
    ----------
    answer : canonical answer, or None; of type multichoice the letters joined by commas (``"A,C"``)
    reason : one of `REASONS`
    span : where the answer stands in the original text, ``text[start:stop]``; None without an answer
    type : type as which the answer was read
    inferred : whether `type` was inferred from the text and not given
    """

    answer: str | None
    reason: str
    span: tuple[int, int] | None
    type: AnswerType
    inferred: bool = False

    def __post_init__(self) -> None:
        if self.reason not in REASONS:
            raise ValueError(f"reason must be one of {', '.join(REASONS)}, got {self.reason!r}")

    @property
    def items(self) -> tuple[str, ...]:
        """The parts of the answer: the letters of a multichoice answer, else the answer alone; empty without an answer."""
        if self.answer is None:
            return ()
        return tuple(self.answer.split(",")) if self.type == "multichoice" else (self.answer,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """The outcome of a vote.

    Attributes
    ----------
    answer : the winning answer as its first voter in declared order gave it, or None where nobody voted
    votes : number of votes for it, or their weight
    tie : whether another answer had as much; the answer first in declared order won
    groups : number of different answers
    abstentions : voters without an answer
    labels : group of each voter in order of first appearance, None for an abstention
    totals : votes of each group
    winner : index of the voter who stands for the winning answer, or None
    """

    answer: str | None
    votes: float
    tie: bool
    groups: int
    abstentions: int
    labels: tuple[int | None, ...]
    totals: tuple[float, ...] = ()
    winner: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge decided.

    Attributes
    ----------
    winner : an option, ``"tie"``, or None for undecided
    reason : ``"json"``, ``"label"``, ``"phrase"``, ``"bare"``; of several verdicts ``"agreed"``,
        ``"position_bias"``, ``"one_of_two"``,
        ``"conflict"``; without a verdict ``"empty"``, ``"refused"``, ``"none"``, ``"hedge"``,
        ``"unknown_option"``, ``"tie_not_allowed"``
    position : 0-based place at which the winner was shown, where one order was shown; else None
    resolved : what the judge said about the debate being resolved, or None
    """

    winner: str | None
    reason: str
    position: int | None = None
    resolved: bool | None = None
    orders: tuple[Verdict, ...] = field(default=(), repr=False)
