"""The figures of "The Hive Mind is a Single Reinforcement Learning Agent" as numbers, beside the values published there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _out import BLUE, GREEN, ORANGE, PURPLE, RED, new_figure, publish, run, settings_of

from madsim.models import (
    BatchMean,
    CrossLearner,
    HearGroup,
    HearSome,
    MaynardCrossLearner,
    SynchronousVoter,
    UniformNoise,
    congestion,
)
from madsim.simulate import simulate_learner, simulate_swarm
from madsim.theory import rest_point

ARMS = 10
RANGES = {"Low": (0.1, 0.4), "Middle": (0.4, 0.7), "High": (0.6, 0.9)}
HALF_WIDTH = 0.0999
SIZES = (10, 20, 50, 100, 500)
RATES = (0.05, 0.01, 0.001)
BATCHES = (10, 100, 1000)
HEARD = (2, 5, 10, 50)
GROUPS = (2, 5, 10, 50)
VOTES = (1, 3, 9)
AGENT_TRIALS = 20_000
SEED = 1
PUBLISHED = {"sizes": (30, 48, 77, 94, 100), "sizes, simulated by others": (33.7, 51.4, 77.8, 94.7, 100.0)}
PUBLISHED_RATES = (46.1, 92.2, 99.9)
CONGESTION = ((0.5, 0.5), (0.1, 0.3))


def best(result) -> tuple[float, float | None]:
    """Share on the best arm at the end and its standard error, in percent."""
    last = result.share[-1][ARMS - 1]
    return 100 * last.value, None if last.standard_error is None else 100 * last.standard_error


def main(out: Path) -> None:
    """Sizes, heard, groups, votes, acceptance, rates, batches and congestion."""
    noise = UniformNoise(half_width=HALF_WIDTH)
    middle = np.linspace(*RANGES["Middle"], ARMS)
    numbers: dict[str, object] = {"published by figure": PUBLISHED, "published, rates": PUBLISHED_RATES}

    def swarm(n: int, steps: int, quality=middle, **options):
        model = SynchronousVoter(quality=quality, n_agents=n, noise=noise, **options)
        return best(simulate_swarm(model, n_trials=max(10, AGENT_TRIALS // n), times=[steps], rng=SEED))

    by_range = {
        name: [swarm(n, 10 * n + 100, np.linspace(*ends, ARMS)) for n in SIZES] for name, ends in RANGES.items()
    }
    numbers["number of agents"] = {"agents": SIZES, **by_range}
    numbers["heard, of 100 agents"] = {str(m): swarm(100, 1000, hearing=HearSome(n_heard=m)) for m in HEARD}
    numbers["disjoint groups, of 100 agents"] = {str(m): swarm(100, 1000, hearing=HearGroup(size=m)) for m in GROUPS}
    numbers["majority of votes, 50 agents"] = {str(k): swarm(50, 400, n_votes=k) for k in VOTES}
    numbers["acceptance, 50 agents"] = {
        accept: swarm(50, 400, accept=accept) for accept in ("always", "reward", "better")
    }
    steps = {0.05: 4000, 0.01: 15_000, 0.001: 150_000}
    learners = {
        str(rate): best(
            simulate_learner(
                MaynardCrossLearner(quality=middle, rate=rate, noise=noise),
                n_trials=max(10, AGENT_TRIALS // 20),
                times=[steps[rate]],
                rng=SEED,
            )
        )
        for rate in RATES
    }
    numbers["learning rate, Maynard-Cross"] = learners
    numbers["batch, parallel Maynard-Cross"] = {
        str(b): best(
            simulate_learner(
                MaynardCrossLearner(quality=middle, rate=1, batch=b, baseline=BatchMean(), noise=noise),
                n_trials=max(10, AGENT_TRIALS // b),
                times=[10 * b + 100],
                rng=SEED,
            )
        )
        for b in BATCHES[:2]
    }
    numbers["batch, parallel Cross"] = {
        str(b): best(
            simulate_learner(
                CrossLearner(quality=middle, rate=1, batch=b, noise=noise),
                n_trials=max(10, AGENT_TRIALS // b),
                times=[500],
                rng=SEED,
            )
        )
        for b in BATCHES
    }
    quality, cost = CONGESTION
    crowded = SynchronousVoter(quality=quality, n_agents=1000, noise=noise, interaction=congestion(cost))
    settled = simulate_swarm(crowded, n_trials=max(5, AGENT_TRIALS // 400), times=[300], rng=SEED)
    numbers["congestion"] = {"rest point": rest_point(quality, cost), "swarm of 1000": settled.share_mean[-1]}
    figure, panels = new_figure(2)
    for (name, values), colour in zip(by_range.items(), (RED, BLUE, GREEN), strict=True):
        panels[0].errorbar(
            SIZES, [v for v, _ in values], yerr=[2 * (e or 0) for _, e in values], color=colour, label=name, marker="o"
        )
    panels[0].plot(SIZES, PUBLISHED["sizes"], "x", color="black", label="published, Middle (read off)")
    panels[0].set(xscale="log", xlabel="agents", ylabel="on the best arm, percent", ylim=(0, 105))
    panels[1].plot(RATES, [learners[str(r)][0] for r in RATES], "o-", color=PURPLE, label="Maynard-Cross")
    panels[1].plot(RATES, PUBLISHED_RATES, "x", color=ORANGE, label="published")
    panels[1].set(xscale="log", xlabel="learning rate", ylim=(0, 105))
    for axes in panels:
        axes.legend(frameon=False, fontsize=8)
    publish(out, "swarm_published", figure, numbers, settings_of(globals()))


if __name__ == "__main__":
    run(main)
