"""Layouts that others write, with their traps."""

import csv
import json

import pytest

from madsim.protocols import protocol_from_dict
from madsim.transcripts import import_run, votes_of
from madsim.transcripts._importers._du import options_in

DV_NAME = "arithmetics_2__some-model_N=3_R=1{}.jsonl"


def write_lines(path, values, end="\n"):
    path.write_text("\n".join(json.dumps(value) for value in values) + end, encoding="utf-8")
    return path


def agents(*names):
    return [f"arithmetics_2__some-model__None__{name}" for name in names]


def dv_round(texts, answer=371.8, **more):
    names = agents("Agent1", "Agent2", "Agent3")
    return {
        "responses": dict(zip(names, texts, strict=False)),
        "final_answers": [None] * len(texts),
        "final_answer_iscorr": [False] * len(texts),
        "debate_answer": answer,
        "debate_answer_iscorr": False,
        "answer": answer,
        **more,
    }


def dv_line(first, second, **more):
    return {"0": dv_round(first), "1": dv_round(second), **more}


A, B, NONE = "{final answer: 371.75}", "{final answer: 370.75}", "I cannot tell."
LINE = dv_line([A, B, NONE], [A, A, B])


def dv(tmp_path, *lines, flags="", end="\n"):
    return write_lines(tmp_path / DV_NAME.format(flags), lines or (LINE, LINE), end=end)


class TestDebateOrVote:
    def test_answers_are_read_again_and_compared_rounded(self, tmp_path):
        run = import_run(dv(tmp_path))
        assert run.transcripts[0].replies[0].answer == "371.75"
        assert run.transcripts[0].sample.target == "371.8"
        votes = votes_of(run)
        assert votes.answers.tolist() == [[[0, 1, -1], [0, 0, 1]]] * 2
        assert votes.samples == ("1", "2")
        assert votes.early_stopping is False

    @pytest.mark.parametrize(
        ("flags", "graph"), [("", "complete"), ("_SPARSE", "ring"), ("_CENTRAL", "star"), ("_CENTRAL_BAE", "star")]
    )
    def test_the_topology_stands_in_the_name(self, tmp_path, flags, graph):
        line = {"0": {**LINE["0"], "responses": {f"a__{number}": A for number in range(5)}}}
        path = write_lines(tmp_path / f"arithmetics_1__some-model_N=5_R=0{flags}.jsonl", [line])
        run = import_run(path)
        assert run.protocol is not None
        protocol = protocol_from_dict(run.protocol)
        assert protocol.rounds == 0
        assert protocol.graph(5).name == graph
        if graph == "star":
            assert protocol.graph(5).hears(0).tolist() == [1, 2, 3, 4]

    def test_stored_answers_shorter_than_the_panel_do_not_matter(self, tmp_path):
        line = dv_line([A, B, NONE], [A, A, B])
        line["0"]["final_answers"] = [370.8]
        run = import_run(dv(tmp_path, line, flags="_CENTRAL"))
        assert votes_of(run).answers.tolist() == [[[0, 1, -1], [0, 0, 1]]]
        assert run.notes == {"rounds_with_fewer_stored_answers": 1}

    def test_a_torn_last_line_is_counted(self, tmp_path):
        path = dv(tmp_path)
        path.write_bytes(path.read_bytes()[:-40])
        run = import_run(path)
        assert (len(run.transcripts), run.notes) == (1, {"torn_lines": 1})

    def test_keys_that_forks_add_are_counted(self, tmp_path):
        line = dv_line([A], [A], category="x", input_tokens=5)
        line["0"]["extra"] = 1
        run = import_run(dv(tmp_path, LINE, line))
        assert run.notes == {"unused_keys": 3, "missing_replies": 4}
        assert votes_of(run).state[1].tolist() == [[0, 3, 3], [0, 3, 3]]

    def test_not_a_number_as_truth_is_no_target(self, tmp_path):
        line = {"0": dv_round([A, A, A], float("nan"))}
        run = import_run(dv(tmp_path, LINE, line))
        assert run.notes["questions_without_target"] == 1
        assert run.notes["not_a_number"] == 2
        assert votes_of(run).has_target.tolist() == [True, False]

    def test_scores_of_summaries_are_no_truth(self, tmp_path):
        line = {
            "0": dv_round(["a text", "another", "third"], "the reference", final_answer_iscorr=[[0.1, 0.2, 0.3]] * 3)
        }
        run = import_run(dv(tmp_path, line))
        assert run.notes["scored_instead_of_judged"] == 1
        assert not votes_of(run).has_target.any()

    def test_a_null_reply_failed(self, tmp_path):
        run = import_run(dv(tmp_path, dv_line([A, None, B], [A, A, A])))
        assert votes_of(run).state[0].tolist() == [[0, 2, 0], [0, 0, 0]]

    def test_another_name_tells_nothing_about_the_protocol(self, tmp_path):
        run = import_run(write_lines(tmp_path / "mine.jsonl", [LINE]))
        assert run.protocol is None
        assert run.notes == {"name_without_settings": 1}

    def test_letters_are_choices(self, tmp_path):
        rounds = {"0": dv_round(["{final answer: (A)}", "{final answer: (B)}", NONE], "(A)")}
        run = import_run(dv(tmp_path, rounds))
        assert run.transcripts[0].sample.answer_type == "choice"
        assert votes_of(run).answers.tolist() == [[[0, 1, -1]]]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ({"0": dv_round([A]), "1": dv_round([A], 5)}, "different right answers"),
            ({"0": dv_round([A, A])}, "the name says N=3"),
            ({"0": dv_round([A, A, A]), "00": dv_round([A, A, A])}, "a round stands twice"),
            ({"0": dv_round([A, A, A]), "1": {"responses": [A]}}, "round 1: expected 'responses' as an object"),
            ({"0": dv_round([A, 3, A])}, "is no text but int"),
            ({"0": dv_round([A, A, A], [1])}, "right answer must be text or a number"),
            ([1], "expected an object"),
        ],
    )
    def test_contradictions_are_refused(self, tmp_path, line, message):
        with pytest.raises(ValueError, match=message):
            import_run(dv(tmp_path, line), "debate-or-vote")

    def test_a_record_survives_its_file(self, tmp_path):
        from madsim.transcripts import read_run, write_run

        run = import_run(dv(tmp_path))
        write_run(run, tmp_path / "r")
        back = read_run(tmp_path / "r")
        assert back == run
        assert votes_of(back).answers.tolist() == votes_of(run, reextract=True).answers.tolist()


