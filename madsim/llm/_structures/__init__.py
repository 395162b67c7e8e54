"""Ready-made structures: votes, debates, chats, phases, pools, debates within debates."""

from madsim.llm._structures._list import STRUCTURES, structure
from madsim.llm._structures._structure import Arrangement, Structure

__all__ = ["STRUCTURES", "Arrangement", "Structure", "structure"]
