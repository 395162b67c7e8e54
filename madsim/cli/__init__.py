"""The command line: data on stdout, progress and warnings on stderr, one JSON object with ``--json``.

Exit codes: 0 fine, 1 a check contradicted (or a debate without any answer), 2 usage or bad input, 3 stopped by budget, 4 paused for a
human, 130 interrupted. Nothing heavy is imported before a command runs.
"""

from madsim.cli._main import main

__all__ = ["main"]
