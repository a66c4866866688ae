import pytest

from agentevals.model import Turn
from agentevals.pairing import Pairing
from agentevals.plan import Expectation
from agentevals.report import Blame, Policy, Severity
from tests.support import conversation, turn


def expectation(name, opening="", turns=1):
    return Expectation(
        case_id=name, opening=opening, turns=tuple(Turn(user=opening) for _ in range(turns))
    )


def paired(expectations, *conversations, policy=None):
    pairing = Pairing(expectations, policy or Policy())
    cases = list(pairing.pair(conversations))
    return cases, pairing.findings()


def named(cases):
    return [(case.conversation.conversation_id, case.eval_case_id, case.unpaired) for case in cases]


ASKS_ROME = conversation(turn(user="  Weather in\nROME "), name="rome-trace")
ASKS_OSLO = conversation(turn(user="weather in oslo"), name="oslo-trace")


def test_without_an_eval_set_every_conversation_is_a_case_and_says_why_it_has_no_expectation():
    cases, findings = paired(None, ASKS_ROME, ASKS_OSLO)

    assert named(cases) == [
        ("rome-trace", None, "no eval set provided"),
        ("oslo-trace", None, "no eval set provided"),
    ]
    assert findings == ()


def test_the_explicit_id_wins_over_the_text():
    rome, oslo = expectation("rome", "weather in rome"), expectation("oslo", "weather in oslo")
    marked = conversation(turn(user="weather in rome"), case_id="oslo")

    cases, _ = paired((rome, oslo), marked)

    assert cases[0].eval_case_id == "oslo"


def test_an_explicit_id_that_nobody_knows_is_not_replaced_by_a_guess():
    cases, findings = paired(
        (expectation("rome", "hello"),), conversation(turn(), case_id="zzz"), ASKS_ROME
    )

    assert cases[0].unpaired == "eval case 'zzz' not found"
    assert findings[0].rule == "nothing-answered"


def test_a_conversation_that_names_two_cases_answers_none():
    cases, _ = paired(
        (expectation("rome", "hello"), expectation("oslo", "bye")),
        conversation(turn(user="hello"), case_id="rome", rival_case_ids=("oslo",)),
    )

    assert cases[0].eval_case_id is None
    assert cases[0].unpaired == "ambiguous eval case: it names 'rome', 'oslo'"


def test_text_is_compared_without_case_and_white_space():
    cases, _ = paired(
        (expectation("rome", "weather in Rome"), expectation("oslo", "Weather in Oslo")),
        ASKS_OSLO,
        ASKS_ROME,
    )

    assert [case.eval_case_id for case in cases] == ["oslo", "rome"]


def test_of_cases_with_the_same_text_the_one_of_the_same_length_is_meant():
    short, long = expectation("short", "hello"), expectation("long", "hello", turns=2)

    cases, _ = paired((short, long), conversation(turn(), turn()))

    assert cases[0].eval_case_id == "long"


def test_several_cases_that_fit_equally_well_are_ambiguous():
    cases, _ = paired((expectation("a", "hello"), expectation("b", "hello")), conversation(turn()))

    assert named(cases) == [("c1", None, "ambiguous eval case")]


def test_the_sole_case_is_for_the_sole_conversation():
    cases, _ = paired((expectation("only", "something else"),), ASKS_ROME)

    assert cases[0].eval_case_id == "only"


def test_the_sole_case_is_not_for_the_first_of_two_conversations():
    cases, findings = paired((expectation("only", "something else"),), ASKS_ROME, ASKS_OSLO)

    assert {case.unpaired for case in cases} == {"no matching eval case"}
    assert (findings[0].rule, findings[0].blame) == ("nothing-answered", Blame.INPUT)


def test_an_expectation_that_nobody_answered_is_an_error_that_can_be_allowed():
    expectations = (expectation("rome", "weather in rome"), expectation("oslo", "weather in oslo"))

    _, strict = paired(expectations, ASKS_ROME)
    _, lenient = paired(expectations, ASKS_ROME, policy=Policy(fail_on_missing=False))

    assert [(f.rule, f.severity) for f in strict] == [("missing-case", Severity.ERROR)]
    assert "oslo" in strict[0].message
    assert lenient[0].severity is Severity.WARNING
    assert ["--allow-missing" in f.message for f in (strict[0], lenient[0])] == [True, False]


@pytest.mark.parametrize(
    ("expected", "rule", "severity", "message"),
    [
        (3, "missing-turn", Severity.ERROR, "rome: 1 of 3 turns are missing"),
        (1, "unexpected-turn", Severity.WARNING, "rome: 1 of 2 turns were not expected"),
    ],
)
def test_a_different_number_of_turns_is_said(expected, rule, severity, message):
    wanted = expectation("rome", "hello", turns=expected)

    _, findings = paired((wanted,), conversation(turn(), turn()))

    assert [(f.rule, f.severity, f.message) for f in findings] == [(rule, severity, message)]


def test_conversations_without_a_case_are_said_by_reason():
    strays = [conversation(turn(user=f"u{n}"), name=f"t{n}") for n in range(7)]

    _, findings = paired((expectation("rome", "weather in rome"),), ASKS_ROME, *strays)

    (finding,) = findings
    assert finding.message == (
        "7 conversations are not paired with a case (no matching eval case): "
        "'t0', 't1', 't2', 't3', 't4' and 2 more"
    )


def test_an_eval_set_without_a_case_is_an_input_error():
    _, findings = paired((), ASKS_ROME)

    assert (findings[0].rule, findings[0].blame) == ("nothing-answered", Blame.INPUT)
    assert "the eval set has no cases" in findings[0].message


def test_no_eval_set_is_an_input_error_where_nothing_can_be_judged_without():
    pairing = Pairing(None, Policy(), needed=True)

    list(pairing.pair([ASKS_ROME]))

    (finding,) = pairing.findings()
    assert (finding.rule, finding.blame) == ("no-eval-set", Blame.INPUT)
    assert "agentevals bless" in finding.message


def test_traces_without_any_turn_are_an_input_error_that_says_what_to_do():
    _, findings = paired(None, conversation(error="No invocations extracted from trace."))

    assert (findings[0].rule, findings[0].blame) == ("nothing-recorded", Blame.INPUT)
    assert "agentevals record" in findings[0].message


def test_a_trace_in_which_an_agent_is_only_created_is_no_case():
    created = conversation(name="setup", error="No invocations extracted.", preparation=True)

    cases, findings = paired((expectation("rome", "weather in rome"),), created, ASKS_ROME)

    assert named(cases) == [("rome-trace", "rome", "")]
    assert [(f.rule, f.severity) for f in findings] == [("preparation", Severity.NOTE)]


STRANGER = conversation(name="web", error="No invocations extracted.", foreign=True)


def test_a_trace_without_an_agent_is_a_case_that_fails_and_says_the_remedy():
    cases, findings = paired(None, STRANGER, ASKS_ROME)

    assert [case.case_id for case in cases] == ["web", "rome-trace"]
    assert [(f.rule, f.severity) for f in findings] == [("foreign-trace", Severity.WARNING)]
    assert "--allow-foreign" in findings[0].message


def test_a_trace_without_an_agent_can_be_left_out():
    cases, findings = paired(None, STRANGER, ASKS_ROME, policy=Policy(fail_on_foreign=False))

    assert [case.case_id for case in cases] == ["rome-trace"]
    assert [(f.rule, f.severity) for f in findings] == [("foreign-trace", Severity.NOTE)]
