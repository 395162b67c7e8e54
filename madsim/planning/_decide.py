"""From forecasts to a verdict: debate, vote, or how many more questions it takes."""

from __future__ import annotations

import math

from madsim.planning._result import Forecast, OptionForecast, Verdict

_SURE = 0.95
_MOST_QUESTIONS = 10_000_000


def decide(
    options: tuple[OptionForecast, ...],
    margin: float,
    n_questions: int,
    basis: str,
    warnings: tuple[str, ...],
) -> Forecast:
    """The verdict on the debates among `options`, each against the vote of equal cost; `n_questions` of 0 means that there is no pilot."""
    debates = [one for one in options if one.better is not None]

    def made(verdict: Verdict, reason: str, needed: int | None = None) -> Forecast:
        return Forecast(
            options=options, verdict=verdict, reason=reason, questions_needed=needed, margin=margin, basis=basis, warnings=warnings
        )  # fmt: skip

    if not debates:
        return made("undecided", "There is no debate among the options to compare with a vote.")
    best = max(debates, key=lambda one: one.better or 0.0)
    better = best.better or 0.0
    against = f"vote:{best.equal_cost_vote}, which costs no more"
    by = f" by more than {margin:g}" if margin else ""
    if better >= _SURE:
        return made("debate", f"{best.option} beats {against},{by} with probability {better:.2f}.".replace(",  ", ", "))
    if better <= 1 - _SURE:
        return made(
            "vote",
            f"No debate beats the vote of equal cost{by}; the best, {best.option}, does with probability {better:.2f}.",
        )
    needed = _more_questions(best, margin, n_questions)
    advice = f" Collect {needed} more questions." if needed else ""
    return made(
        "undecided",
        f"{best.option} beats {against},{by} with probability {better:.2f}.{advice}".replace(",  ", ", "),
        needed,
    )


def _more_questions(one: OptionForecast, margin: float, n_questions: int) -> int | None:
    """Further questions after which a gain of the present size would stand out: its spread falls with the root of their number."""
    if one.gain is None or one.gain_interval is None or not n_questions:
        return None
    spread = (one.gain_interval.high - one.gain_interval.low) / (2 * 1.96)
    room = abs(one.gain - margin)
    if room < 1e-9:
        return None
    needed = n_questions * (1.645 * spread / room) ** 2
    return int(min(max(1.0, math.ceil(needed - n_questions)), _MOST_QUESTIONS))
