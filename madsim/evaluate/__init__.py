"""What a model comes to: exact where theory reaches it within about a second, simulated where it does not, and which was which."""

from madsim.evaluate._debate import DebateValues, debate_values
from madsim.evaluate._swarm import SwarmValues, swarm_values

__all__ = ["DebateValues", "SwarmValues", "debate_values", "swarm_values"]
