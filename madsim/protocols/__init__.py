"""One protocol, run by simulated agents or by models: who speaks when, who hears what, how answers become one."""

from madsim.protocols._protocol import Protocol, protocol_from_dict
from madsim.protocols._reduction import Majority, Reduction
from madsim.protocols._schedule import OneByOne, Schedule, Simultaneous
from madsim.protocols._stopping import Convergence
from madsim.protocols._visibility import Visibility

__all__ = [
    "Convergence",
    "Majority",
    "OneByOne",
    "Protocol",
    "Reduction",
    "Schedule",
    "Simultaneous",
    "Visibility",
    "protocol_from_dict",
]
