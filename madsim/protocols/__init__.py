"""One protocol, run by simulated agents or by models: who speaks when, who hears what, how answers become one."""

from madsim.protocols._acts import Act, acts_of
from madsim.protocols._document import Document
from madsim.protocols._phases import Phase, Phases
from madsim.protocols._pool import Pool
from madsim.protocols._protocol import Protocol, protocol_from_dict
from madsim.protocols._reduction import (
    Approval,
    Consensus,
    Custom,
    Judge,
    LastDocument,
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
    "Act",
    "Approval",
    "Consensus",
    "Convergence",
    "Custom",
    "Document",
    "GroupChat",
    "Judge",
    "LastDocument",
    "Longest",
    "Majority",
    "OneAgent",
    "OneByOne",
    "Phase",
    "Phases",
    "Pool",
    "Protocol",
    "Ranked",
    "Reduction",
    "Schedule",
    "Simultaneous",
    "Visibility",
    "Weighted",
    "acts_of",
    "protocol_from_dict",
]
