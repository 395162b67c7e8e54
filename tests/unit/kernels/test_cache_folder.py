"""Where compiled kernels are kept, and that a new version never runs the code of an old one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import madsim

SCRIPT = """
import numpy as np
from madsim.kernels.streams import seed_lanes
lanes = [np.zeros(2, np.uint32) for _ in range(4)]
seed_lanes(np.array([1, 2], np.uint64), 0, *lanes)
print(seed_lanes.stats.cache_path)
print(sum(seed_lanes.stats.cache_hits.values()), *(lane.tolist() for lane in lanes))
"""


@pytest.fixture
def copy(tmp_path):
    """The package as if it were installed afresh."""
    shutil.copytree(
        Path(madsim.__file__).parent, tmp_path / "site" / "madsim", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path / "site" / "madsim"


def run(copy, home):
    """Folder of the compiled code, whether it was found there, and what the kernel gave."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "PYTHONPATH": str(copy.parent)}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment, cwd=copy.parent
    )
    folder, line = done.stdout.splitlines()
    hits, _, numbers = line.partition(" ")
    return Path(folder), hits == "1", numbers


def forbid(folder):
    """Make it impossible to write into a folder, for root too: a file stands in its place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("")


def test_compiled_kernels_stand_beside_their_source(copy, tmp_path):
    folder, found, first = run(copy, tmp_path / "home")
    assert folder == copy / "kernels" / "__pycache__"
    assert not found
    assert run(copy, tmp_path / "home") == (folder, True, first)
    streams = copy / "kernels" / "streams.py"
    changed = streams.read_text().replace(
        "state[0] = np.uint32(first)\n", "state[0] = np.uint32(first) ^ np.uint32(1)\n"
    )
    assert changed != streams.read_text()
    streams.write_text(changed)  # a new version is installed over the old one, whose compiled code is still there
    _, found, second = run(copy, tmp_path / "home")
    assert not found
    assert second != first


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache folder is set with XDG_CACHE_HOME")
def test_a_read_only_install_compiles_into_the_users_folder(copy, tmp_path):
    forbid(copy / "kernels" / "__pycache__")
    folder, found, first = run(copy, tmp_path / "home")
    assert folder.is_relative_to(tmp_path / "home" / ".cache" / "numba")
    assert not found
    assert run(copy, tmp_path / "home") == (folder, True, first)


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache folder is set with XDG_CACHE_HOME")
def test_where_nothing_can_be_written_kernels_are_compiled_for_the_process(copy, tmp_path):
    forbid(copy / "kernels" / "__pycache__")
    forbid(tmp_path / "home")
    folder, found, _ = run(copy, tmp_path / "home")
    assert not found
    assert not folder.is_relative_to(tmp_path)
    assert not folder.exists()  # it was the process's own, and went with it
