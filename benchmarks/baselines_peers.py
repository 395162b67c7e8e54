"""The nearest work of other packages: populations of 200 agents in which one event after the other copies an agent.

None of them computes just what madsim does; each runs its own closest model, and what is compared is the time of one event. Every function
takes a number of events and returns nothing; a package that is not installed is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

AGENTS, OPTIONS = 200, 4


def installed() -> dict[str, Callable[[int], None]]:
    """A function for every package that is there, by its name."""
    known = {
        "cnvm": cnvm_voter,
        "egttools": egttools_moran,
        "mesa": mesa_imitation,
        "ndlib": ndlib_voter,
        "nashpy": nashpy_moran,
    }
    return {name: run for name, run in known.items() if find_spec(name)}


def cnvm_voter(n_events: int) -> None:
    """cnvm: a continuous-time voter on the complete graph, one copy a unit of time and agent."""
    import cnvm

    parameters = cnvm.Parameters(num_opinions=OPTIONS, num_agents=AGENTS, r=1.0, r_tilde=1e-3)
    cnvm.CNVM(parameters).simulate(t_max=n_events / AGENTS, x_init=np.arange(AGENTS) % OPTIONS, len_output=2)


def egttools_moran(n_events: int) -> None:
    """egttools: pairwise comparison in a game of four strategies, little mutation."""
    from egttools.games import Matrix2PlayerGameHolder
    from egttools.numerical import PairwiseComparisonNumerical

    game = Matrix2PlayerGameHolder(OPTIONS, np.tile([[0.3], [0.55], [0.4], [0.7]], (1, OPTIONS)))
    start = np.full(OPTIONS, AGENTS // OPTIONS, np.int64)
    PairwiseComparisonNumerical(AGENTS, game, 1_000_000).evolve(n_events, 1.0, 1e-3, start)


def mesa_imitation(n_events: int) -> None:
    """mesa: agents that meet one other and take over its option with a chance."""
    import mesa

    class Holder(mesa.Agent):
        def __init__(self, model: mesa.Model, option: int) -> None:
            super().__init__(model)
            self.option = option

        def meet(self) -> None:
            other = self.model.random.choice(self.model.agents)
            if self.model.random.random() < (0.30, 0.55, 0.40, 0.70)[other.option]:
                self.option = other.option

    model = mesa.Model(seed=1)
    for number in range(AGENTS):
        Holder(model, number % OPTIONS)
    for _ in range(n_events // AGENTS):
        model.agents.shuffle_do("meet")


def ndlib_voter(n_events: int) -> None:
    """ndlib: the voter model on a complete graph, one listener an iteration."""
    import networkx as nx
    from ndlib.models.ModelConfig import Configuration
    from ndlib.models.opinions import VoterModel

    model = VoterModel(nx.complete_graph(AGENTS))
    settings = Configuration()
    settings.add_model_parameter("fraction_infected", 0.5)
    model.set_initial_status(settings)
    for _ in range(n_events):
        model.iteration()


def nashpy_moran(n_events: int) -> None:
    """nashpy: a Moran process, which plays all pairs for every event."""
    import nashpy

    payoff = np.tile([[0.3], [0.55], [0.4], [0.7]], (1, OPTIONS))
    process = nashpy.Game(payoff).moran_process(
        initial_population=tuple(np.arange(AGENTS) % OPTIONS), mutation_probability=0.01
    )
    for _ in range(n_events):
        next(process)
