"""The JSON of Du-style debates: whole conversations of each agent by question, or lists of records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from madsim._core.files import JSONReader, read_text
from madsim.tasks import Sample
from madsim.transcripts._importers._build import (
    Notes,
    answer_type_for,
    check_answer_type,
    plain_protocol,
    reply_of,
    target_of,
)
from madsim.transcripts._run import Reply, Run, Transcript

_OPTION = re.compile(r"(?:^|[\s:,])\(?([A-J])\)\s*")
_MOST_OPTIONS = 10
_PROMPT_TAIL = re.compile(r"\s*(?:Answer in \w+ only\.\s*)?Explain your (?:answer|reasoning)\b.*\Z", re.DOTALL)


def looks_like(value: Any) -> bool:
    """Whether the parsed file has one of the two layouts."""
    if isinstance(value, dict) and value:
        return _is_entry(next(iter(value.values())))
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "agent_response" in value[0]


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) < 2 or not isinstance(entry[0], list) or not entry[0]:
        return False
    return all(isinstance(conversation, list) for conversation in entry[0])


def import_du(path: str | Path, *, answer_type: str | None = None) -> Run:
    """Read one file: ``{question: [conversations, truth, ...]}`` or ``[{question_id, agent_response, answer, ...}, ...]``.

    The r-th turn of the assistant is round r. A truth that is a worked solution gives the number after ``####``. Option texts are
    taken from the question where it lists them.
    """
    given = check_answer_type(answer_type)
    notes = Notes()
    value = JSONReader(notes.counts).loads(read_text(path), where=str(path))
    if not looks_like(value):
        raise ValueError(
            f"{path}: expected {{question: [[conversation, ...], truth]}} or a list of records with 'agent_response'; "
            f"found {_shape(value)}"
        )
    panel: dict[str, int] = {}
    debates = _of_records(value, path, panel, notes) if isinstance(value, list) else _of_object(value, path, notes)
    transcripts: list[Transcript] = []
    size = 0
    seen: set[str] = set()
    for identifier, question, replies, truth in debates:
        where = f"{path}, question {identifier}"
        if identifier in seen:
            raise ValueError(f"{where}: the id stands twice")
        seen.add(identifier)
        sample = _sample(identifier, question, truth, given, where, notes)
        found = tuple(_reply(*reply, sample, where) for reply in sorted(replies, key=lambda one: one[:2]))
        transcripts.append(Transcript(sample=sample, replies=found))
        notes.add("debates_without_replies", not found)
        size = max(size, 1 + max((agent for _, agent, _ in replies), default=-1))
    rounds = 1 + max((reply.round for one in transcripts for reply in one.replies), default=-1)
    if not rounds:
        raise ValueError(f"{path}: {len(transcripts)} questions, but no agent says anything in them")
    missing = sum(size * rounds - len(one.replies) for one in transcripts)
    notes.add("missing_replies", missing)
    return Run(
        agents=tuple(panel) if panel else tuple(f"agent {number + 1}" for number in range(size)),
        transcripts=tuple(transcripts),
        protocol=plain_protocol(rounds=rounds - 1, graph=None),
        early_stopping=None if missing else False,
        source={"format": "du", "file": Path(path).name},
        notes=notes.to_dict(),
    )


_Debate = tuple[str, str, list[tuple[int, int, Any]], Any]


def _of_object(value: dict[str, Any], path: str | Path, notes: Notes) -> Iterator[_Debate]:
    for number, (question, entry) in enumerate(value.items()):
        where = f"{path}, question {number}"
        if not _is_entry(entry):
            raise ValueError(f"{where}: expected [[conversation, ...], truth], found {_shape(entry)}")
        notes.add("unused_values", len(entry) - 2)
        replies = [
            (round, agent, text)
            for agent, conversation in enumerate(entry[0])
            for round, text in enumerate(_assistant_turns(conversation, where))
        ]
        yield str(number), question, replies, entry[1]


def _assistant_turns(conversation: list[Any], where: str) -> Iterator[str | None]:
    for turn in conversation:
        if not isinstance(turn, dict) or not isinstance(turn.get("role"), str) or "content" not in turn:
            raise ValueError(f"{where}: expected turns with 'role' and 'content', found {_shape(turn)}")
        if turn["role"] == "assistant":
            yield _content(turn["content"], where)


def _content(content: Any, where: str) -> str | None:
    """The text of a turn; a list of parts (as some interfaces return) is joined."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    raise ValueError(f"{where}: the content of a turn must be text, found {_shape(content)}")


def _of_records(value: list[Any], path: str | Path, panel: dict[str, int], notes: Notes) -> Iterator[_Debate]:
    for number, record in enumerate(value):
        where = f"{path}, record {number}"
        responses = record.get("agent_response") if isinstance(record, dict) else None
        if not isinstance(responses, dict) or not all(isinstance(texts, list) for texts in responses.values()):
            raise ValueError(f"{where}: expected 'agent_response' as an object from agent to a list of texts")
        for agent in responses:
            panel.setdefault(agent, len(panel))
        notes.add("unused_values", len(set(record) - {"question_id", "question", "agent_response", "answer"}))
        replies = [
            (round, panel[agent], _content(text, where))
            for agent, texts in responses.items()
            for round, text in enumerate(texts)
        ]
        question = record.get("question")
        identifier = record.get("question_id", number)
        yield str(identifier), question if isinstance(question, str) else "", replies, record.get("answer")


def _sample(identifier: str, question: str, truth: Any, given: str | None, where: str, notes: Notes) -> Sample:
    target = target_of(truth, where=where)
    notes.add("questions_without_target", target is None)
    kind = given or answer_type_for(target)
    choices = options_in(question) if kind in ("choice", "multichoice") else None
    if choices is not None and kind == "choice" and target is not None and target not in choices:
        choices = None
    return Sample(id=identifier, question=question, target=target, choices=choices, answer_type=kind)


def options_in(question: str) -> dict[str, str] | None:
    """The options that a question lists as ``A) ..., B) ...``, None where no complete list from A on stands in it."""
    body = _PROMPT_TAIL.sub("", question)
    marks = list(_OPTION.finditer(body))[-_MOST_OPTIONS:]
    for start in range(len(marks) - 1, -1, -1):  # the list is the last one: a question may quote letters before it
        letters = [mark.group(1) for mark in marks[start:]]
        if letters[0] == "A" and len(letters) >= 2 and letters == [chr(ord("A") + k) for k in range(len(letters))]:
            ends = [mark.start() for mark in marks[start + 1 :]] + [len(body)]
            texts = [body[m.end() : end].strip().rstrip(",") for m, end in zip(marks[start:], ends, strict=True)]
            return dict(zip(letters, texts, strict=True))
    return None


def _reply(round: int, agent: int, text: str | None, sample: Sample, where: str) -> Reply:
    if text is None:
        return Reply(round=round, agent=agent, failed=True, reason="no reply stored")
    return reply_of(text, round=round, agent=agent, sample=sample)


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(repr(str(key)[:30]) for key in list(value)[:5]) or 'none'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return type(value).__name__
