"""How results leave a command: a readable table, or one JSON object; and how long work shows that it lives."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from madsim._core.canonical import to_jsonable


def common_options() -> argparse.ArgumentParser:
    """The options that every command has."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    return options


def rng_option() -> argparse.ArgumentParser:
    """The option of every command that draws."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--rng", type=int, metavar="INT", help="seed (default: fresh entropy; the seed really used is recorded)"
    )
    return options


def add_command(
    commands: Any, name: str, handler: Callable[[argparse.Namespace], int], *, help: str, parents: Iterable[Any] = ()
) -> Any:
    """One command with its handler; returns its parser."""
    parser = commands.add_parser(
        name, help=help, description=help[0].upper() + help[1:] + ".", parents=[common_options(), *parents]
    )
    parser.set_defaults(handler=handler, parser=parser)
    return parser


def add_group(commands: Any, name: str, *, help: str) -> Any:
    """A command that only has sub-commands; returns what they are added to."""
    parser = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
    parser.set_defaults(parser=parser)
    return parser.add_subparsers(title="commands", metavar="COMMAND")


def emit(arguments: argparse.Namespace, payload: dict[str, Any], readable: Callable[[], str]) -> None:
    """Print `payload` as one JSON object under ``--json``, else the readable form."""
    if arguments.json:
        print(json.dumps(to_jsonable(payload), ensure_ascii=False, allow_nan=False))
    else:
        print(readable())


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Aligned columns: text to the left, numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    numeric = [bool(cells) and all(_is_numeric(row[i]) for row in cells) for i in range(len(headers))]
    widths = [
        max(len(header), *(len(row[i]) for row in cells)) if cells else len(header) for i, header in enumerate(headers)
    ]

    def line(row: Sequence[str]) -> str:
        return "  ".join(
            value.rjust(width) if right else value.ljust(width)
            for value, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()

    return "\n".join([line(list(headers)), line(["-" * width for width in widths]), *(line(row) for row in cells)])


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value)


def _is_numeric(text: str) -> bool:
    return text == "-" or text.lstrip("-+").replace(".", "", 1).replace("%", "", 1).isdigit()


def note(message: str) -> None:
    """A line for people, beside the data."""
    print(message, file=sys.stderr, flush=True)


class Progress:
    """Counts on stderr, silent for the first two seconds: a line that renews itself on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._terminal = sys.stderr.isatty()
        self._started = time.monotonic()
        self._next = self._started + 2.0
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (0.2 if self._terminal else 10.0)
        self._shown = True
        share = done / total if total else 1.0
        left = (now - self._started) * (1 - share) / share if share else 0.0
        text = f"{self._label}: {done:,} of {total:,} ({share:.0%}), about {left:.0f} s left"
        print(
            f"\r\x1b[K{text}" if self._terminal else text,
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def close(self) -> None:
        """Clear the line."""
        if self._shown and self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
