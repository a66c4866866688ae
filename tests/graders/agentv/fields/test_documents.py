import pytest

from agentevals.graders.agentv.fields.documents import read_document, read_expected, read_value
from agentevals.graders.javascript import UNDEFINED


@pytest.mark.parametrize(
    ("answer", "document"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```', {"a": 1}),
        ('Here: {"a": 1} thanks', {"a": 1}),
        ('prefix } {"a": 1}', {"a": 1}),
        ("[1, 2]", [1, 2]),
        ("```JSON\n[1, 2]\n```", [1, 2]),
        ('[{"a": 1}]', {"a": 1}),
        ("42", 42),
        ("null", None),
    ],
)
def test_the_json_in_an_answer_is_found(answer, document):
    assert read_document(answer) == document


@pytest.mark.parametrize(
    "answer", ["", "nope", '{"a": 1} {"b": 2}', "{'a': 1}", '{"a": 1,}', '{"a": NaN}', "{" * 99999]
)
def test_what_is_no_json_is_refused(answer):
    with pytest.raises(ValueError, match=r"\w"):
        read_document(answer)


def assistant(content):
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([assistant({"a": 0}), assistant({"a": 1})], {"a": 1}),
        ([assistant({"a": 1}), {"role": "user", "content": {"a": 2}}], {"a": 1}),
        ([assistant('{"a": 1}'), assistant("that was it")], {"a": 1}),
        ([assistant({"a": 1}), assistant("")], {"a": 1}),
        ([assistant([1, 2])], [1, 2]),
        ([assistant([{"type": "json", "value": {"a": 1}}])], {"a": 1}),
        (
            [assistant([{"type": "text", "value": '{"a":'}, {"type": "text", "value": "1}"}])],
            {"a": 1},
        ),
        ([assistant("0")], UNDEFINED),
        ([assistant("hello")], UNDEFINED),
        ([assistant(5), {"content": {"a": 1}}, {}], UNDEFINED),
        ([], UNDEFINED),
    ],
)
def test_the_last_message_that_holds_something_counts(messages, expected):
    assert read_expected(messages) == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("invoice.lines[1].p", 2),
        ("invoice.lines.1.p", 2),
        ("invoice.lines[5].p", UNDEFINED),
        ("invoice.lines.length", 2),
        ("invoice.total", None),
        ("invoice.total.deeper", UNDEFINED),
        ("名前", "太郎"),
        ("[名前]", "太郎"),
        ("", {"invoice": {"lines": [{"p": 1}, {"p": 2}], "total": None}, "名前": "太郎"}),
    ],
)
def test_a_path_leads_to_a_value(path, value):
    document = {"invoice": {"lines": [{"p": 1}, {"p": 2}], "total": None}, "名前": "太郎"}

    assert read_value(path, document) == value
