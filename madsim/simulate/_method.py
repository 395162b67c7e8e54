"""How a result was computed, in words that a program can take apart."""

from __future__ import annotations


class Method(str):
    """One line of text, ``"name: reason; error"``, that knows its parts.

    Attributes
    ----------
    name : which way of computing ran: ``"lanes"``, ``"one by one"``, ``"counts"``, ``"leaps"``, ``"jax"``, with what sets it apart
    reason : why that one
    error : how far its law may be from the model's: ``"exact"``, with the resolution of its uniforms, or ``"approximate"`` and by how much
    """

    __slots__ = ("error", "name", "reason")

    name: str
    reason: str
    error: str

    def __new__(cls, *, name: str, reason: str, error: str) -> Method:
        """Build the line from its parts."""
        line = super().__new__(cls, f"{name}: {reason}; {error}")
        line.name, line.reason, line.error = name, reason, error
        return line

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, str]]:
        return (), self.to_dict()

    @property
    def is_approximate(self) -> bool:
        """Whether the law is known to differ from the model's by more than the resolution of random numbers."""
        return self.error.startswith("approximate")

    def to_dict(self) -> dict[str, str]:
        """The parts in plain JSON form."""
        return {"name": self.name, "reason": self.reason, "error": self.error}
