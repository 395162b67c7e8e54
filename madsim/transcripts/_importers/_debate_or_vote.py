"""The JSON lines of debate-or-vote experiments: one question a line, rounds under the keys "0", "1", ..."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from madsim import graphs
from madsim._core.files import read_json_lines
from madsim.tasks import Sample
from madsim.transcripts._importers._build import (
    Notes,
    answer_type_for,
    check_answer_type,
    plain_protocol,
    reply_of,
    size_of,
    target_of,
)
from madsim.transcripts._run import Reply, Run, Transcript

DECIMALS = 1  # targets and answers of number tasks are stored rounded to one decimal

_NAME = re.compile(
    r"(?P<data>.+?)_(?P<size>\d+)__(?P<model>.+)_N=(?P<agents>\d+)_R=(?P<rounds>\d+)(?P<flags>(?:_[A-Z]+)*)"
)
_ROUND = re.compile(r"\d{1,4}")
_KNOWN_ROUND_KEYS = {
    "responses",
    "final_answers",
    "final_answer_iscorr",
    "debate_answer",
    "debate_answer_iscorr",
    "answer",
}
_TOPOLOGIES = {"SPARSE": graphs.ring, "CENTRAL": graphs.star}
_FLAGS = {"SPARSE", "CENTRAL", "BAE", "HETERO"}


def looks_like(first: Any) -> bool:
    """Whether the first line's value has this layout."""
    return isinstance(first, dict) and isinstance(first.get("0"), dict) and "responses" in first["0"]


def import_debate_or_vote(path: str | Path, *, answer_type: str | None = None) -> Run:
    """Read one file. The answers are read out of the replies again; the stored votes (ties broken at random) are not used.

    A question has no id or text: its id is the number of its line. The topology, the number of agents and of rounds come from the
    file's name (``SPARSE`` a ring, ``CENTRAL`` a star whose hub is the first agent, else complete).
    """
    given = check_answer_type(answer_type)
    notes = Notes()
    name = _NAME.fullmatch(Path(path).name.removesuffix(".jsonl"))
    panel: dict[str, int] = {}
    transcripts: list[Transcript] = []
    for number, (where, line) in enumerate(read_json_lines(path, notes=notes.counts), start=1):
        transcripts.append(_transcript(line, str(number), where, panel, given, notes))
    _, rounds = size_of(transcripts, path)
    _check_against_name(name, panel, path)
    return Run(
        agents=tuple(panel),
        transcripts=tuple(transcripts),
        protocol=_protocol(name, rounds, len(panel), notes),
        early_stopping=False,
        source=_source(path, name, transcripts),
        notes=notes.to_dict(),
    )


def _transcript(
    line: Any, identifier: str, where: str, panel: dict[str, int], given: str | None, notes: Notes
) -> Transcript:
    if not looks_like(line):
        raise ValueError(f"{where}: expected an object with rounds under '0', '1', ... and 'responses' in each")
    keys = [key for key in line if _ROUND.fullmatch(key)]
    rounds = {int(key): line[key] for key in keys}
    if len(rounds) != len(keys):
        raise ValueError(f"{where}: a round stands twice among the keys {', '.join(keys)}")
    notes.add("unused_keys", len(line) - len(rounds))
    targets = {target_of(value.get("answer"), where=where) for value in rounds.values() if isinstance(value, dict)}
    targets.discard(None)
    if len(targets) > 1:
        raise ValueError(f"{where}: the rounds name different right answers: {', '.join(sorted(map(str, targets)))}")
    target = targets.pop() if targets else None
    if any(_scored(value) for value in rounds.values()):  # summaries: three overlap scores, nothing is right or wrong
        notes.add("scored_instead_of_judged")
        target = None
    notes.add("questions_without_target", target is None)
    kind = given or answer_type_for(target)
    sample = Sample(id=identifier, question="", target=target, answer_type=kind)
    replies = [reply for key in sorted(rounds) for reply in _replies(rounds[key], key, where, panel, sample, notes)]
    return Transcript(sample=sample, replies=tuple(replies))


def _scored(value: Any) -> bool:
    judged = value.get("final_answer_iscorr") if isinstance(value, dict) else None
    return isinstance(judged, list) and any(isinstance(item, list) for item in judged)


def _replies(
    value: Any, number: int, where: str, panel: dict[str, int], sample: Sample, notes: Notes
) -> Iterator[Reply]:
    responses = value.get("responses") if isinstance(value, dict) else None
    if not isinstance(responses, dict):
        raise ValueError(f"{where}, round {number}: expected 'responses' as an object from agent to text")
    notes.add("unused_keys", len(set(value) - _KNOWN_ROUND_KEYS))
    stored = value.get("final_answers")
    if isinstance(stored, list) and len(stored) != len(responses):
        notes.add("rounds_with_fewer_stored_answers")
    for agent in responses:
        panel.setdefault(agent, len(panel))
    notes.add("missing_replies", len(panel) - len(responses))
    for agent, text in responses.items():
        if text is None:
            yield Reply(round=number, agent=panel[agent], failed=True, reason="no reply stored")
        elif isinstance(text, str):
            yield reply_of(text, round=number, agent=panel[agent], sample=sample)
        else:
            raise ValueError(f"{where}, round {number}: the reply of {agent!r} is no text but {type(text).__name__}")


def _check_against_name(name: re.Match[str] | None, panel: dict[str, int], path: str | Path) -> None:
    if name is not None and int(name["agents"]) != len(panel):
        raise ValueError(f"{path}: the name says N={name['agents']}, the replies come from {len(panel)} agents")


def _protocol(name: re.Match[str] | None, rounds: int, n_agents: int, notes: Notes) -> dict[str, Any] | None:
    if name is None:
        notes.add("name_without_settings")
        return None
    flags = set(name["flags"].split("_")) - {""}
    notes.add("unknown_flags_in_name", len(flags - _FLAGS))
    notes.add("rounds_not_as_in_name", rounds != int(name["rounds"]))
    graph = next((make(n_agents) for flag, make in _TOPOLOGIES.items() if flag in flags), None)
    return plain_protocol(rounds=rounds, graph=graph)


def _source(path: str | Path, name: re.Match[str] | None, transcripts: list[Transcript]) -> dict[str, Any]:
    source: dict[str, Any] = {"format": "debate-or-vote", "file": Path(path).name}
    if name is not None:
        flags = [flag for flag in name["flags"].split("_") if flag]
        source |= {"data": name["data"], "model": name["model"], "flags": flags}
    if any(one.sample.answer_type == "number" for one in transcripts):
        source["answer_decimals"] = DECIMALS
    return source