def conversation(*replies, role="assistant"):
    turns = []
    for reply in replies:
        turns += [{"role": "user", "content": "2+2? or B) 5"}, {"role": role, "content": reply}]
    return turns


GOLD = "2+2 = <<2+2=4>>4\n#### 4"
DU = {"2+2?": [[conversation(r"\boxed{4}", r"\boxed{4}"), conversation(r"\boxed{5}", r"\boxed{4}")], GOLD]}
MMLU = (
    "Can you answer the following question as accurately as possible? Which is A)?: A) red, B) green, C) blue, D) 1, 2"
    " Explain your answer, putting the answer in the form (X) at the end of your response."
)


def du(tmp_path, value):
    path = tmp_path / "gsm.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


class TestDu:
    def test_the_number_after_the_marks_is_the_truth(self, tmp_path):
        run = import_run(du(tmp_path, DU))
        assert run.transcripts[0].sample.target == "4"
        assert run.transcripts[0].sample.question == "2+2?"
        assert votes_of(run).answers.tolist() == [[[0, 1], [0, 0]]]
        assert run.early_stopping is False
        assert run.protocol is not None
        assert protocol_from_dict(run.protocol).rounds == 1

    def test_a_third_value_is_counted(self, tmp_path):
        run = import_run(du(tmp_path, {"2+2?": [*DU["2+2?"], 1]}))
        assert run.notes == {"unused_values": 1}

    def test_options_stand_in_the_question(self, tmp_path):
        run = import_run(du(tmp_path, {MMLU: [[conversation("It is (B)."), conversation("(C)")], "B"]}))
        sample = run.transcripts[0].sample
        assert sample.answer_type == "choice"
        assert sample.choices == {"A": "red", "B": "green", "C": "blue", "D": "1, 2"}
        assert votes_of(run).answers.tolist() == [[[0, 1]]]
        assert votes_of(run).n_answers == 4

    def test_lists_of_records(self, tmp_path):
        records = [
            {"question_id": 7, "agent_response": {"x": ["(A)", "(B)"], "y": ["(B)", None]}, "answer": "B", "cost": 1},
            {"question_id": 8, "agent_response": {"y": ["(B)", "(B)"], "x": ["(A)"]}, "answer": "(B)"},
        ]
        run = import_run(du(tmp_path, records))
        assert run.agents == ("x", "y")
        assert [one.sample.id for one in run.transcripts] == ["7", "8"]
        assert votes_of(run).answers.tolist() == [[[1, 0], [0, -1]], [[1, 0], [-1, 0]]]
        assert votes_of(run).state.tolist() == [[[0, 0], [0, 2]], [[0, 0], [3, 0]]]
        assert run.notes == {"unused_values": 1, "missing_replies": 1}

    def test_contents_in_parts_and_system_turns(self, tmp_path):
        parts = [{"type": "text", "text": r"\boxed"}, {"type": "image"}, {"type": "text", "text": "{4}"}]
        talk = [{"role": "system", "content": "be"}, *conversation(parts)]
        run = import_run(du(tmp_path, {"2+2?": [[talk], GOLD]}))
        assert run.transcripts[0].replies[0].text == r"\boxed{4}"

    def test_ragged_rounds_are_counted(self, tmp_path):
        run = import_run(du(tmp_path, {"2+2?": [[conversation(r"\boxed{4}", r"\boxed{4}"), conversation("5")], GOLD]}))
        assert run.notes == {"missing_replies": 1}
        assert run.early_stopping is None
        assert votes_of(run).state.tolist() == [[[0, 0], [0, 3]]]

    def test_indented_files_and_carriage_returns(self, tmp_path):
        path = tmp_path / "gsm.json"
        path.write_bytes(json.dumps(DU, indent=2).replace("\n", "\r\n").encode())
        assert votes_of(import_run(path)).answers.tolist() == [[[0, 1], [0, 0]]]

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ({}, "none of the known layouts"),
            ([], "none of the known layouts"),
            ({"q": [[conversation("4")], GOLD], "p": 3}, "question 1: expected"),
            ({"q": [[["hello"]], GOLD]}, "expected turns with 'role'"),
            ({"q": [[[{"role": "assistant"}]], GOLD]}, "expected turns with 'role'"),
            ({"q": [[conversation(5)], GOLD]}, "content of a turn must be text"),
            ({"q": [[conversation("4")], {"gold": 4}]}, "right answer must be text"),
            ({"q": [[conversation("4", role="user")], GOLD]}, "no agent says anything"),
            ([{"agent_response": {"x": "A"}}], "record 0: expected 'agent_response'"),
            (
                [
                    {"question_id": 1, "agent_response": {"x": ["A"]}},
                    {"question_id": 1, "agent_response": {"x": ["A"]}},
                ],
                "the id stands twice",
            ),
        ],
    )
    def test_what_is_no_debate_is_refused(self, tmp_path, value, message):
        with pytest.raises(ValueError, match=message):
            import_run(du(tmp_path, value))

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b'{"q": [[[{"role": "assistant", "content": "4"}]], "4"]', "not JSON"),
            (b'{"q": 1, "q": 2}', "stands twice"),
            (b"\x80\x04\x95\x00", "starts as pickle"),
            (b"\x80\x02c__builtin__\neval\n", "starts as pickle"),
            (b'{"a":' * 50_000, "nested too deeply"),
            (b'{"q": ' + b"9" * 5000 + b"}", "q|digits"),
        ],
    )
    def test_hostile_bytes(self, tmp_path, data, message):
        path = tmp_path / "gsm.json"
        path.write_bytes(data)
        with pytest.raises(ValueError, match=message):
            import_run(path, "du")


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which?: A) x, B) y Explain your answer", {"A": "x", "B": "y"}),
        ("Which?\n(A) x\n(B) y\n(C) z", {"A": "x", "B": "y", "C": "z"}),
        ("A) is wrong, B) too: A) 1, B) 2, C) 3", {"A": "1", "B": "2", "C": "3"}),
        ("No options here", None),
        ("Only A) one", None),
        ("B) before, C) after", None),
    ],
)
def test_options_in_questions(question, options):
    assert options_in(question) == options


