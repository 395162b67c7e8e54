"""Three options: drift fields of four rules on the simplex, with simulated paths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _out import new_figure, publish, run, settings_of

from madsim.models import AsynchronousVoter, CrossLearner, ImitationOfSuccess, congestion
from madsim.plot import draw_simplex
from madsim.simulate import simulate_learner, simulate_swarm
from madsim.theory import maynard_smith_field, rest_point, taylor_field

QUALITY = (0.30, 0.55, 0.70)
CROWDED = (0.60, 0.55, 0.50)
COST = (0.40, 0.30, 0.30)
AGENTS = 60
ROUNDS = 15
RATE = 1 / 60
PATHS = 5
SEED = 2


def main(out: Path) -> None:
    """Maynard Smith with swarm paths, Taylor with imitation paths and with learner paths, and congestion with its rest point."""
    figure, panels = new_figure(4, width=3.6)
    options = {"n_trials": PATHS, "n_steps": ROUNDS * AGENTS, "rng": SEED, "keep": "paths"}
    names = [f"q = {q:g}" for q in QUALITY]
    voter = simulate_swarm(AsynchronousVoter(quality=QUALITY, n_agents=AGENTS), **options)
    imitation = simulate_swarm(ImitationOfSuccess(quality=QUALITY, n_agents=AGENTS), **options)
    learner = simulate_learner(CrossLearner(quality=QUALITY, rate=RATE), **options)
    crowded = simulate_swarm(
        AsynchronousVoter(quality=CROWDED, n_agents=10 * AGENTS, interaction=congestion(COST)),
        **{**options, "n_steps": 10 * ROUNDS * AGENTS},
    )
    rest = rest_point(CROWDED, COST)
    q, crowd, cost = np.array(QUALITY), np.array(CROWDED), np.array(COST)
    draw_simplex(panels[0], lambda x: maynard_smith_field(x, q), paths=voter.paths, names=names)
    draw_simplex(panels[1], lambda x: taylor_field(x, q), paths=imitation.paths, names=names)
    draw_simplex(panels[2], lambda x: taylor_field(x, q), paths=learner.paths, names=names)
    draw_simplex(
        panels[3], lambda x: maynard_smith_field(x, crowd - cost * x), paths=crowded.paths, rest_points=rest,
        names=[f"q = {a:g} - {c:g} x" for a, c in zip(CROWDED, COST, strict=True)],
    )  # fmt: skip
    for axes, title in zip(
        panels, ("weighted voter", "imitation of success", "Cross learner", "congestion"), strict=True
    ):
        axes.set_title(title, loc="left", fontsize=10, pad=14)
    numbers = {
        "ends": {
            "weighted voter": voter.paths[:, -1],
            "imitation": imitation.paths[:, -1],
            "Cross learner": learner.paths[:, -1],
            "congestion": crowded.paths[:, -1],
        },
        "rest point": rest,
    }
    publish(out, "swarm_simplex", figure, numbers, settings_of(globals()), seed=voter.seed.hex)


if __name__ == "__main__":
    run(main)
