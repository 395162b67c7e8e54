"""Simulators: one verb each, a frozen model in, one typed result out, the same bits on any number of threads."""

from madsim.simulate._debate import extend, simulate_debate
from madsim.simulate._debate_result import DebateResult
from madsim.simulate._questions import Questions, draw_beliefs, simulate_questions
from madsim.simulate._store import load_result, reproduce

__all__ = [
    "DebateResult",
    "Questions",
    "draw_beliefs",
    "extend",
    "load_result",
    "reproduce",
    "simulate_debate",
    "simulate_questions",
]
