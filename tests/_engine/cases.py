"""Scripted cases of the debate engine: each describes an input and what must come of it.

:func:`run_engine_case` runs one through the real engine (and, where the wire matters, through the real client against a loopback
server) and says whether everything expected came out, and if not, what did.
"""

from collections.abc import Callable

from tests._engine.calls import (
    budget,
    cached_runs,
    default_temperature,
    not_cached,
    price,
    price_table,
    price_unknown,
    response,
    responses,
    varied,
)
from tests._engine.debates import (
    cancel,
    event,
    first_speaker,
    forged,
    grant,
    judge_reply,
    latency,
    markers,
    script,
    second_run,
    steer,
    worker_thread,
)
from tests._engine.people import Case
from tests._engine.records import crash, exists, gold, items, resumed_usage, torn


def run_engine_case(case: Case) -> tuple[bool, str]:
    """Whether the engine does what the case expects, and what it did where it does not."""
    given, expected = case["input"], case["expected"]
    for key, handler in HANDLERS:
        if all(part in given for part in key.split()):
            try:
                found = handler(given, expected)
            except Exception as error:  # reported as the case's failure
                return False, f"{type(error).__name__}: {error}"
            return _compare(expected, found)
    return False, f"no handler for an input with {', '.join(sorted(given))}"


def _compare(expected: Case, found: Case) -> tuple[bool, str]:
    wrong = []
    for name, value in expected.items():
        if name not in found:
            wrong.append(f"{name}: nothing found, expected {value!r}")
        elif name.endswith("_max"):
            if not found[name] <= value * (1 + 1e-9):
                wrong.append(f"{name}: {found[name]!r} above {value!r}")
        elif name.endswith("_at_least"):
            if not found[name] >= value:
                wrong.append(f"{name}: {found[name]!r} below {value!r}")
        elif isinstance(value, float) and not isinstance(found[name], bool):
            if abs(found[name] - value) > 1e-9 * max(1.0, abs(value)):
                wrong.append(f"{name}: {found[name]!r}, expected {value!r}")
        elif found[name] != value:
            wrong.append(f"{name}: {found[name]!r}, expected {value!r}")
    return not wrong, "; ".join(wrong)


HANDLERS: tuple[tuple[str, Callable[[Case, Case], Case]], ...] = (
    ("script", script),
    ("cost_per_call", budget),
    ("price_table max_cost", price_unknown),
    ("price_table tokens", price_table),
    ("price usage", price),
    ("responses", responses),
    ("response", response),
    ("steer", steer),
    ("grant", grant),
    ("runs same_engine", second_run),
    ("runs cache", cached_runs),
    ("markers", markers),
    ("speaker", first_speaker),
    ("latency", latency),
    ("crash", crash),
    ("usage_before_crash", resumed_usage),
    ("log append", torn),
    ("output_exists", exists),
    ("items failed", items),
    ("gold replies", gold),
    ("vary", varied),
    ("temperature", default_temperature),
    ("finish_reason", not_cached),
    ("cancel", cancel),
    ("reply", forged),
    ("judge_reply", judge_reply),
    ("reply_chars", event),
    ("call_from", worker_thread),
)
