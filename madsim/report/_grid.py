"""Blocks beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from madsim._core.html import Markup, join, tag


def grid(blocks: Sequence[Markup]) -> Markup:
    """Blocks beside each other where there is room."""
    return tag("div", join(blocks), class_="grid" if len(blocks) > 1 else "grid alone")
