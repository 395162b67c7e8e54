"""Fits by maximum likelihood: how questions differ, how debaters take up what they hear."""

from madsim.fit._debate import DebateFit, Parameter, RatioTest, fit_debate, recorded_graph
from madsim.fit._dirichlet import DifficultyFit, fit_difficulty, fit_dirichlet_multinomial
from madsim.fit._imitation import ImitationFit, fit_imitation
from madsim.fit._posterior import DebateDraws, draw_debate
from madsim.fit._predictive import PredictiveCheck, predictive_checks
from madsim.fit._profile import Profile, profile_debate

__all__ = [
    "DebateDraws",
    "DebateFit",
    "DifficultyFit",
    "ImitationFit",
    "Parameter",
    "PredictiveCheck",
    "Profile",
    "RatioTest",
    "draw_debate",
    "fit_debate",
    "fit_difficulty",
    "fit_dirichlet_multinomial",
    "fit_imitation",
    "predictive_checks",
    "profile_debate",
    "recorded_graph",
]
