"""Vote or debate, before spending: accuracy of every option with an interval, its cost, and a verdict that may be "collect more"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim._core.estimate import Interval
from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.planning._bounds import vote_bounds_from_pilot
from madsim.planning._decide import decide
from madsim.planning._difficulty import LOGITS, beta_weights, draw_difficulty, right_counts
from madsim.planning._maj import maj_at_n
from madsim.planning._option import Option, Prices, cost_of, equal_cost_vote, parse_option
from madsim.planning._result import Forecast, OptionForecast
from madsim.planning._split import WrongSplit, wrong_split
from madsim.planning._values import Draws, debate_law, final_judge, final_vote, vote_accuracy
from madsim.transcripts import Votes

_DRAWS = 400
_KEY = 0x666F7265
_CHANCES = 1 / (1 + np.exp(-LOGITS))
_LARGEST_KAPPA = 400.0  # questions alike, as far as the grid of difficulties can tell


def forecast(
    pilot: Votes,
    options: Sequence[Option | str],
    *,
    prices: Prices | None = None,
    margin: float = 0.0,
    judge_skill: float = 0.0,
    n_draws: int = _DRAWS,
    rng: RNG = 0,
) -> Forecast:
    """What votes, debates and judged debates would give on questions like the pilot's.

    Votes come from the posterior of the questions' difficulty (a mixture of two Beta laws) and of how wrong answers split. Debates come
    from the debate model fitted to the pilot's rounds, heard as its protocol says; a pilot of round 0 alone leaves the debaters to a wide
    prior. A vote no larger than the pilot's panel is also counted without any model.

    Parameters
    ----------
    pilot
        a run on a sample of the questions; rounds after round 0 tell how debaters take up what they hear
    options
        such as ``"vote:25"`` or ``"debate:5x2"``
    prices
        token sizes and prices
    margin
        gain over the vote of equal cost that would make debate worth it
    judge_skill
        chance that a judge finds the right answer where at least one debater gives it; else it takes an answer at random
    n_draws
        versions of the truth that are drawn
    rng
        for the draws

    Raises
    ------
    ValueError
        If no sample has a target, there is no option, or an argument is out of range.
    """
    chosen = _options(options)
    _check_numbers(margin, judge_skill)
    seed = resolve_seed(rng)
    draws, warnings = pilot_draws(pilot, n_draws, seed)
    counts = right_counts(pilot)
    made = _forecasts(chosen, draws, prices or Prices(), margin, judge_skill, seed)
    split = wrong_split(pilot)
    per_question = int(counts.asked.min())
    full: list[OptionForecast] = []
    for one in made:
        if one.option.kind == "vote":
            n = one.option.n_agents
            one = replace(one, bounds=vote_bounds_from_pilot(counts, split, n), counted=_counted(pilot, n))
            warnings += _far(one, per_question)
        full.append(one)
    basis = (
        f"from a pilot of {len(counts.right)} questions, {pilot.n_agents} agents, {pilot.n_rounds} rounds after round 0"
    )
    return decide(tuple(full), margin, len(counts.right), basis, tuple(warnings))


def forecast_from_prior(
    options: Sequence[Option | str],
    *,
    accuracy: float,
    kappa: float,
    n_answers: int | None = None,
    wrong_tau: float = 1.0,
    mass: float | None = None,
    conformity: float = 1.0,
    correction: float = 0.0,
    prices: Prices | None = None,
    margin: float = 0.0,
    judge_skill: float = 0.0,
    n_draws: int = _DRAWS,
    rng: RNG = 0,
) -> Forecast:
    """The same without a pilot, for an accuracy and a spread of difficulty that are supposed.

    Parameters
    ----------
    accuracy, kappa
        mean and concentration of the Beta law of difficulty
    n_answers
        number of options; None for open-ended answers
    wrong_tau
        how wrong answers split: small values make them agree
    mass, conformity, correction
        of the debaters; a mass of None leaves it open between 1/2 and 50

    Raises
    ------
    ValueError
        For numbers out of their range.

    Examples
    --------
    >>> found = forecast_from_prior(["vote:5", "debate:5x2"], accuracy=0.72, kappa=4, n_answers=2, mass=2.0)
    >>> [round(one.accuracy, 2) for one in found.options], found.verdict
    ([0.79, 0.76], 'vote')
    """
    if not 0 < accuracy < 1:
        raise ValueError(f"accuracy must lie strictly between 0 and 1, got {accuracy!r}")
    positive = {"kappa": kappa, "wrong_tau": wrong_tau, "conformity": conformity, "mass": 1.0 if mass is None else mass}
    for name, value in positive.items():
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be finite and above 0, got {value!r}")
    if n_answers is not None and n_answers < 2:
        raise ValueError(f"n_answers must be at least 2, got {n_answers}")
    if n_draws < 2:
        raise ValueError(f"n_draws must be at least 2, got {n_draws}")
    chosen = _options(options)
    _check_numbers(margin, judge_skill)
    seed = resolve_seed(rng)
    one = np.ones(n_draws)
    law = beta_weights(accuracy * one, min(kappa, _LARGEST_KAPPA) * one)
    masses = np.geomspace(0.5, 50.0, n_draws) if mass is None else mass * one
    draws = Draws(
        difficulty=law,
        debated=law,
        mass=masses,
        conformity=conformity * one,
        correction=correction * one,
        tau_first=wrong_tau * one,
        tau_last=wrong_tau * one,
        n_others=None if n_answers is None else n_answers - 1,
    )
    made = _forecasts(chosen, draws, prices or Prices(), margin, judge_skill, seed)
    basis = f"supposed: accuracy {accuracy:g}, kappa {kappa:g}" + (", debaters of any mass" if mass is None else "")
    warnings = ("no pilot: the intervals hold what was supposed for certain",)
    return decide(tuple(made), margin, 0, basis, warnings)


def _options(options: Sequence[Option | str]) -> list[Option]:
    if isinstance(options, str) or not len(options):
        raise ValueError("options must be a list such as ['vote:5', 'debate:5x2']")
    return [parse_option(one) if isinstance(one, str) else one for one in options]


def _check_numbers(margin: float, judge_skill: float) -> None:
    if not -1 < margin < 1:
        raise ValueError(f"margin must lie between -1 and 1, got {margin!r}")
    if not 0 <= judge_skill <= 1:
        raise ValueError(f"judge_skill must lie in [0, 1], got {judge_skill!r}")


def pilot_draws(pilot: Votes, n_draws: int, seed: Seed) -> tuple[Draws, list[str]]:
    """Equally likely versions of the truth given a pilot, and what to keep in mind about them."""
    generator = seed.generator(_KEY)
    first = wrong_split(pilot)
    last = wrong_split(pilot, round=pilot.n_rounds) if pilot.n_rounds else first
    tau_first, tau_last = (_draw_tau(split, n_draws, generator) for split in (first, last))
    difficulty = draw_difficulty(right_counts(pilot), n_draws, generator)
    warnings: list[str] = []
    if pilot.n_rounds:
        from madsim.fit import draw_debate

        found = draw_debate(pilot, n_draws, rng=seed)
        warnings += found.warnings
        if found.effective < 0.05 * n_draws:
            warnings.append(f"the draws of the fitted debate are rough (worth {found.effective:.0f} independent ones)")
        order = np.argsort(found.accuracy, kind="stable")
        debated = beta_weights(found.accuracy[order], found.kappa[order])
        mass, conformity, correction = found.mass[order], found.conformity[order], found.correction[order]
        difficulty = difficulty[np.argsort(difficulty @ _CHANCES, kind="stable")]  # pairs draws of like accuracy
    else:
        debated = difficulty
        mass = np.exp(generator.uniform(math.log(0.5), math.log(50.0), n_draws))
        conformity, correction = np.ones(n_draws), np.zeros(n_draws)
        warnings.append(
            "the pilot has round 0 alone: debates are those of the plain model with a mass between 1/2 and 50"
        )
    draws = Draws(
        difficulty=difficulty,
        debated=debated,
        mass=mass,
        conformity=conformity,
        correction=correction,
        tau_first=tau_first,
        tau_last=tau_last,
        n_others=first.n_others,
    )
    return draws, warnings


def _draw_tau(split: WrongSplit, n_draws: int, generator: np.random.Generator) -> NDArray[np.float64]:
    return split.tau[generator.choice(len(split.tau), size=n_draws, p=split.weights)]


def _forecasts(
    options: list[Option], draws: Draws, prices: Prices, margin: float, judge_skill: float, seed: Seed
) -> list[OptionForecast]:
    values = [_value(one, draws, judge_skill, seed) for one in options]
    costs = [cost_of(one, prices) for one in options]
    means = [float(value.mean()) for value in values]
    priced = any(cost.money > 0 for cost in costs)
    spent = [cost.money if priced else cost.tokens or cost.calls for cost in costs]
    made = []
    for i, (option, value, cost) in enumerate(zip(options, values, costs, strict=True)):
        rival = equal_cost_vote(option, prices)
        gains = None if option.kind == "vote" else value - vote_accuracy(draws, rival)
        beaten = any(
            (other <= spent[i] and mean >= means[i]) and (other < spent[i] or mean > means[i])
            for other, mean in zip(spent, means, strict=True)
        )
        made.append(
            OptionForecast(
                option=option,
                accuracy=means[i],
                interval=_middle(value),
                draws=readonly(value),
                cost=cost,
                equal_cost_vote=rival,
                gain=None if gains is None else float(gains.mean()),
                gain_interval=None if gains is None else _middle(gains),
                better=None if gains is None else float((gains > margin).mean()),
                bounds=None,
                counted=None,
                on_front=not beaten,
            )
        )
    return made


def _value(option: Option, draws: Draws, judge_skill: float, seed: Seed) -> NDArray[np.float64]:
    if option.kind == "vote":
        return vote_accuracy(draws, option.n_agents)
    generator = seed.generator(_KEY, option.n_agents, option.n_rounds)
    graph = None if option.graph == "complete" else option.who_hears()
    law = debate_law(draws, option.n_agents, option.n_rounds, graph, generator=generator)
    return final_judge(law, judge_skill) if option.kind == "judge" else final_vote(law, draws)


def _middle(values: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))


def _counted(pilot: Votes, n: int) -> tuple[float, Interval] | None:
    try:
        found = maj_at_n(pilot, n)
    except ValueError:
        return None
    interval = found.interval()
    return None if interval is None else (found.value, interval)


def _far(one: OptionForecast, per_question: int) -> list[str]:
    n, bounds = one.option.n_agents, one.bounds
    found = []
    if n > 2 * per_question:
        found.append(
            f"{one.option} is more than twice the pilot's {per_question} answers a question: what it gains rests on the law of difficulty"
        )
    if bounds is not None and not bounds.low <= one.accuracy <= bounds.high:
        found.append(
            f"{one.option}: the forecast {one.accuracy:.3f} lies outside the bounds [{bounds.low:.3f}, {bounds.high:.3f}]"
        )
    return found
