"""What the errors of an SDK, an HTTP status and its words mean for a retry and for the bill."""

from __future__ import annotations

import contextlib
import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from madsim.llm._errors import ModelError, redact

_OVERFLOW = re.compile(
    r"(?i)context[ _-]?(?:length|window|size)|maximum context|too many (?:input )?tokens|prompt is too long"
    r"|exceeds? the (?:available )?context|input is too long|context_length_exceeded"
)
_QUOTA = re.compile(
    r"(?i)insufficient[ _]quota|exceeded your current quota|billing|credit balance|out of credits|quota exhausted"
)
_LATER = frozenset({408, 409, 425, 429})


def error_of_sdk(sdk: Any, error: Any, secrets: tuple[str, ...]) -> ModelError | None:
    """The error for an exception of the `openai` or `anthropic` package (they name theirs alike); None for one that is not of a call.

    `secrets` never enter its words.
    """
    words = redact(f"{type(error).__name__}: {error}", secrets)
    if isinstance(error, sdk.APITimeoutError):
        return ModelError("timeout", "the endpoint did not answer in time", retryable=True, billed="maybe")
    if isinstance(error, sdk.APIStatusError):
        after = getattr(error.response, "headers", {}).get("retry-after")
        return error_of_status(error.status_code, redact(_words(error), secrets), retry_after_seconds(after))
    if isinstance(error, sdk.APIResponseValidationError):
        return ModelError("wrong_reply", words, retryable=True, billed="yes")
    if isinstance(error, sdk.APIConnectionError):
        cause = error.__cause__ or error
        words = redact(f"{type(cause).__name__}: {cause}", secrets)
        return ModelError("connection", words, retryable=True, billed="maybe")
    if isinstance(error, sdk.APIError):  # an error object in the middle of a stream
        return ModelError("stream_error", words, retryable=True, billed="maybe")
    if type(error).__module__.partition(".")[0] == sdk.__name__:
        return ModelError("client", words)
    if isinstance(error, ValueError):  # a body that is no JSON, or is cut
        return ModelError("cut_reply", words, retryable=True, billed="yes")
    if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2"):
        return ModelError("connection", words, retryable=True, billed="maybe")
    return None


def _words(error: Any) -> str:
    """What the endpoint says about an error, from whatever body it sent."""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error") if isinstance(body.get("error"), dict) else body
    words = " ".join(str(inner.get(part) or "") for part in ("code", "type", "message")) if inner else ""
    if not words.strip():
        with contextlib.suppress(Exception):
            words = error.response.text
    return words


def error_of_status(status: int, words: str, retry_after: float | None) -> ModelError:
    """The error for an HTTP status: 408, 409, 425, 429 and 5xx may be tried again, nothing else; neither may an exhausted quota nor
    an overflow of the context."""
    if status in (400, 413, 422, 500) and _OVERFLOW.search(words):
        return ModelError("context_overflow", words)
    if status in (402, 403, 429) and _QUOTA.search(words):
        return ModelError("quota", words)
    retryable = status in _LATER or 500 <= status <= 599
    return ModelError(str(status), words, retryable=retryable, retry_after=retry_after if retryable else None)


def retry_after_seconds(value: str | None, *, now: datetime | None = None) -> float | None:
    """Seconds to wait from a ``Retry-After`` header, given in seconds or as a date; None where it says nothing usable."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except (TypeError, ValueError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
