import re
from itertools import permutations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.model import project_links
from agentevals.model.results import Verdict
from agentevals.model.review import State
from agentevals.report.pages import comment_page
from agentevals.report.pages.page_shortening import COMMENT, characters
from tests.report.outputs.reports import HOSTILE, PASSED, TOGETHER, report
from tests.report.pages.harmless import count_borders
from tests.report.pages.reviews import FAILING, HEAD, PASSING, REVIEWS, review, scene, section

OTHER_HEAD = "0" * 40


def leg(name, *, run=815, head=HEAD, verdict=Verdict.PASS, state=State.DONE):
    """What one leg of a matrix publishes."""
    base = PASSING if verdict is Verdict.PASS else FAILING
    own = msgspec.structs.replace(base, config=f"evals/{name}.yaml", title=name, leg=name)
    sections = (own,) if state is State.DONE else ()
    where = scene(leg=name, run_number=run, head_sha=head)
    return review(*sections, scene=where, state=state)


def merged(*reviews, limit=COMMENT):
    body = None
    for each in reviews:
        body = comment_page.merge(body, each, limit).body
    return body


def shown(body):
    return {part.digest.config for part in comment_page.parse(body, "evals")}


def first_lines(body):
    return body.split("\n")[1:3]


def test_the_first_writer_makes_the_comment():
    assert comment_page.merge(None, REVIEWS["failed"]).body == comment_page.render(
        REVIEWS["failed"]
    )


def test_each_writer_keeps_the_sections_of_the_others_letter_by_letter():
    alone = merged(leg("a", verdict=Verdict.FAIL))
    both = merged(leg("a", verdict=Verdict.FAIL), leg("b"))
    text = re.search(r"(<!-- agentevals:section.*?agentevals:end -->)", alone, re.DOTALL).group(1)

    assert text in both
    assert shown(both) == {"a", "b"}


def test_a_writer_replaces_its_own_section():
    body = merged(leg("a", verdict=Verdict.FAIL), leg("b"), leg("a", run=816))

    assert shown(body) == {"a", "b"}
    assert "Not ready" not in body


def test_a_config_that_is_gone_leaves_the_comment_with_its_writers_next_run():
    two = review(PASSING, section(config="old.yaml", title="old"))
    later = review(PASSING, scene=scene(run_number=816))

    assert shown(merged(two, later)) == {"support"}


def test_the_end_replaces_the_announcement():
    body = merged(leg("a", state=State.RUNNING), leg("a"))

    assert "running" not in body
    assert body == merged(leg("a"))


def test_an_announcement_that_comes_late_does_not_hide_the_end():
    assert comment_page.merge(merged(leg("a")), leg("a", state=State.RUNNING)).superseded


@pytest.mark.parametrize("order", [{"run": 814}, {"run": 1}])
def test_what_is_newer_is_not_overwritten(order):
    newer = merged(leg("a", run=815), leg("b"))
    late = comment_page.merge(newer, leg("a", verdict=Verdict.FAIL, **order))

    assert late == (newer, True)


def test_sections_of_an_earlier_push_are_marked_and_do_not_answer():
    body = merged(leg("a", run=814, head=OTHER_HEAD, verdict=Verdict.FAIL), leg("b"))

    assert "**Ready to merge: all 6 gates pass.**" in body
    assert "1 config below is from an earlier push" in body
    assert "from an earlier push, <code>000000" in body


def test_one_failing_leg_is_enough():
    body = merged(leg("a"), leg("b", verdict=Verdict.FAIL), leg("c"))

    assert "**Not ready to merge: 1 of 3 configs fails (b).**" in body


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_any_order_of_the_legs_makes_the_same_comment(order):
    legs = [leg("a"), leg("b", verdict=Verdict.FAIL), leg("c", state=State.RUNNING)]

    assert merged(*(legs[at] for at in order)) == merged(*legs)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcde"),
            st.integers(1, 4),
            st.sampled_from([Verdict.PASS, Verdict.FAIL]),
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda one: one[:2],
    ).flatmap(lambda ones: st.tuples(st.just(ones), st.permutations(ones))),
    st.sampled_from([COMMENT, 9_000]),
)
def test_legs_and_runs_in_any_order_say_the_same(orders, limit):
    known = {run: f"{run:040x}" for run in range(5)}
    bodies = [
        merged(*(leg(n, run=r, verdict=v, head=known[r]) for n, r, v in ones), limit=limit)
        for ones in orders
    ]

    assert shown(bodies[0]) == shown(bodies[1])
    assert first_lines(bodies[0]) == first_lines(bodies[1])


