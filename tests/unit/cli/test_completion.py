"""The tab key: what a shell is told, and that nothing of it slows other starts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from madsim.cli import main
from madsim.cli._main import build_parser


def offered(line, tmp_path):
    """What the command line offers for `line` with the cursor at its end."""
    told = tmp_path / "told"
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(told),
        "_ARGCOMPLETE_IFS": "\n",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    subprocess.run([sys.executable, "-m", "madsim"], env=environment, timeout=60, check=True, cwd=tmp_path)
    return {one.strip() for one in told.read_text().split("\n")}


def test_every_command_is_offered(tmp_path):
    commands = next(action for action in build_parser()._actions if action.choices and action.dest != "help")
    assert set(commands.choices) <= offered("madsim ", tmp_path)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("madsim the", {"theory"}),
        ("madsim debate pl", {"plan"}),
        ("madsim theory debate --gr", {"--graph"}),
        ("madsim theory debate --ties ", {"random", "fail", "first"}),
        ("madsim completion ", {"bash", "zsh", "fish", "--help", "-h", "--json"}),
    ],
)
def test_beginnings_are_completed(line, expected, tmp_path):
    assert offered(line, tmp_path) == expected


def test_files_are_completed(tmp_path):
    (tmp_path / "run-of-today.jsonl").touch()
    assert "run-of-today.jsonl" in offered("madsim check run-", tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_names_the_command(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "madsim" in script
    assert "_ARGCOMPLETE" in script


def test_bash_completes_with_the_script(tmp_path):
    bash, command = shutil.which("bash"), Path(sys.executable).with_name("madsim")
    if bash is None or not command.exists():
        pytest.skip("needs bash, and the command madsim beside the interpreter")
    script = """eval "$(madsim completion bash)"
    COMP_LINE="madsim transcripts rev"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=($COMP_LINE); COMP_CWORD=2; COMP_TYPE=9
    _python_argcomplete madsim; echo "${COMPREPLY[@]}" """
    environment = {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [bash, "-c", script], capture_output=True, text=True, env=environment, timeout=60, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == ["revote"]


def test_help_does_not_load_it():
    script = """import sys
from madsim.cli import main
try:
    main(["--help"])
except SystemExit:
    assert "argcomplete" not in sys.modules"""
    subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=True)
