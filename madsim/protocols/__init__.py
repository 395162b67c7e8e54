"""One protocol, run by simulated agents or by models: who speaks when, who hears what, how answers become one."""

from madsim.protocols._protocol import Protocol, protocol_from_dict
from madsim.protocols._reduction import (
    Approval,
    Consensus,
    Custom,
    Judge,
    Longest,
    Majority,
    OneAgent,
    Ranked,
    Reduction,
    Weighted,
)
from madsim.protocols._schedule import GroupChat, OneByOne, Schedule, Simultaneous
from madsim.protocols._stopping import Convergence
from madsim.protocols._visibility import Visibility

__all__ = [
    "Approval",
    "Consensus",
    "Convergence",
    "Custom",
    "GroupChat",
    "Judge",
    "Longest",
    "Majority",
    "OneAgent",
    "OneByOne",
    "Protocol",
    "Ranked",
    "Reduction",
    "Schedule",
    "Simultaneous",
    "Visibility",
    "Weighted",
    "protocol_from_dict",
]
