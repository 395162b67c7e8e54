"""Sphinx configuration: every cell is executed, every warning is an error."""

from __future__ import annotations

import os
from importlib import metadata

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

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
