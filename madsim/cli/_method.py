"""How simulations are computed: ``--method`` and ``--backend``."""

from __future__ import annotations

import argparse
from typing import Any


def method_options(*methods: str) -> argparse.ArgumentParser:
    """The choice among the kernels, and of what computes at all."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--method",
        choices=("auto", *methods),
        default="auto",
        help="which kernel runs (default auto: the fastest exact one; the output says which and why)",
    )
    options.add_argument(
        "--backend",
        choices=("numba", "jax"),
        default="numba",
        help="what computes: numba on the processors (default), or jax in batches, on an accelerator if there is one",
    )
    return options


def chosen(arguments: argparse.Namespace) -> dict[str, Any]:
    """The two choices as the verbs take them.

    Raises
    ------
    ValueError
        If JAX is asked for together with an executor, a folder of blocks or a grid, which run kernels.
    """
    if arguments.backend == "jax":
        apart = [name for name in ("partial", "sweep") if getattr(arguments, name, None)]
        apart += ["executor"] if arguments.executor != "threads" else []
        if apart:
            raise ValueError(f"--backend jax runs in one process; it does not go with --{apart[0]}")
    return {"method": arguments.method, "backend": arguments.backend}
