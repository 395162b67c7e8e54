"""A debate against the plain vote that costs as much: counted without any model, where enough independent answers were collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim import graphs
from madsim._core.estimate import Estimate
from madsim.graphs import Graph
from madsim.planning import Option, Prices, cost_of, equal_cost_vote, maj_by_sample, parse_option
from madsim.report._numbers import amount, count
from madsim.report._summary import Summary
from madsim.transcripts import Reply, Run, State, Transcript, Votes, clustered_mean, votes_of

_INDEPENDENT = ("held_out", "vote")  # controls whose answers nobody heard and that no debate went on from
_GRAPHS = {"complete": graphs.complete, "ring": graphs.ring, "star": graphs.star, "line": graphs.line}
_LARGEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A vote of so many of the independent answers, averaged over all choices of them.

    Attributes
    ----------
    n_answers : of the vote
    vote : how often it is right
    difference : the debate's last vote less this one, paired by question
    """

    n_answers: int
    vote: Estimate
    difference: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualCost:
    """The plain vote that costs no more than a debate.

    Attributes
    ----------
    n_answers : of that vote
    option : the debate as an option of a forecast; None where no option describes it
    prices : token sizes (the run's own, where it reports them) and prices
    basis : how the costs were compared, in words
    collected : independent answers to each question, at least
    counted : the vote of equal cost; None where fewer answers were collected
    largest : then the largest vote that can be counted
    """

    n_answers: int
    option: Option | None
    prices: Prices
    basis: str
    collected: int
    counted: Counted | None
    largest: Counted | None


def equal_cost(one: Summary, summaries: Sequence[Summary], prices: Prices) -> EqualCost | str:
    """The comparison for one run, with the independent answers of its controls among `summaries`; or why there is none."""
    if one.run is not None and one.run.control is not None:
        return "a control is no debate"
    if one.vote is None:
        return "no question has a known target"
    if not one.votes.n_rounds:
        return "there was one round only: nothing was debated"
    sizes, told = _sizes(one, prices)
    option, why_calls = debate_option(one.votes)
    asked = int((one.votes.state != State.NOT_ASKED).sum() / one.votes.n_samples)
    if option is None or one.votes.early_stopping:
        n_answers = max(1, min(_LARGEST, asked))
        basis = f"as many calls ({why_calls or 'debates stopped early'})"
    else:
        n_answers = equal_cost_vote(option, sizes)
        basis = f"as much money, {told}"
        if cost_of(option, sizes).money <= 0:
            basis = "as many tokens (nothing has a price)"
    pool = _independent_answers(one, summaries)
    given = (pool.state[:, 0] != State.NOT_ASKED).sum(axis=1)
    known = pool.has_target & (given > 0)
    collected = int(given[known].min()) if known.any() else 0
    enough = collected >= n_answers
    return EqualCost(
        n_answers=n_answers,
        option=option,
        prices=sizes,
        basis=basis,
        collected=collected,
        counted=_counted(one, pool, n_answers) if enough else None,
        largest=None if enough or not collected else _counted(one, pool, collected),
    )


def debate_option(votes: Votes) -> tuple[Option | None, str]:
    """The protocol as an option of a forecast; None, and why, where no option is that protocol."""
    if max(votes.n_agents, votes.n_rounds) > _LARGEST:
        return None, f"more than {_LARGEST} agents or rounds"
    plain = votes.protocol or {}
    visibility = plain.get("visibility")
    visibility = visibility if isinstance(visibility, Mapping) else {}
    schedule = plain.get("schedule")
    kind = schedule.get("type") if isinstance(schedule, Mapping) else None
    if kind not in (None, "Simultaneous"):
        return None, "agents spoke in turn"
    name = _graph_name(visibility.get("graph"), votes.n_agents)
    if name is None:
        return None, "who heard whom is none of complete, ring, star and line"
    tail = f":{name}{':transcript' if visibility.get('show') == 'all' else ''}"
    return parse_option(f"debate:{votes.n_agents}x{votes.n_rounds}{tail}"), ""


