"""Every real transcript set beside the figures that were measured on it; ``python -m tests.realdata.comparison`` prints the table."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from madsim._core.estimate import Estimate
from madsim.transcripts import (
    Run,
    State,
    Votes,
    accuracy_by_round,
    carry_forward,
    clustered_mean,
    import_run,
    unparsed_by_round,
    vote_by_round,
    votes_of,
)
from madsim.verify import CheckReport, check
from tests._realdata import REAL_DATA

Key = tuple[str, str]

_SETS = {
    "ahumay__calico": "ahumay/calico",
    "jankwong705__llm_multiagent_debate": "jankwong705/llm_multiagent_debate",
    "lferreiraMD__slm_multiagent_debate": "lferreiraMD/slm_multiagent_debate",
    "tt6746690__llm_multiagent_debate": "tt6746690/llm_multiagent_debate",
}
_RUN_OF_FILE = {"gsm_3_2_100.gpt-3.5-turbo-0301": "gsm_3_2_100"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One transcript set as it is imported here, beside its figures where there are some."""

    key: Key
    run: Run
    votes: Votes
    figures: dict[str, Any] | None
    theirs: Votes | None

    @property
    def accuracy(self) -> tuple[Estimate, ...]:
        """Of a single agent, by round."""
        return accuracy_by_round(self.votes)

    @property
    def vote(self) -> tuple[Estimate, ...]:
        """Of the vote with ties split, by round."""
        return vote_by_round(self.votes)

    @property
    def drift(self) -> Estimate:
        """Last round minus round 0, by question; answers of debates that ended are carried on."""
        return drift(self.votes)

    @property
    def report(self) -> CheckReport:
        """The check under the belief null."""
        return check(self.votes, null="belief")

    @property
    def read_differently(self) -> tuple[int, int, int]:
        """Replies of another outcome (right, wrong, none) than in the figures; newly right; no longer right."""
        if self.theirs is None:
            return 0, 0, 0
        ours, theirs = outcomes(self.votes), outcomes(self.theirs)
        changed = ours != theirs
        return int(changed.sum()), int((changed & (ours == 0)).sum()), int((changed & (theirs == 0)).sum())


def outcomes(votes: Votes) -> np.ndarray:
    """0 right, 1 wrong, 2 none, 3 not asked; answers of debates that ended are carried on."""
    whole = carry_forward(votes)
    none = np.where(whole.state == State.NOT_ASKED, 3, 2)
    return np.where(whole.answers >= 0, np.minimum(whole.answers, 1), none)


def drift(votes: Votes) -> Estimate:
    """Mean over questions of the change in the share of right answers from the first round to the last."""
    share = carry_forward(votes).right.mean(axis=2)
    return clustered_mean(share[:, -1] - share[:, 0], votes.cluster)


def figures() -> dict[Key, dict[str, Any]]:
    """What was measured, by source and run."""
    assert REAL_DATA is not None
    plain = json.loads((REAL_DATA / "figures.json").read_text(encoding="utf-8"))
    return {(one["source"], one["run"]): one for one in plain}


def parsed_answers() -> dict[Key, list[dict[str, Any]]]:
    """The parsed answers that the figures were computed from, by source and run, question by question."""
    assert REAL_DATA is not None
    found: dict[Key, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(REAL_DATA / "answers_all_runs.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            plain = json.loads(line)
            found[plain["source"], plain["run"]].append(plain)
    return dict(found)


def votes_of_answers(lines: list[dict[str, Any]]) -> Votes:
    """Votes out of parsed answers, through the importer; lines with the same question hash are one cluster."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        plain = ({"id": str(n), "gold": one["gold"], "answers": one["answers"]} for n, one in enumerate(lines))
        path.write_text("".join(json.dumps(one) + "\n" for one in plain), encoding="utf-8")
        votes = votes_of(import_run(path, "answers"))
    number: dict[str, int] = {}
    return replace(votes, cluster=np.array([number.setdefault(one["q"], len(number)) for one in lines]))


def imported() -> Iterator[tuple[Key, Run]]:
    """Every transcript set that is there, imported."""
    assert REAL_DATA is not None
    root = REAL_DATA / "transcripts"
    dylan = root / "SALT-NLP__DyLAN"
    gold = dylan / "gold_by_matching.csv"
    for agents in (2, 3):
        yield ("SALT-NLP/DyLAN", f"mmlu_optimal7_{agents}"), import_run(gold, agents=agents)
    yield ("SALT-NLP/DyLAN", "texts of 26 subjects, 3 agents"), import_run(dylan / "mmlu_optimal7_3", gold=gold)
    for folder, source in _SETS.items():
        for path in sorted((root / folder).glob("*.json")):
            yield (source, _RUN_OF_FILE.get(path.stem, path.stem)), import_run(path)
    for folder in sorted((root / "mathismusic__multiagent-sycophancy").glob("*__EVAL")):
        name = folder.name.removeprefix("mmlu_debate_metadata_").removesuffix("__EVAL")
        yield ("mathismusic/multiagent-sycophancy", name), import_run(folder)
    for path in sorted((root / "own__qwen2.5-coder-1.5b_csqa").glob("*.jsonl")):
        yield ("own/qwen2.5-coder-1.5b", path.stem), import_run(path)


def compare() -> Iterator[Row]:
    """Every set beside its figures."""
    known, parsed = figures(), parsed_answers()
    for key, run in imported():
        lines = parsed.get(key)
        yield Row(
            key=key,
            run=run,
            votes=votes_of(run),
            figures=known.get(key),
            theirs=None if lines is None else votes_of_answers(lines),
        )


def table(rows: list[Row]) -> str:
    """The rows in Markdown."""
    lines = [
        "| set | questions x agents x answers | accuracy by round (figures) | vote by round (figures) | drift +- se (figures) "
        "| 95 % interval | verdict (null: belief) | unparsed | read differently (newly right, no longer right) |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(_line(row) for row in rows)])


def _line(row: Row) -> str:
    shape = row.votes.answers.shape
    theirs = row.figures
    change = row.drift
    interval = change.interval()
    cells = [
        f"{row.key[0]}: {row.key[1]}",
        f"{len(np.unique(row.votes.cluster))} x {shape[2]} x {shape[1]}",
        _values(row.accuracy, None if theirs is None else theirs["single"]),
        _values(row.vote, None if theirs is None else theirs["mv"]),
        _drift(change, theirs),
        "-" if interval is None else f"[{interval.low:+.3f}, {interval.high:+.3f}]",
        row.report.verdict + (", stops early" if row.report.early_stopping else ""),
        " ".join(f"{100 * share:.1f}%" for share in unparsed_by_round(row.votes)),
        "-" if row.theirs is None else "{} (+{}, -{})".format(*row.read_differently),
    ]
    return f"| {' | '.join(cells)} |"


def _values(found: tuple[Estimate, ...], known: list[list[float]] | None) -> str:
    ours = " ".join(f"{one.value:.3f}" for one in found)
    return ours if known is None else f"{ours} ({' '.join(f'{value:.3f}' for value, _ in known)})"


def _drift(found: Estimate, known: dict[str, Any] | None) -> str:
    ours = f"{found.value:+.3f} +- {found.standard_error or 0:.3f}"
    if known is None:
        return ours
    return f"{ours} ({known['drift_total'][0]:+.3f} +- {known['drift_total'][1]:.3f})"


if __name__ == "__main__":
    if REAL_DATA is None:
        raise SystemExit("the real transcripts are absent: set MADSIM_REAL_DATA to their folder")
    print(table(list(compare())))
