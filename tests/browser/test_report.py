"""The report in a real browser: silent, quick, deaf to planted scripts, usable by keyboard, sound to an accessibility checker."""

import importlib.util
import json
import os
import shutil
from pathlib import Path

import pytest

from madsim.report import write_report
from tests.unit.plot._votes import drawn
from tests.unit.report._runs import HOSTILE, hostile_run, plain_run

BROWSER = (
    os.environ.get("MADSIM_BROWSER")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)
MISSING = next(
    (
        reason
        for absent, reason in (
            (importlib.util.find_spec("playwright") is None, "the browser driver is absent (pip install playwright)"),
            (BROWSER is None, "no Chromium is installed (Debian: apt-get install chromium; or set MADSIM_BROWSER)"),
        )
        if absent
    ),
    None,
)
pytestmark = pytest.mark.skipif(MISSING is not None, reason=MISSING or "")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield chromium
        chromium.close()


class Visit:
    """One opened page with all that it complained of and asked for."""

    def __init__(self, browser, path, *, width=1280, height=900, **context):
        self.context = browser.new_context(viewport={"width": width, "height": height}, **context)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.url = Path(path).as_uri()
        self.page.goto(self.url)

    def clean(self):
        own = [url for url in self.requests if url not in (self.url, "data:,")]
        return self.complaints == [] and own == []

    def found(self):
        return self.page.text_content("#found")


@pytest.fixture
def visit(browser):
    opened = []

    def open_(path, **options):
        opened.append(Visit(browser, path, **options))
        return opened[-1]

    yield open_
    for one in opened:
        one.context.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    runs = {"plain": plain_run(60), "votes only": drawn(n_agents=5), "hostile": hostile_run()}
    return write_report(runs, tmp_path_factory.mktemp("report") / "report.html")


def test_it_opens_without_a_complaint_or_a_request(visit, report):
    seen = visit(report)
    assert seen.found() == "104 of 104 debates"
    assert seen.clean(), (seen.complaints, seen.requests)


def test_a_planted_script_does_not_run_and_is_readable(visit, tmp_path):
    seen = visit(write_report({HOSTILE: hostile_run()}, tmp_path / "r.html", title=HOSTILE))
    page = seen.page
    page.wait_for_timeout(200)
    assert page.evaluate("window.planted") is None
    assert page.title() != "planted"
    shown = page.text_content("#debate")
    assert "<script>window.planted = 1" in shown
    assert "[U+202E]evil[U+2066] nul[U+0000] esc[U+001B]" in shown
    assert "lone[U+D800]" in shown
    assert page.text_content("#debate mark") == "1"
    assert page.locator("#debate img, #debate script, #rows script").count() == 0
    assert seen.clean(), (seen.complaints, seen.requests)


def test_the_policy_stops_a_script_that_got_in(visit, report):
    seen = visit(report)
    seen.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.planted = 3'; document.body.append(s); }"
    )
    assert seen.page.evaluate("window.planted") is None
    assert any("Content Security Policy" in one for one in seen.complaints)


def expected(path, names, *, run=None):
    """Ids of the debates that carry all of the flags, from the page's own data."""
    import re

    data = json.loads(re.search(r'id="debates">(.*?)</script>', path.read_text(encoding="utf-8"))[1])
    need = sum(1 << data["flags"].index(name) for name in names)
    return [entry[2] for entry in data["debates"] if entry[3] & need == need and run in (None, entry[0])]


@pytest.mark.parametrize(
    "names", [["wrong"], ["changed"], ["unparsed"], ["disagreement"], ["wrong", "unparsed"], ["collapsed"]]
)
def test_filters_show_what_they_say(visit, report, names):
    seen = visit(report)
    for name in names:
        seen.page.check(f"#filters input[value={name}]")
    wanted = expected(report, names)
    assert 0 < len(wanted) < 104
    assert seen.found() == f"{len(wanted)} of 104 debates"
    assert seen.page.text_content("#row-0 .id") == wanted[0]
    for name in names:
        seen.page.uncheck(f"#filters input[value={name}]")
    assert seen.found() == "104 of 104 debates"