def _graph_name(plain: object, n_agents: int) -> str | None:
    if plain is None:
        return "complete"
    if not isinstance(plain, Mapping):
        return None
    try:
        graph = graphs.from_dict(dict(plain))
    except (ValueError, TypeError, KeyError):
        return None
    return next((name for name, make in _GRAPHS.items() if _same(graph, make, n_agents)), None)


def _same(graph: Graph, make: Callable[[int], Graph], n_agents: int) -> bool:
    try:
        other = make(n_agents)
    except ValueError:  # a ring of two agents, say
        return False
    return (
        graph.n_agents == n_agents
        and np.array_equal(graph.degrees, other.degrees)
        and np.array_equal(graph.heard, other.heard)
        and np.array_equal(graph.weights, other.weights)
    )


def _sizes(one: Summary, prices: Prices) -> tuple[Prices, str]:
    """`prices` with the run's own sizes of a question and of a reply, where its replies report them; and which, in words."""
    replies = [] if one.run is None else [reply for debate in one.run.transcripts for reply in debate.replies]
    read = _mean(reply.usage.get("input") for reply in replies if reply.usage and reply.round == 0)
    written = _mean(reply.usage.get("output") for reply in replies if reply.usage)
    known = bool(read and written)
    sizes = replace(prices, question_tokens=read, answer_tokens=written) if known else prices
    return sizes, (
        f"{'recorded' if known else 'supposed'}: a question of {count(sizes.question_tokens)} and a reply of "
        f"{count(sizes.answer_tokens)} tokens, at {amount(sizes.price_in)} and {amount(sizes.price_out)} per million read and written"
    )


def _mean(values: Iterable[Any]) -> float:
    known = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool) and 0 <= v < 1e9]
    return sum(known) / len(known) if known else 0.0


def _independent_answers(one: Summary, summaries: Sequence[Summary]) -> Votes:
    """Round-0 answers by question: the run's own of all repeats, and those of its controls on the same questions."""
    if one.run is None:
        return one.votes
    extra: dict[str, list[Reply]] = {}
    for other in summaries:
        if other.run is not None and other.run.control in _INDEPENDENT:
            for key, replies in _first_replies(other.run).items():
                extra.setdefault(key, []).extend(replies)
    samples = {_key(debate): debate.sample for debate in reversed(one.run.transcripts)}
    own = _first_replies(one.run)
    pooled = [
        Transcript(
            sample=samples[key],
            replies=tuple(replace(reply, agent=seat) for seat, reply in enumerate([*replies, *extra.get(key, [])])),
        )
        for key, replies in own.items()
    ]
    most = max(len(debate.replies) for debate in pooled)
    return votes_of(
        Run(
            agents=tuple(map(str, range(most))),
            transcripts=tuple(pooled),
            source=one.run.source,
            early_stopping=False,
        )
    )


def _first_replies(run: Run) -> dict[str, list[Reply]]:
    found: dict[str, list[Reply]] = {}
    for debate in run.transcripts:
        found.setdefault(_key(debate), []).extend(reply for reply in debate.replies if reply.round == 0)
    return found


def _key(debate: Transcript) -> str:
    return debate.sample.question.strip() or f"\0{debate.sample.id}"


def _counted(one: Summary, pool: Votes, n_answers: int) -> Counted:
    values = maj_by_sample(pool, n_answers)
    if one.run is None:
        last, units = one.credit[:, -1], pool.cluster
    else:  # the pool has one row a question, in the order of the run's clusters
        last, units = _by_question(one.credit[:, -1], one.votes.cluster), np.arange(pool.n_samples)
    return Counted(
        n_answers=n_answers, vote=clustered_mean(values, units), difference=clustered_mean(last - values, units)
    )


def _by_question(credit: NDArray[np.float64], cluster: NDArray[np.int64]) -> NDArray[np.float64]:
    known = ~np.isnan(credit)
    size = int(cluster.max()) + 1
    number = np.bincount(cluster[known], minlength=size)
    total = np.bincount(cluster[known], weights=credit[known], minlength=size)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)
