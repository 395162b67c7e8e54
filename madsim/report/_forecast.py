"""Vote or debate, with the run itself as the pilot: what each would give for its cost, and a verdict in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madsim._core.html import Markup, join, tag
from madsim.planning import Forecast, Option, OptionForecast, Prices, equal_cost_vote, forecast, parse_option
from madsim.report._charts import cell, table
from madsim.report._cost_chart import cost_chart
from madsim.report._equal_cost import EqualCost
from madsim.report._grid import grid
from madsim.report._numbers import amount, count, percent, percent_range, points, points_range
from madsim.report._plain import plain
from madsim.report._summary import Summary

_SIZES = (1, 3, 5, 9, 15, 25, 49, 99, 199, 499)
_MOST_HEARD = 40  # agents times rounds; the exact law of a larger debate takes more than a few seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The comparison of one debate with votes.

    Attributes
    ----------
    name : of the run
    rival : the vote of equal cost, as far as it can be counted; a text says why there is none
    forecast : what a model gives beyond what can be counted; a text says why there is none
    unreadable : whether the share of unreadable replies moved by more than five points
    """

    name: str
    rival: EqualCost | str
    forecast: Forecast | str
    unreadable: bool

    @property
    def rival_forecast(self) -> OptionForecast | None:
        """The forecast of the vote of equal cost."""
        if isinstance(self.rival, str) or isinstance(self.forecast, str):
            return None
        wanted = f"vote:{self.rival.n_answers}"
        return next((one for one in self.forecast.options if str(one.option) == wanted), None)


def outlook(one: Summary, rival: EqualCost | str) -> Outlook:
    """What this run, as a pilot, says about votes and debates on more questions like these."""
    moved = abs(one.unparsed[-1] - one.unparsed[0]) > 0.05
    return Outlook(name=one.name, rival=rival, forecast=_forecast(one, rival), unreadable=moved)


def _forecast(one: Summary, rival: EqualCost | str) -> Forecast | str:
    if isinstance(rival, str):
        return rival
    if rival.option is None:
        return f"the forecast knows no such debate: {rival.basis.partition('(')[2].rstrip(')')}"
    heard = one.votes.n_agents * one.votes.n_rounds
    if heard > _MOST_HEARD:
        return f"{one.votes.n_agents} agents over {one.votes.n_rounds} rounds take too long for a page; ask madsim forecast"
    if one.n_questions < 2:
        return "one question says nothing about others"
    try:
        return forecast(one.votes, _options(rival.option, rival), prices=rival.prices)
    except ValueError as error:
        return str(error)


def _options(debate: Option, rival: EqualCost) -> list[Option]:
    """Votes up to those of equal cost, and the debate with one round and with all of its rounds."""
    tail = str(debate).partition("x")[2].lstrip("0123456789")
    debates = [parse_option(f"debate:{debate.n_agents}x{t}{tail}") for t in sorted({1, debate.n_rounds})]
    equal = {rival.n_answers, *(equal_cost_vote(one, rival.prices) for one in debates)}
    sizes = {debate.n_agents, *equal, *(size for size in _SIZES if size < max(equal))}
    return [*(parse_option(f"vote:{n}") for n in sorted(sizes)), *debates]


def in_words(option: Option) -> str:
    """An option as people say it."""
    n = option.n_agents
    if option.kind == "vote":
        return "a single answer" if n == 1 else f"a vote of {n}"
    graph = "" if option.graph == "complete" else f" on a {option.graph}"
    rounds = "1 round" if option.n_rounds == 1 else f"{option.n_rounds} rounds"
    return f"{n} agents{graph}, {rounds} of debate"


def answer(look: Outlook) -> str:
    """Vote or debate, in a sentence that needs no statistics; or why not."""
    if isinstance(look.forecast, str):
        return f"Vote or debate? Not forecast: {look.forecast}."
    best = _named(look, look.forecast)
    own = not isinstance(look.rival, str) and best.option == look.rival.option
    debate = "this debate" if own else f"a debate ({in_words(best.option)})"
    vote = f"a vote of {best.equal_cost_vote}"
    wanted = f"vote:{best.equal_cost_vote}"
    worth = next(percent(one.accuracy, 0) for one in look.forecast.options if str(one.option) == wanted)
    counting = ", counting unreadable replies as wrong" if look.unreadable else ""
    if look.forecast.verdict == "undecided":
        more = look.forecast.questions_needed
        collect = f" About {count(more)} more questions would settle it." if more else ""
        return (
            f"Vote or debate? Not settled: for the same cost {vote} is expected right on {worth} of the questions, {debate} on "
            f"{percent(best.accuracy, 0)}{counting}.{collect}"
        )
    if look.forecast.verdict == "vote":
        return (
            f"Vote: for the same cost {vote} is expected right on {worth} of the questions, {debate} on "
            f"{percent(best.accuracy, 0)}{counting}."
        )
    return (
        f"Debate: {debate} is expected right on {percent(best.accuracy, 0)} of the questions, {vote} for the same cost on "
        f"{worth}{counting}."
    )


