"""Simulators: one verb each, a frozen model in, one typed result out, the same bits on any number of threads."""

from madsim.simulate._again import extend, load_result, reproduce
from madsim.simulate._conversation import ConversationResult, simulate_conversation
from madsim.simulate._debate import simulate_debate
from madsim.simulate._debate_result import DebateResult
from madsim.simulate._learner import simulate_learner
from madsim.simulate._method import Method
from madsim.simulate._questions import Questions, draw_beliefs, simulate_questions
from madsim.simulate._shares_result import SharedDrawsWarning, SharesResult
from madsim.simulate._swarm import simulate_swarm
from madsim.simulate._sweep import Sweep, SweepPoint
from madsim.simulate._sweep_result import SweepResult
from madsim.simulate._sweep_run import simulate_sweep

__all__ = [
    "ConversationResult",
    "DebateResult",
    "Method",
    "Questions",
    "SharedDrawsWarning",
    "SharesResult",
    "Sweep",
    "SweepPoint",
    "SweepResult",
    "draw_beliefs",
    "extend",
    "load_result",
    "reproduce",
    "simulate_conversation",
    "simulate_debate",
    "simulate_learner",
    "simulate_questions",
    "simulate_swarm",
    "simulate_sweep",
]
