"""The page of a report, used as people do: in Chromium, by keyboard, on paper, in the dark."""

import json
import statistics
import subprocess

import msgspec
import pytest

from agentevals.compare.settlement import review_of
from agentevals.model.completeness import Fact, Presence, TurnGap
from agentevals.model.outcome import Point
from agentevals.model.review import Scene
from agentevals.model.transcripts import Bar, Call, Exchange, KeptCase, Transcript
from agentevals.run.run_transcripts import pack_transcript
from tests import hostile, npm
from tests.compare.runs import against, case, report, result, run
from tests.report.outputs.pages import render

AXE = npm.Package(
    "axe-core@4.14.1",
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)
MANY = 10_000
COMPARED = {
    "expected": [{"name": "check", "args": {"amount": 5}}, {"name": "refund", "args": {"id": 3}}],
    "actual": [{"name": "refund", "args": {"id": 8}}],
    "matched": False,
}
GAP = TurnGap(
    turn=1, fact=Fact.COST, presence=Presence.UNKNOWN, evidence="no price", remedy="Set a price."
)


def keep(name, answer, *results, user="Where is my order?", **more):
    calls = (Call(name="refund", args={"id": 8}, response={"ok": True}),)
    said = Exchange(user=user, answer=answer, calls=calls, tokens=(10, 5), milliseconds=1_200.0)
    spans = (Bar(name="agent run", milliseconds=900.0), Bar(name="model", depth=1, failed=True))
    transcript = Transcript(turns=(said,), expected=(Exchange(answer="Here."),), spans=spans)
    known = case(name, *results, user=user, turns=1, sources=("traces/t.jsonl",), **more)
    facts = {field: getattr(known, field) for field in known.__struct_fields__}
    return pack_transcript(KeptCase(**facts, transcript=transcript))


def write(path, cases, base=None):
    path.write_text(render(review_of(Scene(), [against(report(cases), base)])))
    return path


def make_cases(count):
    scores = (0.9, 0.2, 1.0, 0.7)
    return [
        keep(f"case-{at:05d}", f"It is number {at}.", result("words", scores[at % 4]))
        for at in range(count)
    ]


@pytest.fixture
def page(tab):
    return tab


@pytest.fixture(autouse=True)
def clean(page):
    page.emulate()
    page.problems.clear()
    yield
    assert page.problems == []


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    judged = result("tools", 0.0, details={"comparisons": [COMPARED]})
    base = run({"fell": {"tools": 1.0, "words": 1.0}, "fine": {"tools": 1.0, "words": 1.0}})
    fell = keep("fell", "Gone.", judged, result("words", 0.9), gaps=(GAP,))
    fine = keep("fine", "Here.", result("tools", 1.0), result("words", 1.0), user="A parcel?")
    return write(tmp_path_factory.mktemp("small") / "report.html", [fine, fell], base)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return write(tmp_path_factory.mktemp("many") / "report.html", make_cases(MANY))


def names(page):
    return page.texts(".rows .row .name bdi")


def test_the_verdict_is_first_and_the_worst_case_is_on_top(page, small):
    page.open(small)

    assert page.texts("h1") == ["✗ Not ready to merge: 1 of 2 cases failed."]
    assert names(page) == ["fell", "fine"]
    assert "regressed" in page.texts(".rows .row")[0]


def test_figures_have_columns_of_the_base_only_if_there_is_one(page, small, many):
    page.open(small)
    compared = page.texts(".figures:first-of-type thead th")[:7]
    page.open(many)
    alone = page.texts(".figures:first-of-type thead th")[:4]

    assert compared[:5] == ["Figure", "Cases", "Base", "This run", "Difference (95 % interval)"]
    assert alone == ["Figure", "This run", "Limit", "Verdict"]


def test_search_filter_and_sort(page, small):
    page.open(small)
    page.press("/")
    page.type("parcel")
    assert names(page) == ["fine"]
    assert page.texts("[role=status]") == ["1 of 2 cases"]

    page.press("Escape")
    page.click(".filters button", "failed")
    assert names(page) == ["fell"]

    page.click(".filters button", "all")
    page.click("[role=columnheader] button", "Case")
    page.click("[role=columnheader] button", "Case")
    assert names(page) == ["fine", "fell"]
    assert page.evaluate("document.querySelector('.head .id').ariaSort") == "descending"


