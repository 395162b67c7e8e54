"""Numbers in runs whose targets were stored rounded: answers must be rounded alike before they are compared."""

from __future__ import annotations

import math


def rounded(answer: str | None, decimals: int) -> str | None:
    """The number rounded as Python's `round` does on floats (half to even on the binary value); anything else unchanged."""
    if answer is None:
        return None
    try:
        value = float(answer)
    except ValueError:
        return answer
    return repr(round(value, decimals)) if math.isfinite(value) else answer
