"""Numba loops over arrays: no classes, no checks, no defaults. Import the module that holds the loop."""
