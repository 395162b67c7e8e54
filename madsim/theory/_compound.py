"""A debate as one agent of another debate: the law of its answer, and when it is the law of a plain agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim.protocols import OneAgent
from madsim.theory._vote import vote_by_round

if TYPE_CHECKING:
    from madsim.models import DebateModel
    from madsim.protocols import Protocol


def compound_answer(inner: DebateModel) -> NDArray[np.float64]:
    """Exact probability of every answer of a debate that sits in one seat and has heard nothing yet, shape (answer,).

    What is left to 1 is the probability that a tie gives no answer.

    Raises
    ------
    ValueError
        If no exact method is feasible (see :func:`madsim.theory.vote_by_round`).

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> from madsim.protocols import Protocol
    >>> inner = DebateModel.homogeneous(n_agents=3, belief=0.7, mass=2.0, protocol=Protocol(rounds=1))
    >>> compound_answer(inner).round(4).tolist()
    [0.7578, 0.2422]
    """
    return readonly(np.array([vote_by_round(inner, answer=answer)[-1] for answer in range(inner.n_answers)]))


def compound_model(outer: Protocol, inner: Sequence[DebateModel]) -> DebateModel:
    """The plain debate that has the law of a debate whose seats are debates, where there is one.

    Agents of an inner panel that all start alike keep, on any graph and for any number of rounds, the mean belief with which they
    start, also after they were told what their seat heard outside. If one of them speaks for the seat, the seat's answer given everything
    outside has the law of a plain agent of the same concentration and weights. A vote of the inner panel is no linear function of what
    was heard: then :func:`compound_answer` gives the law of the first answer, and `madsim.simulate.simulate_conversation` the rest.

    Raises
    ------
    ValueError
        If a seat is not of this kind; the message says which and why.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> from madsim.protocols import OneAgent, Protocol
    >>> spoken_for = Protocol(rounds=1, reduction=OneAgent(agent=0))
    >>> seat = DebateModel.homogeneous(n_agents=3, belief=0.7, mass=2.0, protocol=spoken_for)
    >>> compound_model(Protocol(rounds=2), [seat, seat])
    DebateModel(2 agents, 2 answers, belief 0.7, complete)
    """
    from madsim.models import DebateModel

    for place, seat in enumerate(inner):
        odd = sorted(set(seat.departures) - {"protocol.schedule"})
        if odd:
            raise ValueError(
                f"seat {place} is a debate with its own {', '.join(odd)}: its beliefs do not move linearly"
            )
        if not isinstance(seat.protocol.reduction, OneAgent):
            raise ValueError(
                f"seat {place} is decided by {type(seat.protocol.reduction).__name__}, which is not linear in what was heard; "
                "only OneAgent is. Simulate it with simulate_conversation"
            )
        weights = (seat.self_weight, seat.peer_weight)
        if (seat.concentration != seat.concentration[0]).any() or any(isinstance(one, tuple) for one in weights):
            raise ValueError(f"the inner agents of seat {place} do not start alike, so their mean beliefs move")
    first = [seat.concentration[0] for seat in inner]
    return DebateModel(
        concentration=np.array(first),
        protocol=outer,
        self_weight=tuple(float(np.asarray(seat.self_weight)) for seat in inner),
        peer_weight=tuple(float(np.asarray(seat.peer_weight)) for seat in inner),
    )
