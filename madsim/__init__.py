"""madsim tells whether letting language models debate is worth it.

Simulate debates, swarms and learners; run real debates of language models; check theory against both; and forecast vote against
debate at equal cost. The packages load on first use, so that ``import madsim`` costs almost nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from madsim import (
        answers,
        evaluate,
        fit,
        graphs,
        llm,
        models,
        planning,
        plot,
        protocols,
        report,
        simulate,
        tasks,
        theory,
        transcripts,
        verify,
    )

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "answers",
    "evaluate",
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
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"madsim.{name}")
    raise AttributeError(f"module 'madsim' has no attribute {name!r}; its packages are {', '.join(__all__[1:])}")


def __dir__() -> list[str]:
    return sorted(__all__)
