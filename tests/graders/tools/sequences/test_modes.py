import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders.tools.sequences import modes
from agentevals.graders.tools.sequences.arguments import ArgsComparison
from agentevals.graders.tools.sequences.expected import Expected
from agentevals.model.conversations import ToolCall

EXACT = ArgsComparison.EXACT
NAMES = st.lists(st.sampled_from("abc"), max_size=6)


def calls(names):
    return [ToolCall(name=name) for name in names]


def expected(names):
    return [Expected(tool=name) for name in names]


@given(NAMES, NAMES)
def test_in_order_is_complete_for_a_subsequence_and_for_nothing_else(wanted, made):
    rest = iter(made)
    subsequence = all(name in rest for name in wanted)

    tally = modes.match_in_order(expected(wanted), calls(made), EXACT)
    assert (tally.score == 1) is subsequence


@given(NAMES, NAMES)
def test_exact_is_complete_for_the_same_calls_and_for_nothing_else(wanted, made):
    tally = modes.match_exactly(expected(wanted), calls(made), EXACT)

    assert (tally.score == 1) is (wanted == made)


@given(NAMES, NAMES)
def test_superset_counts_each_call_once(wanted, made):
    tally = modes.match_superset(expected(wanted), calls(made), EXACT)

    found = sum(min(wanted.count(name), made.count(name)) for name in set(wanted))
    assert tally.score == (found / len(wanted) if wanted else 1)


@given(NAMES, NAMES)
def test_subset_is_complete_when_no_other_tool_was_called(wanted, made):
    tally = modes.match_subset(expected(wanted), calls(made), EXACT)

    assert (tally.score == 1) is (set(made) <= set(wanted))


@given(
    NAMES,
    NAMES,
    st.sampled_from(
        [modes.match_in_order, modes.match_exactly, modes.match_superset, modes.match_subset]
    ),
)
def test_a_score_is_a_share(wanted, made, mode):
    tally = mode(expected(wanted), calls(made), EXACT)

    assert 0 <= tally.score <= 1


@pytest.mark.parametrize(
    ("took", "score", "said"),
    [
        (5, 1, "a completed in 5ms (max: 10ms)"),
        (10, 1, "a completed in 10ms (max: 10ms)"),
        (10.5, 0.5, "a took 10.5ms (max: 10ms)"),
    ],
)
def test_a_call_that_is_in_time_is_a_check_of_its_own(took, score, said):
    call = ToolCall(name="a", end_ns=int(took * 1_000_000), timed=True)
    tally = modes.match_in_order([Expected(tool="a", max_duration_ms=10)], [call], EXACT)

    assert tally.score == score
    assert said in tally.hits + tally.misses


def test_a_call_that_was_not_timed_is_not_late():
    tally = modes.match_exactly([Expected(tool="a", max_duration_ms=10)], calls("a"), EXACT)

    assert (tally.score, tally.misses) == (1, [])


def test_a_call_that_was_not_made_was_not_in_time():
    wanted = [Expected(tool="a"), Expected(tool="b", max_duration_ms=10)]
    tally = modes.match_in_order(wanted, calls("a"), EXACT)

    assert tally.score == pytest.approx(1 / 3)


def test_arguments_that_are_not_the_expected_ones_use_up_the_call():
    made = [ToolCall(name="a", args={"n": 1}), ToolCall(name="a", args={"n": 2})]
    tally = modes.match_in_order([Expected(tool="a", args={"n": 2})] * 2, made, EXACT)

    assert tally.misses == ["Expected a at position 0: tool found at 0 but args mismatch"]
    assert tally.hits == ["Found a at position 1"]


def test_calls_too_many_are_misses():
    tally = modes.match_exactly(expected("ab"), calls("abc"), EXACT)

    assert tally.score == pytest.approx(2 / 3)
    assert tally.misses == [
        "Expected 2 tool calls, got 3",
        "Position 2: expected nothing, got c",
    ]