def test_run_and_words_narrow_the_list(visit, report):
    seen = visit(report)
    seen.page.select_option("#run", label="votes only")
    assert seen.found() == "40 of 104 debates"
    seen.page.select_option("#run", value="-1")
    seen.page.fill("#find", "QUESTION 17?")
    assert seen.found() == "1 of 104 debates"
    assert seen.page.text_content("#debate h3") == "q17"
    seen.page.fill("#find", "nowhere")
    assert seen.found() == "0 of 104 debates"
    assert "No debate matches" in seen.page.text_content("#debate")
    assert seen.clean(), seen.complaints


def test_the_list_obeys_the_keyboard(visit, report):
    seen = visit(report)
    page = seen.page
    page.focus("#list")
    for key, chosen in (
        ("ArrowDown", 1),
        ("ArrowDown", 2),
        ("ArrowUp", 1),
        ("End", 103),
        ("ArrowDown", 103),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        assert page.get_attribute("#list", "aria-activedescendant") == f"row-{chosen}"
        assert page.get_attribute(f"#row-{chosen}", "aria-selected") == "true"
        over, under = page.evaluate(
            """id => { const box = document.getElementById("list").getBoundingClientRect(),
                row = document.getElementById(id).getBoundingClientRect(); return [row.top - box.top, box.bottom - row.bottom]; }""",
            f"row-{chosen}",
        )
        assert over >= 0
        assert under >= 0


def test_each_reply_shows_its_answer_and_reason(visit, tmp_path):
    seen = visit(write_report(plain_run(3), tmp_path / "r.html"))
    replies = seen.page.locator("#debate .reply")
    assert replies.count() == 9
    for number in range(9):
        text = replies.nth(number).text_content()
        if "unparsed" in text:
            assert "reason: none" in text
            assert replies.nth(number).locator("mark").count() == 0
        else:
            mark = replies.nth(number).locator("mark").text_content()
            assert f"answer {mark}" in text
            assert ("right" in text) == (mark == "1")
            assert "reason: label" in text


def faults_of(page):
    """The serious and critical findings of the accessibility checker, by rule."""
    axe = importlib.util.find_spec("axe_playwright_python")
    if axe is None or axe.origin is None:
        pytest.skip("the accessibility checker is absent (pip install axe-playwright-python)")
    page.evaluate(Path(axe.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document)).violations")
    return {
        fault["id"]: [node["html"][:200] for node in fault["nodes"]][:3]
        for fault in found
        if fault["impact"] in ("serious", "critical")
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_serious_accessibility_fault(visit, report, scheme, width):
    seen = visit(report, width=width, color_scheme=scheme)
    page = seen.page
    for summary in page.locator("details > summary").all():
        summary.click()
    assert faults_of(page) == {}


def test_the_accessibility_checker_sees_faults(visit, report):
    page = visit(report).page
    page.evaluate(
        """() => {
            const faint = document.createElement("p"), field = document.getElementById("find");
            faint.textContent = "faint"; faint.style.color = "#ddd"; faint.style.background = "#fff";
            document.querySelector("main").prepend(faint);
            field.closest("label").replaceWith(field);
        }"""
    )
    assert set(faults_of(page)) == {"color-contrast", "label"}


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_window(visit, report, width):
    page = visit(report, width=width, height=844).page
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_many_rounds_scroll_inside_their_table(visit, tmp_path):
    votes = drawn(n_agents=3, n_rounds=11)
    page = visit(write_report(votes, tmp_path / "long.html"), width=390, height=844).page
    table = page.locator("#debate .scroll").first
    assert table.evaluate("box => box.scrollWidth > box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_it_prints(visit, report):
    page = visit(report).page
    page.emulate_media(media="print")
    assert not page.is_visible("#list")
    assert page.is_visible("#debate")
    assert page.pdf().startswith(b"%PDF")


def test_without_scripts_the_numbers_are_there(visit, report):
    page = visit(report, java_script_enabled=False).page
    assert page.is_visible("text=Accuracy and vote") or page.is_visible("#overview .chart")
    assert page.is_visible("noscript p")


def test_ten_thousand_debates_stay_quick(visit, tmp_path):
    """Counts work, not seconds: only rows in sight exist, and replies are read when a debate is opened."""
    seen = visit(write_report(drawn(n_questions=10_000), tmp_path / "r.html"))
    page = seen.page
    assert seen.found() == "10000 of 10000 debates"
    assert page.locator("#rows .row").count() < 60
    page.focus("#list")
    page.keyboard.press("End")
    assert page.text_content("#debate h3") == "q9999"
    assert page.locator("#rows .row").count() < 60
    assert seen.clean(), seen.complaints
