"""Votes written out by hand or drawn from the plain model, for figures."""

import numpy as np

from madsim.transcripts import State, Votes


def votes_from(answers, *, has_target=None, cluster=None, source=""):
    """Votes from nested lists (sample, round, agent); -1 is unparsed."""
    answers = np.array(answers, dtype=np.int32)
    state = np.where(answers >= 0, State.ANSWERED, State.UNPARSED).astype(np.int8)
    n = len(answers)
    return Votes(
        answers=answers,
        state=state,
        samples=tuple(f"q{number}" for number in range(n)),
        cluster=np.arange(n) if cluster is None else np.array(cluster),
        has_target=np.ones(n, dtype=bool) if has_target is None else np.array(has_target),
        agents=tuple("ABCDEFGH"[: answers.shape[2]]),
        early_stopping=False,
        source=source,
    )


def drawn(*, n_questions=40, n_agents=3, n_rounds=2, seed=0):
    """Independent answers that are right with chance .7."""
    rng = np.random.default_rng(seed)
    shape = (n_questions, n_rounds + 1, n_agents)
    return votes_from(np.where(rng.random(shape) < 0.7, 0, rng.integers(1, 4, shape)))
