"""Readers of layouts that others write; each gives a `Run` and counts in its notes what it could not use."""
