"""The end of a phase: what it hands on, in the form that was agreed, or a clear failure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from madsim.llm._call import STOPS
from madsim.llm._documents import problems_of, words_for
from madsim.llm._errors import BudgetError, HandOffError
from madsim.llm._said import Said
from madsim.llm._summaries import summarise_dialogue
from madsim.llm._turn_taking import can_be_shown
from madsim.protocols import Document, LastDocument, Phase, Phases

if TYPE_CHECKING:
    from madsim.llm._debate import Debate


def present_phase(debate: Debate) -> Phase | None:
    """The phase that goes on; None under another schedule and after the last one."""
    schedule = debate.setup.protocol.schedule
    if not isinstance(schedule, Phases) or len(debate.handed) == len(schedule.phases):
        return None
    return schedule.phases[len(debate.handed)]


def published_as(debate: Debate, agent: int) -> str:
    """The type of document as which a reply of `agent` is published now."""
    phase = present_phase(debate)
    if phase is None:
        return debate.setup.panel[agent].publishes
    return str(phase.publishes) if agent == writer_of(phase) else "reply"


def as_document(debate: Debate, said: Said) -> Said:
    """The reply as what it is published, with what it lacks to be that."""
    type = published_as(debate, said.agent)
    form = debate.setup.protocol.visibility.document(type)
    if form is None and type != "reply" and present_phase(debate) is None:
        form = Document(type=type)  # of any form, but there
    lacks = () if form is None or said.failed else problems_of(_without_mark(debate, said.text), form)
    return replace(said, document=type, problems=lacks)


def ending_for(debate: Debate, agent: int) -> str | None:
    """How a debater is asked to end its reply where that is not the answer to the question; None where it is."""
    protocol, phase = debate.setup.protocol, present_phase(debate)
    type = published_as(debate, agent)
    form = protocol.visibility.document(type)
    if form is not None:
        return words_for(form)
    if phase is None:
        return "" if isinstance(protocol.reduction, LastDocument) else None
    assert isinstance(protocol.schedule, Phases)
    last = phase is protocol.schedule.phases[-1] and not isinstance(protocol.reduction, LastDocument)
    return None if last and agent == writer_of(phase) else ""


def task_for(debate: Debate, agent: int) -> str | None:
    """What is asked of the speaker of a phase, as part of a user turn; None under another schedule."""
    phase, schedule = present_phase(debate), debate.setup.protocol.schedule
    if phase is None:
        return None
    assert isinstance(schedule, Phases)
    names = debate.setup.names
    partner = names[phase.second if agent == phase.first else phase.first]
    if any(said.agent == agent for said in debate.log[debate.phase_began :]):
        words = [f"Go on with phase '{phase.name}'."]
    else:
        place = f"Phase {len(debate.handed) + 1} of {len(schedule.phases)}, '{phase.name}', together with {partner}."
        words = [place, phase.task] if phase.task else [place]
    if phase.until is not None:
        words.append(f"When nothing is left to be said in this phase, write {phase.until} on a line of its own.")
    return " ".join(words)


async def hand_over(debate: Debate) -> None:
    """End the present phase if it is over, and keep what it hands on.

    Raises
    ------
    HandOffError
        If it is over and nothing of the agreed form was written.
    BudgetError
        If its last turn could not be paid for.
    """
    phase = present_phase(debate)
    if phase is None:
        return
    replies = debate.log[debate.phase_began :]
    written = [
        said
        for said in replies
        if said.agent == writer_of(phase) and can_be_shown(said) and (_without_mark(debate, said.text) or "").strip()
    ]
    is_marked = phase.until is not None and bool(replies) and _has_mark(replies[-1].text, phase.until)
    if len(replies) < phase.turns and not (is_marked and written):
        return
    if not written:
        last = next((said for said in reversed(replies) if said.agent == writer_of(phase)), None)
        if last is not None and last.failed and last.reason in STOPS:
            raise BudgetError(f"the document '{phase.publishes}' of phase '{phase.name}' could not be paid for")
        lacks = () if last is None else last.problems or ((last.reason or "no reply"),)
        raise HandOffError(
            f"phase '{phase.name}' ended after {len(replies)} turns without a document '{phase.publishes}' of the agreed form: "
            f"{'; '.join(lacks) or 'its writer had no turn'}"
        )
    document = replace(written[-1], text=_without_mark(debate, written[-1].text), document=str(phase.publishes))
    if phase.carry == "summary":
        summary = await summarise_dialogue(debate, document.agent, replies)
        document = document if summary is None else replace(document, text=summary)
    debate.caller.emit(
        "handoff",
        debate.place("debater", document.agent),
        phase=phase.name,
        document=phase.publishes,
        turns=len(replies),
    )
    debate.handed.append(document)
    debate.phase_began = len(debate.log)


def writer_of(phase: Phase) -> int:
    """The seat whose reply is handed on: the second, or the first where it is alone."""
    return phase.second if phase.turns > 1 else phase.first


def _has_mark(text: str | None, mark: str) -> bool:
    return any(line.strip().casefold() == mark.strip().casefold() for line in (text or "").splitlines())


def _without_mark(debate: Debate, text: str | None) -> str | None:
    phase = present_phase(debate)
    if phase is None or phase.until is None or not _has_mark(text, phase.until):
        return text
    mark = phase.until.strip().casefold()
    return "\n".join(line for line in (text or "").splitlines() if line.strip().casefold() != mark).strip()