def test_a_case_shows_what_decided_what_was_said_and_what_is_missing(page, small):
    page.open(small)
    page.click(".rows .row", "fell")
    page.wait("document.querySelector('#evaluators')")
    shown = page.evaluate("document.querySelector('main').innerText")

    assert page.texts("h1") == ["fell"]
    assert page.texts(".judgements h3")[0].replace("\n", " ").startswith("✗ failed: tools")
    assert "tools scored 0.00, needs 0.50" in shown
    assert page.texts(".calls tr.argument") == ["id\t3\t8"]
    assert page.texts(".calls tr.missing th code") == ["check"]
    assert page.texts(".side .words") == ["Where is my order?", "Gone.", "Here."] or (
        {*page.texts(".side .words")} == {"Where is my order?", "Gone.", "Here."}
    )
    assert page.texts(".timeline tbody th") == ["agent run", "model failed"] or (
        page.texts(".timeline tbody th")[1].startswith("model")
    )
    assert "base 1.00" in shown
    assert "Set a price." in shown


def test_everything_can_be_reached_by_keyboard(page, many):
    page.open(many)
    page.press("/")
    page.type("case-000")
    assert page.texts("[role=status]") == ["100 of 10,000 cases"]

    page.evaluate("document.querySelector('.rows .row[tabindex=\"0\"]').focus()")
    page.press("ArrowDown", "ArrowDown", "End")
    last = page.evaluate("document.activeElement.getAttribute('aria-rowindex')")
    assert last == "101"

    page.press("Home", "ArrowDown", "Enter")
    page.wait("document.querySelector('#conversation')")
    second = page.texts("h1")
    assert page.evaluate("document.activeElement.tagName") == "H1"

    page.press("j")
    page.wait("document.querySelector('#conversation')")
    assert page.texts("h1") != second
    page.press("k", "Escape")
    page.wait("document.querySelector('.rows')")
    assert (
        page.evaluate("document.activeElement.querySelector('.name bdi')?.innerText") == second[0]
    )
    assert page.evaluate("document.querySelector('#search').value") == "case-000"


def test_an_address_leads_to_a_case(page, small):
    page.call("Page.navigate", url=f"{small.as_uri()}#/0/fine")
    page.wait("document.querySelector('#conversation')")

    assert page.texts("h1") == ["fine"]
    page.evaluate("history.replaceState(null, '', location.pathname)")


def test_ten_thousand_cases_are_a_list_of_a_few_rows(page, many):
    page.open(many)
    drawn = "document.querySelectorAll('.rows .row').length"

    assert page.evaluate("document.querySelector('[role=grid]').ariaRowCount") == str(MANY + 1)
    assert page.evaluate(drawn) < 60
    page.evaluate("document.querySelector('.grid .body').scrollTop = 1e9")
    page.wait(f"[...document.querySelectorAll('.rows .row')].some(e => e.dataset.at == {MANY - 1})")
    assert page.evaluate(drawn) < 60


def _first_paint(page, path):
    page.call("Page.navigate", url="about:blank")
    page.call("Page.navigate", url=path.as_uri())
    page.wait("performance.getEntriesByName('first-contentful-paint').length")
    script = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    return page.evaluate(script)


def test_the_first_paint_is_soon(page, many, tmp_path):
    empty = tmp_path / "empty.html"
    size = many.stat().st_size
    head = '<!DOCTYPE html><title>empty</title><p>nothing</p><script type="application/json">'
    empty.write_text(f"{head}{'x' * (size - len(head) - 9)}</script>")

    ratios = []
    for _ in range(5):
        nothing = _first_paint(page, empty)
        ratios.append(_first_paint(page, many) / nothing)
    assert statistics.median(ratios) <= 4, ratios


HOSTILE = (
    *("<script>document.title = 'obeyed'</script>", "</script><img src=x onerror=alert(1)>"),
    *("\u202eright to left\u2066", "\x1b[31mred\x1b[0m", "null\x00byte", "{{7*7}}${7*7}"),
    *(
        "javascript:alert(1)",
        "עברית and English",
        "z" * 100_000,
        "\n" * 500,
        "![x](http://x.example)",
    ),
)


def test_what_was_said_is_only_shown(page, tmp_path):
    texts = [*HOSTILE, *hostile.strings()][:400]
    cases = [
        keep(f"{at} {text[:500]}", text, result("words", 0.1, misses=(text,)), user=text)
        for at, text in enumerate(texts)
    ]
    page.open(write(tmp_path / "report.html", cases))
    title = page.evaluate("document.title")
    for at in range(len(HOSTILE)):
        page.evaluate("location.hash = '#'")
        page.wait("document.querySelector('#search')")
        page.evaluate("document.querySelector('#search').focus()")
        page.press("Escape")
        page.evaluate("document.querySelectorAll('.rows .row')[0].focus()")
        page.press("Home", *["ArrowDown"] * at, "Enter")
        page.wait("document.querySelector('#conversation')")

        assert page.evaluate("document.querySelectorAll('main img, main script').length") == 0
        hidden = r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/"
        assert not page.evaluate(f"{hidden}.test(document.querySelector('main').textContent)")
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) <= 0
    assert title.startswith("Not ready to merge")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", ["list", "case", "history"])
