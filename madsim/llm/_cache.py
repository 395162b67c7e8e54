"""Replies kept between runs: an append-only file of replies by the digest of everything that can change them."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from madsim._core.canonical import digest
from madsim.llm._request import Completion, Model, Request, Usage
from madsim.transcripts import RunWriter

_KEPT = frozenset({"stop", "end_turn", "eos", None})


class ReplyCache:
    """Replies by what was asked, in memory and, with a `path`, in a file that later runs read.

    Equal prompts are separate draws: the k-th equal prompt of a debate has its own entry, so that a rerun replays them in order. Only
    where a temperature of 0 is stated is the reply taken to be a function of the prompt alone; an omitted temperature is not 0. Cut,
    refused and empty replies are not kept.
    """

    def __init__(self, path: str | PathLike[str] | None = None) -> None:
        self._replies: dict[str, dict[str, Any]] = {}
        self._writer: RunWriter | None = None
        self.hits = 0
        if path is None:
            return
        path = Path(path)
        if path.exists():
            self._writer, record = RunWriter.resume(path)
            for event in record.events:
                if event.get("event") == "cached_reply" and isinstance(event.get("key"), str):
                    self._replies[event["key"]] = event
        else:
            self._writer = RunWriter.create(path, {"agents": ["cache"], "source": {"kind": "reply cache"}})

    def __len__(self) -> int:
        return len(self._replies)

    def get(self, model: Model, request: Request, place: Any, draw: int) -> Completion | None:
        """The kept reply, None where there is none."""
        entry = self._replies.get(cache_key(model, request, place, draw))
        if entry is None:
            return None
        self.hits += 1
        usage = entry.get("usage")
        return Completion(
            text=entry.get("reply"),
            finish_reason=entry.get("finish_reason"),
            usage=None if usage is None else Usage.from_dict(usage),
            logprobs=entry.get("logprobs"),
            tool_calls=tuple(entry.get("tool_calls") or ()),
            model=entry.get("model"),
        )

    def put(self, model: Model, request: Request, place: Any, draw: int, completion: Completion) -> None:
        """Keep a reply, unless it is cut, refused or empty."""
        whole = completion.finish_reason in _KEPT and bool(completion.text)
        if not whole and not (completion.finish_reason == "tool_calls" and completion.tool_calls):
            return
        key = cache_key(model, request, place, draw)
        if key in self._replies:
            return
        entry = {
            "event": "cached_reply",
            "key": key,
            "reply": completion.text,
            "finish_reason": completion.finish_reason,
            "usage": None if completion.usage is None else completion.usage.to_dict(),
            "logprobs": completion.logprobs,
            "tool_calls": list(completion.tool_calls),
            "model": completion.model,
        }
        self._replies[key] = entry
        if self._writer is not None:
            self._writer.event(entry)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._writer is not None:
            self._writer.close()

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def cache_key(model: Model, request: Request, place: Any, draw: int) -> str:
    """Digest of everything that can change a reply: model and address, messages, settings, tools, and which draw it is."""
    settings = {name: value for name, value in request.settings.to_dict().items() if name != "timeout"}
    which: Any = None if request.settings.deterministic else [place.sample, place.epoch, draw]
    return digest(
        {
            "model": model.to_dict(),
            "messages": list(request.messages),
            "settings": settings,
            "tools": list(request.tools),
            "draw": which,
        }
    )