GOLD_HEADER = ["N", "subject", "index", "row", "gold", "conf", "consistent", "answers"]


def gold_table(path, *rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(GOLD_HEADER)
        table.writerows(rows)
    return path


class TestDylan:
    LINES = (
        [["(A)", "(B)", None], ["(B)", "(B)", None], ["I pass", "(B)", None]],
        [["(A)", None, None], ["(A)", None, None], ["(A)", None, None]],
        [["(A)", "(A)", "(C)"], ["(B)", "(B)", "(C)"], ["(C)", "(A)", "(C)"]],
    )

    def replies(self, tmp_path):
        return write_lines(tmp_path / "law_test_33.json", self.LINES)

    def gold(self, tmp_path):
        return gold_table(
            tmp_path / "gold.csv",
            (3, "law", 0, 1, "B", 2.0, True, json.dumps([["A", "B", None], ["B", "B", None], ["?", "B", None]])),
            (3, "law", 1, 2, "A", 1.0, True, json.dumps([["A", None, None]] * 3)),
            (3, "law", 2, 3, "C", 1.2, True, json.dumps([["A", "A", "C"], ["B", "B", "C"], ["C", "A", "C"]])),
            (2, "law", 0, 1, "B", 2.0, True, json.dumps([["A"], ["B"]])),
        )

    def test_replies_with_their_truths(self, tmp_path):
        run = import_run(self.replies(tmp_path), gold=self.gold(tmp_path))
        assert run.early_stopping is True
        assert [one.sample.target for one in run.transcripts] == ["B", None, "C"]
        assert run.notes == {"truths_of_low_confidence": 1, "questions_without_target": 1}
        votes = votes_of(run)
        assert votes.state[0].tolist() == [[0, 0, 1], [0, 0, 0], [3, 3, 3]]
        assert votes.answers[0].tolist() == [[1, 0, -1], [0, 0, 0], [-1, -1, -1]]
        assert votes.has_target.tolist() == [True, False, True]
        assert (votes.answers[1][0] > 0).all()

    def test_the_table_alone_gives_the_same_votes(self, tmp_path):
        table = votes_of(import_run(self.gold(tmp_path), agents=3))
        texts = votes_of(import_run(self.replies(tmp_path), gold=self.gold(tmp_path)))
        assert table.answers.tolist() == texts.answers[texts.has_target].tolist()
        assert table.state.tolist() == texts.state[texts.has_target].tolist()

    def test_the_panel_size_must_be_said_where_there_are_several(self, tmp_path):
        path = self.gold(tmp_path)
        with pytest.raises(ValueError, match="debates of 2, 3 agents; say which"):
            import_run(path)
        with pytest.raises(ValueError, match="no debates of 4 agents"):
            import_run(path, agents=4)
        assert import_run(path, agents=2).agents == ("agent 1", "agent 2")

    def test_a_folder_of_several_panel_sizes(self, tmp_path):
        self.replies(tmp_path)
        write_lines(tmp_path / "art_test_23.json", [[["(A)"], ["(B)"]]])
        run = import_run(tmp_path, agents=2)
        assert (run.agents, len(run.transcripts)) == (("agent 1", "agent 2"), 1)
        assert run.notes["debates_of_other_panel_sizes"] == 3
        with pytest.raises(ValueError, match="no debates of 5 agents; it holds 2, 3"):
            import_run(tmp_path, agents=5)

    def test_a_folder_of_subjects(self, tmp_path):
        self.replies(tmp_path)
        write_lines(tmp_path / "art_test_33.json", self.LINES[:1])
        (tmp_path / "art_test_33.txt").write_text("[True]", encoding="utf-8")
        run = import_run(tmp_path)
        assert [one.sample.id for one in run.transcripts] == ["art/0", "law/0", "law/1", "law/2"]
        assert run.notes == {"questions_without_target": 4}

    def test_wrong_values_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match="line 2: expected a list of agents"):
            import_run(write_lines(tmp_path / "law_test_33.json", [self.LINES[0], [1], [2]]), "dylan")
        (tmp_path / "other.csv").write_text("N,subject\n", encoding="utf-8")
        with pytest.raises(ValueError, match="expected the columns"):
            import_run(self.replies(tmp_path), gold=tmp_path / "other.csv")
        with pytest.raises(ValueError, match="line 2: "):
            import_run(gold_table(tmp_path / "y.csv", (3, "law", "x", 1, "B", 2.0, True, "[]")))
        with pytest.raises(ValueError, match=r"expected answers\[agent\]"):
            import_run(gold_table(tmp_path / "z.csv", (3, "law", 0, 1, "B", 2.0, True, '[["A"]]')))
        with pytest.raises(ValueError, match="1 debates, and no reply in them"):
            import_run(write_lines(tmp_path / "none_test_33.json", [[[None], [None]]]))
        with pytest.raises(ValueError, match="leave gold out"):
            import_run(self.gold(tmp_path), gold=self.gold(tmp_path))
        (tmp_path / "folder").mkdir()
        with pytest.raises(ValueError, match="no file named like"):
            import_run(tmp_path / "folder", "dylan")


