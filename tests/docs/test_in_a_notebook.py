"""In a real Jupyter kernel, where an event loop runs already: debates run, and results show themselves as tables."""

import nbformat
import pytest
from nbclient import NotebookClient

DEBATE = """
from madsim import llm
from madsim.models import DebateModel
from madsim.protocols import Protocol
from madsim.tasks import Sample
from madsim.transcripts import votes_of
from madsim.verify import check

questions = [Sample(id=f"q{i}", question=f"{i} + {i}?", target=str(2 * i), answer_type="number") for i in range(30)]
model = llm.SimulatedModel(DebateModel.homogeneous(n_agents=3, belief=0.7), rng=1)
run = llm.run_debates(Protocol(rounds=1), llm.identical(model, 3), questions, rng=1)
run
"""
CELLS = [
    DEBATE,
    "votes_of(run)",
    "check(votes_of(run))",
    "(await llm.run_debates_async(Protocol(rounds=1), llm.identical(model, 3), questions, rng=1))",
]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [cell.outputs[-1]["data"] for cell in notebook.cells]


@pytest.mark.parametrize("cell", range(len(CELLS)))
def test_results_show_as_tables(played, cell):
    assert played[cell]["text/html"].startswith("<table><caption>")


def test_both_doors_give_the_same_debates(played):
    assert played[0]["text/html"] == played[3]["text/html"]
    assert "Run: 30 debates of Debater 1, Debater 2, Debater 3" in played[0]["text/html"]
