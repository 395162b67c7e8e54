"""Run files of answer cases through the public functions: ``python tests/run_cases.py [FILE...]``.

A case is one JSON object a line: id, kind (extract, equiv, converge, vote, judge, engine), input, expected, why.
Without files the project's own cases are run.
Prints each failure and ``N passed, M failed``.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from madsim import answers

OWN_CASES = Path(__file__).resolve().parent / "cases"
Outcome = tuple[bool | None, str]


def run_extract(given: dict[str, Any], expected: Any) -> Outcome:
    """The answer of one reply; a list for several letters."""
    kind = given.get("type")
    found = answers.extract(
        given["text"],
        kind,
        choices=given.get("choices"),
        finish_reason=given.get("finish_reason"),
        locale=given.get("locale"),
    )
    got = list(found.items) if kind == "multichoice" and found.answer is not None else found.answer
    if got == expected:
        return True, ""
    if kind in ("number", "math", "quantity") and isinstance(got, str) and isinstance(expected, str):
        same = answers.canonical(got, kind, locale="en") == answers.canonical(expected, kind, locale="en") or (
            answers.equivalent(got, expected, kind) and ("%" in got) == ("%" in expected)
        )
        return same, f"got {got!r} ({found.reason})"
    return False, f"got {got!r} ({found.reason})"


def run_equiv(given: dict[str, Any], expected: Any) -> Outcome:
    """Whether two answers are the same, in both orders."""
    settings = {
        "choices": given.get("choices"),
        "tolerance": given.get("tolerance", 0.0),
        "locale": given.get("locale"),
    }
    got = [
        answers.equivalent(a, b, given["type"], **settings)
        for a, b in ((given["a"], given["b"]), (given["b"], given["a"]))
    ]
    return got == [expected, expected], f"got {got[0]}, and {got[1]} the other way round"


def run_converge(given: dict[str, Any], expected: Any) -> Outcome:
    """Whether a panel agrees."""
    got = answers.converged(
        given["replies"],
        given.get("type"),
        choices=given.get("choices"),
        quorum=given.get("quorum"),
        similarity=given.get("threshold", 0.85),
    )
    return got is expected, f"got {got}"


def run_vote(given: dict[str, Any], expected: dict[str, Any]) -> Outcome:
    """A vote; only what is expected is looked at."""
    kind = given.get("type")
    vote = answers.vote(given["replies"], kind, choices=given.get("choices"), weights=given.get("weights"))
    wrong = []
    for field, value in expected.items():
        if field == "must_separate":
            wrong += [pair for pair in value if _shared(given["replies"], vote, pair)]
            continue
        got = getattr(vote, field)
        right = got == value
        if field == "votes":
            right = abs(got - value) < 1e-9
        elif (
            field == "answer"
            and isinstance(got, str)
            and isinstance(value, str)
            and kind in ("number", "math", "quantity")
        ):
            right = right or answers.equivalent(got, value, kind)
        elif field == "answer" and kind == "multichoice" and got is not None:
            right = right or got.split(",") == value
        if not right:
            wrong.append(f"{field} {got!r}")
    return not wrong, f"got {', '.join(map(str, wrong))}"


def _shared(replies: list[str | None], vote: answers.Vote, pair: list[Any]) -> bool:
    places = [item if isinstance(item, int) else replies.index(item) for item in pair]
    labels = [vote.labels[place] for place in places]
    return labels[0] == labels[1] and labels[0] is not None


def run_judge(given: dict[str, Any], expected: Any) -> Outcome:
    """A verdict, or several of one judge over presentation orders."""
    allow_tie = given.get("allow_tie", True)
    if "texts" in given:
        orders = given.get("shown_orders") or [None] * len(given["texts"])
        verdicts = [
            answers.parse_verdict(text, given["options"], shown_order=order)
            for text, order in zip(given["texts"], orders, strict=True)
        ]
        verdict = answers.reconcile(verdicts, allow_tie=allow_tie)
    else:
        verdict = answers.parse_verdict(
            given["text"], given["options"], shown_order=given.get("shown_order"), allow_tie=allow_tie
        )
    return verdict.winner == expected, f"got {verdict.winner!r} ({verdict.reason})"


def run_engine(case: dict[str, Any]) -> Outcome:
    """A scripted debate; skipped where the engine's runner is absent."""
    try:
        runner = importlib.import_module("tests._engine.cases").run_engine_case
    except (ImportError, AttributeError):
        return None, "no runner for engine cases"
    return runner(case)


RUNNERS: dict[str, Callable[[dict[str, Any], Any], Outcome]] = {
    "extract": run_extract,
    "equiv": run_equiv,
    "converge": run_converge,
    "vote": run_vote,
    "judge": run_judge,
}


def run_case(case: dict[str, Any]) -> Outcome:
    """Whether a case passes (None: skipped), and what was found instead."""
    if case["kind"] == "engine":
        return run_engine(case)
    if case["kind"] not in RUNNERS:
        return False, f"unknown kind {case['kind']!r}; known are engine, {', '.join(RUNNERS)}"
    return RUNNERS[case["kind"]](case["input"], case["expected"])


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The cases of one file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def main(files: list[str]) -> int:
    """Run the files; the exit status is 1 if a case failed."""
    counts = {True: 0, False: 0, None: 0}
    for path in map(Path, files) if files else sorted(OWN_CASES.glob("*.jsonl")):
        for case in read_cases(path):
            passed, found = run_case(case)
            counts[passed] += 1
            if passed is False:
                print(f"FAILED {case['id']}: {found}, expected {case['expected']!r} - {case.get('why', '')}")
    skipped = f", {counts[None]} skipped (no runner for engine cases)" if counts[None] else ""
    print(f"{counts[True]} passed, {counts[False]} failed{skipped}")
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
