"""Every structure, by name: a new one is a file of its own and one line here."""

from __future__ import annotations

from madsim.llm._structures._chats import CHAT, MODERATED
from madsim.llm._structures._nested import NESTED
from madsim.llm._structures._pair import PAIR
from madsim.llm._structures._phases import PHASES, SOFTWARE
from madsim.llm._structures._plain import DEBATE, IN_TURN, VOTE
from madsim.llm._structures._pool import POOL
from madsim.llm._structures._sequential import SEQUENTIAL
from madsim.llm._structures._structure import Structure

STRUCTURES: dict[str, Structure] = {
    one.name: one
    for one in (
        VOTE,
        DEBATE,
        IN_TURN,
        PAIR,
        CHAT,
        MODERATED,
        SEQUENTIAL,
        PHASES,
        SOFTWARE,
        POOL,
        NESTED,
    )
}
"""Ready-made structures by name."""


def structure(name: str) -> Structure:
    """The structure of this name.

    Raises
    ------
    ValueError
        If there is none, with the names that there are.
    """
    if name not in STRUCTURES:
        raise ValueError(f"there is no structure {name!r}; known are {', '.join(STRUCTURES)}")
    return STRUCTURES[name]
