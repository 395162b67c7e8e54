"""What an HTTP status and its words mean for a retry."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from madsim.llm._errors import ModelError

_OVERFLOW = re.compile(
    r"(?i)context[ _-]?(?:length|window|size)|maximum context|too many (?:input )?tokens|prompt is too long"
    r"|exceeds? the (?:available )?context|input is too long|context_length_exceeded"
)
_QUOTA = re.compile(
    r"(?i)insufficient[ _]quota|exceeded your current quota|billing|credit balance|out of credits|quota exhausted"
)
_LATER = frozenset({408, 409, 425, 429})


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
