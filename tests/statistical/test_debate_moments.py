"""A million simulated debates against exact means and standard deviations of every agent and round.

Bounds are 5 standard errors: a true model fails one of the 2 x 8 x 25 comparisons with probability below 3e-4, and the seed is fixed.
"""

import numpy as np
import pytest

from madsim import graphs
from madsim.models import DebateModel
from madsim.protocols import Protocol, Visibility
from madsim.simulate import simulate_debate

N_TRIALS = 1_000_000
N_ROUNDS = 4
GRAPHS = {"complete": None, "ring": graphs.ring(5), "star": graphs.star(5), "line": graphs.line(5)}
PRIORS = {
    "equal": [[1.4, 0.6]] * 5,
    "unequal": [[1.4, 0.6], [0.5, 4.5], [3.0, 1.0], [0.2, 0.9], [6.0, 6.0]],
}


def model_of(graph: str, priors: str) -> DebateModel:
    rows = [[*row, 0.3][:3] for row in PRIORS[priors]]
    return DebateModel(
        concentration=np.array(rows), protocol=Protocol(rounds=N_ROUNDS, visibility=Visibility(graph=GRAPHS[graph]))
    )


def exact_moments(model: DebateModel) -> tuple[np.ndarray, np.ndarray]:
    """Mean and sd by (round, agent), and the covariance recursion written out for this test."""
    n = model.n_agents
    mean, covariance = model.belief[:, 0], np.zeros((n, n))
    mass = model.mass
    influence = np.eye(n) + model.protocol.graph(n).to_array()
    means, sds = [mean], [np.zeros(n)]
    for _ in range(N_ROUNDS):
        grown = mass + influence.sum(axis=1)
        keep = (np.diag(mass) + influence) / grown[:, None]
        noise = influence / grown[:, None]
        variance = mean * (1 - mean) - np.diag(covariance)
        mean, covariance = keep @ mean, keep @ covariance @ keep.T + noise @ np.diag(variance) @ noise.T
        mass = grown
        means.append(mean)
        sds.append(np.sqrt(np.diag(covariance)))
    return np.array(means), np.array(sds)


def deviations(model: DebateModel, result) -> tuple[float, float]:
    """The largest deviation of a mean, and of a standard deviation, in standard errors."""
    mean, sd = exact_moments(model)
    moved = sd > 0
    of_mean = np.abs(result.belief_mean - mean)[moved] / (sd[moved] / np.sqrt(N_TRIALS))
    # The error of a sample sd is sd / sqrt(2 n) times sqrt((kurtosis - 1) / 2); the largest kurtosis of these beliefs is 3.1.
    of_sd = np.abs(result.belief_sd - sd)[moved] / (1.1 * sd[moved] / np.sqrt(2 * N_TRIALS))
    assert np.allclose(result.belief_mean[~moved], mean[~moved], atol=1e-9)
    return float(of_mean.max()), float(of_sd.max())


@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_a_million_debates_have_the_exact_moments(graph, priors):
    model = model_of(graph, priors)
    result = simulate_debate(model, n_trials=N_TRIALS, rng=2024)
    of_mean, of_sd = deviations(model, result)
    assert of_mean < 5
    assert of_sd < 5


def test_wrong_moments_are_rejected():
    # The ring's debates against the line's exact values, and against an agent that does not hear itself.
    ring, line = model_of("ring", "unequal"), model_of("line", "unequal")
    result = simulate_debate(ring, n_trials=N_TRIALS, rng=2024)
    assert max(deviations(line, result)) > 20
    deaf = DebateModel(concentration=ring.concentration, protocol=ring.protocol, self_weight=0.9)
    assert max(deviations(ring, simulate_debate(deaf, n_trials=N_TRIALS, rng=2024))) > 20


def test_theory_agrees_with_the_recursion_of_this_test():
    from madsim.theory import debate_moments

    for graph in GRAPHS:
        model = model_of(graph, "unequal")
        mean, sd = exact_moments(model)
        exact = debate_moments(model, N_ROUNDS)
        assert np.allclose(exact.mean, mean, atol=1e-12)
        assert np.allclose(exact.sd, sd, atol=1e-12)
