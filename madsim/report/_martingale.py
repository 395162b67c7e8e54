"""The check of each run: verdict in plain words, drift against the tolerance, what was tested and what was not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from madsim._core.html import Markup, join, tag
from madsim.report._bets import bets_chart
from madsim.report._charts import cell, intervals_chart, table
from madsim.report._grid import grid
from madsim.report._numbers import count, p_value, points, signed
from madsim.report._plain import plain
from madsim.report._summary import Summary

if TYPE_CHECKING:
    from madsim._core.estimate import Interval
    from madsim.verify import Check, CheckReport

_ROLES = {
    "drift": "martingale",
    "hidden": "martingale",
    "model": "plain model",
    "ceiling": "plain model",
    "robustness": "robustness",
}


def badge(report: CheckReport) -> Markup:
    """The verdict as one word."""
    css = report.verdict if report.verdict in ("drift", "equivalent") else "other"
    return tag("span", f"verdict: {report.verdict}", class_=f"verdict {css}")


def plain_words(report: CheckReport) -> str:
    """The verdict as a sentence that needs no statistics."""
    if report.verdict == "drift":
        return "The answers moved: more than chance alone would move them."
    if report.verdict == "equivalent":
        return f"The share right stayed the same, to within {points(report.delta).lstrip('+')} points."
    if report.verdict == "vacuous":
        return "Hardly any answer moved between right and wrong, so there was nothing to test."
    if report.verdict == "unreadable":
        return "No verdict: these debates cannot tell."
    more = (report.questions_needed or 0) - report.n_questions
    collect = f" About {count(more)} more questions would settle it." if more > 0 else ""
    return f"Undecided: neither a movement nor its absence is shown.{collect}"


def verdict(one: Summary) -> Markup:
    """Verdict and sentence for the run's card."""
    if one.check is None:
        return tag("p", f"Not checked: {one.not_checked}.", class_="soft")
    return tag("p", badge(one.check), " ", plain_words(one.check))


def reasons(one: Summary) -> Markup | None:
    """Why the verdict is what it is."""
    return None if one.check is None else tag("p", " ".join(one.check.reasons), class_="soft")


def martingale(summaries: Sequence[Summary]) -> Markup:
    """Drift of all runs against the tolerance, then each run's tests."""
    checked = [(one, one.check) for one in summaries if one.check is not None]
    if not checked:
        return tag("p", "No run could be checked: see the overview for the reasons.", class_="soft")
    first = checked[0][1]
    rows: list[tuple[str, float, Interval | None]] = [
        (f"{one.name} ({report.verdict})", report.drift.value, report.equivalence and report.equivalence.interval)
        for one, report in checked
        if report.drift is not None
    ]
    figures = []
    if rows:
        figures.append(
            intervals_chart(
                rows,
                tolerance=first.delta,
                key="drift",
                heading="Drift against the tolerance",
                caption=f"Mean change in the share of right answers from the first to the last round, with {_intervals(first)}. A drift "
                "counts as shown to be small only where the whole interval lies in the shaded zone.",
            )
        )
    figures += [
        bets_chart(report.anytime, key=f"bets-{number}", name=one.name)
        for number, (one, report) in enumerate(checked)
        if report.anytime is not None
    ]
    return join(
        [
            plain((one.name, plain_words(report)) for one, report in checked),
            tag(
                "p",
                f"Under test: {first.quantity}. Not refuted is not the same as true: only an interval inside the tolerance is evidence.",
            ),
            grid(figures) if figures else None,
            [_details(one, report) for one, report in checked],
        ]
    )


def _intervals(report: CheckReport) -> str:
    if report.anytime is not None:
        return f"{100 * (1 - report.level):g} % confidence sequences, valid however often one looked"
    return f"{100 * (1 - 2 * report.level):g} % intervals over questions"


def _details(one: Summary, report: CheckReport) -> Markup:
    facts = [
        ("tested", f"{count(report.n_questions)} questions, {count(report.n_debates)} debates"),
        ("debates left out", count(report.n_short)),
        ("drift, points", "–" if report.drift is None else points(report.drift.value)),
        (
            "drift where all could be read",
            "–" if report.complete_cases is None else points(report.complete_cases.value),
        ),
        (
            "detectable drift (power .8)",
            "–" if report.detectable_drift is None else points(report.detectable_drift).lstrip("+"),
        ),
        ("questions needed (power .9)", "–" if report.questions_needed is None else count(report.questions_needed)),
    ]
    skipped = [[name, reason] for name, reason in report.skipped.items()]
    return tag(
        "details",
        tag("summary", f"{one.name}: what was tested, and what was not"),
        tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts], class_="facts"),
        tag("ul", [tag("li", text) for text in report.warnings]) if report.warnings else None,
        table(
            ["test", "of", "null hypothesis", "given", "effect", "p", "p, Holm"],
            [_row(test) for test in report.tests],
            caption=f"Tests at level {report.level:g}; Holm's correction runs over all but those of robustness and the vote ceiling",
        )
        if report.tests
        else None,
        table(["not made", "because"], skipped, caption="Tests that were not made") if skipped else None,
        open=len(report.tests) > 0 and report.verdict == "drift",
    )


def _row(test: Check) -> list[object]:
    effect = "–" if math.isnan(test.effect) else signed(test.effect)
    between = None if test.interval is None else f"{signed(test.interval.low)} to {signed(test.interval.high)}"
    return [
        test.name,
        _ROLES[test.role],
        test.claim,
        test.given,
        cell(effect, between),
        p_value(test.pvalue),
        p_value(test.pvalue_holm),
    ]
