"""Any endpoint that speaks the OpenAI chat-completions protocol, through the official SDK."""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from madsim.llm._errors import ModelError, redact
from madsim.llm._http_errors import error_of_sdk
from madsim.llm._request import Completion, Request, Session, Usage

_REMEMBERED = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint (OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, LM Studio, ...).

    Attributes
    ----------
    name : as the endpoint knows it
    base_url : address that ends before ``/chat/completions``; None for OpenAI itself
    api_key : the key itself. None takes it from the environment variable `api_key_env`; where that is None too, an own `base_url` gets
        no key at all (a key meant for OpenAI is never sent elsewhere) and OpenAI gets ``OPENAI_API_KEY``
    stream : ask for the reply piece by piece; a stream that breaks off is a failed call, never a short reply
    max_tokens_field : name of the field for the longest reply; some newer models want ``"max_completion_tokens"``
    headers : further headers for every call

    Keys and headers never enter records, errors or ``repr``. The SDK's own retries are off: retrying is the engine's.
    """

    name: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    stream: bool = False
    max_tokens_field: str = "max_tokens"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"a model needs a name, got {self.name!r}")
        if self.base_url is not None and urlsplit(self.base_url).scheme not in ("http", "https"):
            raise ValueError(f"base_url must begin with http:// or https://, got {redact(str(self.base_url))!r}")

    def open(self) -> AbstractAsyncContextManager[Session]:
        """One client with its connections, closed at the end."""
        return self._open()

    def __repr__(self) -> str:
        described = ", ".join(f"{part}={value!r}" for part, value in self.to_dict().items() if part != "kind")
        return f"OpenAIModel({described})"

    def to_dict(self) -> dict[str, Any]:
        """Name and address without user, password or query; no key, no header."""
        plain: dict[str, Any] = {"kind": "openai", "name": self.name}
        if self.base_url is not None:
            parts = urlsplit(self.base_url)
            host = parts.netloc.rpartition("@")[2]
            plain["base_url"] = urlunsplit((parts.scheme, host, parts.path, "", ""))
        if self.api_key_env is not None:
            plain["api_key_env"] = self.api_key_env
        return {**plain, "stream": self.stream, "max_tokens_field": self.max_tokens_field}

    def _key(self) -> str:
        if self.api_key is not None:
            return self.api_key
        variable = self.api_key_env or ("OPENAI_API_KEY" if self.base_url is None else None)
        if variable is None:
            return ""
        key = os.environ.get(variable)
        if not key:
            raise ValueError(f"the model {self.name!r} needs a key: set the environment variable {variable} or api_key")
        return key

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Session]:
        import openai

        key = self._key()

        def connect() -> Any:
            return openai.AsyncOpenAI(
                api_key=key or "none",
                base_url=self.base_url or "https://api.openai.com/v1",
                organization="" if self.base_url else None,
                project="" if self.base_url else None,
                max_retries=0,
                default_headers=dict(self.headers) or None,
            )

        password = urlsplit(self.base_url or "").password
        secrets = tuple(secret for secret in (key, password, *self.headers.values()) if secret)
        session = _OpenAISession(connect=connect, client=connect(), model=self, secrets=secrets)
        try:
            yield session
        finally:
            for client in (*session.left, session.client):
                await client.close()


class Seen:
    """The replies that came lately, to tell one that is delivered a second time from the reply to a call.

    Only where the endpoint gives its replies numbers of their own does a repeated reply tell anything; an endpoint that gives all the
    same number has one reply doubted, its second one where that is equal to the first.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Any, ...], None] = OrderedDict()
        self._first: Any = None
        self._count = 0
        self._numbered = False

    def again(self, number: Any, created: Any, completion: Completion) -> bool:
        """Whether this very reply came before."""
        mark = (number, created, completion.text, completion.finish_reason, completion.usage)
        self._count += 1
        if self._count == 1:
            self._first = number
        self._numbered = self._numbered or number != self._first
        if mark in self._known and (self._numbered or self._count == 2):
            return True
        self._known[mark] = None
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return False


