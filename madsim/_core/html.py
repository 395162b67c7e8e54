"""Markup that cannot be broken by what it holds: every text is escaped, and characters that do not show are made to show."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

# Control characters, direction marks and overrides, zero-width and other format characters, tag characters, private use marks of
# line and paragraph, lone surrogates. Joiners (U+200C, U+200D) and variation selectors stay: scripts and emoji need them, and they
# neither hide nor reorder text. The page's own script holds the same table.
UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_UNSEEN = re.compile(f"[{UNSEEN}]")

_VOID = frozenset({"meta", "link", "input", "br", "hr"})


class Markup(str):
    """Text that is markup already and is not escaped again."""

    __slots__ = ()


def visible(text: str) -> str:
    """`text` with each character that would not show, or would reorder its neighbours, written as ``[U+202E]``.

    Examples
    --------
    >>> visible("safe\\u202egnp.exe")
    'safe[U+202E]gnp.exe'
    """
    return _UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """One element.

    Parameters
    ----------
    name
        of the element
    children
        markup as it is, other text escaped, lists flattened, None left out
    attributes
        ``class_`` and the like lose the underscore at the end, others become hyphens; None and False are left out, True is a bare name

    Examples
    --------
    >>> tag("p", "1 < 2 & ", tag("b", "so"), class_="note")
    '<p class="note">1 &lt; 2 &amp; <b>so</b></p>'
    """
    head = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{head}>")
    return Markup(f"<{head}>{join(children)}</{name}>")


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], *, caption: str) -> Markup:
    """A table; the first column names the rows.

    Examples
    --------
    >>> table(["round", "mean"], [[0, "0.7"]], caption="beliefs")[:40]
    '<table><caption>beliefs</caption><thead>'
    """
    return tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", [tag("th", one, scope="col") for one in head])),
        tag("tbody", [tag("tr", tag("th", row[0], scope="row"), [tag("td", one) for one in row[1:]]) for row in rows]),
    )


def join(children: Iterable[Any]) -> Markup:
    """Several children after each other, as :func:`tag` takes them."""
    return Markup("".join(_text(child) for child in children))


def _text(child: Any) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return html.escape(visible(child), quote=False)
    if isinstance(child, (int, float)):
        return html.escape(str(child))
    return join(child)


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    key = key.removesuffix("_").replace("_", "-")
    return f" {key}" if value is True else f' {key}="{html.escape(visible(str(value)))}"'


class Printed:
    """What prints well in a terminal is shown in a notebook as it prints."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return tag("pre", str(self))
