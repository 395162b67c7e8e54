"""What a person can do with debates that wait: accept what they have, end them, or grant them more rounds."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from madsim.protocols import protocol_from_dict
from madsim.transcripts import RunWriter


def accept(record: str | PathLike[str]) -> int:
    """Take the answers of all paused debates as they are; how many there were."""
    return _end(record, "max_rounds", "accepted by a person")


def terminate(record: str | PathLike[str]) -> int:
    """End all paused debates as cancelled; how many there were. Their partial answers stay in the record."""
    return _end(record, "cancelled", "ended by a person")


def grant(record: str | PathLike[str], *, rounds: int, comment: str | None = None) -> int:
    """Let all paused debates go on for `rounds` more rounds at the next :func:`resume`; how many there are.

    A comment reaches every debater of the first of these rounds as a turn of its own, and no later round.

    Raises
    ------
    ValueError
        If no debate is paused, `rounds` is below 1, or the protocol's sequence of graphs has none for them.
    """
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise ValueError(f"rounds must be an integer of at least 1, got {rounds!r}")
    if comment is not None and not comment.strip():
        raise ValueError("the comment is empty; leave it out instead")
    writer, found = RunWriter.resume(Path(record))
    with writer:
        paused = [outcome for outcome in found.outcomes.values() if outcome.get("status") == "paused"]
        if not paused:
            raise ValueError(f"{record}: no debate is paused, so there is nothing to grant rounds to")
        protocol = protocol_from_dict(found.header["protocol"])
        granted = sum(int(event.get("rounds") or 0) for event in found.events if event.get("event") == "grant")
        for round in range(protocol.rounds + granted + 1, protocol.rounds + granted + rounds + 1):
            protocol.graph(len(found.header["agents"]), round)
        writer.event({"event": "grant", "rounds": rounds, "comment": comment})
    return len(paused)


def _end(record: str | PathLike[str], status: str, reason: str) -> int:
    writer, found = RunWriter.resume(Path(record))
    with writer:
        paused = [outcome for outcome in found.outcomes.values() if outcome.get("status") == "paused"]
        for outcome in paused:
            writer.outcome({**outcome, "status": status, "reason": reason})
    return len(paused)
