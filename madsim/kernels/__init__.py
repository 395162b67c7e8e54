"""Numba loops over arrays: no classes, no checks, no defaults. Import the module that holds the loop."""

from madsim.kernels._cache_folder import ensure_cache_folder

ensure_cache_folder()
