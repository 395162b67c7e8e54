"""One question with its truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
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
        if not isinstance(self.question, str):
            raise TypeError(f"sample {self.id!r}: the question must be text, got {self.question!r}")
        if self.target is not None and not isinstance(self.target, str):
            raise TypeError(f"sample {self.id!r}: the target must be text or None, got {self.target!r}")
        if self.answer_type is not None and self.answer_type not in ANSWER_TYPES:
            raise ValueError(f"answer_type must be one of {', '.join(ANSWER_TYPES)}; got {self.answer_type!r}")
        if self.choices is not None:
            object.__setattr__(self, "choices", MappingProxyType(dict(self.choices)))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, read back by :func:`sample_from_dict`."""
        return {
            "id": self.id,
            "question": self.question,
            "target": self.target,
            "choices": None if self.choices is None else dict(self.choices),
            "answer_type": self.answer_type,
        }


def sample_from_dict(plain: Mapping[str, Any]) -> Sample:
    """A sample from its plain form; unknown keys are ignored.

    A number or truth value as id or target becomes text (``true`` becomes ``"yes"``); a list of choices is lettered A, B, C, ...

    Raises
    ------
    ValueError
        If ``id`` or ``question`` is absent, or a value has no reading; the message names the sample.
    """
    identifier = _text(plain.get("id"), "id", "a sample")
    if not identifier:
        raise ValueError(f"a sample needs an 'id'; found the keys {', '.join(map(str, plain)) or 'none'}")
    whose = f"sample {identifier!r}"
    question = plain.get("question")
    if not isinstance(question, str):
        raise ValueError(f"{whose} needs a 'question' of text, got {question!r}")
    answer_type = plain.get("answer_type")
    if answer_type is not None and not isinstance(answer_type, str):
        raise ValueError(f"{whose}: answer_type must be one of {', '.join(ANSWER_TYPES)}; got {answer_type!r}")
    return Sample(
        id=identifier,
        question=question,
        target=_text(plain.get("target"), "target", whose),
        choices=_choices(plain.get("choices"), whose),
        answer_type=answer_type or None,
    )


def _text(value: Any, name: str, whose: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return repr(value)
    raise ValueError(f"{whose}: {name} must be text or a number, got {value!r}")


def _choices(value: Any, whose: str) -> dict[str, str] | None:
    if value is None or value == "":
        return None
    if isinstance(value, (list, tuple)):
        if len(value) > len(ascii_uppercase):
            raise ValueError(f"{whose} lists {len(value)} choices; at most {len(ascii_uppercase)} can be lettered")
        value = dict(zip(ascii_uppercase, value, strict=False))
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{whose}: choices must be a list of texts or an object from letter to text, got {value!r}")
    return {str(letter): _text(text, f"choice {letter}", whose) or "" for letter, text in value.items()}
