"""Debates over many questions, each with its own belief: the population that checks, fits and forecasts are tried on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, as_positive, as_probabilities, readonly
from madsim._core.rng import RNG, resolve_seed
from madsim.models import DebateModel
from madsim.protocols import Protocol
from madsim.simulate._blocks import run_ranges
from madsim.simulate._debate import check_size
from madsim.simulate._debate_plan import key_of
from madsim.simulate._debate_rules import check_memory, rules_of
from madsim.simulate._debate_votes import votes_of_trials
from madsim.simulate._influence import influence_of
from madsim.simulate._totals import Totals
from madsim.transcripts import Votes

_HELD_OUT_KEY = 0x68656C64
_BELIEF_KEY = 0x71756573
_UPDATES_A_RANGE = 200_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Questions:
    """Simulated debates over questions.

    Attributes
    ----------
    votes : one sample a question (and repeat); `votes.cluster` says which question
    beliefs : float64 (question, answer); the belief with which every agent came to a question
    held_out : int32 (question, answer of an agent outside the debate); round-0 answers that the debaters never saw
    """

    votes: Votes
    beliefs: NDArray[np.float64]
    held_out: NDArray[np.int32]


def draw_beliefs(
    n_questions: int, *, accuracy: float, kappa: float, n_answers: int = 2, rng: RNG = None
) -> NDArray[np.float64]:
    """Beliefs of questions of different difficulty, shape (question, answer).

    Belief in the target is drawn from Beta(accuracy * kappa, (1 - accuracy) * kappa), the rest is split evenly over the other answers. A
    large `kappa` makes questions alike. Beliefs are kept at least 1e-9 away from 0 and 1.
    """
    n_questions = as_count(n_questions, name="n_questions", minimum=1)
    others = as_count(n_answers, name="n_answers", minimum=2) - 1
    if not 0 < accuracy < 1:
        raise ValueError(f"accuracy must lie strictly between 0 and 1, got {accuracy!r}")
    kappa = float(as_positive(kappa, name="kappa"))
    generator = resolve_seed(rng).generator(_BELIEF_KEY)
    target = np.clip(generator.beta(accuracy * kappa, (1 - accuracy) * kappa, n_questions), 1e-9, 1 - 1e-9)
    return readonly(np.column_stack([target, np.repeat(((1 - target) / others)[:, None], others, axis=1)]))


def simulate_questions(
    beliefs: ArrayLike,
    *,
    mass: float = 2.0,
    n_agents: int = 5,
    n_rounds: int | None = None,
    protocol: Protocol | None = None,
    repeats: int = 1,
    held_out: int = 0,
    rng: RNG = None,
    threads: int | None = 1,
    **options: Any,
) -> Questions:
    """One debate (or `repeats` of them) on every question, agents alike within a question.

    Sample ``repeat * n_questions + q`` is a debate on question q and owns the stream of that number: more repeats extend fewer, and with
    one repeat the first questions of a longer list are the shorter list.

    Parameters
    ----------
    beliefs : (question, answer); belief in each answer, answer 0 the target; every belief above 0
    mass : concentration of each agent
    n_agents : size of the panel
    n_rounds : rounds after round 0; by default those of the protocol
    protocol : by default ``Protocol()``
    repeats : debates on each question
    held_out : number of further round-0 answers a question that no debater hears
    options : any other field of `DebateModel`: responses, memories, interventions

    Raises
    ------
    ValueError
        If a belief is 0, or the options do not make a model.
    """
    shares = as_probabilities(beliefs, name="beliefs")
    if shares.ndim != 2 or len(shares) == 0:
        raise ValueError(f"beliefs must have the axes (question, answer), got shape {shares.shape}")
    if (shares == 0).any():
        raise ValueError("every belief must be above 0: an answer that can never be given has no concentration")
    repeats = as_count(repeats, name="repeats", minimum=1)
    held_out = as_count(held_out, name="held_out")
    model = DebateModel.homogeneous(n_agents=n_agents, belief=shares[0], mass=mass, protocol=protocol, **options)
    n_trials, rounds = check_size(model, len(shares) * repeats, n_rounds, "votes")
    seed = resolve_seed(rng)
    answers = _answers(model, shares * float(mass), rounds, n_trials, key_of(seed), threads)
    generator = seed.generator(_HELD_OUT_KEY)
    points = generator.random((len(shares), held_out))
    return Questions(
        votes=votes_of_trials(
            model, answers, cluster=np.tile(np.arange(len(shares)), repeats), source="simulated debates over questions"
        ),
        beliefs=shares,
        held_out=readonly((points[:, :, None] >= np.cumsum(shares, axis=1)[:, None, :-1]).sum(axis=2).astype(np.int32)),
    )


def _answers(
    model: DebateModel,
    concentration: NDArray[np.float64],
    n_rounds: int,
    n_trials: int,
    key: NDArray[np.uint64],
    threads: int | None,
) -> NDArray[np.uint8]:
    """Votes by (trial, round, agent) where trial r is about question ``r % len(concentration)``."""
    from madsim.kernels.debate_variants import debate_variants

    check_memory(model, n_rounds)
    rules = rules_of(model, influence_of(model, n_rounds))
    n = model.n_agents
    prior = np.repeat(concentration[:, None, :], n, axis=1)
    votes = np.zeros((n_trials, n_rounds + 1, n), np.uint8)

    def work(totals: Totals, first: int, count: int) -> None:
        debate_variants(
            key, first, count, prior, rules,
            totals.belief, totals.right, totals.share, totals.wins, totals.spread, votes[first : first + count],
        )  # fmt: skip

    run_ranges(
        work,
        lambda: Totals.of_nothing(n_rounds=n_rounds, n_answers=model.n_answers, believers=n, counted=n),
        n_trials=n_trials,
        grain=max(1, _UPDATES_A_RANGE // (n * (n_rounds + 1))),
        threads=threads,
    )
    return votes