@dataclass(slots=True, kw_only=True)
class _OpenAISession:
    connect: Callable[[], Any]
    client: Any
    model: OpenAIModel
    secrets: tuple[str, ...] = field(repr=False)
    left: list[Any] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)

    async def complete(self, request: Request) -> Completion:
        import openai

        try:
            body = self._body(request)
            if self.model.stream:
                return self._without_secrets(await self._streamed(body))
            client = self.client
            reply = await client.chat.completions.create(**body)
            completion = _completion(reply)
            if self.seen.again(getattr(reply, "id", None), getattr(reply, "created", None), completion):
                self._leave(client)
                raise ModelError("duplicate", "a reply that came before came again", retryable=True, billed="maybe")
            return self._without_secrets(completion)
        except ModelError:
            raise
        except Exception as error:
            translated = error_of_sdk(openai, error, self.secrets)
            if translated is None:
                raise
            raise translated from None

    def _body(self, request: Request) -> dict[str, Any]:
        settings = request.settings
        body: dict[str, Any] = {"model": self.model.name, "messages": list(request.messages)}
        for name in ("temperature", "top_p", "seed"):
            value = getattr(settings, name)
            if value is not None:
                body[name] = value
        if settings.max_tokens is not None:
            body[self.model.max_tokens_field] = settings.max_tokens
        if settings.stop:
            body["stop"] = list(settings.stop)
        if settings.logprobs is not None:
            body["logprobs"] = True
            if settings.logprobs:
                body["top_logprobs"] = settings.logprobs
        if request.tools:
            body["tools"] = list(request.tools)
        if settings.extra:
            body["extra_body"] = dict(settings.extra)
        return {**body, "timeout": settings.timeout}

    async def _streamed(self, body: dict[str, Any]) -> Completion:
        pieces: list[str] = []
        finish: str | None = None
        usage: Usage | None = None
        name: str | None = None
        logprobs: list[Any] = []
        calls: dict[int, dict[str, Any]] = {}
        stream = await self.client.chat.completions.create(**body, stream=True, stream_options={"include_usage": True})
        async with stream:
            async for chunk in stream:
                name = getattr(chunk, "model", None) or name
                usage = _usage(getattr(chunk, "usage", None)) or usage
                for choice in (getattr(chunk, "choices", None) or [])[:1]:
                    finish = choice.finish_reason or finish
                    delta = choice.delta
                    if delta is not None and delta.content:
                        pieces.append(delta.content)
                    for call in (getattr(delta, "tool_calls", None) or []) if delta is not None else []:
                        _join_tool_call(calls, call)
                    content = getattr(getattr(choice, "logprobs", None), "content", None)
                    logprobs.extend(token.model_dump(exclude_none=True) for token in content or [])
        if finish is None:
            raise ModelError(
                "cut_reply", "the stream ended without a finish reason", retryable=True, billed="yes", usage=usage
            )
        return Completion(
            text="".join(pieces) or None,
            finish_reason=finish,
            usage=usage,
            logprobs={"content": logprobs} if logprobs else None,
            tool_calls=tuple(calls[index] for index in sorted(calls)),
            model=name,
        )

    def _leave(self, client: Any) -> None:
        """Use no connection of this client again: what comes over it next may be the reply to an earlier call."""
        if client is self.client:
            self.left.append(client)
            self.client = self.connect()

    def _without_secrets(self, completion: Completion) -> Completion:
        """A reply that repeats the key it was asked with must not carry it into the record."""
        text = completion.text
        for secret in self.secrets:
            if text is not None and len(secret) >= 8 and secret in text:
                text = text.replace(secret, "[removed]")
        return completion if text is completion.text else replace(completion, text=text)


def _completion(reply: Any) -> Completion:
    """The SDK's reply object as a completion; whatever is missing or odd becomes a clear error."""
    usage = _usage(getattr(reply, "usage", None))
    choices = getattr(reply, "choices", None)
    if not isinstance(choices, list):
        raise ModelError("wrong_reply", "the reply has no list of choices", retryable=True, billed="yes", usage=usage)
    if not choices:
        raise ModelError("empty_choices", "the list of choices is empty", retryable=True, billed="yes", usage=usage)
    choice = choices[0]
    message = getattr(choice, "message", None)
    if message is None:
        raise ModelError("wrong_reply", "the first choice has no message", retryable=True, billed="yes", usage=usage)
    text = getattr(message, "content", None)
    if text is not None and not isinstance(text, str):
        raise ModelError(
            "wrong_reply", "the content of the reply is not text", retryable=True, billed="yes", usage=usage
        )
    if text is None:
        refusal = getattr(message, "refusal", None)
        text = refusal if isinstance(refusal, str) else None
    logprobs = getattr(choice, "logprobs", None)
    return Completion(
        text=text,
        finish_reason=getattr(choice, "finish_reason", None),
        usage=usage,
        logprobs=None if logprobs is None else _plain(logprobs),
        tool_calls=tuple(_plain(call) for call in getattr(message, "tool_calls", None) or ()),
        model=getattr(reply, "model", None),
    )


def _usage(reported: Any) -> Usage | None:
    if reported is None:
        return None
    read, written = getattr(reported, "prompt_tokens", None), getattr(reported, "completion_tokens", None)
    if not isinstance(read, int) or not isinstance(written, int) or read < 0 or written < 0:
        return None
    cached = getattr(getattr(reported, "prompt_tokens_details", None), "cached_tokens", None)
    return Usage(input=read, cached=min(max(cached, 0), read) if isinstance(cached, int) else 0, output=written)


def _plain(value: Any) -> Any:
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else json.loads(json.dumps(value))


def _join_tool_call(calls: dict[int, dict[str, Any]], piece: Any) -> None:
    known = calls.setdefault(piece.index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
    known["id"] = piece.id or known["id"]
    if piece.function is not None:
        known["function"]["name"] += piece.function.name or ""
        known["function"]["arguments"] += piece.function.arguments or ""
