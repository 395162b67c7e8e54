"""Ways to spend tokens on a question: a vote, a debate, a judged debate; what each costs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from madsim import graphs
from madsim._core.arrays import as_count
from madsim._core.html import Printed
from madsim.graphs import Graph

GraphName = Literal["complete", "ring", "star", "line"]
_GRAPHS = {"complete": graphs.complete, "ring": graphs.ring, "star": graphs.star, "line": graphs.line}
_PATTERN = re.compile(r"(vote|debate|judge):(\d+)(?:x(\d+))?(?::(complete|ring|star|line))?(:transcript)?")
_LARGEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Option(Printed):
    """One way to answer a question.

    Attributes
    ----------
    kind : ``"vote"`` independent answers and a plurality vote; ``"debate"`` rounds of debate and a vote on the last; ``"judge"`` the same
        with a judge who reads the last round
    n_agents : answers of the vote, or size of the panel
    n_rounds : rounds after round 0; 0 for a vote
    graph : who hears whom
    transcript : whether agents are shown all earlier rounds, not the last one alone
    """

    kind: Literal["vote", "debate", "judge"]
    n_agents: int
    n_rounds: int = 0
    graph: GraphName = "complete"
    transcript: bool = False

    def __post_init__(self) -> None:
        if self.kind not in ("vote", "debate", "judge"):
            raise ValueError(f"kind must be 'vote', 'debate' or 'judge', got {self.kind!r}")
        as_count(self.n_agents, name="n_agents", minimum=1, maximum=_LARGEST)
        as_count(self.n_rounds, name="n_rounds", maximum=_LARGEST)
        if self.kind == "vote" and self.n_rounds:
            raise ValueError(f"a vote has no rounds of debate, got n_rounds={self.n_rounds}")
        if self.kind == "debate" and not self.n_rounds:
            raise ValueError("a debate needs at least one round; without any it is a vote")
        if self.graph not in _GRAPHS:
            raise ValueError(f"graph must be one of {', '.join(_GRAPHS)}, got {self.graph!r}")

    def __str__(self) -> str:
        if self.kind == "vote":
            return f"vote:{self.n_agents}"
        rest = "" if self.graph == "complete" else f":{self.graph}"
        return f"{self.kind}:{self.n_agents}x{self.n_rounds}{rest}{':transcript' if self.transcript else ''}"

    def who_hears(self) -> Graph:
        """The graph."""
        return _GRAPHS[self.graph](self.n_agents)


def parse_option(text: str) -> Option:
    """Read ``vote:5``, ``debate:5x2``, ``debate:5x2:ring``, ``debate:5x2:transcript`` or ``judge:5x1``.

    Raises
    ------
    ValueError
        If the text is none of these.

    Examples
    --------
    >>> str(parse_option("debate:5x2:ring"))
    'debate:5x2:ring'
    """
    found = _PATTERN.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"expected an option such as vote:5, debate:5x2, debate:5x2:ring or judge:5x1, got {text!r}")
    kind, agents, rounds, graph, transcript = found.groups()
    if kind == "vote" and (rounds or graph or transcript):
        raise ValueError(f"a vote has a number of answers alone, as in vote:5; got {text!r}")
    if kind != "vote" and rounds is None:
        raise ValueError(f"{kind} needs agents and rounds, as in {kind}:5x2; got {text!r}")
    return Option(
        kind=kind,  # type: ignore[arg-type]
        n_agents=int(agents),
        n_rounds=int(rounds or 0),
        graph=graph or "complete",  # type: ignore[arg-type]
        transcript=transcript is not None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Token sizes and prices.

    Attributes
    ----------
    question_tokens, answer_tokens : length of a question with its instructions, and of a reply
    price_in, price_out : money per million tokens read and written
    """

    question_tokens: float = 200.0
    answer_tokens: float = 300.0
    price_in: float = 0.15
    price_out: float = 0.6

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 <= value < float("inf")):
                raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one question takes: calls, tokens read and written, money."""

    calls: int
    tokens_in: float
    tokens_out: float
    money: float

    @property
    def tokens(self) -> float:
        """Read and written together."""
        return self.tokens_in + self.tokens_out


def cost_of(option: Option, prices: Prices) -> Cost:
    """What an option takes for one question.

    Every answer of a vote and of round 0 reads the question; in later rounds an agent also reads one reply of each agent that it hears,
    its own included (with `transcript` those of all earlier rounds). A judge reads the question and the last round.

    Examples
    --------
    >>> prices = Prices(price_in=1, price_out=4)
    >>> vote, debate = (cost_of(parse_option(text), prices).money for text in ("vote:1", "debate:5x2"))
    >>> round(debate / vote, 1)
    25.7
    """
    q, a, n = prices.question_tokens, prices.answer_tokens, option.n_agents
    calls, read = n, n * q
    heard = option.who_hears().n_edges + n if option.n_rounds else 0  # replies that all agents together read in a round
    for t in range(1, option.n_rounds + 1):
        calls += n
        read += n * q + heard * a * (t if option.transcript else 1)
    written = calls * a
    if option.kind == "judge":
        calls, read, written = calls + 1, read + q + n * a, written + a
    money = (read * prices.price_in + written * prices.price_out) / 1e6
    return Cost(calls=calls, tokens_in=read, tokens_out=written, money=money)


def equal_cost_vote(option: Option, prices: Prices) -> int:
    """The largest vote, up to 1000 answers, that costs no more than `option` (in money, or in tokens where nothing has a price)."""
    spent, one = cost_of(option, prices), cost_of(Option(kind="vote", n_agents=1), prices)
    ratio = spent.money / one.money if one.money > 0 else spent.tokens / one.tokens if one.tokens > 0 else spent.calls
    return max(1, min(_LARGEST, int(ratio + 1e-9)))
