"""How many questions a check needs, before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from madsim._core.arrays import as_count, as_positive
from madsim._core.html import Printed
from madsim.planning._option import Option, Prices, cost_of
from madsim.theory import sd_of_change
from madsim.verify import questions_needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(Printed):
    """A design of a check and what it takes.

    Attributes
    ----------
    questions : that show no drift beyond `delta` with probability `power`, if there is none
    n_agents, n_rounds, held_out : answers a question: agents times (rounds + 1), and round-0 answers that no debater sees
    delta, level, power : of the equivalence test
    sd : standard deviation of a question's change in the share of right answers
    calls, tokens, cost : of the whole design
    """

    questions: int
    n_agents: int
    n_rounds: int
    held_out: int
    delta: float
    level: float
    power: float
    sd: float
    calls: int
    tokens: float
    cost: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        return (
            f"{self.questions} questions x {self.n_agents} agents x {self.n_rounds} rounds after round 0, {self.held_out} held-out "
            f"answers each: no drift beyond {self.delta:g} shown with power {self.power:g}; {self.calls} calls, "
            f"{self.tokens:.3g} tokens, {self.cost:.4g} money"
        )


def design_check(
    *,
    delta: float = 0.03,
    power: float = 0.9,
    level: float = 0.05,
    n_agents: int = 5,
    n_rounds: int = 2,
    accuracy: float = 0.7,
    kappa: float = 4.0,
    mass: float = 2.0,
    held_out: int = 0,
    prices: Prices | None = None,
) -> Design:
    """Questions, calls, tokens and money that show a drift of zero to lie within `delta`.

    The spread of a question's change is the exact one of the plain model on the complete graph (`madsim.theory.sd_of_change`) for
    difficulties from Beta(accuracy * kappa, (1 - accuracy) * kappa).

    Raises
    ------
    ValueError
        For numbers out of their range.

    Examples
    --------
    >>> [design_check(delta=d, n_rounds=3, accuracy=0.7222, kappa=3.6).questions for d in (0.02, 0.03, 0.05)]
    [990, 440, 159]
    """
    if not 0 < accuracy < 1:
        raise ValueError(f"accuracy must lie strictly between 0 and 1, got {accuracy!r}")
    if not 0 < power < 1 or not 0 < level < 0.5:
        raise ValueError(f"power must lie in (0, 1) and level in (0, .5), got {power!r} and {level!r}")
    as_positive(kappa, name="kappa")
    held_out = as_count(held_out, name="held_out")
    sd = sd_of_change(n_agents, mass, n_rounds, accuracy * (1 - accuracy) * kappa / (kappa + 1))
    questions = questions_needed(sd**2, delta, level=level, power=power)
    prices = Prices() if prices is None else prices
    debate = cost_of(Option(kind="debate", n_agents=n_agents, n_rounds=n_rounds), prices)
    extra = cost_of(Option(kind="vote", n_agents=held_out), prices) if held_out else None
    return Design(
        questions=questions,
        n_agents=n_agents,
        n_rounds=n_rounds,
        held_out=held_out,
        delta=delta,
        level=level,
        power=power,
        sd=sd,
        calls=questions * (debate.calls + (extra.calls if extra else 0)),
        tokens=questions * (debate.tokens + (extra.tokens if extra else 0.0)),
        cost=questions * (debate.money + (extra.money if extra else 0.0)),
    )