def _named(look: Outlook, found: Forecast) -> OptionForecast:
    """The debate that the sentence is about: this run's own where no debate wins, else the one nearest to winning."""
    debates = [one for one in found.options if one.better is not None]
    own = None if isinstance(look.rival, str) else look.rival.option
    if found.verdict == "vote":
        debates = [one for one in debates if one.option == own] or debates
    return max(debates, key=lambda one: one.better or 0.0)


def vote_or_debate(looks: Sequence[Outlook], prices: Prices) -> Markup:
    """The section: a sentence a run, the figures, the numbers, what is supposed."""
    shown = [look for look in looks if not (isinstance(look.rival, str) and look.rival == "a control is no debate")]
    if not shown:
        return tag("p", "Only controls are shown here, and a control is no debate.", class_="strong")
    many = len(looks) > 1
    made = [(number, look, look.forecast) for number, look in enumerate(looks) if isinstance(look.forecast, Forecast)]
    figures = [
        cost_chart(
            found, key=f"cost-{number}", heading=look.name if many else "What each way of asking is expected to give"
        )
        for number, look, found in made
    ]
    return join(
        [
            plain((look.name, answer(look)) for look in shown),
            _counts(shown),
            grid(figures) if figures else None,
            [_details(look, found, open_=not many) for _, look, found in made],
            _supposed(prices) if made else None,
        ]
    )


def _counts(looks: Sequence[Outlook]) -> Markup | None:
    rivals = [(look.name, look.rival) for look in looks if not isinstance(look.rival, str)]
    if not rivals:
        return None
    rows = [[name, count(rival.n_answers), count(rival.collected), *_counted_cells(rival)] for name, rival in rivals]
    head = ["run", "vote of equal cost", "answers collected", "counted vote of", "right", "debate less it, points"]
    caption = "Debate against plain votes, counted from independent answers without any model, with 95 % intervals over questions"
    short = [name for name, rival in rivals if rival.counted is None]
    more = tag(
        "p",
        "Where fewer independent answers were collected than the vote of equal cost has, the largest vote that can be counted stands "
        "in the table. The control with as many calls (vote), reported beside its debate, gives the rest.",
        class_="soft",
    )
    compared = tag("ul", [tag("li", f"{name}: {rival.basis}") for name, rival in rivals])
    details = tag("details", tag("summary", "How costs were compared"), compared)
    return join([table(head, rows, caption=caption), more if short else None, details])


def _counted_cells(rival: EqualCost) -> list[Markup | str]:
    found = rival.counted or rival.largest
    if found is None:
        return ["–", "–", "–"]
    return [
        count(found.n_answers),
        cell(percent(found.vote.value), percent_range(found.vote.interval())),
        cell(points(found.difference.value), points_range(found.difference.interval())),
    ]


def _details(look: Outlook, found: Forecast, *, open_: bool) -> Markup:
    rows = [
        [
            in_words(one.option),
            cell(percent(one.accuracy), percent_range(one.interval)),
            count(one.cost.calls),
            count(one.cost.tokens),
            amount(1000 * one.cost.money),
            "–" if one.gain is None else cell(points(one.gain), points_range(one.gain_interval)),
            "–" if one.better is None else percent(one.better, 0),
            "–" if one.counted is None else cell(percent(one.counted[0]), percent_range(one.counted[1])),
        ]
        for one in found.options
    ]
    head = [
        "way of asking", "expected right", "calls", "tokens", "cost of 1000", "less the vote of equal cost, points",
        "chance that debate is better", "counted in the pilot",
    ]  # fmt: skip
    notes = list(
        {text.partition(" ")[2]: text for text in found.warnings}.values()
    )  # of equal ones that of the largest vote
    if look.unreadable:
        notes.append("replies that could not be read count as wrong here, and their share moved between the rounds")
    return tag(
        "details",
        tag("summary", f"{look.name}: numbers, what is supposed, and the command"),
        table(head, rows, caption=f"Forecast {found.basis}; 95 % intervals; calls and tokens of one question"),
        tag("p", found.reason),
        tag("ul", [tag("li", note) for note in notes]) if notes else None,
        tag("pre", _command(look, found)),
        open=open_,
    )


def _command(look: Outlook, found: Forecast) -> str:
    """What gives the same numbers on the command line."""
    assert not isinstance(look.rival, str)
    sizes = look.rival.prices
    flags = {
        "--price-in": sizes.price_in,
        "--price-out": sizes.price_out,
        "--question-tokens": sizes.question_tokens,
        "--answer-tokens": sizes.answer_tokens,
    }
    options = [f"--option {one.option}" for one in found.options]
    return " ".join(["madsim forecast RUN", *options, *(f"{name} {value!r}" for name, value in flags.items())])


def _supposed(prices: Prices) -> Markup:
    return tag(
        "p",
        "A vote beyond the answers collected rests on the law of the questions' difficulty, a debate on the debate model fitted to "
        f"this run. Prices are {amount(prices.price_in)} and {amount(prices.price_out)} per million tokens read and written; other "
        "prices can give another verdict.",
        class_="soft",
    )
