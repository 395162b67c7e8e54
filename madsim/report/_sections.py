"""The sections below the overview: who changed what, how independent the agents are, what it cost, and the debates themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from madsim._core.estimate import Estimate
from madsim._core.html import Markup, join, tag
from madsim.report._charts import by_round, cell, estimate_cell, extent_of, flips_chart, limits_of, table
from madsim.report._independence import independence
from madsim.report._numbers import amount, count, percent
from madsim.report._overview import grid
from madsim.report._summary import FLAGS, Summary
from madsim.transcripts import Votes

if TYPE_CHECKING:
    from madsim.llm import Adoption

_FILTERS = {
    "wrong": "wrong at the end",
    "changed": "an agent changed",
    "unparsed": "unparsed",
    "disagreement": "disagreement at the end",
    "corrected": "vote corrected",
    "collapsed": "vote collapsed",
}


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
    return join([grid(figures), ledger])


def echo(summaries: Sequence[Summary]) -> Markup:
    """Correlated errors and disagreement."""
    rows = [_echo_row(one) for one in summaries]
    head = [
        "run",
        "agents",
        "error correlation in round 0",
        "independent voters",
        "chances to follow a majority",
        "followed",
        "in proportion",
    ]
    limits = limits_of([[Estimate.of_exact(0)], *(one.disagreement for one in summaries if one.disagreement)])
    figures = [
        by_round(
            one.name if len(summaries) > 1 else "Disagreement by round",
            "Chance that two agents of a panel gave different answers, with 95 % intervals over questions.",
            [("disagreement", one.disagreement)],
            key=f"disagreement-{number}",
            limits=limits,
            exact={name: values.tolist() for name, values in one.exact.items() if name == "disagreement"},
        )
        for number, one in enumerate(summaries)
        if one.disagreement is not None
    ]
    return join(
        [
            tag(
                "p",
                "Agents that err on the same questions add less to a vote than their number says. The correlation counts both causes, "
                "questions that are hard for all and a bias that all share; answers alone cannot tell them apart. A chance to follow is "
                "an agent whose answer differed from that of a majority of those it heard; the last column is how often it would follow "
                "if it took over answers in proportion to how many held them.",
            ),
            table(head, rows, caption="Errors in common (95 % interval below), and following the majority"),
            grid(figures) if figures else None,
        ]
    )


def _echo_row(one: Summary) -> list[object]:
    found = independence(one.votes)
    followed = _followed(one.votes)
    interval = None if found is None else found.correlation.interval()
    return [
        one.name,
        count(one.votes.n_agents),
        "–"
        if found is None
        else cell(f"{found.correlation.value:.2f}", interval and f"{interval.low:.2f} to {interval.high:.2f}"),
        "–" if found is None or found.voters is None else f"{found.voters:.1f}",
        "–" if followed is None else count(followed.chances),
        "–" if followed is None or followed.adopted is None else percent(followed.adopted),
        "–" if followed is None or followed.linear is None else percent(followed.linear),
    ]


def _followed(votes: Votes) -> Adoption | None:
    """How often majorities were followed; None where the record's protocol cannot be read, so that who heard whom is not known."""
    from madsim.llm import adoption

    try:
        return adoption(votes, votes.protocol)
    except (ValueError, TypeError, KeyError):
        return None


def spending(summaries: Sequence[Summary]) -> Markup:
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
    bought = [row for one in summaries for row in _options(one)]
    return join(
        [
            table(
                ["option", "calls a question", "accuracy"],
                bought,
                caption="What each way of asking buys (95 % intervals in brackets)",
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
            else tag("p", "Nothing was spent: these are simulated votes.", class_="soft"),
        ]
    )


def _options(one: Summary) -> list[list[object]]:
    agents, last = one.votes.n_agents, one.votes.n_rounds
    if one.accuracy is None or one.vote is None:
        return []
    options: list[list[object]] = [
        [one.name, "single agent", "1", estimate_cell(one.accuracy[0])],
        [one.name, f"vote of {agents}", count(agents), estimate_cell(one.vote[0])],
    ]
    if last:
        options.append(
            [one.name, f"debate, vote of round {last}", count(agents * (last + 1)), estimate_cell(one.vote[-1])]
        )
    return options


def browser(summaries: Sequence[Summary]) -> Markup:
    """The list of debates with its filters; the page's script fills it."""
    boxes = [
        tag("label", tag("input", type="checkbox", value=name), f" {_FILTERS[name]} ", tag("span", class_="n"))
        for name in FLAGS
    ]
    menu = [tag("option", "all", value="-1"), *(tag("option", one.name, value=n) for n, one in enumerate(summaries))]
    filters = tag(
        "form",
        tag("fieldset", tag("legend", "Show only debates with all of"), tag("div", join(boxes), class_="chips")),
        tag("label", "Run ", tag("select", join(menu), id="run"), class_="field") if len(summaries) > 1 else None,
        tag("label", "Search id and start of the question ", tag("input", type="search", id="find"), class_="field"),
        id="filters",
        class_="filters",
        role="search",
        aria_label="Filter debates",
        autocomplete="off",
    )
    rows = tag("div", id="rows", role="presentation")
    return join(
        [
            tag(
                "noscript",
                tag(
                    "p", "The list of debates needs scripts, which this browser does not run; all above works without."
                ),
            ),
            filters,
            tag("p", id="found", role="status", class_="soft"),
            tag(
                "div",
                tag("div", rows, id="list", role="listbox", tabindex="0", aria_label="Debates; arrow keys move"),
                tag("article", id="debate", aria_label="The chosen debate"),
                class_="browser",
            ),
        ]
    )
