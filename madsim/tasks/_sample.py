"""One question with its truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

ANSWER_TYPES = ("number", "math", "choice", "multichoice", "boolean", "text", "quantity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A question as it is put to every debater.

    Attributes
    ----------
    id : unique within its question set
    question : the text
    target : the right answer in words of the answer type; None where it is not known
    choices : option letter to option text, None for open questions
    answer_type : one of `ANSWER_TYPES`; None lets the answers' type be inferred
    """

    id: str
    question: str
    target: str | None = None
    choices: Mapping[str, str] | None = None
    answer_type: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise ValueError(f"a sample needs an id of at least one character, got {self.id!r}")
        if self.answer_type is not None and self.answer_type not in ANSWER_TYPES:
            raise ValueError(f"answer_type must be one of {', '.join(ANSWER_TYPES)}; got {self.answer_type!r}")
        if self.choices is not None:
            object.__setattr__(self, "choices", MappingProxyType(dict(self.choices)))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {
            "id": self.id,
            "question": self.question,
            "target": self.target,
            "choices": None if self.choices is None else dict(self.choices),
            "answer_type": self.answer_type,
        }