@pytest.mark.parametrize("limit", [COMMENT, 9_000, 4_000])
def test_saying_it_again_changes_nothing(limit):
    legs = [leg("a"), leg("b", verdict=Verdict.FAIL), leg("c")]
    once = merged(*legs, limit=limit)

    assert comment_page.merge(once, legs[2], limit).body == once


@pytest.mark.parametrize("limit", [65_536, 20_000, 8_000, 5_000, 3_000, 1_500, 800])
def test_a_comment_of_many_legs_fits(limit):
    legs = [leg(f"leg-{n}", verdict=Verdict.FAIL) for n in range(12)]
    body = merged(*legs, limit=limit)

    assert characters(body) <= limit
    assert body.count("<details>") == body.count("</details>")
    assert first_lines(body)[0] == "> [!CAUTION]"


def test_others_are_cut_to_a_line_before_anything_of_ours_is():
    others = merged(*(leg(f"leg-{n}", verdict=Verdict.FAIL) for n in range(4)))
    ours = leg("ours", verdict=Verdict.FAIL)
    body = comment_page.merge(others, ours, characters(others)).body

    assert body.count("Cut to fit") == 4
    assert body.count("#### Regressed (3)") == 1
    assert "Left out to fit" not in body


@pytest.mark.parametrize("state", REVIEWS)
def test_a_comment_contains_what_was_published(state):
    assert comment_page.contains(comment_page.render(REVIEWS[state]), REVIEWS[state])


def test_a_comment_does_not_contain_what_somebody_overwrote():
    assert not comment_page.contains(merged(leg("b")), leg("a"))
    assert not comment_page.contains(merged(leg("a", run=814)), leg("a"))


@pytest.mark.parametrize(
    ("writer", "is_current"),
    [
        (leg("b"), True),
        (leg("b", run=814), False),
        (leg("b", head="c" * 40), False),
        (leg("b", state=State.RUNNING), True),
    ],
    ids=["another leg", "an earlier run", "another commit", "a leg that still runs"],
)
def test_a_comment_is_current_where_the_same_run_has_begun_it(writer, is_current):
    assert comment_page.is_current(merged(writer), leg("a")) is is_current


def test_an_attempt_to_do_better_belongs_to_the_same_run():
    again = leg("a")
    again = msgspec.structs.replace(
        again, scene=msgspec.structs.replace(again.scene, run_attempt=2)
    )

    assert comment_page.is_current(merged(leg("a")), again)


def test_what_is_newer_counts_as_contained():
    assert comment_page.contains(merged(leg("a", run=900)), leg("a"))


BODY = merged(leg("a"), leg("b", verdict=Verdict.FAIL))


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "hello",
        BODY[1:],
        BODY.replace("key=evals", "key=other"),
        BODY.replace("<!-- agentevals:end -->", "", 1),
        BODY.replace("agentevals:section ", "agentevals:section x", 1),
        re.sub(r"section \S+", "section AAAA", BODY),
        BODY + "<!-- agentevals:end -->",
        BODY * 300,
        "x" * 10_000_000,
    ],
    ids=range(10),
)
def test_a_body_that_is_not_of_our_making_counts_as_empty(broken):
    assert comment_page.parse(broken, "evals") == []
    assert shown(comment_page.merge(broken, leg("c")).body) == {"c"}


def test_a_section_that_was_edited_is_reduced_to_its_digest():
    edited = BODY.replace("#### Regressed (3)", "#### Regressed (3) </details> @all")
    body = comment_page.merge(edited, leg("c")).body

    assert shown(body) == {"a", "b", "c"}
    assert "@all" not in body
    assert "Cut to fit" in body


def test_windows_line_ends_are_read():
    assert len(comment_page.parse(BODY.replace("\n", "\r\n"), "evals")) == 2


@given(st.text(max_size=50))
def test_no_key_leaves_its_marker(key):
    hidden = comment_page.marker(key)

    assert hidden.count("--") == 2
    assert "\n" not in hidden


