"""The plain debate from its definition: one trial after the other, agents in order, beliefs as running sums of concentrations.

The lane kernels compute in float32 (float64 for large panels), so the twin takes the same sums in the same precision; everything else,
loops and bookkeeping, is its own.
"""

from dataclasses import dataclass, field

import numpy as np

from tests.reference.streams import Stream

FIXED = 2**32


@dataclass
class Tally:
    """Totals by round, in plain integers."""

    n_rounds: int
    n_answers: int
    share: np.ndarray = field(init=False)
    wins: np.ndarray = field(init=False)
    spread: np.ndarray = field(init=False)

    def __post_init__(self):
        self.share = np.zeros((self.n_rounds + 1, 2), np.int64)
        self.wins = np.zeros((self.n_rounds + 1, self.n_answers + 1), np.int64)
        self.spread = np.zeros((self.n_rounds + 1, 2), np.int64)

    def add(self, step: int, votes: list[int], *, first: bool) -> None:
        """Count one round of one debate."""
        counts = [votes.count(answer) for answer in range(self.n_answers)]
        tied = [answer for answer in range(self.n_answers) if counts[answer] == max(counts)]
        self.share[step] += [counts[0], counts[0] ** 2]
        if 0 in tied:
            self.wins[step, len(tied) - 1] += 1
            if first and next(vote for vote in votes if vote in tied) == 0:
                self.wins[step, -1] += 1
        if len(votes) > 1:
            pairs = len(votes) * (len(votes) - 1)
            apart = (len(votes) ** 2 - sum(count**2 for count in counts)) * (FIXED / pairs)
            self.spread[step] += [int(apart), int(apart * apart / FIXED)]


def plain_debates(
    key_words: tuple[int, int, int],
    trials: range,
    concentration: np.ndarray,
    influence: list[list[list[tuple[int, float]]]],
    common: np.ndarray,
    mass: np.ndarray,
    *,
    real: type = np.float32,
    first: bool = False,
) -> tuple[np.ndarray, np.ndarray, Tally]:
    """Votes (trial, round, agent), weight of right answers heard (trial, round, agent), and the tally.

    ``influence[round][agent]`` lists (agent heard, weight) in the order of summation; `common` is the weight of everybody's answers on top;
    `mass` is (round, agent).
    """
    n_agents, n_answers = concentration.shape
    n_rounds = len(mass) - 1
    cuts = np.cumsum(concentration, axis=1)[:, :-1].astype(real)
    votes = np.zeros((len(trials), n_rounds + 1, n_agents), int)
    heard_right = np.zeros((len(trials), n_rounds + 1, n_agents))
    tally = Tally(n_rounds, n_answers)
    for place, trial in enumerate(trials):
        stream = Stream(*key_words, trial)
        heard = np.zeros((n_agents, n_answers - 1), real)
        crowd = np.zeros(n_answers - 1, real)
        last: list[int] = []
        for step in range(n_rounds + 1):
            if step:
                for agent in range(n_agents):
                    for other, weight in influence[step][agent]:
                        heard[agent, last[other] :] += real(weight)
                for answer in last:
                    crowd[answer:] += real(1)
            now = []
            for agent in range(n_agents):
                uniform = stream.uniform24() if real is np.float32 else stream.uniform32()
                point = real(uniform) * real(mass[step, agent])
                below = cuts[agent] + (heard[agent] + real(common[agent]) * crowd)
                now.append(int((point >= below).sum()))
                heard_right[place, step, agent] = heard[agent, 0] + real(common[agent]) * crowd[0]
            votes[place, step] = now
            tally.add(step, now, first=first)
            last = now
    return votes, heard_right, tally
