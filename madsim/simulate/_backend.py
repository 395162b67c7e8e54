"""What computes: kernels on the processors, or JAX on the device that it finds."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Backend: TypeAlias = Literal["numba", "jax"]


def check_backend(backend: str, method: str) -> None:
    """Refuse an unknown backend, and a choice among the kernels with the one that has none."""
    if backend not in get_args(Backend):
        raise ValueError(f"backend must be one of {', '.join(get_args(Backend))}, got {backend!r}")
    if backend == "jax" and method != "auto":
        raise ValueError(
            f"method={method!r} chooses among the kernels of backend='numba'; leave it out with backend='jax'"
        )
