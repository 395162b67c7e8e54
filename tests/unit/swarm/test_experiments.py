"""The experiments on swarms run, in small, and leave a picture and numbers."""

import importlib
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "experiments"
SMALL = {
    "swarm_side_by_side": {"EVENTS": 200, "TRIALS": 300, "SHOWN": (0, 100, 200), "EXACT_BEST": (0.25, 0.3, 0.4)},
    "swarm_echo_chamber": {"EVENTS": 100, "TRIALS": 5, "SIZES": (4, 8)},
    "swarm_simplex": {"ROUNDS": 2, "PATHS": 2},
    "swarm_published": {"SIZES": (10,), "BATCHES": (10, 20, 30), "HEARD": (2,), "GROUPS": (2,), "RATES": (0.05,),
                        "PUBLISHED_RATES": (46.1,), "PUBLISHED": {"sizes": (30,)}, "AGENT_TRIALS": 200},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::madsim.simulate.SharedDrawsWarning")
@pytest.mark.parametrize("name", SMALL)
def test_runs(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module(name)
    for setting, value in SMALL[name].items():
        assert hasattr(module, setting)
        monkeypatch.setattr(module, setting, value)
    module.main(tmp_path)
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    record = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert record["numbers"]
    assert record["provenance"]["command"] == f"experiments/{name}.py"
    assert f"`{name}.py`" in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert (FOLDER / "pictures" / f"{name}.png").exists()
