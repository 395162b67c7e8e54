"""The checker of links finds what is broken, and nothing else."""

from docs.check_links import broken


def test_missing_files_and_anchors_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<a name="old"></a><a href="../index.html#here">back</a>')
    (tmp_path / "style.css").write_text("")
    good = '<p id="here"><a href="#here">a</a><a href="sub/#old">b</a><a href="sub/index.html">c</a>'
    good += '<a href="https://example.org/#x">d</a><a href="mailto:a@b.c">e</a><link href="style.css?v=1"><a href="sp%20ace.html">f</a>'
    (tmp_path / "sp ace.html").write_text("")
    (tmp_path / "index.html").write_text(good)
    assert broken(tmp_path) == []
    (tmp_path / "index.html").write_text(
        good + '<a href="#gone">1</a><a href="sub/#here">2</a><a href="none.html">3</a><img src="no.png">'
    )
    assert broken(tmp_path) == [f"index.html: {one}" for one in ("#gone", "sub/#here", "none.html", "no.png")]
