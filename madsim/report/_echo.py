"""How independent the agents are: errors in common, following the majority, and disagreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from madsim._core.estimate import Estimate
from madsim._core.html import Markup, join, tag
from madsim.report._charts import by_round, cell, limits_of, table
from madsim.report._grid import grid
from madsim.report._independence import independence
from madsim.report._numbers import count, percent
from madsim.report._plain import plain
from madsim.report._summary import Summary
from madsim.transcripts import Votes

if TYPE_CHECKING:
    from madsim.llm import Adoption


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
            plain((one.name, words) for one in summaries if (words := _echo_words(one.votes))),
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


def _echo_words(votes: Votes) -> str:
    found = independence(votes)
    if found is None or found.voters is None:
        return ""
    if found.voters > 0.9 * votes.n_agents:
        return f"The {votes.n_agents} agents err nearly independently of each other."
    return f"The {votes.n_agents} agents are worth about {found.voters:.1f} independent ones: they err on the same questions."


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
