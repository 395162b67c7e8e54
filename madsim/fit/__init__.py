"""Fits by maximum likelihood: how questions differ, how debaters take up what they hear."""

from madsim.fit._debate import DebateFit, Parameter, RatioTest, fit_debate
from madsim.fit._dirichlet import DifficultyFit, fit_difficulty, fit_dirichlet_multinomial

__all__ = [
    "DebateFit",
    "DifficultyFit",
    "Parameter",
    "RatioTest",
    "fit_debate",
    "fit_difficulty",
    "fit_dirichlet_multinomial",
]
