"""Parsing, and what becomes of errors."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from madsim import __version__
from madsim.cli import (
    _benchmark,
    _check,
    _completion,
    _debate,
    _demo,
    _fit,
    _forecast,
    _plot,
    _report,
    _simulate,
    _theory,
    _transcripts,
    _verify,
)

EXIT_OK, EXIT_CONTRADICTED, EXIT_USAGE, EXIT_BUDGET, EXIT_PAUSED, EXIT_INTERRUPTED = 0, 1, 2, 3, 4, 130

_GROUPS = (
    _demo,
    _theory,
    _simulate,
    _verify,
    _debate,
    _benchmark,
    _transcripts,
    _check,
    _fit,
    _forecast,
    _plot,
    _report,
    _completion,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = build_parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what could stand at the cursor
        import argcomplete

        argcomplete.autocomplete(parser)
    arguments = parser.parse_args(argv)
    if not hasattr(arguments, "handler"):
        arguments.parser.print_help(sys.stderr)
        return EXIT_USAGE
    try:
        code = arguments.handler(arguments)
        print(end="", flush=True)  # standard output is None where the caller closed it; print knows
    except KeyboardInterrupt:
        print("madsim: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away: not an error of ours. Keep the interpreter from complaining when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except (ValueError, TypeError, OSError, OverflowError, MemoryError, RecursionError) as error:
        print(f"madsim: error: {describe(error)}", file=sys.stderr)
        return EXIT_USAGE
    return code


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(prog="madsim", description="Is letting language models debate worth it?")
    parser.add_argument("--version", action="version", version=f"madsim {__version__}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for group in _GROUPS:
        group.add(commands)
    return parser


def describe(error: BaseException) -> str:
    """One line that a person can act on."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    if isinstance(error, MemoryError):
        return "not enough memory for a job of this size; ask for fewer agents, answers, rounds or trials"
    return str(error) or type(error).__name__
