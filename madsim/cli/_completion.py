"""``madsim completion``: what a shell needs to complete commands and options with the tab key."""

from __future__ import annotations

import argparse
from typing import Any

from madsim.cli._output import add_command, emit

_SHELLS = ("bash", "zsh", "fish")
_USE = """to use it now:   eval "$(madsim completion bash)"        (fish: madsim completion fish | source)
to keep it:      add that line to ~/.bashrc or ~/.zshrc  (fish: madsim completion fish > ~/.config/fish/completions/madsim.fish)"""


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(commands, "completion", _completion, help="print the script that lets a shell complete madsim")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _USE
    parser.add_argument("shell", choices=_SHELLS, help="the shell")


def _completion(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    script = shellcode(["madsim"], shell=arguments.shell)
    emit(arguments, {"shell": arguments.shell, "script": script}, lambda: script)
    return 0
