"""`report.html`: what is in the file. What a browser makes of it is in `tests/browser`."""

import base64
import hashlib
import json
import re
from collections import deque
from importlib.resources import files
from itertools import chain, count

import msgspec
import pytest

from agentevals.compare.settlement import review_of
from agentevals.model.outcome import Point
from agentevals.model.review import Scene
from agentevals.model.transcripts import Exchange, KeptCase, Transcript
from agentevals.report.outputs import html
from agentevals.run.run_transcripts import pack_transcript
from tests import hostile
from tests.compare.runs import against, case, report, result, run, settled
from tests.report.outputs import pages
from tests.report.outputs.samples import REVIEWS, infected
from tests.support import EXAMPLES, agentevals

ASSET = files("agentevals.report.outputs.html") / "page.html"
LARGEST = 150_000  # bytes of the page without data


def keep(name, answer, *results):
    known = case(name, *results, user="hi", turns=1)
    facts = {n: getattr(known, n) for n in known.__struct_fields__}
    return pack_transcript(
        KeptCase(**facts, transcript=Transcript(turns=(Exchange(user="hi", answer=answer),)))
    )


def test_the_page_is_small_and_needs_nothing_else():
    page = ASSET.read_text()

    assert len(page.encode()) < LARGEST
    assert not re.search(r"""(?:src|href)=["']|@import|url\(""", page)


def test_the_policy_allows_the_script_and_the_style_of_the_page_only():
    page = pages.render(REVIEWS["failed"])
    policy = next(a["content"] for tag, a in pages.Elements(page).tags if a.get("http-equiv"))

    assert policy is not None
    for element in ("script", "style"):
        digest = hashlib.sha256(pages.find_script(page, element).encode()).digest()
        assert f"{element}-src 'sha256-{base64.b64encode(digest).decode()}';" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "trusted-types 'none'" in policy


@pytest.mark.parametrize("name", REVIEWS)
def test_every_review_has_a_page_and_the_same_one_twice(name):
    page = pages.render(REVIEWS[name])

    assert page == pages.render(REVIEWS[name])
    assert len(pages.read_lines(page)) == len(pages.read_details(page))
    assert [one["name"] for one in pages.read_top(page)["configs"]] or not REVIEWS[name].sections


def test_the_top_has_the_verdict_the_figures_and_the_history():
    top = pages.read_top(pages.render(REVIEWS["failed"]))
    (config,) = top["configs"]
    rate = config["figures"][0]

    assert top["tone"] == "bad"
    assert top["sentence"].startswith("Not ready to merge")
    assert (rate["name"], rate["tone"], rate["base"]) == (
        "pass rate",
        "bad",
        "66.7\N{NO-BREAK SPACE}% (2/3)",
    )
    assert [point["commit"] for point in config["trend"]["points"]] == [
        "ccccccc",
        "ddddddd",
        "aaaaaaa",
    ]


def test_the_history_ends_with_this_run_and_names_the_cases_that_did_not_always_pass():
    trend = {"rome": "pfp", "oslo": "ppp", "gone": "fff", "odd": "<svg>"}
    head = settled([case("rome", result("words", 0.1)), case("oslo", result("words", 0.9))])
    points = tuple(Point(commit=name * 40, pass_rate=0.5) for name in "bcd")
    outcome = msgspec.structs.replace(head, trend=points, strips=trend)
    page = pages.render(review_of(Scene(head_sha="e" * 40), [outcome]))
    history = pages.read_top(page)["configs"][0]["trend"]

    assert [point["commit"][0] for point in history["points"]] == ["b", "c", "d", "e"]
    assert history["strips"] == [
        {"id": "rome", "letters": "pfpf"},
        {"id": "gone", "letters": "fff-"},
    ]
    assert history["even"] == 1
    assert {
        line[1]: each["strip"]
        for line, each in zip(pages.read_lines(page), pages.read_details(page), strict=True)
    } == {
        "rome": "pfpf",
        "oslo": "pppp",
    }


