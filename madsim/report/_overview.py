"""The first screen: what happened, in plain words, one card a run; then the runs beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from madsim._core.estimate import Estimate
from madsim._core.html import Markup, join, tag
from madsim.report._charts import by_round, cell, estimate_cell, limits_of, table
from madsim.report._controls import WORDS
from madsim.report._forecast import Outlook, answer
from madsim.report._grid import grid
from madsim.report._martingale import reasons, verdict
from madsim.report._numbers import count, estimate, percent, percent_range, points, points_range
from madsim.report._summary import Summary


def overview(summaries: Sequence[Summary], looks: Sequence[Outlook]) -> Markup:
    """One card a run, all runs as a table where there are several, and the scores by round."""
    cards = [_card(one, look) for one, look in zip(summaries, looks, strict=True)]
    charts = score_charts(summaries)
    if len(summaries) == 1:
        return grid([*cards, *charts])
    return join([grid(cards), comparison(summaries), grid(charts)])


def _card(one: Summary, look: Outlook) -> Markup:
    votes = one.votes
    size = f"{count(one.n_questions)} questions, {count(votes.n_agents)} agents, {count(votes.n_rounds + 1)} answers of each"
    if votes.n_samples != one.n_questions:
        size = f"{size}, {count(votes.n_samples)} debates"
    return tag(
        "article",
        tag("h3", one.name),
        tag("p", size, class_="soft"),
        _control(one),
        tag("p", answer(look), class_="headline") if debated(one) else None,
        numbers(one, look),
        verdict(one),
        tag(
            "details",
            tag("summary", "In words"),
            [tag("p", sentence) for sentence in sentences(one)],
            reasons(one),
        ),
        class_="panel card",
    )


def debated(one: Summary) -> bool:
    """Whether the question "vote or debate?" can be asked of this run."""
    return one.vote is not None and one.votes.n_rounds > 0 and (one.run is None or one.run.control is None)


def numbers(one: Summary, look: Outlook) -> Markup | None:
    """The few numbers that matter, large, with their intervals below."""
    if one.accuracy is None or one.vote is None:
        return None
    shown: list[tuple[str, str, str]] = [("single agent", *_pair(one.accuracy[0]))]
    if one.votes.n_agents > 1:
        shown.append((f"vote of {one.votes.n_agents}", *_pair(one.vote[0])))
    if one.votes.n_rounds:
        after = "vote after debate" if debated(one) else "vote, last round"
        shown.append((after if one.votes.n_agents > 1 else "agent, last round", *_pair(one.vote[-1])))
    if not isinstance(look.rival, str):
        name = f"vote of {look.rival.n_answers}, equal cost"
        expected = look.rival_forecast
        if look.rival.counted is not None:
            shown.append((f"{name} (counted)", *_pair(look.rival.counted.vote)))
        elif expected is not None:
            shown.append((f"{name} (forecast)", percent(expected.accuracy), percent_range(expected.interval)))
        else:
            shown.append((name, "–", "not known"))
    items = [
        tag("div", tag("dt", name), tag("dd", tag("span", value, class_="big"), tag("small", between)))
        for name, value, between in shown
    ]
    return tag("dl", join(items), class_="facts numbers")


def _pair(one: Estimate) -> tuple[str, str]:
    interval = None if one.exact else one.interval()
    return percent(one.value), percent_range(interval) if interval else ""


def _control(one: Summary) -> Markup | None:
    control = one.run.control if one.run is not None else None
    if control is None:
        return None
    return tag("p", f"Control: {WORDS.get(control, control)}.", class_="soft")


def sentences(one: Summary) -> list[str]:
    """What the run shows, as sentences that a newcomer can read."""
    if one.accuracy is None or one.vote is None:
        return ["No question has a known target, so right and wrong cannot be told; agreement and changes can."]
    if not one.votes.n_rounds:
        return [
            f"A single agent was right on {estimate(one.accuracy[0])} of the questions, the vote of {one.votes.n_agents} "
            f"on {estimate(one.vote[0])}. There was one round only: nothing was debated."
        ]
    last = one.votes.n_rounds
    said = [
        f"A single agent was right {estimate(one.accuracy[0])} of the time before the debate and "
        f"{percent(one.accuracy[-1].value)} after {last} more round{'s' if last > 1 else ''}."
    ]
    if one.vote_change is not None:
        said.append(
            f"The vote of {one.votes.n_agents} went from {percent(one.vote[0].value)} to {percent(one.vote[-1].value)}: "
            f"{_change(one.vote_change)}."
        )
    return said


def _change(change: Estimate) -> str:
    interval = change.interval()
    if interval is None:
        return f"{points(change.value)} points on one question"
    if not change.standard_error:
        return f"{points(change.value)} points on every question"
    told = f"{points(change.value)} points (95 % interval {points_range(interval)})"
    if interval.low > 0:
        return f"{told}, above the vote before the debate"
    if interval.high < 0:
        return f"{told}, below the vote before the debate"
    return f"{told}, which these questions do not tell from no change"


def comparison(summaries: Sequence[Summary]) -> Markup:
    """All runs as one table."""
    rows = [
        [
            one.name,
            count(one.n_questions),
            f"{one.votes.n_agents} × {one.votes.n_rounds + 1}",
            *(estimate_cell(e) for e in (_ends(one.accuracy) + _ends(one.vote))),
            cell("–")
            if one.vote_change is None
            else cell(points(one.vote_change.value), points_range(one.vote_change.interval())),
        ]
        for one in summaries
    ]
    head = [
        "run",
        "questions",
        "agents × answers",
        "agent, first",
        "agent, last",
        "vote, first",
        "vote, last",
        "vote change, points",
    ]
    return table(head, rows, caption="All runs, with 95 % intervals over questions")


def _ends(estimates: Sequence[Estimate] | None) -> tuple[Estimate | None, Estimate | None]:
    return (estimates[0], estimates[-1]) if estimates else (None, None)


def score_charts(summaries: Sequence[Summary]) -> list[Markup]:
    """Accuracy and vote by round, one figure a run that has targets."""
    limits = limits_of([series for one in summaries for series in (one.accuracy, one.vote) if series])
    return [
        by_round(
            one.name if len(summaries) > 1 else "Accuracy and vote by round",
            f"Share of {count(one.n_questions)} questions answered right, with 95 % intervals over questions. An unreadable "
            "answer is wrong for the agent and abstains in the vote; ties are split evenly.",
            [("single agent", one.accuracy), (f"vote of {one.votes.n_agents}", one.vote)],
            key=f"scores-{number}",
            limits=limits,
            exact=_exact(one),
        )
        for number, one in enumerate(summaries)
        if one.accuracy is not None and one.vote is not None
    ]


def _exact(one: Summary) -> dict[str, list[float]]:
    names = {"accuracy": "single agent", "vote": f"vote of {one.votes.n_agents}"}
    return {names[name]: values.tolist() for name, values in one.exact.items() if name in names}
