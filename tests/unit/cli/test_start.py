"""Start-up, help, and what becomes of errors."""

import os
import subprocess
import sys

import pytest

from madsim.cli import _main
from tests.unit.cli._run import run

HEAVY = ("numpy", "scipy", "numba", "jax", "matplotlib", "openai", "networkx", "sympy", "asyncio")


def test_help_imports_nothing_heavy():
    script = (
        "import sys\n"
        "from madsim.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.strip() == "[]"
    assert "transcripts" in done.stdout


def test_every_command_explains_itself(capsys):
    def leaves(parser, path):
        for action in parser._actions:
            if action.nargs == "A...":
                for name, child in action.choices.items():
                    yield from leaves(child, [*path, name])
                return
        yield path

    paths = list(leaves(_main.build_parser(), []))
    assert ["transcripts", "import"] in paths
    for path in paths:
        done = run(capsys, *path, "--help")
        assert done.code == 0
        assert done.out.startswith("usage: madsim")


def test_a_group_without_a_command_is_usage(capsys):
    for path in ([], ["transcripts"], ["debate"]):
        done = run(capsys, *path)
        assert (done.code, done.out) == (2, "")
        assert "usage" in done.err


def test_an_unknown_command_is_usage(capsys):
    assert run(capsys, "dance").code == 2


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ValueError("what to try"), 2, "madsim: error: what to try"),
        (TypeError("wrong kind"), 2, "madsim: error: wrong kind"),
        (FileNotFoundError(2, "No such file or directory", "x.json"), 2, "x.json: No such file"),
        (MemoryError("Unable to allocate"), 2, "not enough memory"),
        (OverflowError("too large a number"), 2, "madsim: error: too large a number"),
        (RecursionError("nested too deeply"), 2, "madsim: error: nested too deeply"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_are_one_line_without_a_traceback(capsys, monkeypatch, error, code, message):
    def fail(*_):
        raise error

    monkeypatch.setattr("madsim.cli._transcripts.load_run", fail)
    done = run(capsys, "transcripts", "show", "x")
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    record = tmp_path / "t.csv"
    rows = "".join(f"q{i},0,a,4,4\n" for i in range(20_000))
    record.write_text("sample,round,agent,answer,target\n" + rows, encoding="utf-8")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    program = f'"{sys.executable}" -c "import sys; from madsim.cli import main; sys.exit(main())"'
    command = f'{program} transcripts export "{record}" | head -n 1'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )
    assert done.stdout.startswith('"sample"')
    assert done.stderr.replace("20000 rows", "").strip() == ""
    assert done.returncode == 0


def test_a_closed_standard_output_is_no_error():
    program = f'"{sys.executable}" -c "import sys; from madsim.cli import main; sys.exit(main())" theory vote'
    done = subprocess.run(
        ["bash", "-c", f"{program} --belief .6 .4 --agents 3 >&-"],
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
