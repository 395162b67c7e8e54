"""Shared against independent estimates: a swarm whose members copy one judgement is no wiser than that judgement."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from _out import BLUE, RED, new_figure, publish, run, settings_of

from madsim.models import AsynchronousVoter, BernoulliNoise, ClippedNormal, NoiseFree, SynchronousVoter
from madsim.plot import draw_fixation, draw_shares
from madsim.simulate import SharedDrawsWarning, simulate_swarm
from madsim.theory import absorption, diffusion_fixation, voter_drift

QUALITY = (0.30, 0.55, 0.40, 0.70)
AGENTS = 200
EVENTS = 9000
TRIALS = 200
SEED = 1
SIZES = (4, 8, 12, 16, 20, 30, 40)


def main(out: Path) -> None:
    """Best share over time with own and with shared judgements, the bias of the drift, and the error against size."""
    warnings.simplefilter("ignore", SharedDrawsWarning)
    figure, panels = new_figure(4, width=3.9)
    results = {}
    for axes, rewards, title in (
        (panels[0], "agent", "own judgements"),
        (panels[1], "option", "one judgement for all"),
    ):
        model = AsynchronousVoter(quality=QUALITY, n_agents=AGENTS, noise=BernoulliNoise(), rewards=rewards)
        results[rewards] = simulate_swarm(model, n_trials=TRIALS, times=range_of(EVENTS), rng=SEED)
        draw_shares(axes, results[rewards], names=[f"q = {q:g}" for q in QUALITY])
        axes.set_title(title, loc="left", fontsize=10)
    shares = np.arange(5, 100, 5) / 100
    biases = {}
    for sd, colour in ((0.05, BLUE), (0.15, RED)):
        drifts = [
            [
                voter_drift([0, 1 - x, 0, x], QUALITY, noise, rewards=rewards, n_agents=100)[3]
                for noise, rewards in (
                    (ClippedNormal(sd=sd), "option"),
                    (ClippedNormal(sd=sd), "agent"),
                    (NoiseFree(), "agent"),
                )
            ]
            for x in shares
        ]
        shared, own, clean = np.array(drifts).T
        panels[2].plot(shares, 100 * (shared / clean - 1), color=colour, label=f"shared draws, sd {sd}")
        panels[2].plot(shares, 100 * (own / clean - 1), color=colour, linestyle=":", label=f"own draws, sd {sd}")
        biases[sd] = {"shared": 100 * (shared / clean - 1), "own": 100 * (own / clean - 1)}
    panels[2].set(xlabel="share of the best option", ylabel="bias of its drift, percent")
    panels[2].legend(frameon=False, fontsize=8)
    pair = np.array([0.7, 0.55])
    exact = {
        name: [absorption(kind(quality=pair, n_agents=n)).probability[1] for n in SIZES]
        for name, kind in (("asynchronous", AsynchronousVoter), ("synchronous", SynchronousVoter))
    }
    strength = (pair[1] - pair[0]) / pair.mean()
    limits = {
        name: [diffusion_fixation(0.5, n, times * strength) for n in SIZES]
        for name, times in (("asynchronous", 1), ("synchronous", 2))
    }
    draw_fixation(panels[3], SIZES, exact, limits=limits)
    panels[3].set_title("the worse of two options wins", loc="left", fontsize=10)
    numbers = {
        "best share at the end": {k: (r.share[-1][3].value, r.share[-1][3].standard_error) for k, r in results.items()},
        "bias of the drift in percent": {"best share": shares, **{str(sd): bias for sd, bias in biases.items()}},
        "worse of two wins": {"agents": SIZES, **exact},
    }
    publish(out, "swarm_echo_chamber", figure, numbers, settings_of(globals()), seed=results["agent"].seed.hex)


def range_of(n_events: int) -> np.ndarray:
    """Record times every 50 events."""
    return np.arange(0, n_events + 1, 50)


if __name__ == "__main__":
    run(main)
