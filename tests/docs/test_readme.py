"""What the README shows is what happens."""

import re
import runpy
from pathlib import Path

import pytest

from madsim.cli import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_runs_and_prints_what_its_comments_say(code, capsys, tmp_path):
    script = tmp_path / "readme.py"
    script.write_text(code, encoding="utf-8")
    runpy.run_path(str(script))
    printed = capsys.readouterr().out
    for comment in re.findall(r"#((?: \.\d+)+)", code):
        for number in comment.split():
            assert number in printed.replace("0.", ".")


@pytest.mark.parametrize("block", [block for block in blocks("") if block.startswith("$ madsim")])
def test_commands_print_what_is_shown(block, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    command, *shown = block.splitlines()
    assert main(command.removeprefix("$ madsim ").split()) in (0, 1)
    printed = capsys.readouterr().out.splitlines()
    for line in shown:
        assert line in printed


@pytest.mark.parametrize("name", ["demo", "test"])
def test_each_of_the_two_commands_stands_behind_its_mark(name):
    after = README.split(f"<!-- {name} -->\n", 1)[1].splitlines()
    assert after[0] == "```"
    assert after[1].startswith("python3 -m venv .venv && ")


def test_commands_named_in_the_table_exist(capsys):
    for command in set(re.findall(r"`madsim ([a-z]+(?: [a-z]+)?)", README)):
        with pytest.raises(SystemExit) as stopped:
            main([*command.split(), "--help"])
        assert stopped.value.code == 0
    capsys.readouterr()


def test_linked_files_exist():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert all((ROOT / link).exists() for link in links)
