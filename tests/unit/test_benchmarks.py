"""The baselines compute what the kernels compute, and the stored results hold what the page in the docs reads."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import baselines_debate, baselines_swarm
from benchmarks.cases import cases
from benchmarks.measure import Candidate, Row, time_each
from madsim import theory
from madsim.graphs import ring
from madsim.models import AsynchronousVoter, DebateModel
from madsim.protocols import Protocol, Visibility

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("name", "n_trials"),
    [
        ("plain_loop", 400),
        ("numpy_dirichlet", 4_000),
        ("numpy_marginal", 4_000),
        ("numpy_multinomial", 4_000),
        ("numpy_marginal_ring", 4_000),
    ],
)
def test_debates_of_the_baselines_have_the_exact_law(name, n_trials):
    graph = ring(5) if name.endswith("ring") else None
    model = DebateModel.homogeneous(
        n_agents=5, belief=[0.5, 0.3, 0.2], mass=2.0, protocol=Protocol(rounds=2, visibility=Visibility(graph=graph))
    )
    baseline = getattr(baselines_debate, name)
    total, squares, wins = baseline(np.random.default_rng(1), n_trials, np.array(model.concentration), 2)
    exact = theory.debate_moments(model, 2)
    spread = np.sqrt((exact.sd**2).mean(axis=1)) + 1e-9
    assert (np.abs(total / (5 * n_trials) - 0.5) < 5 * spread / np.sqrt(n_trials)).all()
    variance = squares / (5 * n_trials) - (total / (5 * n_trials)) ** 2
    np.testing.assert_allclose(variance[1:], spread[1:] ** 2, rtol=8 * np.sqrt(2 / n_trials))
    vote = theory.vote_by_round(model, 2, ties="random")
    assert (np.abs(wins / n_trials - vote) < 5 * np.sqrt(0.25 / n_trials)).all()
    other = theory.vote_by_round(DebateModel.homogeneous(n_agents=5, belief=[0.3, 0.5, 0.2], mass=2.0), 2)
    assert (np.abs(wins / n_trials - other) > 5 * np.sqrt(0.25 / n_trials)).all()


@pytest.mark.parametrize(("name", "n_trials"), [("plain_swarm", 150), ("numpy_swarm", 4_000)])
def test_swarms_of_the_baselines_have_the_exact_law(name, n_trials):
    quality = np.array([0.3, 0.55, 0.7])
    total, _ = getattr(baselines_swarm, name)(np.random.default_rng(1), n_trials, quality, 1e-6, 12, 60)
    law = theory.share_law(AsynchronousVoter(quality=quality, n_agents=12), np.arange(61))
    assert (np.abs(total / n_trials - law.mean) < 5 * (law.sd + 1e-9) / np.sqrt(n_trials)).all()
    other = theory.share_law(AsynchronousVoter(quality=quality[::-1], n_agents=12), [60])
    assert (np.abs(total[60] / n_trials - other.mean[0]) > 5 * other.sd[0] / np.sqrt(n_trials)).any()


def test_candidates_take_turns_and_medians_count():
    calls = []
    ticks = iter(range(0, 1000, 2))
    candidates = [Candidate(name=name, run=lambda n, name=name: calls.append((name, n)), n_trials=4) for name in "ab"]
    times = time_each(candidates, repeats=3, clock=lambda: float(next(ticks)))
    assert [name for name, _ in calls] == list("abababab")
    assert times == {"a": 0.5, "b": 0.5}
    row = Row(name="x", ratio=3.0, gate=2.0, stretch=4.0)
    assert (row.to_dict()["gate_met"], row.to_dict()["stretch_met"]) == (True, False)
    assert Row(name="x", ratio=3.0, gate=4.0, stretch=3.0, better="lower").reaches(3.0)


def test_cases_are_told_apart():
    labels = [case.label for case in cases()]
    assert len(labels) == len(set(labels)) > 60
    assert all(case.amount > 0 for case in cases())


def test_the_stored_results_hold_what_the_page_reads():
    found = json.loads((ROOT / "docs" / "_static" / "benchmarks.json").read_text())
    assert {"date", "processor", "processors", "load_average", "python", "numba", "numpy", "jax"} <= found[
        "machine"
    ].keys()
    assert {"name", "ratio", "gate", "stretch", "unit", "gate_met", "stretch_met", "detail"} <= found["rows"][0].keys()
    assert {"group", "x", "seconds", "amount", "unit"} <= found["growth"][0].keys()
    assert {row["part"] for row in found["floors"]} >= {
        "a uniform of 24 bits, four together and scaled",
        "an answer among four, compared",
        "statistics of a round of a debate, four answers",
    }
    groups = {row["group"] for row in found["growth"]}
    assert groups == {case.group for case in cases()}
