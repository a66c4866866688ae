"""Random cases beside the real systems: what was wrong once, what is reached, how it is shrunk."""

import pytest

from tests.conformance.__main__ import SYSTEMS as COMPARISONS
from tests.differential.__main__ import generate
from tests.differential.draw import Draw
from tests.differential.kept import list_kept
from tests.differential.shrinking import shrink
from tests.differential.systems import Case
from tests.differential.table import SYSTEMS

KEPT = [(name, folder) for name in COMPARISONS for folder in list_kept(name)]
_ENOUGH = 3_000  # cases, of which every value of every setting is one


@pytest.mark.parametrize(("system", "folder"), KEPT, ids=[folder.name for _, folder in KEPT])
def test_a_case_that_was_wrong_once_is_right(system, folder):
    rows = list(COMPARISONS[system].rows(folder))

    assert rows
    assert [row for row in rows if row.unexplained or row.incomparable] == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_grammar_reaches_every_type_setting_and_value(name):
    system = SYSTEMS[name]
    missing = system.list_reachable()
    for number in range(_ENOUGH):
        draw = Draw(f"reach/{number}")
        system.generate("case", draw)
        missing -= draw.reached.keys()
        if not missing:
            break

    assert sorted(missing) == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_seed_makes_the_same_case_whatever_was_made_before(name):
    assert generate(SYSTEMS[name], "s", 3) == generate(SYSTEMS[name], "s", 3)
    assert generate(SYSTEMS[name], "s", 3) != generate(SYSTEMS[name], "t", 3)


def test_a_wrong_case_becomes_as_small_as_it_can_be_and_still_be_wrong():
    case = Case("c", {"calls": [{"name": "a"}, {"name": "bad", "args": [1, 2]}], "text": "long"})

    def are_wrong(candidates):
        return [any(map(is_bad, each.given.get("calls", ()))) for each in candidates]

    def is_bad(call):
        return call.get("name") == "bad"

    assert shrink(case, are_wrong).given == {"calls": [{"name": "bad"}]}


def test_a_case_that_cannot_be_made_smaller_stays():
    case = Case("c", {"a": 1})

    assert shrink(case, lambda candidates: [each == case for each in candidates]) == case


def test_a_large_case_takes_few_rounds():
    spans = [{"name": f"span {number}", "bad": number == 70} for number in range(100)]
    rounds = []

    def are_wrong(candidates):
        rounds.append(candidates)
        return [any(span.get("bad") for span in each.given.get("spans", ())) for each in candidates]

    assert shrink(Case("c", {"spans": spans}), are_wrong).given == {"spans": [{"bad": True}]}
    assert len(rounds) < 20
