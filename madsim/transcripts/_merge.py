"""One record of several: shards of one run that were played on different machines, put together again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from madsim._core.canonical import canonical_json
from madsim.transcripts._record import Record, iter_entries, record_of
from madsim.transcripts._writer import RunWriter

Entry = dict[str, Any]

_MAY_DIFFER = frozenset({"type", "schema", "shard", "concurrency", "budget", "provenance", "merged", "imported_notes"})
_PLAYED_ON = frozenset({"budget", "paused"})


@dataclass(slots=True)
class _Part:
    """One record, its lines sorted by what they are about."""

    path: str
    header: Entry
    samples: dict[str, Entry] = field(default_factory=dict)
    debates: dict[tuple[str, int], list[Entry]] = field(default_factory=dict)
    others: list[Entry] = field(default_factory=list)


def merge_records(paths: Sequence[str | Path], out: str | Path) -> Record:
    """The record of all debates of several records, written to a new file.

    The records must be of one run: the same protocol, debaters, prompts and everything else that their headers say. Shards come back in
    the order of the unsharded samples, however they are named and in however many steps they are merged; records that are no shards follow
    one another as they are named. A debate that stands in several records counts once where one of them holds every line that the others
    hold of it (a copy, or the record before it was resumed). Usage and caps add up; what every part was made with is kept in the header
    under ``merged``.

    Raises
    ------
    ValueError
        If the records are not of one run, tell different things about one debate or question, or have different seeds while debates are
        still open.
    FileExistsError
        If `out` exists.
    """
    if isinstance(paths, (str, Path)) or len(paths) < 1:
        raise ValueError(f"name the records to merge in a list, got {paths!r}")
    if Path(out).exists():
        raise FileExistsError(f"{out} exists; a record is never overwritten. Name another file")
    notes: Counter[str] = Counter()
    parts = [_read(path, notes) for path in paths]
    for part in parts[1:]:
        _check_same_run(parts[0], part)
    samples, shard = _samples(parts)
    debates = _debates(parts)
    _check_seeds(parts, debates)
    header = _header(parts, shard)
    entries = [header, *_lines(samples, debates, _others(parts))]
    record = record_of(entries, where="the merged record", notes=notes)
    try:
        with RunWriter.create(out, header) as writer:
            for entry in entries[1:]:
                writer.write(entry)
    except FileExistsError:
        raise
    except BaseException:
        Path(out).unlink(missing_ok=True)
        raise
    return record


def _read(path: str | Path, notes: Counter[str]) -> _Part:
    entries = list(iter_entries(path, notes=notes))
    record_of(entries, where=str(path))
    part = _Part(path=str(path), header=entries[0])
    for entry in entries[1:]:
        kind, sample, epoch = entry.get("type"), entry.get("sample"), entry.get("epoch") or 0
        if kind == "sample":
            part.samples[str(entry["id"])] = entry
        elif isinstance(sample, str) and sample in part.samples and isinstance(epoch, int):
            part.debates.setdefault((sample, epoch), []).append(entry)
        else:
            part.others.append(entry)
    return part


def _check_same_run(first: _Part, other: _Part) -> None:
    for name in sorted((first.header.keys() | other.header.keys()) - _MAY_DIFFER):
        one, two = first.header.get(name), other.header.get(name)
        if one != two:
            raise ValueError(
                f"{other.path} is of another run than {first.path}: {name} is {_short(two)} there and {_short(one)} here. Only records of "
                "the same protocol and debaters can be merged (start every shard with the same options, --rng included)"
            )


def _short(value: Any) -> str:
    text = canonical_json(value)
    return text if len(text) <= 120 else text[:117] + "..."


def _debates(parts: list[_Part]) -> dict[tuple[str, int], list[Entry]]:
    """The lines of every debate, of several tellings the one that holds all others."""
    found: dict[tuple[str, int], tuple[list[Entry], _Part]] = {}
    for part in parts:
        for place, lines in part.debates.items():
            known = found.get(place)
            found[place] = (lines, part) if known is None else _fuller(place, known, (lines, part))
    return {place: lines for place, (lines, _) in found.items()}


def _fuller(
    place: tuple[str, int], one: tuple[list[Entry], _Part], other: tuple[list[Entry], _Part]
) -> tuple[list[Entry], _Part]:
    first, second = [canonical_json(line) for line in one[0]], [canonical_json(line) for line in other[0]]
    if Counter(first) == Counter(second):
        return one if first <= second else other
    if Counter(second) <= Counter(first):
        return one
    if Counter(first) <= Counter(second):
        return other
    raise ValueError(
        f"{one[1].path} and {other[1].path} tell different things about sample {place[0]!r}, epoch {place[1]}: it was played twice. "
        "Merge one of the two"
    )


def _check_seeds(parts: list[_Part], debates: dict[tuple[str, int], list[Entry]]) -> None:
    """A run has one seed; several are no harm only where nothing is left to be played."""
    seeds = {_provenance(part.header).get("seed") for part in parts}
    if len(seeds) < 2:
        return
    for part in parts:
        for sample in part.samples:
            epochs = part.header.get("epochs")
            for epoch in range(epochs if isinstance(epochs, int) else 1):
                outcomes = [one for one in debates.get((sample, epoch), []) if one.get("type") == "outcome"]
                if not outcomes or outcomes[-1].get("status") in _PLAYED_ON:
                    raise ValueError(
                        f"the records were made with {len(seeds)} different seeds, and the debate on {sample!r} in {part.path} is not "
                        "over: resume that record first, or start every shard with the same --rng"
                    )


def _provenance(header: Entry) -> Entry:
    found = header.get("provenance")
    return found if isinstance(found, dict) else {}


def _samples(parts: list[_Part]) -> tuple[list[Entry], Entry | None]:
    """The questions in order, and which shards they make up where that is not all."""
    shards = [_shard(part) for part in parts]
    if any(shard is None for shard in shards):
        by_id: dict[str, Entry] = {}
        for part in parts:
            for name, entry in part.samples.items():
                if by_id.setdefault(name, entry) != entry:
                    raise ValueError(f"{part.path}: sample {name!r} has another content than in an earlier record")
        return list(by_id.values()), None
    of = {shard[0] for shard in shards if shard is not None}
    if len(of) > 1:
        raise ValueError(
            f"these are shards of different cuts ({', '.join(f'of {n}' for n in sorted(of))}); merge those of one cut"
        )
    n = of.pop()
    placed: dict[int, Entry] = {}
    for part, shard in zip(parts, shards, strict=True):
        assert shard is not None
        for position, entry in zip(_positions(n, shard[1]), part.samples.values(), strict=False):
            if placed.setdefault(position, entry) != entry:
                raise ValueError(
                    f"{part.path}: question {position + 1} of the run is another one than in an earlier record"
                )
    names = Counter(str(entry["id"]) for entry in placed.values())
    twice = next((name for name, count in names.items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"sample {twice!r} stands in two shards; they are not shards of the same questions")
    present = sorted({index for shard in shards if shard is not None for index in shard[1]})
    ordered = [placed[position] for position in sorted(placed)]
    return ordered, None if len(present) == n else {"of": n, "parts": present}


def _shard(part: _Part) -> tuple[int, list[int]] | None:
    found = part.header.get("shard")
    if found is None:
        return None
    of, indices = (found.get("of"), found.get("parts")) if isinstance(found, dict) else (None, None)
    if (
        not isinstance(of, int)
        or not isinstance(indices, list)
        or not indices
        or not all(isinstance(one, int) and 1 <= one <= of for one in indices)
    ):
        raise ValueError(f"{part.path}: the header's shard must name 'of' and 'parts', got {_short(found)}")
    return of, sorted(set(indices))


def _positions(of: int, indices: list[int]) -> Iterator[int]:
    """Places, in the whole run, of the questions of these shards."""
    start = 0
    while True:
        yield from (start + index - 1 for index in indices)
        start += of


def _others(parts: list[_Part]) -> list[Entry]:
    """Lines about no single debate, each as often as in the record that has it most often."""
    most: Counter[str] = Counter()
    lines: dict[str, Entry] = {}
    grants = []
    for part in parts:
        texts = [canonical_json(line) for line in part.others]
        lines.update(zip(texts, part.others, strict=True))
        most |= Counter(texts)
        grants.append([text for text, line in zip(texts, part.others, strict=True) if line.get("event") == "grant"])
    if any(one != grants[0] for one in grants):
        raise ValueError("rounds were granted in some of these records and not in others; grant them after merging")
    granted = Counter(grants[0])
    rest = [text for text in sorted(most) for _ in range(most[text] - granted[text])]
    return [lines[text] for text in (*rest, *grants[0])]


def _header(parts: list[_Part], shard: Entry | None) -> Entry:
    headers = [part.header for part in parts]
    header = {
        name: value for name, value in headers[0].items() if name not in _MAY_DIFFER or name in ("type", "schema")
    }
    if shard is not None:
        header["shard"] = shard
    if "concurrency" in headers[0]:
        header["concurrency"] = max(
            one for one in (1, *(one.get("concurrency") for one in headers)) if isinstance(one, int)
        )
    made: dict[str, Entry] = {}
    for one in headers:
        earlier = one.get("merged")
        sources = (
            [source for source in earlier if isinstance(source, dict)]
            if isinstance(earlier, list)
            else [{name: one.get(name) for name in ("shard", "provenance", "budget") if one.get(name) is not None}]
        )
        made.update((canonical_json(source), source) for source in sources)
    merged = [made[text] for text in sorted(made)]
    if any("budget" in one for one in headers):
        header["budget"] = _budget([one.get("budget") for one in merged])
    provenances = [one["provenance"] for one in merged if "provenance" in one]
    if provenances:
        header["provenance"] = provenances[0]
    noted = [one["imported_notes"] for one in headers if isinstance(one.get("imported_notes"), dict)]
    if noted:
        total: Counter[str] = Counter()
        for one in noted:
            total.update({name: count for name, count in one.items() if isinstance(count, int)})
        header["imported_notes"] = dict(total)
    header["merged"] = merged
    return header


def _budget(budgets: list[Any]) -> Entry | None:
    """The caps of all parts together; none where a part had none."""
    if not budgets or not all(isinstance(one, dict) for one in budgets):
        return None
    names = sorted({name for one in budgets for name in one})
    total: Entry = {}
    for name in names:
        caps = [one.get(name) for one in budgets]
        if all(isinstance(cap, (int, float)) for cap in caps):
            total[name] = max(caps) if name == "max_seconds" else sum(caps)
        else:
            total[name] = None
    return total


def _lines(samples: list[Entry], debates: dict[tuple[str, int], list[Entry]], others: list[Entry]) -> Iterator[Entry]:
    yield from samples
    for epoch in sorted({epoch for _, epoch in debates}):
        for sample in samples:
            yield from debates.get((str(sample["id"]), epoch), ())
    yield from others