class TestAnswersOnly:
    def test_null_is_unparsed_and_ragged_lines_were_not_asked(self, tmp_path):
        lines = [
            {"id": "a", "gold": "A", "answers": [["A", None, "B"], ["A", "A", "A"]], "beliefs": []},
            {"id": "b", "gold": "B", "answers": [["B", "B"]]},
            {"id": "a", "gold": "A", "answers": [["A", "A", "A"], ["A", "A", "A"]]},
        ]
        run = import_run(write_lines(tmp_path / "t.jsonl", lines))
        votes = votes_of(run)
        assert votes.state[0].tolist() == [[0, 1, 0], [0, 0, 0]]
        assert votes.state[1].tolist() == [[0, 0, 3], [3, 3, 3]]
        assert votes.samples == ("a#0", "b#0", "a#1")
        assert votes.cluster.tolist() == [0, 1, 0]
        assert run.notes == {"unused_keys": 1, "missing_agents": 1}

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ({"id": "a", "gold": "A", "answers": ["A"]}, "as \\[round\\]\\[agent\\]"),
            ({"id": "a", "gold": ["A"], "answers": [["A"]]}, "right answer must be"),
            ({"id": "a", "gold": "A", "answers": [[], []]}, "no reply in them"),
            ({"id": "a", "gold": "A", "answers": []}, "no reply in them"),
        ],
    )
    def test_wrong_values_are_refused(self, tmp_path, line, message):
        with pytest.raises(ValueError, match=message):
            import_run(write_lines(tmp_path / "t.jsonl", [line]), "answers")

    def test_one_question_has_one_truth(self, tmp_path):
        lines = [{"id": "a", "gold": gold, "answers": [["A"]]} for gold in ("A", "B")]
        with pytest.raises(ValueError, match="line 2: 'a' stood before with the right answer 'A', not 'B'"):
            import_run(write_lines(tmp_path / "t.jsonl", lines))


