"""What one agent said in one round, and what another was shown of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One reply with its extracted answer.

    Attributes
    ----------
    round, agent : where it was said
    text : the reply, None where none came
    answer : the extracted answer, None where there is none
    reason : reason code of the extraction, or the failure's code
    type : answer type as which it was read
    span : where in `text` the answer stands
    failed : whether the agent was asked and no reply came
    finish_reason : as the model reported
    document : type of document as which it is published
    problems : what it lacks to be a document of that type; it is shown to nobody then
    """

    round: int
    agent: int
    text: str | None
    answer: str | None = None
    reason: str | None = None
    type: str | None = None
    span: tuple[int, int] | None = None
    failed: bool = False
    finish_reason: str | None = None
    document: str = "reply"
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What one agent was shown in a round, and what it then said (None while it has not).

    Attributes
    ----------
    round : the round
    shown : replies of others that it was shown, oldest first
    summary : a summariser's text instead of the replies, None where there is none
    reply : its own reply
    task : what was asked of it beside the question, in words
    """

    round: int
    shown: tuple[Said, ...] = ()
    summary: str | None = None
    reply: Said | None = None
    task: str | None = None
