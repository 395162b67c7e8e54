"""Sphinx configuration: every cell is executed, every warning is an error."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))
from _usage import usage  # noqa: E402 (stands beside this file)

os.environ.setdefault("MPLBACKEND", "Agg")

project = "madsim"
author = "The madsim authors"
copyright = "2026, The madsim authors"
release = metadata.version("madsim")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
]
exclude_patterns = ["_build", "generated", "**/.ipynb_checkpoints"]

html_theme = "furo"
html_title = "madsim"
html_static_path = ["_static"]
html_css_files = ["results.css"]

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

# Words in the types of results (a shape, say) are not references; Sphinx warns where two objects have such a name.
suppress_warnings = ["ref.python"]
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True


def _plain_items(app, what, name, obj, options, lines):
    """Let ``name : text`` in lists of parameters and attributes be text, not a type whose words become links.

    A paragraph after such a list stands for itself: two blank lines end the list for napoleon.
    """
    section, result = "", []
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if following.strip() and set(following.strip()) == {"-"}:
            section = line.strip()
        head, colon, text = line.partition(" : ")
        in_list = section in ("Parameters", "Attributes") and line[:1].strip() and not set(line) <= {"-"}
        if in_list and colon:
            result += [head, f"    {text}"]
            continue
        if in_list and result and not result[-1].strip() and not following.startswith(" ") and line.strip() != section:
            section = ""
            result.append("")
        result.append(line)
    lines[:] = result


USED_ON = usage(DOCS)


def _links_to_examples(app, what, name, obj, options, lines):
    """Name the pages whose cells use a public name, at the end of its docstring."""
    pages = USED_ON.get(name.removeprefix("madsim."), [])
    if pages:
        links = ", ".join(f":doc:`/{page}`" for page in pages)
        lines += ["", f"*At work in* {links}", ""]


def setup(app):
    """Register the hooks, that for lists ahead of napoleon, that for links behind it."""
    app.connect("autodoc-process-docstring", _plain_items, priority=400)
    app.connect("autodoc-process-docstring", _links_to_examples, priority=900)