class TestSycophancy:
    SUMMARY = "sample,model,final_answer,accuracy_all_rounds,num_flips,flip_rate\n"
    FLIPS = "sample,model,round,old_answer,new_answer\n"
    META = "sample,correct_label\ns_sample0_correct,me\ns_sample0_wrong,you\n"

    def folder(self, path, summary, flips="", meta=META):
        (path / "summary_all.csv").write_text(self.SUMMARY + summary, encoding="utf-8")
        (path / "flips_all.csv").write_text(self.FLIPS + flips, encoding="utf-8")
        (path / "meta.csv").write_text(meta, encoding="utf-8")
        return path

    def test_answers_are_rebuilt_backwards(self, tmp_path):
        summary = (
            "s_sample0_correct,x,me,0.6666666667,2,1.0\ns_sample0_correct,y,,0.0,0,0.0\n"
            "s_sample0_wrong,x,you,0.3333333333,1,0.5\ns_sample0_wrong,y,you,1.0,0,0.0\n"
        )
        flips = "s_sample0_correct,x,2,me,you\ns_sample0_correct,x,3,you,me\ns_sample0_wrong,x,3,me,you\n"
        run = import_run(self.folder(tmp_path, summary, flips))
        votes = votes_of(run)
        assert votes.answers[0].tolist() == [[0, -1], [1, -1], [0, -1]]
        assert votes.answers[1].tolist() == [[1, 0], [1, 0], [0, 0]]
        assert votes.cluster.tolist() == [0, 0]
        assert run.agents == ("x", "y")

    @pytest.mark.parametrize(
        ("summary", "flips", "message"),
        [
            ("s_sample0_correct,x,me,0.5,1,0.5\n", "s_sample0_correct,x,2,you,me\n", "0.5 of the rounds by the table"),
            ("s_sample0_correct,x,me,1.0,1,0.5\n", "s_sample0_correct,x,2,me,you\n", "does not lead to the answer"),
            ("s_sample0_correct,x,me,1.0,1,0.5\n", "s_sample0_correct,x,9,you,me\n", "does not lead to the answer"),
            ("s_sample0_correct,x,me,1.0,0,0.0\n", "", "number of rounds cannot be told"),
            ("s_sample9,x,me,1.0,1,0.5\n", "", "no truth in meta.csv"),
            (
                "s_sample0_correct,x,me,1.0,1,0.5\n",
                "s_sample0_correct,x,2,you,me\ns_sample0_correct,x,2,me,you\n",
                "flips twice",
            ),
            ("s_sample0_correct,x\n", "", "expected 6 cells, found 2"),
        ],
    )
    def test_contradictions_are_refused(self, tmp_path, summary, flips, message):
        with pytest.raises(ValueError, match=message):
            import_run(self.folder(tmp_path, summary, flips))

    def test_a_table_without_its_column_is_refused(self, tmp_path):
        with pytest.raises(ValueError, match="column correct_label is missing"):
            import_run(self.folder(tmp_path, "", meta="sample\n"))
        with pytest.raises(ValueError, match="expected a folder with"):
            import_run(tmp_path / "none", "sycophancy")


