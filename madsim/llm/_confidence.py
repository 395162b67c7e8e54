"""The confidence that a reply states about its own answer."""

from __future__ import annotations

import re

_LINE = re.compile(r"(?im)^[\s>*_#`-]*confidence[\s*_`]*[:=：][\s*_`]*(\d{1,3}(?:[.,]\d+)?)\s*(%|/\s*100?|percent)?")
REQUEST = "After that, add one line with how sure you are, from 0% to 100%, for example:\nConfidence: 60%"


def stated_confidence(text: str) -> float | None:
    """The last line ``Confidence: 80%`` of a reply as a number in [0, 1]; None where there is none.

    A bare number above 1 is read as a percentage, ``8/10`` as a fraction.
    """
    quoted_free = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    lines = list(_LINE.finditer(quoted_free))
    if not lines:
        return None
    found = lines[-1]
    value = float(found.group(1).replace(",", "."))
    unit = (found.group(2) or "").replace(" ", "")
    if unit in ("%", "percent", "/100"):
        value /= 100
    elif unit == "/10":
        value /= 10
    elif unit == "" and value > 1:
        value /= 100
    return value if 0 <= value <= 1 else None
