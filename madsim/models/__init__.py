"""Frozen descriptions of who debates, imitates or learns, and how. No numerics here: simulators and theory read them."""

from madsim.models._debate import DebateModel
from madsim.models._debate_form import debate_from_dict
from madsim.models._intervention import Conformist, CorrectionLock, Follower, Intervention, Oracle, Sticky
from madsim.models._memory import Cumulative, Forgetting, LastRound, Memory, Rereading
from madsim.models._response import Argmax, Matching, Response, Temperature, TopP
from madsim.models._summary import Stubborn, Summary

__all__ = [
    "Argmax",
    "Conformist",
    "CorrectionLock",
    "Cumulative",
    "DebateModel",
    "Follower",
    "Forgetting",
    "Intervention",
    "LastRound",
    "Matching",
    "Memory",
    "Oracle",
    "Rereading",
    "Response",
    "Sticky",
    "Stubborn",
    "Summary",
    "Temperature",
    "TopP",
    "debate_from_dict",
]
