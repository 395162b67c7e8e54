"""A small HTTP/1.1 server on loopback for POST .../chat/completions, with keep-alive, in a thread of its own.

`reply` gets the decoded request body and its number and returns a :class:`Reply`, or an object that is sent as a whole chat completion.
"""

import asyncio
import itertools
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

NUMBERS = itertools.count(1)
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests", 500: "Internal Server Error"}


@dataclass
class Reply:
    """What goes over the wire, and how."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    sent: int | None = None  # so many bytes of the body, then the connection is cut
    reset: bool = False  # the connection is cut before anything is sent
    hang: bool = False  # nothing is ever sent
    stream: bool = False
    twice: bool = False  # the whole response is delivered a second time


def completion(text: str | None, *, finish: str = "stop", usage: tuple[int, int] | None = (20, 5), **more: Any) -> dict:
    """A chat completion as the protocol writes it."""
    body: dict[str, Any] = {
        "id": f"chat-{next(NUMBERS)}",
        "object": "chat.completion",
        "created": 1,
        "model": "loopback",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish, **more}],
    }
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return body


def streamed(text: str, *, finish: str | None = "stop", usage: tuple[int, int] | None = (20, 5)) -> bytes:
    """The same as server-sent events, a few characters a piece."""
    pieces: list[dict[str, Any]] = [{"delta": {"content": text[at : at + 7]}} for at in range(0, len(text), 7)]
    if finish is not None:
        pieces.append({"delta": {}, "finish_reason": finish})
    events = [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "loopback",
            "choices": [{"index": 0, "finish_reason": None, **one}],
        }
        for one in pieces
    ]
    if usage is not None:
        counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        events.append(
            {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "loopback",
                "choices": [],
                "usage": counts,
            }
        )
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*lines, "data: [DONE]\n\n"] if finish is not None else lines).encode()


class ChatServer:
    """Use as a context manager; `base_url` is where it listens, `seen` what it was asked (method, path, headers, body)."""

    def __init__(self, reply: Callable[[dict, int], Reply | dict], *, keep: bool = True) -> None:
        self._reply = reply
        self._keep = keep
        self.seen: list[dict[str, Any]] = []
        self.count = 0
        self.most_at_once = 0
        self._at_once = 0
        self.base_url = ""
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._connections: set[asyncio.Task] = set()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "ChatServer":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=1 << 24, backlog=2048)
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        number = self.count
        self.count += 1
        if self._keep:
            self.seen.append({"method": method, "path": path, "headers": headers, "body": body})
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            given = self._reply(body, number)
            reply = given if isinstance(given, Reply) else Reply(json.dumps(given).encode())
            if reply.wait:
                await asyncio.sleep(reply.wait)
            return await self._send(writer, reply)
        finally:
            self._at_once -= 1

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> bool:
        if reply.hang:
            await self._stop.wait()
            return False
        if reply.reset:
            writer.transport.abort()
            return False
        kind = "text/event-stream" if reply.stream else "application/json"
        lines = [f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Status')}", f"Content-Type: {kind}"]
        lines += [f"Content-Length: {len(reply.body)}", *(f"{name}: {value}" for name, value in reply.headers.items())]
        response = "\r\n".join([*lines, "", ""]).encode() + reply.body[: reply.sent]
        writer.write(response * (2 if reply.twice else 1))
        await writer.drain()
        if reply.sent is not None:
            writer.transport.close()
            return False
        return True
