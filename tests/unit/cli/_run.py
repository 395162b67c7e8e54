"""Running one command inside the test's process."""

import io
import json
import sys
from dataclasses import dataclass

from madsim.cli import main


@dataclass(frozen=True)
class Done:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON object on standard output."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self.out
        return json.loads(lines[0])


def run(capsys, *arguments, stdin=None):
    """Run ``madsim ARGUMENTS``; what argparse refuses is an exit code as well."""
    before = sys.stdin
    if stdin is not None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = stop.code
    finally:
        sys.stdin = before
    captured = capsys.readouterr()
    return Done(code=code, out=captured.out, err=captured.err)
