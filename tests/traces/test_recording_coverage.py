import pytest

from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import Conversation, ModelCall, ToolCall, Turn
from agentevals.traces.recording_coverage import Requests, explain_worthless, list_missing


def gap(fact, remedy="Set A"):
    return Gap(fact=fact, presence=Presence.UNKNOWN, evidence="nothing", remedy=remedy)


def talk(name, *turns, case_id=""):
    """A conversation with the gaps of each of its turns."""
    found = tuple(Turn(gaps=tuple(gaps)) for gaps in turns)
    return Conversation(conversation_id=name, turns=found, case_id=case_id)


def lack(*facts, case_id=""):
    return talk("a", list(map(gap, facts)), case_id=case_id)


def test_a_fact_is_counted_once_however_many_turns_lack_it():
    found = list_missing(
        [
            talk("a", [gap(Fact.ARGUMENTS)], [gap(Fact.ARGUMENTS), gap(Fact.QUESTION)]),
            talk("b", [gap(Fact.ARGUMENTS)], []),
        ]
    )

    assert [(each.gap.fact, each.turns, len(each.conversations)) for each in found] == [
        (Fact.QUESTION, 1, 1),
        (Fact.ARGUMENTS, 3, 2),
    ]


def test_each_remedy_has_its_own_line():
    found = list_missing([talk("a", [gap(Fact.ANSWER)]), talk("b", [gap(Fact.ANSWER, "Set B")])])

    assert [each.gap.remedy for each in found] == ["Set A", "Set B"]


def test_only_the_facts_that_somebody_asks_for_are_listed():
    assert not list_missing([talk("a", [gap(Fact.TOKENS)])], {Fact.ANSWER})


@pytest.mark.parametrize(
    ("conversation", "alone", "why"),
    [
        (lack(Fact.QUESTION), False, "a run cannot find its case, because the question was not"),
        (lack(Fact.QUESTION), True, ""),
        (lack(Fact.QUESTION, case_id="a"), False, ""),
        (lack(Fact.ANSWER, Fact.TOOL_CALLS), False, "it shows neither answers nor tool calls"),
        (lack(Fact.ANSWER), False, ""),
        (lack(Fact.TOOL_CALLS, Fact.ARGUMENTS), False, ""),
    ],
)
def test_a_recording_is_worth_nothing_without_its_question_or_all_that_follows(
    conversation, alone, why
):
    found = explain_worthless(conversation, alone=alone)

    assert found.startswith(why)
    assert bool(found) is bool(why)


CALLING = {"tool_calls": (ToolCall(name="f"),)}
ANSWERING = {"response": "done"}


def request(name, *, case_id="", model_calls=1, **said):
    """A conversation of one turn, by default with a single request to a model."""
    turn = Turn(user="hi", model_calls=(ModelCall(),) * model_calls, **said)
    return Conversation(conversation_id=name, turns=(turn,), case_id=case_id)


@pytest.mark.parametrize(
    ("one", "other", "split"),
    [
        (request("a", **CALLING), request("b", **ANSWERING), True),
        (request("a", **CALLING), request("b", **CALLING), False),
        (request("a", **ANSWERING), request("b", **ANSWERING), False),
        (request("a", **CALLING), request("b", **CALLING, **ANSWERING, model_calls=2), False),
        (request("a", **CALLING), request("b", case_id="b", **ANSWERING), False),
    ],
)
def test_requests_with_one_question_that_end_differently_are_one_turn(one, other, split):
    requests = Requests()
    for each in (one, other):
        requests.add(each)

    assert requests.has_parts is split
    assert [requests.is_part(each) for each in (one, other)] == [split, split]
