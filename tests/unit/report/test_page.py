"""The page as a file: complete in itself, well formed, and deaf to what models write."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from madsim import graphs
from madsim.models import DebateModel
from madsim.protocols import Convergence, Protocol, Visibility
from madsim.report import write_report
from madsim.report._debates import CHUNK
from madsim.report._exact import exact_scores
from madsim.simulate import simulate_debate
from madsim.transcripts import Reply, Run, Transcript
from tests.unit.plot._votes import drawn, votes_from
from tests.unit.report._runs import HOSTILE, hostile_run, plain_run, run_of_answers

VOID = {"meta", "link", "input"}


class Page(HTMLParser):
    """Elements, ids, and whether every element is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.scripts, self.styles, self.data = [], [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "style":
            self.styles.append(data)
        if self.open and self.open[-1][0] == "script":
            attributes = self.open[-1][1]
            if attributes.get("type") == "application/json":
                self.data[attributes["id"]] = json.loads(data)
            else:
                self.scripts.append(data)

    def attributes(self, name):
        return [attributes[name] for _, attributes in self.elements if name in attributes]


@pytest.fixture
def page_of(tmp_path):
    def write(runs, **options):
        path = write_report(runs, tmp_path / "report.html", **options)
        return Page(path.read_text(encoding="utf-8"))

    return write


def several():
    return {
        "plain": plain_run(),
        "votes": drawn(n_agents=5),
        "one round": votes_from([[[0, 1]], [[1, 1]]]),
        "no target": votes_from([[[1, 2], [2, 2]]], has_target=[False]),
        "one agent": votes_from([[[0], [1]]]),
        "hostile": hostile_run(),
    }


def test_every_kind_of_run_gives_a_well_formed_page(page_of):
    page = page_of(several())
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    referred = {
        one
        for name in ("aria-labelledby", "aria-describedby", "for")
        for value in page.attributes(name)
        for one in value.split()
    }
    assert referred <= set(ids)
    assert {link.removeprefix("#") for tag, a in page.elements if tag == "a" for link in [a["href"]]} <= set(ids)


def test_the_page_asks_nothing_of_any_server(page_of):
    page = page_of(several())
    assert set(page.attributes("href")) <= {"data:,", *(f"#{one}" for one in page.attributes("id"))}
    assert page.attributes("src") in ([], None)
    assert not [
        name for _, attributes in page.elements for name in attributes if name.startswith("on") or name == "style"
    ]
    assert "url(" not in page.styles[0]
    assert "@import" not in page.styles[0]


def test_the_policy_lets_only_the_pages_own_style_and_script_work(page_of):
    page = page_of(hostile_run())
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for directive, texts in (("style-src", page.styles), ("script-src", page.scripts)):
        assert len(texts) == 1
        digest = base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy


def test_hostile_text_adds_no_element_and_is_kept(page_of):
    page = page_of({HOSTILE: hostile_run()}, title=HOSTILE)
    assert not [tag for tag, _ in page.elements if tag in {"img", "b", "iframe", "object"}]
    assert len(page.scripts) == 1
    detail = page.data["debates-0-0"][0]
    assert detail["question"] == HOSTILE
    assert page.data["debates"]["runs"][0]["agents"][0] == HOSTILE
    parts = detail["replies"][0][4]
    assert "".join(parts) == f"{HOSTILE}Final answer: 1\nThat is all."
    assert parts[1] == "1"


def test_invisible_characters_are_shown_in_the_markup(tmp_path):
    text = write_report({HOSTILE: hostile_run()}, tmp_path / "r.html").read_text(encoding="utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]", text)
    assert "[U+202E]evil[U+2066]" in text


def test_the_script_shows_the_same_characters_as_the_markup(page_of):
    pattern = re.search(r"UNSEEN = /(\[.*?\])/gu", page_of(drawn()).scripts[0])
    assert pattern is not None
    in_script = re.sub(r"\\u\{([0-9a-f]+)\}", lambda m: f"\\U{int(m[1], 16):08x}", pattern[1])
    from madsim._core.html import UNSEEN

    ours, theirs = re.compile(f"[{UNSEEN}]"), re.compile(in_script)
    different = [code for code in range(0x110000) if bool(ours.match(chr(code))) != bool(theirs.match(chr(code)))]
    assert different == []


def test_every_debate_is_in_the_data_once_and_in_order(page_of):
    votes = drawn(n_questions=2 * CHUNK + 7)
    page = page_of([plain_run(3), votes])
    index = page.data["debates"]
    assert index["chunk"] == CHUNK
    assert [entry[2] for entry in index["debates"]] == ["q0", "q1", "q2", *votes.samples]
    cells = [detail["answers"] for part in range(3) for detail in page.data[f"debates-1-{part}"]]
    assert cells == votes.answers.tolist()


def test_cells_say_why_there_is_no_answer(page_of):
    page = page_of(run_of_answers([[["1", None, "5"], ["5", "1", "1"]]]))
    assert page.data["debates-0-0"][0]["answers"] == [[0, "unparsed", 1], [1, 0, 0]]


def test_without_a_target_answers_are_numbered_from_one(page_of):
    page = page_of(votes_from([[[1, 0], [0, 0]]], has_target=[False]))
    assert page.data["debates-0-0"][0]["answers"] == [[2, 1], [1, 1]]


def text_of(path):
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", path.read_text(encoding="utf-8")))


def test_the_sentences_say_what_the_numbers_say(tmp_path):
    better = votes_from([[[1, 1, 1], [0, 0, 0]]] * 30 + [[[0, 0, 0], [0, 0, 0]]] * 10)
    text = text_of(write_report(better, tmp_path / "r.html"))
    assert "The vote of 3 went from 25.0 % to 100.0 %: +75.0 points (95 % interval +61.4 to +88.6), above" in text
    worse = votes_from([[[0, 0, 0], [1, 1, 1]]] * 30 + [[[0, 0, 0], [0, 0, 0]]] * 10)
    assert "below the vote before the debate" in text_of(write_report(worse, tmp_path / "r.html"))
    flat = votes_from([[[0, 0, 0], [0, 1, 1]]] * 3 + [[[0, 1, 1], [0, 0, 0]]] * 4 + [[[0, 0, 0]] * 2] * 9)
    assert "do not tell from no change" in text_of(write_report(flat, tmp_path / "r.html"))


def test_one_round_is_not_called_a_debate(tmp_path):
    text = text_of(write_report(votes_from([[[0, 1]], [[1, 1]]]), tmp_path / "r.html"))
    assert "nothing was debated" in text


def test_all_shapes_of_a_chart_lie_inside_it(page_of):
    page = page_of({"a": drawn(), "b": votes_from([[[0, 0], [0, 0], [0, 0]]] * 4), "c": plain_run(4)})
    for tag, attributes in page.elements:
        if tag in {"circle", "line", "rect", "text"} and "class" in attributes:
            places = [
                float(attributes[name]) for name in ("cx", "cy", "x", "y", "x1", "x2", "y1", "y2") if name in attributes
            ]
            assert all(-1 <= place <= 441 for place in places)
            assert not any(np.isnan(places))


def test_runs_get_names_of_their_own(page_of):
    page = page_of([plain_run(2), plain_run(2, seed=1), drawn(n_questions=2)])
    assert [run["name"] for run in page.data["debates"]["runs"]] == [
        "runs/plain.jsonl",
        "runs/plain.jsonl (2)",
        "run 3",
    ]


@pytest.mark.parametrize(
    ("runs", "error", "words"),
    [
        ([], ValueError, "1 to 50 runs, got 0"),
        ("run.jsonl", TypeError, "got str"),
        (["run.jsonl"], TypeError, "read_run"),
        ({"a": 3}, TypeError, "read_run"),
        (3, TypeError, "got int"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, runs, error, words):
    with pytest.raises(error, match=words):
        write_report(runs, tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_more_debates_than_a_browser_lists_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("madsim.report._write._MOST_DEBATES", 5)
    write_report(drawn(n_questions=5), tmp_path / "r.html")
    with pytest.raises(ValueError, match="up to 5 debates, got 6"):
        write_report(drawn(n_questions=6), tmp_path / "r.html")


def test_following_the_majority_is_counted(tmp_path):
    # In both debates one agent hears two equal answers that differ from its own; one follows. Two of the two heard hold the
    # answer, so in proportion (own answer included) it would follow two times in three.
    votes = votes_from([[[0, 0, 1], [0, 0, 0]], [[1, 1, 0], [1, 1, 0]]])
    text = text_of(write_report(votes, tmp_path / "r.html"))
    assert "2 50.0 % 66.7 %" in text


@pytest.mark.parametrize("protocol", [{}, {"type": "Protocol"}, {"rounds": "x"}, {"visibility": {"type": "Nothing"}}])
def test_a_protocol_that_cannot_be_read_costs_only_what_needs_it(tmp_path, protocol):
    votes = replace(drawn(n_questions=8), protocol=protocol)
    text = text_of(write_report(votes, tmp_path / "r.html"))
    assert "– – –" in text


def test_simulated_debates_stand_beside_their_exact_values(tmp_path):
    model = DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0, protocol=Protocol(rounds=2))
    result = simulate_debate(model, n_trials=50, rng=1, keep="votes")
    path = write_report(result, tmp_path / "r.html")
    text = text_of(path)
    assert "50 simulated debates" in text
    assert "70.00 % 83.69 %" in text
    assert "70.00 % 79.23 %" in text
    assert (
        len(re.findall('<path d="[^"]*" class="exact">', path.read_text(encoding="utf-8"))) == 5
    )  # three lines, two legends
    with pytest.raises(ValueError, match="keep='votes'"):
        write_report(simulate_debate(model, n_trials=5, rng=1), tmp_path / "r.html")


def test_a_debate_that_stops_early_has_no_exact_values():
    model = DebateModel.homogeneous(protocol=Protocol(rounds=2, convergence=Convergence()))
    assert exact_scores(model, 2) == {}


def test_a_model_without_exact_votes_keeps_the_exact_values_it_has():
    protocol = Protocol(rounds=3, visibility=Visibility(graph=graphs.ring(60)))
    many = DebateModel(concentration=np.random.default_rng(2).random((60, 3)) + 0.5, protocol=protocol)
    assert exact_scores(many, 3).keys() == {"accuracy", "disagreement"}


def test_unreadable_replies_are_counted_by_round_and_reason(tmp_path):
    run = run_of_answers([[["1", None, "1"], ["1", None, None]]] * 2)
    text = text_of(write_report(run, tmp_path / "r.html"))
    assert "plain.jsonl 33.3 % 66.7 %" in text
    assert "none the reply holds no answer of the asked type 6" in text


def test_every_row_of_a_table_has_a_cell_for_every_column(tmp_path):
    text = write_report(several(), tmp_path / "r.html", anytime=True).read_text(encoding="utf-8")
    tables = re.findall("<table.*?</table>", text, re.S)
    assert len(tables) > 20
    for one in tables:
        widths = {len(re.findall("<t[hd]", row)) for row in re.findall("<tr>.*?</tr>", one, re.S)}
        assert len(widths) == 1, one[:300]


def test_calls_are_counted_as_they_were_made(tmp_path):
    short = run_of_answers([[["1", "1"]], [["1", "2"], ["1", "1"]]], agents=("A", "B"))
    text = text_of(write_report(replace(short, early_stopping=True), tmp_path / "r.html"))
    assert "vote of round 1 3 100.0 %" in text


def test_rare_reasons_are_summed_up(tmp_path):
    reply = [Reply(round=0, agent=0, text="x", reason=f"odd {number}") for number in range(25)]
    sample = plain_run(1).transcripts[0].sample
    run = Run(
        agents=("A",),
        transcripts=tuple(Transcript(sample=sample, epoch=n, replies=(one,)) for n, one in enumerate(reply)),
    )
    assert "other reasons – 5" in text_of(write_report(run, tmp_path / "r.html"))
