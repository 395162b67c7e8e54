"""``madsim plot`` and ``madsim report``: on transcripts and on simulations alike."""

import pytest

from tests.unit.cli._run import run

TABLE = "sample,round,agent,answer,target\n" + "".join(
    f"q{q},{t},a{a},{4 if (q + t * a) % 3 else 5},4\n" for q in range(12) for t in range(3) for a in range(3)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def simulation(tmp_path_factory):
    from madsim.models import DebateModel
    from madsim.simulate import simulate_debate

    folder = tmp_path_factory.mktemp("simulated")
    model = DebateModel.homogeneous(n_agents=3, belief=0.6)
    for keep in ("votes", "summary"):
        simulate_debate(model, n_trials=200, n_rounds=2, rng=1, keep=keep).save(folder / f"{keep}.npz")
    return folder


@pytest.mark.parametrize("kind", ["scores", "disagreement", "flips", "unparsed", "accuracy", "vote"])
def test_every_kind_of_figure_of_a_run(capsys, table, tmp_path, kind):
    done = run(capsys, "plot", table, "--kind", kind, "--out", tmp_path / "f.svg", "--json")
    assert (done.code, done.json["kind"]) == (0, kind)
    assert (tmp_path / "f.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("drift", ()),
        ("bets", ()),
        ("profile", ("--parameter", "correction")),
        ("forecast", ()),
        ("forecast", ("--option", "vote:3", "--option", "debate:3x1")),
        ("calibration", ()),
    ],
)
def test_studies_of_a_run(capsys, simulation, tmp_path, kind, options):
    done = run(
        capsys, "plot", simulation / "votes.npz", "--kind", kind, *options, "--out", tmp_path / "f.svg", "--json"
    )
    assert (done.code, done.json["kind"]) == (0, kind)
    assert (tmp_path / "f.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_beliefs_of_a_simulation_and_several_runs_together(capsys, table, simulation, tmp_path):
    votes = simulation / "votes.npz"
    assert run(capsys, "plot", simulation / "summary.npz", "--kind", "beliefs", "--out", tmp_path / "b.png").code == 0
    assert run(capsys, "plot", votes, table, "--kind", "vote", "--out", tmp_path / "v.png").code == 0
    assert run(capsys, "plot", votes, "--out", tmp_path / "s.pdf").code == 0


def test_what_cannot_be_drawn_is_said(capsys, table, simulation, tmp_path):
    for arguments, message in (
        ([table, "--kind", "beliefs", "--out", tmp_path / "x.png"], "only simulations have beliefs"),
        ([simulation / "summary.npz", "--out", tmp_path / "x.png"], "simulate again with --votes"),
        ([table, table, "--kind", "flips", "--out", tmp_path / "x.png"], "draws one file, got 2"),
        ([table, "--out", tmp_path / "x.gif"], "written as one of .png, .svg, .pdf"),
        ([table, "--out", table], "exists"),
        ([table, "--option", "vote:3", "--out", tmp_path / "x.png"], "--option belongs to --kind forecast"),
        ([table, "--kind", "bets", "--parameter", "mass", "--out", tmp_path / "x.png"], "--parameter belongs to"),
        ([tmp_path / "absent", "--out", tmp_path / "x.png"], "no such file"),
    ):
        done = run(capsys, "plot", *arguments)
        assert done.code == 2
        assert message in done.err
    assert not (tmp_path / "x.png").exists()


def test_a_report_of_several_runs(capsys, table, simulation, tmp_path):
    page = tmp_path / "r.html"
    done = run(capsys, "report", table, simulation / "votes.npz", "--title", "Two <runs>", "--out", page, "--json")
    assert done.code == 0
    assert done.json["runs"] == ["t", "votes"]
    text = page.read_text(encoding="utf-8")
    assert "Two &lt;runs&gt;" in text
    assert "<runs>" not in text
    other = tmp_path / "share.html"
    assert run(capsys, "report", table, "--null", "share", "--delta", 0.2, "--out", other).code == 0
    assert "0.2" in other.read_text(encoding="utf-8")
    for arguments, message in (
        ([table, "--delta", 2, "--out", tmp_path / "x"], "delta"),
        ([table, "--out", page], "exists"),
        ([table, table, "--out", tmp_path / "x"], "named twice"),
    ):
        refused = run(capsys, "report", *arguments)
        assert refused.code == 2
        assert message in refused.err
