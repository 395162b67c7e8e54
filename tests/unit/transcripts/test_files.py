"""Reading bytes that strangers wrote."""

import io
from collections import Counter

import pytest

from madsim._core.csv_rows import csv_rows
from madsim._core.files import Line, json_lines_of, lines_of, read_text


def lines(data, path="f"):
    return list(lines_of(io.BytesIO(data), path=path))


def test_lines_keep_numbers_offsets_and_ends():
    assert lines(b"\xef\xbb\xbfa\r\nb\n\nc") == [
        Line(1, 3, "a", "\r\n"),
        Line(2, 6, "b", "\n"),
        Line(3, 8, "", "\n"),
        Line(4, 9, "c", ""),
    ]


def test_the_offset_of_a_wrong_byte_counts_from_the_start_of_the_file():
    with pytest.raises(ValueError, match=r"f: byte 6 \(0xff\)"):
        lines(b"abc\nde\xff\n")
    with pytest.raises(ValueError, match=r"f: byte 4 \(0xff\)"):
        lines(b"\xef\xbb\xbfa\xff\n")


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"\xff\xfea\x00", "UTF-16"),
        (b"\xfe\xff\x00a", "UTF-16"),
        (b"\xff\xfe\x00\x00", "UTF-32"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"PAR1", "Parquet"),
        (b"\x80\x03c", "pickle"),
    ],
)
def test_other_kinds_of_files_are_named(tmp_path, start, name):
    with pytest.raises(ValueError, match=f"starts as {name}"):
        lines(start)
    path = tmp_path / "f"
    path.write_bytes(start)
    with pytest.raises(ValueError, match=f"starts as {name}"):
        read_text(path)


def test_utf16_without_a_mark_is_recognised_by_its_zeros():
    with pytest.raises(ValueError, match=r"byte 1 is zero; .* looks like UTF-16"):
        lines("{}".encode("utf-16-le"))
    with pytest.raises(ValueError, match="byte 0 is zero"):
        lines("{}".encode("utf-16-be"))


def test_an_endless_line_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr("madsim._core.files.MAX_LINE_BYTES", 100)
    with pytest.raises(ValueError, match="line 2: longer than 100 bytes"):
        lines(b"ok\n" + b"x" * 1000)


def test_only_an_unended_last_line_is_torn():
    def read(data):
        notes = Counter()
        return [value for _, value in json_lines_of(io.BytesIO(data), path="f", notes=notes)], dict(notes)

    assert read(b'{"a":1}\n\n{"a":2}') == ([{"a": 1}, {"a": 2}], {"blank_lines": 1})
    assert read(b'{"a":1}\n{"a":') == ([{"a": 1}], {"torn_lines": 1})
    assert read(b'{"a":1}\n"\xc3') == ([{"a": 1}], {"torn_lines": 1})
    for wrong in (b'{"a":', b'{"a":1}\n{"a":\n', b'{"a":\n{"a":1}\n'):
        with pytest.raises(ValueError, match="not JSON"):
            read(wrong)


def test_numbers_too_long_for_python_are_refused():
    with pytest.raises(ValueError, match="line 1: "):
        list(json_lines_of(io.BytesIO(b"9" * 5000 + b"\n"), path="f", notes=Counter()))


def table(text, notes=None):
    names, rows = csv_rows(iter(lines(text.encode())), path="f", notes=notes)
    return names, list(rows)


def test_csv_rows_have_the_number_of_their_last_line():
    assert table('a,b\n1,"x\ny"\n\n2,z\n') == (["a", "b"], [(3, {"a": "1", "b": "x\ny"}), (5, {"a": "2", "b": "z"})])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("a,a\n", "stands twice"),
        ('"a"b\n', "line 1: not CSV"),
        ("a,b\n1\n", "line 2: expected 2 cells, found 1"),
        ("a,b\n1,2,3\n", "line 2: expected 2 cells, found 3"),
        ('a,b\n1,2\n1,"2\n3,4\n', "row that starts in line 3"),
        ("a,b\n1", "line 2: expected 2 cells, found 1"),
    ],
)
def test_broken_csv_is_refused_with_its_place(text, message):
    with pytest.raises(ValueError, match=message):
        table(text)


def test_a_torn_row_counts_only_where_it_is_asked_for():
    notes = Counter()
    assert table("a,b\n1,2\n3", notes) == (["a", "b"], [(2, {"a": "1", "b": "2"})])
    assert notes == {"torn_lines": 1}
    notes = Counter()
    table("a,b\n1,2", notes)
    assert notes == {"last_line_without_end": 1}


def test_long_cells_are_read_and_the_limit_of_others_is_kept():
    import csv

    before = csv.field_size_limit()
    assert table("a\n" + "x" * 200_000 + "\n")[1][0][1]["a"] == "x" * 200_000
    assert csv.field_size_limit() == before
