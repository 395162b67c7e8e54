"""Large jobs: memory that does not grow with trials, many events, many agents."""

import subprocess
import sys

import numpy as np
import pytest

from madsim import graphs
from madsim.models import AsynchronousVoter, DebateModel
from madsim.protocols import Protocol, Visibility
from madsim.simulate import simulate_debate, simulate_swarm

resource = pytest.importorskip("resource", reason="this system does not tell how much memory a process took")

MEMORY = """
import resource
from madsim.models import DebateModel
from madsim.simulate import Sweep, simulate_debate, simulate_sweep

MODEL = DebateModel.homogeneous(belief=[0.4, 0.3, 0.2, 0.1])


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / ({unit})


simulate_debate(MODEL, n_trials=1_000, n_rounds=10, rng=1)
simulate_sweep(Sweep.of({{"a": MODEL}}, n_trials=1_000, n_rounds=10, rng=1))
before = peak()
{run}
print(before, peak(), found.totals.share[0, 0])
"""
RUNS = {
    "plain": "found = simulate_debate(MODEL, n_trials={n}, n_rounds=10, rng=1)",
    "sweep": 'found = simulate_sweep(Sweep.of({{"a": MODEL}}, n_trials={n}, n_rounds=10, rng=1)).results[0]',
}


def megabytes(run, n):
    """Peak memory of a process of its own, before and after a run, and the right answers in round 0."""
    unit = "2**20" if sys.platform == "darwin" else "2**10"
    code = MEMORY.format(unit=unit, run=RUNS[run].format(n=n))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after, right = done.stdout.split()
    return float(before), float(after), int(right)


@pytest.mark.parametrize("run", RUNS)
def test_a_million_debates_take_the_memory_of_a_thousand(run):
    before, after, right = megabytes(run, 1_000_000)
    assert after - before < 16
    assert right == pytest.approx(5 * 0.4 * 1_000_000, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_ten_million_debates_fit_in_two_hundred_megabytes(run):
    megabytes(run, 1_000)  # the kernels are compiled now; the compiler itself takes more memory than any simulation
    before, after, right = megabytes(run, 10_000_000)
    assert after < 200
    assert after - before < 16
    assert right == pytest.approx(5 * 0.4 * 10_000_000, rel=0.003)


def test_a_debate_of_a_hundred_thousand_agents_on_a_sparse_graph():
    n = 100_000
    protocol = Protocol(rounds=1, visibility=Visibility(graph=graphs.ring(n)))
    found = simulate_debate(DebateModel.homogeneous(n_agents=n, belief=0.7, protocol=protocol), n_trials=2, rng=1)
    assert found.belief_mean.shape == (2, n)
    # On a ring of equals the mean belief stays; a reply moves three beliefs, so errors are at most three times the independent ones.
    assert found.belief_mean[1].mean() == pytest.approx(0.7, abs=5 * 3 * 0.5 / np.sqrt(2 * n))
    assert found.share[0].value == pytest.approx(0.7, abs=5 * 0.5 / np.sqrt(2 * n))


@pytest.mark.slow
def test_a_million_agents_and_a_hundred_million_events():
    model = AsynchronousVoter(quality=[0.5, 0.6, 0.7], n_agents=1_000_000)
    ends = [0, 50_000_000, 100_000_000]
    exact = simulate_swarm(model, n_trials=1, times=ends, rng=1, method="general")
    leaps = simulate_swarm(model, n_trials=1, times=ends, rng=1)
    assert exact.totals.sums.sum(axis=1).tolist() == [1_000_000] * 3
    assert exact.share_mean[-1] == pytest.approx(leaps.share_mean[-1], abs=0.01)
    assert exact.share_mean[1, 2] > exact.share_mean[0, 2] + 0.1