class TestAuto:
    def test_unknown_things_are_refused_with_what_was_found(self, tmp_path):
        (tmp_path / "x.json").write_text('{"a": 1}', encoding="utf-8")
        with pytest.raises(ValueError, match=r"none of the known layouts .* its first value has the keys 'a'"):
            import_run(tmp_path / "x.json")
        (tmp_path / "y.json").write_text('[\n{"source": 1, "mv": 2}\n]', encoding="utf-8")
        with pytest.raises(ValueError, match=r"none of the known layouts .* has the keys 'source', 'mv'"):
            import_run(tmp_path / "y.json")
        (tmp_path / "x.csv").write_text("name,text\n", encoding="utf-8")
        with pytest.raises(ValueError, match="neither JSON nor a table"):
            import_run(tmp_path / "x.csv")
        with pytest.raises(ValueError, match="a folder with none of the known layouts"):
            import_run(tmp_path)
        (tmp_path / "empty").write_text("\n", encoding="utf-8")
        with pytest.raises(ValueError, match="empty"):
            import_run(tmp_path / "empty")
        with pytest.raises(ValueError, match="format must be one of auto, record"):
            import_run(tmp_path / "x.csv", "xml")

    def test_options_of_another_layout_are_refused(self, tmp_path):
        with pytest.raises(TypeError, match="layout du takes no such option: gold"):
            import_run(du(tmp_path, DU), gold="x.csv")
        assert import_run(du(tmp_path, DU), gold=None).agents == ("agent 1", "agent 2")
        with pytest.raises(ValueError, match="answer_type must be one of"):
            import_run(du(tmp_path, DU), answer_type="colour")

    def test_a_record_is_recognised(self, tmp_path):
        from madsim.transcripts import write_run

        run = import_run(du(tmp_path, DU))
        write_run(run, tmp_path / "r")
        assert import_run(tmp_path / "r") == run
