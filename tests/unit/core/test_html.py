"""Markup holds whatever text it is given, and nothing in a text is markup."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from madsim._core.html import Markup, join, table, tag, visible

anything = st.text(st.characters(), max_size=60) | st.sampled_from(
    ["</p>", "<!--", "]]>", "&amp;", "\u202ex", "\ud800"]
)


class Reader(HTMLParser):
    """Counts elements and collects text and attributes."""

    def __init__(self, page):
        super().__init__()
        self.text, self.tags, self.attributes = "", [], {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data):
        self.text += data


@given(anything)
def test_a_text_comes_back_as_it_was_and_adds_no_element(text):
    read = Reader(tag("p", text, title=text))
    assert read.tags == ["p"]
    # The parser turns carriage returns into line feeds, so both sides are compared without any.
    assert read.text == visible(text)
    assert read.attributes["title"] == visible(text)


@given(anything)
def test_nothing_invisible_is_left(text):
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]", visible(text)
    )
    visible(text).encode("utf-8")


def test_joiners_stay_because_scripts_and_emoji_need_them():
    assert visible("\u0646\u200c\u0627 \U0001f469\u200d\U0001f52c") == "\u0646\u200c\u0627 \U0001f469\u200d\U0001f52c"


def test_attributes():
    assert tag("input", class_="a b", aria_label="x", checked=True, disabled=False, value=None) == (
        '<input class="a b" aria-label="x" checked>'
    )
    assert tag("a", href='"><script>') == '<a href="&quot;&gt;&lt;script&gt;"></a>'


def test_children_nest():
    assert join(["a", None, 3, [tag("b", "x"), ["<"]]]) == "a3<b>x</b>&lt;"
    assert isinstance(join(["a"]), Markup)


def test_a_table_is_escaped_and_names_its_rows():
    text = table(["a", "<b>"], [["x & y", 1], [Markup("<i>z</i>"), None]], caption="1 < 2")
    read = Reader(text)
    assert read.tags == [
        "table",
        "caption",
        "thead",
        "tr",
        "th",
        "th",
        "tbody",
        "tr",
        "th",
        "td",
        "tr",
        "th",
        "i",
        "td",
    ]
    assert read.text == "1 < 2a<b>x & y1z"
