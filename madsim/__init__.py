"""madsim tells whether letting language models debate is worth it.

Simulate debates, swarms and learners; run real debates of language models; check theory against both; and forecast vote against
debate at equal cost. The packages load on first use, so that ``import madsim`` costs almost nothing.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_PACKAGES = (
    "answers",
    "fit",
    "graphs",
    "llm",
    "models",
    "planning",
    "plot",
    "protocols",
    "report",
    "simulate",
    "tasks",
    "theory",
    "transcripts",
    "verify",
)

__all__ = ["__version__", *_PACKAGES]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"madsim.{name}")
    raise AttributeError(f"module 'madsim' has no attribute {name!r}; its packages are {', '.join(_PACKAGES)}")


def __dir__() -> list[str]:
    return sorted(__all__)
