"""A function that a debater may call."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function with its JSON schema.

    Attributes
    ----------
    function : takes the arguments by name and returns text or anything with a plain JSON form; plain or ``async``
    name, description : as the model sees them
    parameters : JSON schema of the arguments, an object
    """

    function: Callable[..., Any]
    name: str
    description: str
    parameters: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {self.function!r}")
        if self.parameters.get("type") != "object":
            raise ValueError(f"parameters of the tool {self.name!r} must be a JSON schema of type 'object'")

    def schema(self) -> dict[str, Any]:
        """The tool in the form of the chat-completions interface."""
        described = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": described}

    async def call(self, arguments: str) -> str:
        """The function's result as text; wrong arguments and exceptions come back as text that starts with ``error:``."""
        try:
            named = json.loads(arguments or "{}")
            if not isinstance(named, dict):
                return f"error: the arguments must be a JSON object, got {type(named).__name__}"
            if inspect.iscoroutinefunction(self.function):
                result = await self.function(**named)
            else:
                result = await asyncio.to_thread(self.function, **named)
        except Exception as error:  # the model must be told what went wrong, whatever it was
            return f"error: {type(error).__name__}: {error}"
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
