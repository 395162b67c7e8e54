"""Exact values, without random numbers: what the Dirichlet-multinomial debate and the plurality vote really do."""

from madsim.theory._bounds import VoteBounds, vote_bounds, voters_needed
from madsim.theory._bracket import bracket_width
from madsim.theory._change import heterogeneous_drift, sd_of_change
from madsim.theory._disagreement import disagreement, disagreement_floor, disagreement_law, limit_variance
from madsim.theory._drift import ConditionalDrift, conditional_drift, own_history_slopes
from madsim.theory._martingale import MartingaleProperties, MartingaleProperty, martingale_properties
from madsim.theory._moments import DebateMoments, debate_mean, debate_moments
from madsim.theory._panel import PanelValues, panel_by_round
from madsim.theory._plurality import mean_plurality, plurality, plurality_of_unequal
from madsim.theory._reviewers import residual_error
from madsim.theory._similarity import similarity_drift, similarity_means
from madsim.theory._vote import vote_by_round

__all__ = [
    "ConditionalDrift",
    "DebateMoments",
    "MartingaleProperties",
    "MartingaleProperty",
    "PanelValues",
    "VoteBounds",
    "bracket_width",
    "conditional_drift",
    "debate_mean",
    "debate_moments",
    "disagreement",
    "disagreement_floor",
    "disagreement_law",
    "heterogeneous_drift",
    "limit_variance",
    "martingale_properties",
    "mean_plurality",
    "own_history_slopes",
    "panel_by_round",
    "plurality",
    "plurality_of_unequal",
    "residual_error",
    "sd_of_change",
    "similarity_drift",
    "similarity_means",
    "vote_bounds",
    "vote_by_round",
    "voters_needed",
]
