"""Votes made by hand for checks."""

import numpy as np

from madsim.transcripts import State, Votes


def votes_of_answers(answers, *, cluster=None, early_stopping=False, protocol=None, n_answers=None, has_target=None):
    """Votes from integers (sample, round, agent): 0 the target, 1, 2 ... others, -1 unreadable, -2 not asked."""
    array = np.asarray(answers)
    state = np.select([array >= 0, array == -1], [State.ANSWERED, State.UNPARSED], State.NOT_ASKED)
    n = len(array)
    return Votes(
        answers=np.maximum(array, -1).astype(np.int32),
        state=state.astype(np.int8),
        samples=tuple(f"q{number}" for number in range(n)),
        cluster=np.arange(n) if cluster is None else np.asarray(cluster),
        has_target=np.ones(n, bool) if has_target is None else np.asarray(has_target),
        agents=tuple(f"agent {number}" for number in range(array.shape[2])),
        early_stopping=early_stopping,
        protocol=protocol,
        n_answers=n_answers,
        source="by hand",
    )


def drawn(n_questions=60, *, seed=0, n_agents=3, n_rounds=2, chance=0.6, n_answers=3):
    """Answers that are drawn anew in every round."""
    rng = np.random.default_rng(seed)
    right = rng.random((n_questions, n_rounds + 1, n_agents)) < chance
    return votes_of_answers(np.where(right, 0, rng.integers(1, n_answers, right.shape)))
