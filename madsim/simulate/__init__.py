"""Simulators: one verb each, a frozen model in, one typed result out, the same bits on any number of threads."""

from madsim.simulate._again import extend, load_result, reproduce
from madsim.simulate._debate import simulate_debate
from madsim.simulate._debate_result import DebateResult
from madsim.simulate._learner import simulate_learner
from madsim.simulate._questions import Questions, draw_beliefs, simulate_questions
from madsim.simulate._shares_result import SharedDrawsWarning, SharesResult
from madsim.simulate._swarm import simulate_swarm

__all__ = [
    "DebateResult",
    "Questions",
    "SharedDrawsWarning",
    "SharesResult",
    "draw_beliefs",
    "extend",
    "load_result",
    "reproduce",
    "simulate_debate",
    "simulate_learner",
    "simulate_questions",
    "simulate_swarm",
]
