import re
from itertools import islice

import msgspec
import pytest

from agentevals.model.policy import Acceptance, Limit, Policy
from agentevals.report import baseline_changes
from tests.compare.runs import against, run
from tests.hostile import COUNT, strings
from tests.report.pages.harmless import COMMAND
from tests.report.pages.hostile_reviews import hostile

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
POLICY = Policy(limits={"pass_rate": Limit(at_least=0.9, max_drop=0.02)})


def shown(section, **options):
    return "".join(baseline_changes.compare(section, **options))


def test_the_gates_stand_beside_those_of_the_base_and_what_moved_below(golden):
    base = run({"kept": 1, "lost": 1, "mended": 0, "gone": 0}, policy=POLICY)
    head = run({"kept": 1, "lost": 0, "mended": 1, "new": 1}, policy=POLICY)

    text = shown(against(head, base))

    golden("pages/terminal.txt", text)
    assert "regressed (1)\n✗ lost" in text


def test_without_a_baseline_only_limits_are_shown():
    text = shown(against(run({"a": 1, "b": 0}, policy=POLICY)))

    assert "Score" not in text
    assert "difference" not in text
    assert re.search(r"✗ Pass rate  50\.0 % \(1/2\)  ≥ 90 % .* below the limit", text)


def test_what_keeps_a_baseline_from_being_compared_is_said():
    head = run({"a": 1}, identity=run({"a": 1}).identity)
    base = run({"a": {"tone": 1.0}})

    assert "! not compared with merge-base: evaluator was added: path" in shown(against(head, base))


def test_the_tool_path_of_a_regressed_case_is_shown_as_a_difference():
    base = run({"a": 1}, calls={"a": ("geocode(place)", "forecast(place)")})
    head = run({"a": 0}, calls={"a": ("forecast(place)",)})

    assert "    - geocode(place)\n      forecast(place)\n" in shown(against(head, base))


def test_what_the_eval_set_expects_is_no_tool_path_of_the_base():
    base = run({"a": 1}, calls={"a": ("geocode(place)", "forecast(place)")})
    outcome = against(run({"a": 0}, calls={"a": ("forecast(place)",)}), base)
    [one] = outcome.highlights
    expected = msgspec.structs.replace(one, expected_calls=True)

    assert "geocode" not in shown(msgspec.structs.replace(outcome, highlights=(expected,)))


@pytest.mark.parametrize(
    ("until", "sentence"),
    [
        ("2026-11-18", "· bad: accepted until 2026-11-18: waits"),
        ("2026-11-17", "! bad: was accepted until 2026-11-17: waits"),
    ],
)
def test_what_somebody_answers_for_is_shown_with_its_last_day(until, sentence):
    policy = Policy(accepted=(Acceptance(case="bad", reason="waits", until=until),))

    assert sentence in shown(against(run({"bad": 0}, policy=policy)))


def test_long_lists_are_cut_and_counted():
    base = run({f"case {n:03}": 1 for n in range(100)})
    head = run({f"case {n:03}": 0 for n in range(60)})

    text = shown(against(head, base))

    assert "regressed (60)" in text
    assert "and 40 more" in text
    assert "removed (40): " in text
    assert "and 20 more" in text


def test_colour_is_for_those_who_want_it():
    section = against(run({"a": 0}, policy=POLICY))

    assert "\x1b[" in shown(section, colour=True)
    assert "\x1b[" not in shown(section)


def test_nothing_hostile_survives():
    texts = strings()
    reviews = [hostile(list(islice(texts, 200)), trusted=False) for _ in range(COUNT // 200)]
    pages = [shown(section) for review in reviews for section in review.sections]

    assert [page for page in pages if CONTROLS.search(page) or COMMAND.search(page)] == []
    assert max(map(len, pages)) < 100_000
