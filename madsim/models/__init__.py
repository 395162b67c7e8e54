"""Frozen descriptions of who debates, imitates or learns, and how. No numerics here: simulators and theory read them."""

from madsim.models._debate import DebateModel
from madsim.models._debate_form import debate_from_dict
from madsim.models._hearing import Everybody, HearGraph, HearGroup, Hearing, HearSome
from madsim.models._intervention import Conformist, CorrectionLock, Follower, Intervention, Oracle, Sticky
from madsim.models._learner import (
    Baseline,
    BatchMean,
    CrossLearner,
    Learner,
    MaynardCrossLearner,
    MovingAverage,
    OracleBaseline,
)
from madsim.models._memory import Cumulative, Forgetting, LastRound, Memory, Rereading
from madsim.models._noise import BernoulliNoise, BetaNoise, ClippedNormal, Noise, NoiseFree, UniformNoise
from madsim.models._options import congestion, quality_at
from madsim.models._population_form import population_from_dict
from madsim.models._response import Argmax, Matching, Response, Temperature, TopP
from madsim.models._summary import Stubborn, Summary
from madsim.models._swarm import AsynchronousVoter, CrossInhibition, ImitationOfSuccess, Swarm, SynchronousVoter

__all__ = [
    "Argmax",
    "AsynchronousVoter",
    "Baseline",
    "BatchMean",
    "BernoulliNoise",
    "BetaNoise",
    "ClippedNormal",
    "Conformist",
    "CorrectionLock",
    "CrossInhibition",
    "CrossLearner",
    "Cumulative",
    "DebateModel",
    "Everybody",
    "Follower",
    "Forgetting",
    "HearGraph",
    "HearGroup",
    "HearSome",
    "Hearing",
    "ImitationOfSuccess",
    "Intervention",
    "LastRound",
    "Learner",
    "Matching",
    "MaynardCrossLearner",
    "Memory",
    "MovingAverage",
    "Noise",
    "NoiseFree",
    "Oracle",
    "OracleBaseline",
    "Rereading",
    "Response",
    "Sticky",
    "Stubborn",
    "Summary",
    "Swarm",
    "SynchronousVoter",
    "Temperature",
    "TopP",
    "UniformNoise",
    "congestion",
    "debate_from_dict",
    "population_from_dict",
    "quality_at",
]
