import subprocess
import sys

import pytest

import madsim


def loaded_by(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    return set(done.stdout.split())


def test_importing_madsim_loads_no_numerics():
    assert not loaded_by("import madsim") & {"numpy", "scipy", "numba", "jax", "matplotlib", "openai"}


def test_answers_need_no_numerics_and_no_client():
    heavy = {"sympy", "numba", "jax", "openai", "matplotlib", "scipy"}
    assert not loaded_by("import madsim.answers") & heavy


def test_transcripts_need_neither_numba_nor_jax():
    assert not loaded_by("import madsim.transcripts") & {"numba", "jax", "openai", "matplotlib"}


@pytest.mark.parametrize("name", madsim.__all__)
def test_every_listed_name_resolves(name):
    assert getattr(madsim, name) is not None


def test_an_unknown_name_tells_what_there_is():
    with pytest.raises(AttributeError, match="its packages are answers"):
        _ = madsim.debate
