"""Sections below the overview: who changed what, what could not be read, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from madsim._core.html import Markup, join, tag
from madsim.answers import REASONS
from madsim.report._charts import cell, estimate_cell, extent_of, flips_chart, table
from madsim.report._forecast import Outlook
from madsim.report._grid import grid
from madsim.report._numbers import amount, count, percent, percent_range
from madsim.report._plain import plain
from madsim.report._summary import Ledger, Summary
from madsim.transcripts import State

_MOST_REASONS = 20


def section(key: str, heading: str, *children: object) -> Markup:
    """One section of the page, reachable from the navigation."""
    return tag("section", tag("h2", heading, id=f"{key}-h"), children, id=key, aria_labelledby=f"{key}-h")


def changes(summaries: Sequence[Summary]) -> Markup:
    """Flips between rounds, and what became of the vote."""
    scored = [(number, one) for number, one in enumerate(summaries) if one.steps]
    if not scored:
        return tag("p", "Nothing to show: no run has both a known target and a second round.", class_="soft")
    extent = extent_of([step for _, one in scored for step in one.steps])
    figures = [
        flips_chart(
            one.steps,
            key=f"flips-{number}",
            heading=one.name if len(summaries) > 1 else "Replies that became right, and that stopped being right",
            caption="Up: wrong to right, and (pale) no readable answer to right. Down: right to wrong, and (pale) right to no "
            "readable answer. The mark is the net.",
            extent=extent,
        )
        for number, one in scored
    ]
    rows = []
    for _, one in scored:
        if one.ledger is not None:
            book = one.ledger
            moved = [step.moved for step in one.steps if step.moved is not None]
            rows.append(
                [
                    one.name,
                    count(book.kept_right),
                    count(book.corrected),
                    count(book.collapsed),
                    count(book.kept_wrong),
                    "–" if not moved else percent(moved[0]),
                ]
            )
    head = [
        "run",
        "right both times",
        "corrected",
        "collapsed",
        "wrong both times",
        "replies changed in the first exchange",
    ]
    ledger = table(head, rows, caption="The vote of the first and of the last round, in debates; a tie is not right")
    said = [(one.name, _ledger_words(one.ledger)) for _, one in scored if one.ledger is not None]
    return join([plain(said), grid(figures), ledger])


def _ledger_words(book: Ledger) -> str:
    total = book.kept_right + book.corrected + book.collapsed + book.kept_wrong
    return (
        f"Of {count(total)} votes {count(book.corrected)} became right and {count(book.collapsed)} stopped being right."
    )


def unreadable(summaries: Sequence[Summary]) -> Markup:
    """Replies without a readable answer, by round and by reason."""
    longest = max(len(one.unparsed) for one in summaries)
    rows = [
        [one.name, *(percent(share) for share in one.unparsed), *["–"] * (longest - len(one.unparsed))]
        for one in summaries
    ]
    shares = table(
        ["run", *(f"round {t}" for t in range(longest))],
        rows,
        caption="Share of the replies asked for that hold no readable answer, failed calls included",
    )
    counted = [
        [one.name, reason, REASONS.get(reason, "–"), count(number)]
        for one in summaries
        for reason, number in _reasons(one)
    ]
    return join(
        [
            plain((one.name, _unparsed_words(one)) for one in summaries),
            tag(
                "p",
                "Where these shares move between the first and the last round, accuracy moves with them, and a loss of format looks like "
                "a change of mind.",
            ),
            shares,
            table(["run", "reason", "meaning", "replies"], counted, caption="Why no answer was read")
            if counted
            else None,
        ]
    )


def _unparsed_words(one: Summary) -> str:
    first, last = one.unparsed[0], one.unparsed[-1]
    if not max(one.unparsed):
        return "Every reply holds a readable answer."
    if len(one.unparsed) == 1:
        return f"{percent(first)} of the replies hold no readable answer."
    moved = abs(last - first) > 0.05
    return (
        f"{percent(first)} of the first replies and {percent(last)} of the last hold no readable answer"
        f"{', so the rounds are hardly comparable' if moved else ''}."
    )


def _reasons(one: Summary) -> list[tuple[str, int]]:
    """Reasons of the replies without an answer, most frequent first."""
    transcripts = one.run.transcripts if one.run is not None else ()
    found = Counter(
        "failed call" if reply.failed else reply.reason or "not recorded"
        for transcript in transcripts
        for reply in transcript.replies
        if reply.failed or reply.answer is None
    )
    shown = found.most_common(_MOST_REASONS)
    rest = found.total() - sum(number for _, number in shown)
    return [*shown, ("other reasons", rest)] if rest else shown


def spending(summaries: Sequence[Summary], looks: Sequence[Outlook]) -> Markup:
    """Calls, tokens and money, and what each way of asking bought."""
    spend = [
        [
            one.name,
            count(one.spend.replies),
            "–" if one.spend.input_tokens is None else count(one.spend.input_tokens),
            "–" if one.spend.output_tokens is None else count(one.spend.output_tokens),
            "–" if one.spend.cost is None else amount(one.spend.cost, 4),
            "–" if not one.spend.without_usage else count(one.spend.without_usage),
        ]
        for one in summaries
        if one.spend is not None
    ]
    bought = [row for one, look in zip(summaries, looks, strict=True) for row in _options(one, look)]
    return join(
        [
            plain((one.name, _spend_words(one)) for one in summaries if one.vote is not None),
            table(
                ["run", "way of asking", "calls a debate", "share right"],
                bought,
                caption="What each way of asking buys, with 95 % intervals over questions",
            )
            if bought
            else None,
            tag(
                "p",
                "A debate is to be compared with a vote of as many calls, not with the vote of one round: each debater "
                "answers again in every round, and reads its peers as well.",
            ),
            table(
                ["run", "replies", "tokens in", "tokens out", "cost", "replies without usage"],
                spend,
                caption="Spend as recorded; where replies report no usage the tokens are a lower bound",
            )
            if spend
            else tag("p", "Only votes are known, so nothing is recorded as spent.", class_="soft"),
        ]
    )


def _spend_words(one: Summary) -> str:
    asked = (one.votes.state != State.NOT_ASKED).sum() / one.votes.n_samples
    calls = f"A debate took {asked:.4g} calls, as many as a vote of {asked:.4g}"
    if not one.votes.n_rounds:
        calls = f"A vote took {asked:.4g} calls"
    tokens = None if one.spend is None else one.spend.tokens
    return f"{calls}{f', and {count(tokens / one.votes.n_samples)} tokens' if tokens else ''}."


def _options(one: Summary, look: Outlook) -> list[list[object]]:
    agents, last = one.votes.n_agents, one.votes.n_rounds
    if one.accuracy is None or one.vote is None:
        return []
    options: list[list[object]] = [
        [one.name, "single agent", "1", estimate_cell(one.accuracy[0])],
        [one.name, f"vote of {agents}", count(agents), estimate_cell(one.vote[0])],
    ]
    if last:
        asked = (one.votes.state != State.NOT_ASKED).sum() / one.votes.n_samples
        options.append([one.name, f"vote of round {last}", f"{asked:.4g}", estimate_cell(one.vote[-1])])
    if not isinstance(look.rival, str):
        rival, expected = look.rival, look.rival_forecast
        name = f"vote of {rival.n_answers}, equal cost"
        if rival.counted is not None:
            options.append([one.name, f"{name}, counted", count(rival.n_answers), estimate_cell(rival.counted.vote)])
        elif expected is not None:
            worth = cell(percent(expected.accuracy), percent_range(expected.interval))
            options.append([one.name, f"{name}, forecast", count(rival.n_answers), worth])
    return options
