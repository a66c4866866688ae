import pytest

from agentevals.graders.uipath import uipath_calls
from agentevals.model.cases import Case
from agentevals.model.conversations import ToolCall
from tests.graders.uipath.cases import of, tool
from tests.support import conversation, turn


def of_calls(*given):
    return uipath_calls.read_calls(Case(conversation=conversation(turn(tool_calls=given))))


@pytest.mark.parametrize(
    ("written", "args"),
    [
        ('{"x": true, "y": null}', {"x": True, "y": None}),
        ("{'x': True}", {"x": True}),
        ({"x": 1}, {"x": 1}),
        ("[1, 2]", {}),
        ("not json", {}),
        ("{" * 500, {}),
        (None, {}),
        (5, {}),
    ],
)
def test_arguments_are_json_or_what_python_printed(written, args):
    assert uipath_calls.read_calls(of("", tool("a", written)))[0].args == args


@pytest.mark.parametrize(
    ("written", "output"),
    [
        ('{"content": "hi"}', "hi"),
        ('{"content": 5}', "5"),
        ('{"content": 0}', ""),
        ('{"content": {"k": true}}', "{'k': True}"),
        ('{"result": 1}', ""),
        ("[1, 2]", "[1, 2]"),
        ('"quoted"', '"quoted"'),
        ("plain ", "plain "),
        ({"content": "x"}, "x"),
        (5, "5"),
        (None, ""),
    ],
)
def test_the_output_of_a_span_is_its_content(written, output):
    assert uipath_calls.read_calls(of("", tool("a", None, written)))[0].output == output


def test_calls_are_in_the_order_in_which_they_ended():
    found = uipath_calls.read_calls(of("", tool("late", at=9), tool("early", at=3)))

    assert [call.name for call in found] == ["early", "late"]


def test_a_call_does_not_take_the_arguments_of_one_that_was_made_up():
    turns = (
        ToolCall(name="a", args={"x": 1}, end_ns=1),
        ToolCall(name="a", args={"y": 2}, end_ns=2),
    )
    made_up = tool("a", '{"x": 1}', at=1, **{"tool.synthesized": True})

    def read(*spans):
        whole = conversation(turn(tool_calls=turns), spans=(made_up, *spans))
        return [call.args for call in uipath_calls.read_calls(Case(conversation=whole))]

    assert read(tool("a", "[1]", at=2)) == [{}]
    assert read(tool("a", at=2)) == [{"y": 2}]


def test_what_was_made_up_by_the_instrumentation_is_no_call():
    assert uipath_calls.read_calls(of("", tool("a", **{"tool.synthesized": True}))) == []


@pytest.mark.parametrize(
    ("response", "output"),
    [
        ("hi", "hi"),
        ({"content": "hi"}, "hi"),
        ({"result": 5}, "5"),
        ({"temperature": 5}, '{"temperature": 5}'),
        ([1], "[1]"),
        (None, ""),
    ],
)
def test_any_other_recording_has_outputs_as_well(response, output):
    found = of_calls(ToolCall(name="a", args=None, response=response))

    assert found == [uipath_calls.Called("a", {}, output, None)]


@pytest.mark.parametrize(
    ("name", "call_id", "is_meant"),
    [
        ("get weather", None, True),
        ("get_weather", None, True),
        ("Get_weather", None, False),
        ("get_weather!", None, False),
        ("c1", None, True),
        ("anything", "c1", True),
        ("get_weather", "c2", False),
    ],
)
def test_a_call_is_meant_by_id_or_by_name(name, call_id, is_meant):
    assert (
        uipath_calls.is_meant(name, call_id, uipath_calls.Called("get_weather", {}, "", "c1"))
        is is_meant
    )


def test_a_name_is_never_emptied():
    assert not uipath_calls.is_meant("中国", None, uipath_calls.Called("日本", {}, "", None))
