"""The page around the sections: one file, no outside request, and a policy that lets only its own style and script work."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib import resources

from madsim import __version__
from madsim._core.canonical import to_jsonable
from madsim._core.html import Markup, join, tag
from madsim.planning import Prices
from madsim.report import _sections as sections
from madsim.report._browser import browser
from madsim.report._controls import controls
from madsim.report._debates import data_scripts
from madsim.report._echo import echo
from madsim.report._equal_cost import equal_cost
from madsim.report._forecast import outlook, vote_or_debate
from madsim.report._martingale import martingale
from madsim.report._overview import overview
from madsim.report._summary import Summary


def page(summaries: Sequence[Summary], *, title: str, prices: Prices) -> Iterator[str]:
    """The page in pieces, in order."""
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src 'sha256-{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    yield "<!DOCTYPE html>\n"
    yield '<html lang="en">\n'
    yield tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(style)),
    )
    yield "\n<body>\n"
    parts = _parts(summaries, prices)
    yield tag("a", "Skip to the content", href="#overview", class_="skip")
    yield tag("header", tag("h1", title), tag("p", _lead(summaries), class_="lead"))
    yield tag(
        "nav", tag("ul", [tag("li", tag("a", words, href=f"#{key}")) for key, words, _ in parts]), aria_label="Sections"
    )
    yield "\n<main>\n"
    for key, words, content in parts:
        yield sections.section(key, words, content)
        yield "\n"
    yield "</main>\n"
    yield tag(
        "footer",
        tag("p", f"Written by madsim {__version__}. This page is complete in itself and asks nothing of any server."),
    )
    for data in data_scripts(summaries):
        yield "\n"
        yield data
    yield "\n"
    yield tag("script", Markup(script))
    yield "\n</body>\n</html>\n"


def _parts(summaries: Sequence[Summary], prices: Prices) -> list[tuple[str, str, Markup]]:
    looks = [outlook(one, equal_cost(one, summaries, prices)) for one in summaries]
    return [
        ("overview", "Overview", overview(summaries, looks)),
        ("vote-or-debate", "Vote or debate?", vote_or_debate(looks, prices)),
        ("drift-tests", "Martingale", martingale(summaries)),
        ("controls", "Controls", controls(summaries)),
        ("changes", "Who changed what", sections.changes(summaries)),
        ("unreadable", "Unreadable", sections.unreadable(summaries)),
        ("echo", "Echo chamber", echo(summaries)),
        ("spend", "Spend", sections.spending(summaries, looks)),
        ("debates-list", "Debates", browser(summaries)),
        ("sources", "Sources", _sources(summaries)),
    ]


def _lead(summaries: Sequence[Summary]) -> str:
    debates = sum(one.votes.n_samples for one in summaries)
    runs = "1 run" if len(summaries) == 1 else f"{len(summaries)} runs"
    return f"{runs}, {debates} debates. Every interval is over questions, at 95 %, unless it says otherwise."


def _sources(summaries: Sequence[Summary]) -> Markup:
    """Where each run came from, what was counted while reading it, and how it can be made again."""
    blocks = [tag("p", "Where each run came from, and what is needed to make it again.", class_="strong")]
    for one in summaries:
        known = {
            "protocol": one.votes.protocol,
            "early stopping": one.votes.early_stopping,
            "source": one.votes.source or None,
        }
        if one.run is not None:
            known |= {"source": one.run.source, "notes": one.run.notes, "provenance": one.run.provenance}
        plain = to_jsonable({name: value for name, value in known.items() if value not in (None, {})})
        text = json.dumps(plain, indent=1, ensure_ascii=False)
        blocks.append(tag("details", tag("summary", one.name), tag("pre", text)))
    return join(blocks)


def _asset(name: str) -> str:
    return resources.files("madsim.report").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
