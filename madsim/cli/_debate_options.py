"""The options that describe a debate of models, and the objects that they stand for."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from madsim.cli._model_options import GRAPH_HELP, graph_of
from madsim.cli._output import rng_option

if TYPE_CHECKING:
    from madsim.llm import Budget, Debater, Model, Prices
    from madsim.protocols import Protocol, Reduction, Schedule

_MOST_SEATS = 10_000
_REDUCTIONS = ("majority", "weighted", "ranked", "approval", "longest", "consensus", "judge", "compare")


def endpoint_options() -> argparse.ArgumentParser:
    """Which models, and how they are called."""
    options = argparse.ArgumentParser(add_help=False)
    models = options.add_argument_group("models")
    models.add_argument(
        "--model",
        action="append",
        metavar="NAME",
        help="a model (may be given several times); 'simulated' or 'simulated:belief=0.7,mass=2' answers from a simulated "
        "population, without any endpoint",
    )
    models.add_argument("--base-url", metavar="URL", help="OpenAI-compatible endpoint (default: OpenAI)")
    models.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key")
    models.add_argument("--temperature", type=float, metavar="X", help="sampling temperature")
    models.add_argument("--reply-tokens", type=int, metavar="N", help="longest reply in tokens")
    models.add_argument("--timeout", type=float, default=600.0, metavar="S", help="seconds for one call (default 600)")
    return options


def panel_options() -> argparse.ArgumentParser:
    """Panel, protocol and models; of several models each seat takes the next."""
    options = argparse.ArgumentParser(add_help=False, parents=[endpoint_options(), rng_option()])
    options.add_argument(
        "task",
        metavar="TASK",
        help="questions: JSON lines, CSV or Parquet with id, question, target ('-': standard input)",
    )
    options.add_argument(
        "--judge-model", metavar="NAME", help="model of judge and summariser (default: the first model)"
    )
    debate = options.add_argument_group("the debate")
    debate.add_argument("--agents", type=int, default=5, metavar="N", help="size of the panel (default 5)")
    debate.add_argument("--rounds", type=int, default=2, metavar="T", help="rounds after round 0 (default 2)")
    debate.add_argument("--graph", default="complete", metavar="GRAPH", help=f"{GRAPH_HELP} (default complete)")
    debate.add_argument(
        "--schedule", choices=("simultaneous", "sequential", "chat"), default="simultaneous", help="who speaks when"
    )
    debate.add_argument(
        "--show", choices=("last", "all", "summary", "answers"), default="last", help="what is shown of others"
    )
    debate.add_argument(
        "--reduce",
        type=reduction_name,
        default="majority",
        metavar="RULE",
        help=f"how answers become one: {', '.join(_REDUCTIONS)} or seat:N (default majority; judge: the judge answers; compare: it "
        "chooses between the answers at hand; seat:1: the first debater decides)",
    )
    debate.add_argument(
        "--personas",
        nargs="+",
        metavar="ROLE",
        help="roles, taken by the seats in turn: assistant, mathematician, lawyer, economist, programmer, doctor, ...",
    )
    debate.add_argument(
        "--human",
        type=seat,
        action="append",
        metavar="SEAT",
        help="a person takes this seat (1 is the first; 1:end: in the last round only)",
    )
    debate.add_argument("--anonymous", action="store_true", help="peers are shown without names")
    debate.add_argument(
        "--no-convergence", action="store_true", help="never stop at agreement (do this for runs that will be checked)"
    )
    debate.add_argument("--epochs", type=int, default=1, metavar="E", help="independent debates a question (default 1)")
    debate.add_argument(
        "--control",
        choices=("reask", "vote"),
        help="run a control instead: reask asks again without peers, vote asks as many agents once as the debate has calls",
    )
    return options


def budget_options() -> argparse.ArgumentParser:
    """Caps and prices."""
    options = argparse.ArgumentParser(add_help=False)
    group = options.add_argument_group("budget")
    group.add_argument("--max-calls", type=int, metavar="N", help="most calls")
    group.add_argument("--max-total-tokens", type=int, metavar="N", help="most tokens, read and written")
    group.add_argument("--max-cost", type=float, metavar="X", help="most money; needs prices")
    group.add_argument("--prices", metavar="FILE", help="JSON file of prices by model")
    group.add_argument("--price-in", type=float, metavar="X", help="money for a million tokens read, for every model")
    group.add_argument("--price-out", type=float, metavar="X", help="money for a million tokens written")
    return options


def protocol_of(arguments: argparse.Namespace) -> Protocol:
    """The protocol that the options describe."""
    from madsim.protocols import Convergence, GroupChat, OneByOne, Protocol, Simultaneous, Visibility

    schedule: Schedule = {"simultaneous": Simultaneous, "sequential": OneByOne, "chat": GroupChat}[arguments.schedule]()
    return Protocol(
        rounds=arguments.rounds,
        schedule=schedule,
        visibility=Visibility(graph=graph_of(arguments.graph, arguments.agents), show=arguments.show),
        reduction=reduction_of(arguments.reduce),
        convergence=None if arguments.no_convergence else Convergence(),
    )


def reduction_name(text: str) -> str:
    """The name of a rule, or ``seat:3``: the answer of one seat."""
    if text in _REDUCTIONS or re.fullmatch(r"seat:[1-9]\d{0,6}", text):
        return text
    raise argparse.ArgumentTypeError(f"expected {', '.join(_REDUCTIONS)} or seat:N, got {text!r}")


def reduction_of(name: str) -> Reduction:
    """The reduction called `name`."""
    from madsim.protocols import Approval, Consensus, Judge, Longest, Majority, OneAgent, Ranked, Weighted

    if name.startswith("seat:"):
        return OneAgent(agent=int(name.removeprefix("seat:")) - 1)
    if name in ("judge", "compare"):
        return Judge(kind="synthesis" if name == "judge" else "comparative")
    plain: dict[str, type[Any]] = {
        "majority": Majority,
        "weighted": Weighted,
        "ranked": Ranked,
        "approval": Approval,
        "longest": Longest,
        "consensus": Consensus,
    }
    return plain[name]()


def debaters_of(arguments: argparse.Namespace) -> list[Debater]:
    """The panel, seat by seat."""
    from madsim.llm import PERSONAS, Debater

    if not arguments.model:
        raise ValueError("name at least one --model (for a rehearsal without an endpoint: --model simulated)")
    check_seats(arguments.agents)
    personas = arguments.personas or []
    unknown = [name for name in personas if name not in PERSONAS]
    if unknown:
        raise ValueError(f"--personas {unknown[0]}: known are {', '.join(PERSONAS)}")
    people = dict(arguments.human or ())
    absent = [number for number in people if not 1 <= number <= arguments.agents]
    if absent:
        raise ValueError(f"--human {absent[0]}: the seats are 1 to {arguments.agents}")
    models = [model_of(name, arguments) for name in arguments.model]
    panel = []
    for number in range(1, arguments.agents + 1):
        persona = personas[(number - 1) % len(personas)] if personas else None
        panel.append(
            Debater(
                name=f"Debater {number}" if persona is None else f"{persona.capitalize()} {number}",
                model=models[(number - 1) % len(models)],
                system=None if persona is None else PERSONAS[persona],
                temperature=arguments.temperature,
                max_tokens=arguments.reply_tokens,
                seed="derived" if arguments.rng is not None else None,
                timeout=arguments.timeout,
                human=people.get(number, "never"),
            )
        )
    return panel


def check_seats(agents: int) -> None:
    """Refuse a size that no panel has, before one is made.

    Raises
    ------
    ValueError
        If it is not between 1 and 10000.
    """
    if not 1 <= agents <= _MOST_SEATS:
        raise ValueError(f"--agents must be between 1 and {_MOST_SEATS}, got {agents}")


def helper_of(role: str, arguments: argparse.Namespace, protocol: Protocol) -> Debater | None:
    """The judge or the summariser; None where the protocol has none."""
    from madsim.llm import Debater
    from madsim.protocols import Judge

    wanted = {
        "judge": isinstance(protocol.reduction, Judge),
        "summariser": protocol.rounds > 0 and protocol.visibility.show == "summary",
    }
    if not wanted[role]:
        return None
    model = model_of(arguments.judge_model or arguments.model[0], arguments)
    return Debater(name=role, model=model, max_tokens=arguments.reply_tokens, timeout=arguments.timeout)


def model_of(name: str, arguments: argparse.Namespace) -> Model:
    """A model behind an endpoint, or a simulated population."""
    from madsim.llm import OpenAIModel, SimulatedModel

    kind, _, settings = name.partition(":")
    if kind != "simulated":
        return OpenAIModel(name=name, base_url=arguments.base_url, api_key_env=arguments.api_key_env)
    from madsim.models import DebateModel

    values = {"belief": 0.7, "mass": 2.0, "answers": 2.0, "unparsed": 0.0}
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in values:
            raise ValueError(f"--model {name}: {key!r} is none of {', '.join(values)}")
        try:
            values[key] = float(value)
        except ValueError:
            raise ValueError(f"--model {name}: {key} needs a number, got {value!r}") from None
    model = DebateModel.homogeneous(
        n_agents=arguments.agents, belief=values["belief"], mass=values["mass"], n_answers=int(values["answers"])
    )
    return SimulatedModel(model, unparsed=values["unparsed"], rng=arguments.rng)


def budget_of(arguments: argparse.Namespace) -> Budget | None:
    """The caps, None where there are none."""
    from madsim.llm import Budget

    caps = (arguments.max_calls, arguments.max_total_tokens, arguments.max_cost)
    if caps == (None, None, None):
        return None
    return Budget(max_calls=caps[0], max_tokens=caps[1], max_cost=caps[2])


def prices_of(arguments: argparse.Namespace) -> Prices | None:
    """The prices, None where none are given."""
    from madsim.llm import Price, Prices, read_prices

    if arguments.prices is not None:
        return read_prices(arguments.prices)
    if arguments.price_in is None and arguments.price_out is None:
        return None
    if arguments.price_in is None or arguments.price_out is None:
        raise ValueError("give both --price-in and --price-out, or neither")
    return Prices(table={"": Price(input=arguments.price_in / 1e6, output=arguments.price_out / 1e6)})


def seat(text: str) -> tuple[int, str]:
    """``3`` or ``3:end``: a seat that a person takes, in every round or in the last one."""
    number, _, when = text.partition(":")
    if not number.isdecimal() or when not in ("", "always", "end"):
        raise argparse.ArgumentTypeError(f"expected a seat such as 1, or 1:end for the last round only; got {text!r}")
    return int(number), when or "always"


def shard(text: str) -> tuple[int, int]:
    """``2/5``: the second of five shards."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"expected a shard such as 2/5 (the second of five), got {text!r}")
    return int(number), int(of)
