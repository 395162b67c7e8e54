"""Runs as commands take them, and how their scores are shown."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from madsim.cli._output import Progress, note, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from madsim._core.estimate import Estimate
    from madsim.llm import Event
    from madsim.transcripts import Run, Votes

RUN_HELP = "a run: its record, or a file in a layout that `transcripts import` knows ('-': standard input)"
VOTES_HELP = f"{RUN_HELP}, or a simulation saved with --votes"


def load_run(path: str, *, messages: bool = False) -> Run:
    """The run of a record or of an importable file; ``"-"`` is standard input, whatever its layout."""
    with seekable(path) as file:
        return _read_run(file, path, messages=messages)


def _read_run(file: str, path: str, *, messages: bool = False) -> Run:
    """The run in `file`, which the user calls `path`."""
    from madsim.transcripts import import_run, read_run, sniff

    if sniff(file) == "record":
        return read_run(file, messages=messages)
    run = import_run(file)
    return run if path != "-" else replace(run, source={**run.source, "file": "standard input"})


@contextmanager
def seekable(path: str) -> Iterator[str]:
    """A file that can be looked at before it is read: standard input is copied to one, and errors still call it by its name."""
    if path != "-":
        yield path
        return
    with NamedTemporaryFile(prefix="madsim-") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        try:
            yield copy.name
        except ValueError as error:
            raise ValueError(str(error).replace(copy.name, "standard input")) from None


def load_votes(path: str) -> Votes:
    """The votes of a run, or of a simulation that was saved with its votes; what was odd in a run is told on stderr.

    Raises
    ------
    ValueError
        If the simulation was saved without votes or has none.
    """
    found = load_votes_or_run(path)
    from madsim.transcripts import Votes, votes_of

    return found if isinstance(found, Votes) else votes_of(found)


def load_votes_or_run(path: str) -> Votes | Run:
    """The run itself, or the votes of a simulation; what was odd in a run is told on stderr.

    Raises
    ------
    ValueError
        If the simulation was saved without votes or has none.
    """
    with seekable(path) as file:
        if _is_simulation(file, path):
            return _simulated_votes(file, path)
        run = _read_run(file, path)
    for line in notes_lines(run.notes):
        note(line)
    return run


def _is_simulation(file: str, path: str) -> bool:
    """Whether this is a saved simulation: by its name, or on standard input by its first bytes."""
    if path != "-":
        return Path(path).suffix.lower() == ".npz"
    with open(file, "rb") as stream:
        return stream.read(2) == b"PK"


def _simulated_votes(file: str, path: str) -> Votes:
    from madsim.simulate import DebateResult, load_result

    name = "standard input" if path == "-" else path
    result = load_result(file)
    if not isinstance(result, DebateResult):
        raise ValueError(f"{name} is a simulation of shares, not of debates: it has no votes")
    if result.votes is None:
        raise ValueError(f"{name} was saved without its votes; simulate again with --votes")
    return result.votes


def new_file(path: str) -> Path:
    """A path at which nothing exists yet.

    Raises
    ------
    ValueError
        If something does, or its folder is absent: better before the work than after it.
    """
    target = Path(path)
    if target.exists():
        raise ValueError(f"{path} exists and is not overwritten; name another file")
    if not target.parent.is_dir():
        raise ValueError(f"{path}: the folder {target.parent} does not exist")
    return target


def new_simulation_file(path: str) -> Path:
    """The same for the file of a simulation, whose name says what it is.

    Raises
    ------
    ValueError
        As for `new_file`, or if the name does not end in ``.npz``.
    """
    if Path(path).suffix.lower() != ".npz":
        raise ValueError(f"{path}: a simulation is saved as .npz; name the file {path}.npz")
    return new_file(path)


def count_debates(progress: Progress) -> Callable[[Event], None]:
    """What a run's events are told to, so that `progress` counts debates as they end."""
    ended = total = 0

    def count(event: Event) -> None:
        nonlocal ended, total
        if event.kind == "run_opened":
            total = int(event.data.get("debates", 0))
        elif event.kind == "debate_ended":
            ended += 1
            progress(ended, total)

    return count


def estimate_dict(estimate: Estimate) -> dict[str, Any]:
    """An estimate as JSON: value, standard error, n and the 95 % interval; None where there is no number."""
    interval = None if estimate.standard_error is None else estimate.interval()
    return {
        "value": finite(estimate.value),
        "standard_error": estimate.standard_error,
        "n": estimate.n,
        "interval": None if interval is None else [interval.low, interval.high],
    }


def finite(value: float) -> float | None:
    """The number, or None for NaN, which JSON cannot hold."""
    return None if value != value else value


def scores(votes: Votes, *, ties: str = "split") -> dict[str, Any]:
    """Accuracy, vote, disagreement and unparsed replies by round; None for what needs targets where there are none."""
    from madsim.transcripts import accuracy_by_round, disagreement_by_round, unparsed_by_round, vote_by_round

    known = bool(votes.has_target.any())
    by_round: dict[str, Sequence[Estimate] | None] = {
        "accuracy_by_round": accuracy_by_round(votes) if known else None,
        "vote_by_round": vote_by_round(votes, ties) if known else None,  # type: ignore[arg-type]
        "disagreement_by_round": disagreement_by_round(votes),
    }
    return {
        **{name: None if found is None else [estimate_dict(one) for one in found] for name, found in by_round.items()},
        "unparsed_by_round": [finite(share) for share in unparsed_by_round(votes)],
    }


def scores_table(payload: dict[str, Any]) -> str:
    """The same for people."""
    headers = ["round", "questions", "accuracy", "+-", "vote", "+-", "disagreement", "unparsed"]
    rows = []
    for number, unparsed in enumerate(payload["unparsed_by_round"]):
        row: list[Any] = [number, None if payload["vote_by_round"] is None else payload["vote_by_round"][number]["n"]]
        for name in ("accuracy_by_round", "vote_by_round"):
            found = payload[name]
            row += [None, None] if found is None else [found[number]["value"], found[number]["standard_error"]]
        rows.append([*row, payload["disagreement_by_round"][number]["value"], unparsed])
    return table(headers, rows)


def notes_lines(notes: dict[str, int]) -> list[str]:
    """What was counted on reading, one line each."""
    return [f"note: {name.replace('_', ' ')}: {count}" for name, count in sorted(notes.items())]


def printable(text: str) -> str:
    """Text whose control and direction characters cannot move the cursor or hide anything: they are shown as escapes."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode("ascii") for char in text
    )
