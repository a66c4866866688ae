import pytest

from agentevals.configs.plan import Expectation
from agentevals.model.cases import Task
from agentevals.model.conversations import Turn
from agentevals.model.policy import Policy
from agentevals.model.results import Blame, Severity
from agentevals.run.pairing import Pairing
from tests.support import conversation, turn


def expectation(name, opening="", turns=1):
    return Expectation(
        case_id=name, opening=opening, turns=tuple(Turn(user=opening) for _ in range(turns))
    )


def paired(expectations, *conversations, policy=None, pairs="auto"):
    pairing = Pairing(expectations, policy or Policy(), pairs=pairs)
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
        "'t0', 't1', 't2', 't3', 't4' and 2 more; give the traces the attribute "
        "'agentevals.eval.case.id', or the eval set their first user messages"
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
    assert "run 'agentevals doctor TRACE...'" in findings[0].message


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


def a_test(name, *asked):
    """A test of an EVAL file, with the messages that it gives to the agent."""
    return Expectation(
        case_id=name, opening=asked[0], openings=asked[1:], turns=(Turn(),), task=Task()
    )


def test_a_test_of_several_messages_is_found_by_the_first_or_by_the_last():
    wanted = a_test("rome", "hello", "weather in rome"), a_test("oslo", "weather in oslo")
    whole = conversation(turn(user="hello"), turn(user="weather in rome"), name="whole")
    rest = conversation(turn(user="good morning"), turn(user="weather in oslo"), name="rest")

    cases, findings = paired(wanted, whole, ASKS_ROME, rest)

    assert [case.eval_case_id for case in cases] == ["rome", "rome", "oslo"]
    assert findings == ()


def test_of_tests_that_begin_alike_the_one_that_ends_alike_is_meant():
    wanted = a_test("rome", "hello", "weather in rome"), a_test("oslo", "hello", "weather in oslo")
    long = conversation(turn(user="hello"), turn(user="weather in oslo"), name="long")
    short = conversation(turn(user="hello"), name="short")

    cases, _ = paired(wanted, long, short)

    assert named(cases) == [
        ("long", "oslo", ""),
        ("short", None, "ambiguous eval case"),
    ]


def test_the_last_message_names_no_case_of_an_eval_set():
    cases, _ = paired(
        (expectation("rome", "weather in rome"), expectation("oslo", "weather in oslo")),
        conversation(turn(user="hello"), turn(user="weather in rome")),
    )

    assert cases[0].unpaired == "no matching eval case"


def test_by_position_the_first_conversation_answers_the_first_case():
    expectations = expectation("a", "one"), expectation("b", "two")

    cases, findings = paired(expectations, ASKS_OSLO, ASKS_ROME, pairs="position")

    assert named(cases) == [("oslo-trace", "a", ""), ("rome-trace", "b", "")]
    assert findings == ()


def test_by_position_nothing_is_paired_where_there_is_more_of_one_side():
    expectations = expectation("a", "weather in rome"), expectation("b", "two")

    cases, findings = paired(expectations, ASKS_ROME, pairs="position")

    assert named(cases) == [("rome-trace", None, "not paired by position")]
    assert [(f.rule, f.severity, f.blame) for f in findings] == [
        ("uneven-positions", Severity.ERROR, Blame.INPUT)
    ]
    assert "there are 2 eval cases and 1 recorded conversation;" in findings[0].message


def test_by_position_a_conversation_that_names_another_case_answers_none():
    marked = conversation(turn(), case_id="b", name="first")

    cases, findings = paired(
        (expectation("a"), expectation("b")), marked, ASKS_ROME, pairs="position"
    )

    assert named(cases) == [
        ("first", None, "in the place of 'a', but it names 'b'"),
        ("rome-trace", "b", ""),
    ]
    assert {found.rule for found in findings} == {"missing-case", "unpaired"}


def test_by_position_a_conversation_that_failed_keeps_its_place():
    failed = conversation(name="failed", error="no key")

    cases, _ = paired((expectation("a"), expectation("b")), failed, ASKS_ROME, pairs="position")

    assert named(cases) == [("failed", None, "no key"), ("rome-trace", "b", "")]


def test_without_an_eval_set_there_is_no_position():
    cases, _ = paired(None, ASKS_ROME, pairs="position")

    assert named(cases) == [("rome-trace", None, "no eval set provided")]


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ("position", "in the place of 'a', but it names 'b'"),
        ("auto", "eval case 'b' not found"),
    ],
)
def test_where_nothing_is_answered_it_is_said_which_other_cases_are_named(pairs, reason):
    marked = conversation(turn(user="hello"), case_id="b", name="first")

    _, findings = paired((expectation("a"),), marked, pairs=pairs)

    assert [found.rule for found in findings] == ["nothing-answered", "unpaired"]
    assert findings[1].message.startswith(
        f"1 conversation is not paired with a case ({reason}): 'first'; give the traces"
    )
