"""Exact values beside simulated ones, where theory has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from madsim.models import DebateModel

Exact = dict[str, NDArray[np.float64]]


def exact_scores(model: DebateModel, n_rounds: int) -> Exact:
    """Exact ``accuracy``, ``vote`` (ties split evenly) and ``disagreement`` by round.

    What no exact method reaches is left out; a debate that stops early has none, because its last answers stand in for later ones.
    """
    from madsim.theory import debate_moments, disagreement, vote_by_round

    if model.protocol.convergence is not None:
        return {}
    methods: dict[str, Callable[[], NDArray[np.float64]]] = {
        "accuracy": lambda: debate_moments(model, n_rounds).pooled_mean,
        "vote": lambda: vote_by_round(model, n_rounds, ties="random"),
        "disagreement": lambda: disagreement(model, n_rounds),
    }
    known: Exact = {}
    for name, method in methods.items():
        try:
            known[name] = method()
        except ValueError:  # this model has no exact value of this kind
            continue
    return known
