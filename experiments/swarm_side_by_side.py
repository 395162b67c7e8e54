"""A swarm and a learner side by side: simulated shares with their errors, the exact law, and both replicators."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from _out import new_figure, publish, run, settings_of

from madsim.models import AsynchronousVoter, ClippedNormal, MaynardCrossLearner
from madsim.plot import draw_shares
from madsim.simulate import SharedDrawsWarning, simulate_learner, simulate_swarm
from madsim.theory import maynard_smith_replicator, share_law, taylor_replicator

QUALITY = (0.30, 0.55, 0.40, 0.70)
NOISE_SD = 0.05
AGENTS = 200
EVENTS = 3000
TRIALS = 20_000
SMALL = 40
SEED = 1
SHOWN = (0, 100, 500, 1000, 2000, 3000)
# share_law of 200 agents without noise at these events: a minute of work over 1,373,701 states, so kept here; a slow test recomputes it
EXACT_BEST = (0.25, 0.305568, 0.521634, 0.718586, 0.903213, 0.965773)


def main(out: Path) -> None:
    """Four panels: swarm with shared draws (the chapter's), with own draws, learner, and a small swarm with its exact law."""
    figure, panels = new_figure(4, width=3.9)
    noise = ClippedNormal(sd=NOISE_SD)
    start = np.full(len(QUALITY), 1 / len(QUALITY))
    steps = np.arange(0, EVENTS + 1, 25)
    field = (steps, maynard_smith_replicator(start, QUALITY, steps / AGENTS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedDrawsWarning)  # the bias of shared draws is what the first panel shows
        shared = simulate_swarm(
            AsynchronousVoter(quality=QUALITY, n_agents=AGENTS, noise=noise, rewards="option"),
            n_trials=TRIALS,
            n_steps=EVENTS,
            rng=SEED,
        )
    own = simulate_swarm(
        AsynchronousVoter(quality=QUALITY, n_agents=AGENTS, noise=noise), n_trials=TRIALS, n_steps=EVENTS, rng=SEED
    )
    learner = simulate_learner(
        MaynardCrossLearner(quality=QUALITY, rate=1 / AGENTS, noise=noise), n_trials=TRIALS, n_steps=EVENTS, rng=SEED
    )
    small = AsynchronousVoter(quality=QUALITY, n_agents=SMALL)
    small_steps = np.arange(0, 15 * SMALL + 1, 5)
    law = share_law(small, small_steps[::8])
    simulated = simulate_swarm(small, n_trials=TRIALS, times=small_steps, rng=SEED)
    names = [f"q = {q:g}" for q in QUALITY]
    draw_shares(panels[0], shared, mean_field=field, names=names)
    draw_shares(panels[1], own, mean_field=field, names=names)
    draw_shares(panels[2], learner, mean_field=field, names=names)
    draw_shares(
        panels[3],
        simulated,
        exact=law,
        mean_field=(small_steps, maynard_smith_replicator(start, QUALITY, small_steps / SMALL)),
        names=names,
    )
    panels[1].plot(SHOWN, EXACT_BEST, "kD", markersize=4, label="exact")
    titles = (
        f"{AGENTS} agents, shared draws",
        f"{AGENTS} agents, own draws",
        f"learner, rate 1/{AGENTS}",
        f"{SMALL} agents, exact law",
    )
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, loc="left", fontsize=10)
    numbers = {
        "event": SHOWN,
        "swarm, shared draws": [shared.share[t][3].value for t in SHOWN],
        "swarm, own draws": [own.share[t][3].value for t in SHOWN],
        "swarm without noise, exact": EXACT_BEST,
        "learner": [learner.share[t][3].value for t in SHOWN],
        "standard error, own draws": [own.share[t][3].standard_error for t in SHOWN],
        "Maynard Smith": maynard_smith_replicator(start, QUALITY, np.array(SHOWN) / AGENTS)[:, 3],
        "Taylor": taylor_replicator(start, QUALITY, np.array(SHOWN) / AGENTS)[:, 3],
        f"exact, {SMALL} agents": {"event": law.times, "best": law.mean[:, 3]},
    }
    publish(out, "swarm_side_by_side", figure, numbers, settings_of(globals()), seed=own.seed.hex)


if __name__ == "__main__":
    run(main)
