"""The sentence that a section begins with, for readers who look no further: one a run."""

from __future__ import annotations

from collections.abc import Iterable

from madsim._core.html import Markup, tag

_MOST = 8


def plain(said: Iterable[tuple[str, str]]) -> Markup | None:
    """A sentence by itself for one run, a list by name for several; past eight runs the tables must do."""
    found = list(said)
    if not found:
        return None
    if len(found) == 1:
        return tag("p", found[0][1], class_="strong")
    items = [tag("li", tag("b", name), f": {sentence}") for name, sentence in found[:_MOST]]
    if len(found) > _MOST:
        items.append(tag("li", f"and {len(found) - _MOST} more runs, in the tables below"))
    return tag("ul", items, class_="plain")
