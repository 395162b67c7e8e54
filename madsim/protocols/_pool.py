"""A pool of documents: whoever receives something new speaks next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A shared pool of documents: in each round those speak, at once, who have received something since their own last turn.

    An agent receives the documents of those whom it may hear and to whose type it subscribes; one whose document was refused speaks
    again, and is told why. The debate is over when nobody has received anything, or after the protocol's last round.

    ``starts`` says who speaks in round 0: ``"sources"`` those who wait for nobody (everybody, if all wait), ``"all"`` everybody.
    """

    starts: Literal["sources", "all"] = "sources"

    def __post_init__(self) -> None:
        if self.starts not in ("sources", "all"):
            raise ValueError(f"starts must be 'sources' or 'all', got {self.starts!r}")
