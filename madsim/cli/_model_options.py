"""The options that describe a simulated debate, shared by the commands that need one."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from madsim.graphs import Graph
    from madsim.models import DebateModel

GRAPH_HELP = "complete, ring, line, star, or a JSON file: a square matrix whose row i holds the weights with which agent i hears the others"


def debate_options() -> argparse.ArgumentParser:
    """Agents, answers, beliefs, mass, rounds, graph, self weight, ties."""
    options = argparse.ArgumentParser(add_help=False)
    group = options.add_argument_group("the debate")
    group.add_argument("--agents", type=int, default=5, metavar="N", help="size of the panel (default 5)")
    group.add_argument(
        "--answers", type=int, metavar="K", help="number of answers (default 2, or as many as --belief names)"
    )
    group.add_argument(
        "--belief",
        type=float,
        nargs="+",
        default=[0.7],
        metavar="P",
        help="belief in the target, the rest split evenly over the others; or the belief in every answer, the target's first (default 0.7)",
    )
    group.add_argument(
        "--mass",
        type=float,
        default=2.0,
        metavar="A",
        help="sum of an agent's concentration before round 0 (default 2)",
    )
    group.add_argument(
        "--rounds", type=int, default=2, metavar="T", help="rounds after the independent round 0 (default 2)"
    )
    group.add_argument("--graph", default="complete", metavar="GRAPH", help=f"{GRAPH_HELP} (default complete)")
    group.add_argument("--no-self", action="store_true", help="agents do not count their own answer")
    group.add_argument(
        "--ties", choices=("random", "fail", "first"), default="random", help="what a tied vote gives (default random)"
    )
    return options


def debate_model(arguments: argparse.Namespace) -> DebateModel:
    """The model that the options describe."""
    from madsim.models import DebateModel
    from madsim.protocols import Majority, Protocol, Visibility

    belief: Any = arguments.belief[0] if len(arguments.belief) == 1 else arguments.belief
    return DebateModel.homogeneous(
        n_agents=arguments.agents,
        belief=belief,
        mass=arguments.mass,
        n_answers=arguments.answers,
        self_weight=0.0 if arguments.no_self else 1.0,
        protocol=Protocol(
            rounds=arguments.rounds,
            visibility=Visibility(graph=graph_of(arguments.graph, arguments.agents)),
            reduction=Majority(ties=arguments.ties),
        ),
    )


def graph_of(name: str, n_agents: int) -> Graph | None:
    """The graph called `name`, or the one in the JSON file `name` (``-``: standard input); None for the complete graph."""
    from madsim import graphs

    if name == "complete":
        return None
    if name in ("ring", "line", "star"):
        return getattr(graphs, name)(n_agents)
    if name != "-" and not Path(name).exists():
        raise ValueError(f"--graph {name}: neither complete, ring, line or star, nor a file that exists")
    try:
        plain = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"--graph {name}: not JSON ({error}); expected a square matrix of weights") from error
    try:
        graph = graphs.from_dict(plain) if isinstance(plain, dict) else graphs.from_array(plain, name=Path(name).stem)
    except (ValueError, TypeError) as error:
        raise ValueError(f"--graph {name}: {error}") from error
    if graph.n_agents != n_agents:
        raise ValueError(f"--graph {name} has {graph.n_agents} agents, --agents says {n_agents}")
    return graph
