"""The list of debates with its filters; the page's script fills it from the data of the page."""

from __future__ import annotations

from collections.abc import Sequence

from madsim._core.html import Markup, join, tag
from madsim.report._summary import FLAGS, Summary

_FILTERS = {
    "wrong": "wrong at the end",
    "changed": "an agent changed",
    "unparsed": "unparsed",
    "disagreement": "disagreement at the end",
    "corrected": "vote corrected",
    "collapsed": "vote collapsed",
}


def browser(summaries: Sequence[Summary]) -> Markup:
    """The list of debates with its filters; the page's script fills it."""
    boxes = [
        tag("label", tag("input", type="checkbox", value=name), f" {_FILTERS[name]} ", tag("span", class_="n"))
        for name in FLAGS
    ]
    menu = [tag("option", "all", value="-1"), *(tag("option", one.name, value=n) for n, one in enumerate(summaries))]
    filters = tag(
        "form",
        tag("fieldset", tag("legend", "Show only debates with all of"), tag("div", join(boxes), class_="chips")),
        tag("label", "Run ", tag("select", join(menu), id="run"), class_="field") if len(summaries) > 1 else None,
        tag("label", "Search id and start of the question ", tag("input", type="search", id="find"), class_="field"),
        id="filters",
        class_="filters",
        role="search",
        aria_label="Filter debates",
        autocomplete="off",
    )
    rows = tag("div", id="rows", role="presentation")
    return join(
        [
            tag(
                "noscript",
                tag(
                    "p", "The list of debates needs scripts, which this browser does not run; all above works without."
                ),
            ),
            tag(
                "p",
                "Choose a debate to read every reply, with the answer marked that was read out of it.",
                class_="strong",
            ),
            filters,
            tag("p", id="found", role="status", class_="soft"),
            tag(
                "div",
                tag("div", rows, id="list", role="listbox", tabindex="0", aria_label="Debates; arrow keys move"),
                tag("article", id="debate", aria_label="The chosen debate"),
                class_="browser",
            ),
        ]
    )
