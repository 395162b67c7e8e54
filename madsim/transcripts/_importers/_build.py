"""What all importers share: replies out of texts, targets, protocols in plain form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from madsim import answers, graphs
from madsim.tasks import Sample
from madsim.transcripts._run import Reply, Transcript

_BARE_LETTER = re.compile(r"\(?([A-Za-z])\)?\.?")
_NUMBER = re.compile(r"[-+]?\$?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?%?")


@dataclass(slots=True)
class Notes:
    """Counts of what an importer met, by name."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, number: int = 1) -> None:
        """Count something."""
        self.counts[name] += number

    def to_dict(self) -> dict[str, int]:
        """What was counted at least once."""
        return {name: count for name, count in self.counts.items() if count}


def reply_of(text: str, *, round: int, agent: int, sample: Sample) -> Reply:
    """A reply with the answer read out of its text."""
    kind: Any = sample.answer_type
    found = answers.extract(text, kind, choices=sample.choices)
    return Reply(round=round, agent=agent, text=text, answer=found.answer, reason=found.reason, span=found.span)


def target_of(value: Any, *, where: str) -> str | None:
    """A stored truth as text: the number after ``####`` of a worked solution, a letter without brackets, a number in plain digits.

    Raises
    ------
    ValueError
        If it is neither text nor a number.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return repr(value)
    if not isinstance(value, str):
        raise ValueError(f"{where}: the right answer must be text or a number, found {type(value).__name__}")
    text = value.rsplit("####", 1)[-1].strip()
    letter = _BARE_LETTER.fullmatch(text)
    if letter is not None:
        return letter.group(1).upper()
    return text.replace(",", "").replace("$", "") if _NUMBER.fullmatch(text) else text


def size_of(transcripts: Sequence[Transcript], path: str | Path) -> tuple[int, int]:
    """The size of the panel, and the last round.

    Raises
    ------
    ValueError
        If there is no reply at all.
    """
    places = [(reply.agent, reply.round) for one in transcripts for reply in one.replies]
    if not places:
        raise ValueError(f"{path}: {len(transcripts)} debates, and no reply in them")
    return 1 + max(agent for agent, _ in places), max(round for _, round in places)


def answer_type_for(target: str | None) -> str:
    """The answer type that a target suggests: one letter a choice, digits a number, yes or no a boolean, else text."""
    if target is None:
        return "text"
    if len(target) == 1 and target.isalpha():
        return "choice"
    if _NUMBER.fullmatch(target):
        return "number"
    return "boolean" if target.lower() in ("yes", "no", "true", "false") else "text"


def plain_protocol(*, rounds: int, graph: graphs.Graph | None) -> dict[str, Any]:
    """The plain form of a simultaneous debate without early stopping over a graph (None: complete) with a plurality vote."""
    return {
        "rounds": rounds,
        "schedule": {"type": "Simultaneous"},
        "visibility": {"graph": None if graph is None else graph.to_dict(), "show": "last"},
        "reduction": {"type": "Majority", "ties": "random"},
        "convergence": None,
    }


def check_answer_type(answer_type: str | None) -> str | None:
    """The answer type given by the caller, or None."""
    if answer_type is not None:
        Sample(id="check", question="", answer_type=answer_type)
    return answer_type