def test_a_case_stands_beside_the_same_case_of_the_base():
    base = run({"paris": {"words": 1.0}, "rome": {"words": 0.9}})
    head = report([case("paris", result("words", 0.2)), case("rome", result("words", 0.9))])
    page = pages.render(review_of(Scene(), [against(head, base)]))
    paris, rome = pages.read_lines(page)

    assert paris[1:5] == ["paris", "fail", ["regressed"], 0.2]
    assert paris[7:10] == ["f", [0.2], [1.0]]
    assert rome[1:5] == ["rome", "pass", [], 0.9]
    assert pages.read_details(page)[0]["base"]["scores"]["words"]["score"] == "1.00"


def test_calls_are_compared_argument_by_argument():
    compared = {
        "expected": [{"name": "cancel", "args": {"order_id": 3, "why": "late"}}],
        "actual": [{"name": "cancel", "args": {"order_id": 8, "why": "late"}}],
        "matched": False,
    }
    judged = result("tool_trajectory_avg_score", 0.0, details={"comparisons": [compared]})
    page = pages.render(review_of(Scene(), [settled([case("cancel", judged)])]))
    (details,) = pages.read_details(page)
    (row,) = details["attempts"][0]["judgements"][0]["turns"][0]["rows"]

    assert (row["kind"], row["name"]) == ("changed", "cancel")
    assert row["arguments"] == [{"name": "order_id", "expected": "3", "actual": "8"}]


def test_a_run_for_a_page_keeps_its_conversations_and_its_report_does_not(tmp_path):
    words = ("run", "traces", "-c", "eval_config.yaml", "-e", "eval_set.json", "-o", "summary")
    page, kept = tmp_path / "report.html", tmp_path / "report.json"
    agentevals(
        *(*words, "--output-file", str(page), "--output-file", f"report={kept}"), cwd=EXAMPLES
    )
    ids = [line[1] for line in pages.read_lines(page.read_text())]
    details = dict(zip(ids, pages.read_details(page.read_text()), strict=True))
    transcript = details["paris"]["attempts"][0]["transcript"]

    assert "Paris" in transcript["turns"][0]["user"]
    assert [call["name"] for call in transcript["turns"][0]["calls"]] == ["geocode", "forecast"]
    assert json.loads(transcript["turns"][0]["calls"][0]["args"]) == {"place": "Paris"}
    assert transcript["expected"][0]["answer"]
    assert {bar.get("depth", 0) for bar in transcript["spans"]} == {0, 1}
    assert "transcript" not in kept.read_text()


def test_a_page_of_a_report_says_nothing_of_conversations():
    details = pages.read_details(pages.render(REVIEWS["failed"]))

    assert {one["transcript"] for case in details for one in case["attempts"]} == {None}


def test_a_full_page_omits_conversations_and_says_so():
    cases = [keep(f"c{at}", f"{at} is long", result("words", 1.0)) for at in range(400)]
    review = review_of(Scene(), [settled(cases)])
    found = pages.read_details("".join(html.write_blocks(review, room=12_000)))
    kept = [one and one["attempts"][0]["transcript"] for one in found]

    assert kept[0]["turns"][0]["answer"].startswith("0 is long")
    assert {"left_out": ["this file is full: the conversation is in the recording only"]} in kept
    assert kept[-1] is None


def test_nothing_that_was_said_is_more_than_text():
    left = deque(chain(hostile.strings(), ("</script><script>alert(1)</script>", "<!--", "]]>")))
    following = (left.popleft() if left else "the end" for _ in count())
    while left:
        page = pages.render(infected(REVIEWS["several"], following))
        found = pages.Elements(page)
        scripts = [attrs for tag, attrs in found.tags if tag == "script"]
        data = "".join(chain.from_iterable(found.data.values()))

        assert {tag for tag, _ in found.tags} <= {
            *("html", "head", "meta", "title", "style", "body", "div", "noscript", "script"),
        }
        assert sum(one.get("type") is None for one in scripts) == 1
        assert not re.search(r"[^\x20-\x7e\n]|[<>&]|##\[|^\s*::", data, re.MULTILINE)
        assert pages.read_top(page)