@given(st.data())
def test_a_mutilated_body_never_raises(data):
    at = data.draw(st.integers(0, len(BODY)))
    to = data.draw(st.integers(at, min(len(BODY), at + 200)))
    instead = data.draw(st.text(max_size=20))
    body = comment_page.merge(BODY[:at] + instead + BODY[to:], leg("c")).body

    assert "c" in shown(body)


@pytest.mark.parametrize("state", REVIEWS)
def test_each_state_has_its_layout(golden, state):
    written = re.sub(r"(agentevals:section) \S+", r"\1 DIGEST", comment_page.render(REVIEWS[state]))

    golden(f"pages/{state}/comment.md", written)


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        ("failed", "[!CAUTION]\n> **Not ready to merge: 2 of 6 gates fail.**"),
        ("passed", "[!TIP]\n> **Ready to merge: all 6 gates pass.**"),
        ("broken", "[!WARNING]\n> **Cannot tell whether to merge:"),
        ("running", "[!NOTE]\n> **The evaluation is running.**"),
        ("unchanged", "[!NOTE]\n> **Not evaluated: nothing that the evaluation reads"),
        ("no-baseline", "[!WARNING]\n> **Can be merged, with care:"),
        ("tolerated", "[!WARNING]\n> **Can be merged, because nothing blocks here: 2 of 6"),
    ],
)
def test_the_first_thing_said_is_whether_to_merge(state, answer):
    assert comment_page.render(REVIEWS[state]).split("-->\n> ", 1)[1].startswith(answer)


def test_a_link_leads_to_the_line_at_the_head_of_the_pull_request():
    place = (
        "shop/support-agent/blob/a1b2c3d4e5f60718293a4b5c6d7e8f9001122334/traces/support.jsonl#L41"
    )

    assert f"[trace\N{NO-BREAK SPACE}L41](https://github.example/{place})" in comment_page.render(
        REVIEWS["failed"]
    )


@pytest.mark.parametrize(
    "nowhere",
    [{"server_url": "javascript:alert(1)"}, {"repository": "../.."}, {"head_sha": "main"}],
)
def test_without_a_trustworthy_address_there_is_no_link_to_a_file(nowhere):
    page = comment_page.render(review(FAILING, scene=scene(**nowhere)))

    assert page.count("/blob/") == page.count(project_links.find_page(""))
    assert "trace\N{NO-BREAK SPACE}L41 `traces/support.jsonl`" in page


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/shop/support-agent/actions/runs/1",
        "https://github.example/shop/support-agent/actions/runs/1)](x",
        "https://github.example/shop/support-agent.evil/actions/runs/1",
    ],
)
def test_only_runs_of_the_repository_are_linked(url):
    page = comment_page.render(review(state=State.RUNNING, scene=scene(run_url=url)))

    assert "](" not in page


def test_a_removed_failing_case_is_said_in_the_open():
    page = comment_page.render(REVIEWS["failed"])

    assert "\n⚠️ **1 failing case removed**: `gift-card` (was failing ⚠️)" in page


def test_an_expired_acceptance_is_said_in_the_open():
    page = comment_page.render(REVIEWS["accepted"])

    assert "⚠️ **1 acceptance has expired:** `refund-over-limit`" in page


def test_an_older_run_says_that_it_was_overtaken():
    said = comment_page.explain_superseded(review(PASSING))

    assert "was overtaken by a newer one" in said
    assert said.endswith("It says: Ready to merge: all 6 gates pass.\n")


def test_what_only_all_cases_together_say_is_there():
    page = comment_page.render(review(section(report=TOGETHER)))

    assert "| all cases | score |\n|---|--:|\n| Label, f-score | 0.52 |\n" in page
    assert "| | a | b |\n|---|--:|--:|\n| a | 2 | 1 |\n| b | 0 | 3 |\n" in page


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_evaluator_can_leave_its_cell(text):
    figures = {text: {"reduce_scores": 0.5, "metric": text}}
    page = comment_page.render(review(section(report=report(PASSED, overall=figures))))

    (row,) = (row for row in page.splitlines() if row.endswith("| 0.50 |"))
    assert count_borders(row) == 3


def test_many_figures_do_not_fill_a_page():
    figures = {f"e{at}": {"reduce_scores": 0.5} for at in range(500)}
    page = comment_page.render(review(section(report=report(PASSED, overall=figures))))

    assert page.count("| 0.50 |") == 30
    assert "*470 more figures in the report.*" in page
