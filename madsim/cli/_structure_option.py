"""``--structure``: a ready-made way to let models work together, in place of a schedule, a graph and a rule of one's own."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from madsim.cli._debate_options import check_seats, debaters_of, helper_of, model_of, protocol_of

if TYPE_CHECKING:
    from madsim.llm import Arrangement, Debater

_AGENTS, _ROUNDS = 5, 2
_SET_BY_STRUCTURE = {
    "graph": "complete",
    "schedule": "simultaneous",
    "show": "last",
    "reduce": "majority",
    "personas": None,
    "control": None,
}


def structure_option(parser: argparse.ArgumentParser) -> None:
    """Add the option; agents and rounds that are not named are what is usual for the structure."""
    parser.add_argument(
        "--structure",
        metavar="NAME",
        help="a ready-made structure in place of schedule, graph, roles and rule: vote, debate, in-turn, pair, chat, moderated, "
        "sequential, phases, software, pool or nested; --agents and --rounds default to what is usual for it",
    )
    parser.set_defaults(agents=None, rounds=None)


def arrangement_of(arguments: argparse.Namespace) -> Arrangement:
    """Protocol, panel and helpers of the debate, or of its control."""
    from madsim.llm import Arrangement, control, structure

    if arguments.structure is not None:
        chosen = structure(arguments.structure)
        arguments.agents = chosen.n_agents if arguments.agents is None else arguments.agents
        arguments.rounds = chosen.rounds if arguments.rounds is None else arguments.rounds
        return _structured(arguments)
    arguments.agents = _AGENTS if arguments.agents is None else arguments.agents
    arguments.rounds = _ROUNDS if arguments.rounds is None else arguments.rounds
    protocol, debaters = protocol_of(arguments), tuple(debaters_of(arguments))
    if arguments.control is not None:
        made = control(arguments.control, protocol, debaters)
        protocol, debaters = made.protocol, made.debaters
    helpers = {role: helper_of(role, arguments, protocol) for role in ("judge", "summariser")}
    return Arrangement(
        protocol=protocol, debaters=debaters, helpers={role: one for role, one in helpers.items() if one is not None}
    )


def arrange(name: str, model: str, arguments: argparse.Namespace, *, convergence: bool, seeded: bool) -> Arrangement:
    """A structure with one model in every seat, `arguments.agents` seats and `arguments.rounds` rounds."""
    from madsim.llm import structure
    from madsim.protocols import Convergence, OneByOne, Simultaneous

    settings: dict[str, Any] = {
        "temperature": arguments.temperature,
        "max_tokens": arguments.reply_tokens,
        "seed": "derived" if seeded else None,
        "timeout": arguments.timeout,
    }
    made = structure(name).arrange(
        model_of(model, arguments), n_agents=arguments.agents, rounds=arguments.rounds, **settings
    )
    may_converge = made.protocol.rounds > 0 and isinstance(made.protocol.schedule, (Simultaneous, OneByOne))
    if convergence and may_converge:
        made = replace(made, protocol=replace(made.protocol, convergence=Convergence()))
    return made


def _structured(arguments: argparse.Namespace) -> Arrangement:
    if not arguments.model:
        raise ValueError("name at least one --model (for a rehearsal without an endpoint: --model simulated)")
    if len(arguments.model) > 1:
        raise ValueError("--structure puts one model in every seat: name one --model (Python can mix them)")
    check_seats(arguments.agents)
    named = [name for name, usual in _SET_BY_STRUCTURE.items() if getattr(arguments, name) != usual]
    if named:
        raise ValueError(
            f"--{named[0]} is what --structure {arguments.structure} decides itself: leave one of the two out"
        )
    made = arrange(
        arguments.structure,
        arguments.model[0],
        arguments,
        convergence=not arguments.no_convergence,
        seeded=arguments.rng is not None,
    )
    if arguments.judge_model is not None:
        other = model_of(arguments.judge_model, arguments)
        made = replace(made, helpers={role: replace(one, model=other) for role, one in made.helpers.items()})
    return replace(made, debaters=_seated(made.debaters, dict(arguments.human or ())))


def _seated(panel: tuple[Debater, ...], people: dict[int, Any]) -> tuple[Debater, ...]:
    """The panel with persons in their seats."""
    absent = [number for number in people if not 1 <= number <= len(panel)]
    if absent:
        raise ValueError(f"--human {absent[0]}: the seats are 1 to {len(panel)}")
    return tuple(replace(one, human=people.get(number, one.human)) for number, one in enumerate(panel, start=1))
