"""Exact values, without random numbers: what the Dirichlet-multinomial debate and the plurality vote really do."""

from madsim.theory._bounds import VoteBounds, vote_bounds, voters_needed
from madsim.theory._bracket import bracket_width
from madsim.theory._change import heterogeneous_drift, sd_of_change
from madsim.theory._compound import compound_answer, compound_model
from madsim.theory._conversation import ConversationMoments, conversation_moments
from madsim.theory._cross_inhibition import (
    RestPoint,
    cross_inhibition_field,
    cross_inhibition_path,
    cross_inhibition_rest_points,
)
from madsim.theory._disagreement import disagreement, disagreement_floor, disagreement_law, limit_variance
from madsim.theory._drift import ConditionalDrift, conditional_drift, own_history_slopes
from madsim.theory._fixation import (
    broadcast_factor,
    diffusion_fixation,
    heard_drift_factor,
    learner_fixation,
    moran_fixation,
    neutral_consensus_time,
)
from madsim.theory._linear_noise import LinearNoise, linear_noise
from madsim.theory._martingale import MartingaleProperties, MartingaleProperty, martingale_properties
from madsim.theory._moments import DebateMoments, debate_mean, debate_moments
from madsim.theory._panel import PanelValues, panel_by_round
from madsim.theory._plurality import mean_plurality, plurality, plurality_of_unequal
from madsim.theory._replicator import (
    maynard_smith_field,
    maynard_smith_replicator,
    rest_point,
    taylor_field,
    taylor_replicator,
    unit_step_replicator,
)
from madsim.theory._reviewers import residual_error
from madsim.theory._share_law import Absorption, ShareLaw, absorption, largest_lattice_swarm, share_law
from madsim.theory._shared_draws import shared_draw_drift, voter_drift
from madsim.theory._similarity import similarity_drift, similarity_means
from madsim.theory._swarm_summary import swarm_summary
from madsim.theory._vote import vote_by_round

__all__ = [
    "Absorption",
    "ConditionalDrift",
    "ConversationMoments",
    "DebateMoments",
    "LinearNoise",
    "MartingaleProperties",
    "MartingaleProperty",
    "PanelValues",
    "RestPoint",
    "ShareLaw",
    "VoteBounds",
    "absorption",
    "bracket_width",
    "broadcast_factor",
    "compound_answer",
    "compound_model",
    "conditional_drift",
    "conversation_moments",
    "cross_inhibition_field",
    "cross_inhibition_path",
    "cross_inhibition_rest_points",
    "debate_mean",
    "debate_moments",
    "diffusion_fixation",
    "disagreement",
    "disagreement_floor",
    "disagreement_law",
    "heard_drift_factor",
    "heterogeneous_drift",
    "largest_lattice_swarm",
    "learner_fixation",
    "limit_variance",
    "linear_noise",
    "martingale_properties",
    "maynard_smith_field",
    "maynard_smith_replicator",
    "mean_plurality",
    "moran_fixation",
    "neutral_consensus_time",
    "own_history_slopes",
    "panel_by_round",
    "plurality",
    "plurality_of_unequal",
    "residual_error",
    "rest_point",
    "sd_of_change",
    "share_law",
    "shared_draw_drift",
    "similarity_drift",
    "similarity_means",
    "swarm_summary",
    "taylor_field",
    "taylor_replicator",
    "unit_step_replicator",
    "vote_bounds",
    "vote_by_round",
    "voter_drift",
    "voters_needed",
]
