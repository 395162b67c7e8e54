"""The joint law of two rounds, cell by cell, and broken simulators that it rejects.

Three unlike agents on a weighted graph, three answers: 27 x 27 joint votes with exact probabilities from enumeration. A chi-square over
cells of at least five expected debates; seeds are fixed, a right simulator fails at .001 once in a thousand seeds.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from madsim import graphs
from madsim.models import (
    Conformist,
    CorrectionLock,
    DebateModel,
    Follower,
    LastRound,
    Sticky,
    Stubborn,
    Summary,
    Temperature,
    TopP,
)
from madsim.protocols import OneByOne, Protocol, Visibility
from madsim.simulate import simulate_debate

N_TRIALS = 200_000
GRAPH = graphs.from_array([[0, 2, 0], [1, 0, 0.5], [1, 1, 0]])
PROTOCOL = Protocol(rounds=1, visibility=Visibility(graph=GRAPH))
ROWS = np.array([[1.4, 0.6, 0.5], [0.5, 2.0, 0.5], [1.0, 1.0, 1.5]])


def model_of(**options) -> DebateModel:
    return DebateModel(**{"concentration": ROWS, "protocol": PROTOCOL, **options})


def exact_law(model: DebateModel) -> np.ndarray:
    """Probability of every pair of votes in rounds 0 and 1, shape (27, 27), by the definition."""
    n, k = model.concentration.shape
    influence = model.protocol.graph(n).to_array() + np.eye(n) * np.asarray(model.self_weight)
    votes = list(itertools.product(range(k), repeat=n))
    law = np.zeros((len(votes), len(votes)))
    for i, first in enumerate(votes):
        chance = np.prod(model.belief[np.arange(n), first])
        concentration = model.concentration + influence @ np.eye(k)[list(first)]
        belief = concentration / concentration.sum(axis=1, keepdims=True)
        law[i] = [chance * np.prod(belief[np.arange(n), second]) for second in votes]
    return law


def pvalue(law: np.ndarray, result) -> float:
    """Chi-square of the simulated joint votes against `law`, small cells taken together."""
    answers = result.votes.answers
    code = answers @ np.array([9, 3, 1])
    counts = np.zeros(law.shape)
    np.add.at(counts, (code[:, 0], code[:, 1]), 1)
    expected, counts = law.ravel() * len(answers), counts.ravel()
    large = expected >= 5
    assert large.sum() > 300
    expected = np.append(expected[large], expected[~large].sum())
    counts = np.append(counts[large], counts[~large].sum())
    if expected[-1] < 5:
        expected, counts = expected[:-1], counts[:-1]
    return float(stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(expected) - 1))


@pytest.mark.parametrize("method", ["auto", "general"])
@pytest.mark.parametrize(("self_weight", "rows"), [(1.0, ROWS), (0.0, ROWS), (2.5, 10 * ROWS)])
def test_two_rounds_have_the_exact_law(method, self_weight, rows):
    model = model_of(concentration=rows, self_weight=self_weight)
    result = simulate_debate(model, n_trials=N_TRIALS, rng=17, keep="votes", method=method)
    assert pvalue(exact_law(model), result) > 0.001


def test_shared_counts_have_the_exact_law():
    model = model_of(protocol=Protocol(rounds=1))
    result = simulate_debate(model, n_trials=N_TRIALS, rng=17, keep="votes")
    assert "shared" in result.method
    assert pvalue(exact_law(model), result) > 0.001


BROKEN = {
    "does not hear itself enough": {"self_weight": 0.8},
    "hears others too much": {"peer_weight": 1.15},
    "hears another graph": {
        "protocol": Protocol(
            rounds=1, visibility=Visibility(graph=graphs.from_array([[0, 2, 0], [1, 0, 0.5], [1, 0.5, 0]]))
        )
    },
    "speaks one by one": {
        "protocol": Protocol(rounds=1, visibility=Visibility(graph=GRAPH), schedule=OneByOne()),
    },
    "answers too sharply": {"response": Temperature(temperature=0.95)},
    "answers too flatly": {"response": Temperature(temperature=1.05)},
    "never gives a rare answer": {"response": TopP(mass=0.8)},
    "favours the truth": {"answer_weights": (1.15, 1.0, 1.0)},
    "favours large majorities": {"conformity": 1.3},
    "mixes answers up": {"similarity": np.full((3, 3), 0.03) + 0.91 * np.eye(3)},
    "repeats itself": {"intervention": Sticky(probability=0.03)},
    "keeps right answers": {"intervention": CorrectionLock(probability=0.05)},
    "follows": {"intervention": Follower(probability=0.05)},
    "conforms": {"intervention": Conformist()},
    "has a deaf agent": {"stubborn": Stubborn(agents=(2,))},
    "hears a summary": {"summary": Summary()},
    "is slightly wrong from the start": {"concentration": ROWS + np.array([[0.1, 0, 0], [0, 0, 0], [0, 0, 0]])},
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_simulators_are_rejected(name):
    result = simulate_debate(model_of(**BROKEN[name]), n_trials=N_TRIALS, rng=17, keep="votes")
    assert pvalue(exact_law(model_of()), result) < 1e-6


def test_last_round_memory_is_the_plain_model_for_one_exchange():
    result = simulate_debate(model_of(memory=LastRound()), n_trials=N_TRIALS, rng=17, keep="votes")
    assert pvalue(exact_law(model_of()), result) > 0.001
