from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders.tools.tool_call_matching import (
    ArgsMatch,
    MatchType,
    are_args_equal,
    matches,
)
from agentevals.model.conversations import ToolCall

CALLS = st.lists(
    st.dictionaries(st.sampled_from("xy"), st.integers(1, 2)).map(
        lambda args: ToolCall(name="a", args=args)
    ),
    max_size=5,
)


@given(expected=CALLS, actual=CALLS, how=st.sampled_from(ArgsMatch))
def test_in_any_order_means_that_some_order_fits(expected, actual, how):
    some_order_fits = any(
        all(are_args_equal(w.args, f.args, how) for w, f in zip(expected, order, strict=True))
        for order in permutations(actual, len(expected))
    )

    assert matches(expected, actual, MatchType.ANY_ORDER, how) == some_order_fits


@given(calls=CALLS, match_type=st.sampled_from(MatchType), how=st.sampled_from(ArgsMatch))
def test_calls_match_themselves(calls, match_type, how):
    assert matches(calls, calls, match_type, how)
