"""Whichever side of a comparison hides its tokens: ids, pairing and scores are the same."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentevals.configs.plan import Expectation
from agentevals.graders.grader import Services
from agentevals.graders.tools.tool_trajectory_avg_score import ToolTrajectory
from agentevals.model.conversations import ToolCall
from agentevals.model.policy import Policy
from agentevals.run.pairing import Pairing
from agentevals.text.redaction import TokenMarker, redact_texts
from tests.support import conversation, turn

TOKENS = ["sk-" + f"proj-a1B2c3D4e5F6g7H8{end}" for end in "xy"] + ["AKIA" + "ABCDEFGH12345678"]
PIECES = st.sampled_from([*TOKENS, "Paris", "paris", " ", "key=", '"', "\n", "postgres://u:pw@h"])
TEXTS = st.lists(PIECES, max_size=4).map("".join)
TURNS = st.builds(
    lambda user, answer, args: turn(
        answer, user, tool_calls=(ToolCall(name="login", call_id="c1", args=args),)
    ),
    user=TEXTS,
    answer=TEXTS,
    args=st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS, max_size=2), max_size=2),
)
EXACT = ToolTrajectory(name="t", trajectory_match_type="EXACT")


def judge(recorded, expected, *, hide_recorded, hide_expected):
    """Return what each conversation was paired with, its scores, and whether the answers agree."""
    if hide_recorded:
        recorded = redact_texts(recorded, TokenMarker())
    if hide_expected:
        expected = [redact_texts(turn, TokenMarker()) for turn in expected]
    wanted = [
        Expectation(case_id=f"case {at}", opening=turn.user, turns=(turn,))
        for at, turn in enumerate(expected)
    ]
    cases = list(Pairing(wanted, Policy()).pair(recorded))
    return [
        (
            case.case_id,
            case.conversation.conversation_id,
            case.unpaired,
            case.expected and EXACT.grade(case, Services()).score,
            [one.response == other.response for one, other in case.pairs],
        )
        for case in cases
    ]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recorded=st.lists(TURNS, min_size=2, max_size=3), expected=st.lists(TURNS, max_size=3))
def test_hiding_tokens_changes_neither_ids_nor_pairing_nor_scores(recorded, expected):
    expected = [*expected, recorded[0]]
    talks = [conversation(turn, name=f"t{at} {TOKENS[0]}") for at, turn in enumerate(recorded)]
    plain = judge(talks, expected, hide_recorded=False, hide_expected=False)

    assert judge(talks, expected, hide_recorded=True, hide_expected=False) == plain
    assert judge(talks, expected, hide_recorded=False, hide_expected=True) == plain
    assert judge(talks, expected, hide_recorded=True, hide_expected=True) == plain


def test_a_token_that_the_other_side_does_not_hide_stays():
    talk = conversation(turn(f"{TOKENS[0]} and {TOKENS[2]}", "hello"))
    hidden = redact_texts(turn(TOKENS[0], "hello"), TokenMarker())
    wanted = Expectation(case_id="a", opening="hello", turns=(hidden,))
    (case,) = Pairing([wanted], Policy()).pair([talk])

    assert case.turns[0].response == f"{hidden.response} and {TOKENS[2]}"
    assert case.expected == (hidden,)


def test_where_nothing_is_hidden_everything_is_what_it_was():
    talk = conversation(turn(TOKENS[0], "hello"))
    wanted = Expectation(case_id="a", opening="hello", turns=(turn(TOKENS[0], "hello"),))
    (case,) = Pairing([wanted], Policy()).pair([talk])

    assert (case.conversation, case.expected) == (talk, wanted.turns)