def test_axe_finds_nothing(page, small, aged, theme, view):
    page.emulate(theme=theme)
    page.open(aged if view == "history" else small)
    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    if view == "case":
        page.click(".rows .row", "fell")
        page.wait("document.querySelector('#conversation')")
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    page.evaluate(npm.file(AXE, "package/axe.min.js").decode() + "; 0")
    found = page.evaluate("axe.run(document).then(r => JSON.stringify(r.violations))")

    assert [(one["id"], one["nodes"][0]["html"]) for one in json.loads(found)] == []


def test_the_dark_page_is_dark_and_paper_is_white(page, small):
    page.emulate(theme="dark")
    page.open(small)
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(20, 23, 26)"

    page.emulate(theme="dark", media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.emulate()


def test_print_has_every_case_and_no_buttons(page, tmp_path):
    page.open(write(tmp_path / "report.html", make_cases(600)))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate(media="print")
    page.wait("document.querySelectorAll('.rows .row').length === 500")

    assert len(names(page)) == 500
    assert page.texts(".empty") == ["100 more cases not printed."]
    assert page.texts(".filters button") == []
    assert page.call("Page.printToPDF")["data"]
    page.emulate()
    page.evaluate("dispatchEvent(new Event('afterprint'))")


def test_a_print_right_after_the_page_is_drawn_has_every_case(page, tmp_path):
    """Only a script of the page is as early: it runs when the rows stand, before any frame."""
    print_at_once = """new MutationObserver((_, watch) => {
        if (!document.querySelector(".rows .row")) return;
        watch.disconnect();
        dispatchEvent(new Event("beforeprint"));
    }).observe(document, { childList: true, subtree: true })"""
    with page.add_script(print_at_once):
        page.open(write(tmp_path / "report.html", make_cases(600)))
    page.wait("document.querySelectorAll('.rows .row').length === 500")

    assert page.texts(".empty") == ["100 more cases not printed."]


@pytest.fixture(scope="module")
def aged(tmp_path_factory):
    """A run whose base branch has a history of four runs."""
    points = tuple(
        Point(commit=name * 40, made_at=f"2026-11-1{at}T08:00:00Z", pass_rate=rate, latency=900.0)
        for at, (name, rate) in enumerate(zip("abcd", (0.5, 1.0, 0.5, 1.0), strict=True))
    )
    fell = keep("fell", "Gone.", result("words", 0.1))
    fine = keep("fine", "Here.", result("words", 0.9))
    one = msgspec.structs.replace(
        against(report([fine, fell]), None),
        trend=points,
        strips={"fell": "pfe-", "fine": "pppp", "<img src=x onerror=alert(1)>": "fnfn"},
    )
    path = tmp_path_factory.mktemp("aged") / "report.html"
    path.write_text(render(review_of(Scene(head_sha="e" * 40), [one])))
    return path


def test_the_history_has_a_point_for_each_run_and_a_strip_for_each_uneven_case(page, aged):
    page.open(aged)

    assert page.texts(".history .strips th") == ["fell", "<img src=x onerror=alert(1)>"]
    assert page.texts(".history figcaption strong") == ["pass rate", "latency"]
    runs = "document.querySelectorAll('.history .spread:first-child .run').length"
    assert page.evaluate(runs) == 5
    bars = "[...document.querySelector('.strip').children].map(e => e.getAttribute('class'))"
    assert page.evaluate(bars) == ["p", "f", "e", "f"]
    label = page.evaluate("document.querySelector('.strip').ariaLabel")
    assert label.startswith("aaaaaaa, 2026-11-10: passed; bbbbbbb, 2026-11-11: failed; ")
    assert label.endswith("no such case; this run: failed")
    page.click(".rows .row", "fell")
    page.wait("document.querySelector('.case .strip')")
    assert page.evaluate("document.querySelector('.case .strip').children.length") == 4


def test_a_narrow_screen_has_no_sideways_scrolling(page, small):
    page.open(small, width=390)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

    assert page.evaluate(wide) <= 0


def test_the_page_loads_nothing(page, small):
    page.open(small)

    assert page.evaluate("performance.getEntriesByType('resource').length") == 0
    assert subprocess.run(["grep", "-c", "http-equiv", small], check=True).returncode == 0
