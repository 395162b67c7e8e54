"""Blocks beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from madsim._core.html import Markup, join, tag


def grid(blocks: Sequence[Markup]) -> Markup:
    """Blocks beside each other where there is room: up to four in pairs, more by as many as fit."""
    css = {1: "grid alone", 2: "grid pairs", 3: "grid pairs", 4: "grid pairs"}.get(len(blocks), "grid")
    return tag("div", join(blocks), class_=css)
