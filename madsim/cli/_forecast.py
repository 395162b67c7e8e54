"""``madsim forecast``: vote or debate, before spending."""

from __future__ import annotations

import argparse
from typing import Any

from madsim.cli._output import add_command, emit, rng_option
from madsim.cli._runs import VOTES_HELP, load_votes


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "forecast",
        _forecast,
        help="accuracy and cost of votes and debates, before spending",
        parents=[rng_option()],
    )
    parser.add_argument("run", metavar="RUN", nargs="?", help=f"a pilot: {VOTES_HELP}")
    parser.add_argument(
        "--option",
        action="append",
        required=True,
        metavar="OPTION",
        help="vote:25, debate:5x2, debate:5x2:ring, debate:5x2:transcript or judge:5x1; give several",
    )
    prior = parser.add_argument_group("without a pilot")
    prior.add_argument("--accuracy", type=float, metavar="P", help="supposed accuracy of a single answer")
    prior.add_argument("--kappa", type=float, metavar="X", help="supposed concentration of the questions' difficulty")
    prior.add_argument("--answers", type=int, metavar="K", help="number of possible answers (default: open-ended)")
    prior.add_argument(
        "--mass", type=float, metavar="A", help="supposed weight of a debater's own belief (default: any)"
    )
    cost = parser.add_argument_group("cost")
    cost.add_argument("--price-in", type=float, default=0.15, metavar="X", help="per million tokens read (default .15)")
    cost.add_argument("--price-out", type=float, default=0.6, metavar="X", help="per million written (default .6)")
    cost.add_argument("--question-tokens", type=float, default=200, metavar="N", help="of a question (default 200)")
    cost.add_argument("--answer-tokens", type=float, default=300, metavar="N", help="of a reply (default 300)")
    parser.add_argument(
        "--margin", type=float, default=0.0, metavar="X", help="gain that would make debate worth it (default 0)"
    )
    parser.add_argument(
        "--judge-skill",
        type=float,
        default=0.0,
        metavar="P",
        help="chance that a judge sees a right answer (default 0)",
    )


def _forecast(arguments: argparse.Namespace) -> int:
    from madsim.planning import Prices, forecast, forecast_from_prior

    supposed = {name: getattr(arguments, name) for name in ("accuracy", "kappa", "answers", "mass")}
    given = [f"--{name}" for name, value in supposed.items() if value is not None]
    common: dict[str, Any] = {
        "prices": Prices(
            question_tokens=arguments.question_tokens,
            answer_tokens=arguments.answer_tokens,
            price_in=arguments.price_in,
            price_out=arguments.price_out,
        ),
        "margin": arguments.margin,
        "judge_skill": arguments.judge_skill,
        "rng": 0 if arguments.rng is None else arguments.rng,
    }
    if arguments.run is not None:
        if given:
            raise ValueError(f"a pilot tells what {given[0]} supposes; give the one or the other")
        found = forecast(load_votes(arguments.run), arguments.option, **common)
    elif arguments.accuracy is None or arguments.kappa is None:
        raise ValueError("name a pilot RUN, or suppose both --accuracy and --kappa")
    else:
        found = forecast_from_prior(
            arguments.option,
            accuracy=arguments.accuracy,
            kappa=arguments.kappa,
            n_answers=arguments.answers,
            mass=arguments.mass,
            **common,
        )
    emit(arguments, found.to_dict(), lambda: str(found))
    return 0
