"""Models behind Anthropic's interface, through its official SDK (the extra ``anthropic``)."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from madsim.llm._errors import MisuseError, ModelError
from madsim.llm._http_errors import error_of_sdk
from madsim.llm._request import Completion, Message, Request, Session, Usage

_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicModel:
    """A model of Anthropic's messages interface.

    Attributes
    ----------
    name : as the interface knows it
    base_url : another address of the same interface; None for Anthropic itself
    api_key : the key; None takes it from `api_key_env`, or from ``ANTHROPIC_API_KEY`` where there is no own `base_url`
    longest_reply : output tokens where a debater sets no `max_tokens` (the interface insists on a number)

    Seeds and log-probabilities are not part of this interface: debaters that ask for them are refused.
    """

    name: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    longest_reply: int = 1024

    def open(self) -> AbstractAsyncContextManager[Session]:
        """One client with its connections, closed at the end."""
        return self._open()

    def to_dict(self) -> dict[str, Any]:
        """Name and address; no key."""
        plain: dict[str, Any] = {"kind": "anthropic", "name": self.name, "longest_reply": self.longest_reply}
        if self.base_url is not None:
            parts = urlsplit(self.base_url)
            plain["base_url"] = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
        return plain if self.api_key_env is None else {**plain, "api_key_env": self.api_key_env}

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Session]:
        try:
            anthropic = import_module("anthropic")
        except ImportError as error:
            raise ImportError("AnthropicModel needs the package anthropic: pip install 'madsim[anthropic]'") from error
        variable = self.api_key_env or ("ANTHROPIC_API_KEY" if self.base_url is None else None)
        key = self.api_key or (os.environ.get(variable) if variable is not None else "none")
        if not key:
            raise ValueError(f"the model {self.name!r} needs a key: set the environment variable {variable} or api_key")
        address = self.base_url or "https://api.anthropic.com"
        client = anthropic.AsyncAnthropic(api_key=key, auth_token=None, base_url=address, max_retries=0)
        try:
            yield _AnthropicSession(sdk=anthropic, client=client, model=self, secrets=(key,))
        finally:
            await client.close()


@dataclass(slots=True, kw_only=True)
class _AnthropicSession:
    sdk: Any
    client: Any
    model: AnthropicModel
    secrets: tuple[str, ...] = field(repr=False)

    async def complete(self, request: Request) -> Completion:
        try:
            return _completion(await self.client.messages.create(**self._body(request)))
        except (ModelError, MisuseError):
            raise
        except Exception as error:
            translated = error_of_sdk(self.sdk, error, self.secrets)
            if translated is None:
                raise
            raise translated from None

    def _body(self, request: Request) -> dict[str, Any]:
        settings = request.settings
        if settings.seed is not None or settings.logprobs is not None:
            raise MisuseError("Anthropic's interface has neither seeds nor log-probabilities; leave them unset")
        system = "\n\n".join(str(one["content"]) for one in request.messages if one["role"] == "system")
        body: dict[str, Any] = {
            "model": self.model.name,
            "messages": [_message(one) for one in request.messages if one["role"] != "system"],
            "max_tokens": settings.max_tokens or self.model.longest_reply,
            "timeout": settings.timeout,
        }
        if system:
            body["system"] = system
        if settings.stop:
            body["stop_sequences"] = list(settings.stop)
        if request.tools:
            body["tools"] = list(_tools(request.tools))
        extra = dict(settings.extra)
        for name in ("temperature", "top_p"):  # not every version of the package takes them by name
            if getattr(settings, name) is not None:
                extra[name] = getattr(settings, name)
        return {**body, "extra_body": extra} if extra else body


def _message(message: Message) -> dict[str, Any]:
    """A message of the chat-completions form in the form of this interface."""
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
        return {"role": "user", "content": [result]}
    calls = message.get("tool_calls")
    if not calls:
        return {"role": message["role"], "content": message["content"]}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message["content"]}] if message["content"] else []
    for call in calls:
        function = call["function"]
        arguments = json.loads(function["arguments"] or "{}")
        blocks.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments})
    return {"role": "assistant", "content": blocks}


def _tools(tools: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for tool in tools:
        function = tool["function"]
        yield {"name": function["name"], "description": function["description"], "input_schema": function["parameters"]}


def _completion(reply: Any) -> Completion:
    usage = _usage(getattr(reply, "usage", None))
    blocks = getattr(reply, "content", None)
    if not isinstance(blocks, list):
        raise ModelError("wrong_reply", "the reply has no list of blocks", retryable=True, billed="yes", usage=usage)
    texts = [block.text for block in blocks if getattr(block, "type", None) == "text"]
    calls = tuple(
        {"id": block.id, "type": "function", "function": {"name": block.name, "arguments": json.dumps(block.input)}}
        for block in blocks
        if getattr(block, "type", None) == "tool_use"
    )
    reason = getattr(reply, "stop_reason", None)
    return Completion(
        text="".join(texts) if texts else None,
        finish_reason=None if reason is None else _FINISH.get(reason, str(reason)),
        usage=usage,
        tool_calls=calls,
        model=getattr(reply, "model", None),
    )


def _usage(reported: Any) -> Usage | None:
    """Input tokens here exclude what was read from or written to the cache; ours include it."""
    fresh, output = (getattr(reported, name, None) for name in ("input_tokens", "output_tokens"))
    if not isinstance(fresh, int) or not isinstance(output, int) or min(fresh, output) < 0:
        return None
    read = getattr(reported, "cache_read_input_tokens", None) or 0
    written = getattr(reported, "cache_creation_input_tokens", None) or 0
    return Usage(input=fresh + read + written, cached=read, output=output)
