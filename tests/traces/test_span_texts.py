import pytest

from agentevals.traces.chat_messages import ASSISTANT, USER
from agentevals.traces.span_texts import find_text


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("Hi", ["Hi"]),
        ({"question": "Hi", "k": 3}, ["Hi"]),
        ({"messages": [{"type": "human", "content": "Hi"}]}, ["Hi"]),
        ({"k": "data"}, []),
        ([1, 2], []),
        (None, []),
    ],
)
def test_what_a_function_took_is_a_message_only_where_that_is_plain(value, texts):
    assert [message.text for message in find_text(value, USER)] == texts


@pytest.mark.parametrize(
    ("formed", "answer"), [({"sky": "clear"}, '{"sky": "clear"}'), (None, "Clear.")]
)
def test_an_answer_of_a_given_form_stands_beside_the_messages_of_langchain(formed, answer):
    state = {"messages": [{"type": "ai", "content": "Clear."}], "structured_response": formed}

    assert [message.text for message in find_text(state, ASSISTANT)] == [answer]


def test_a_state_that_ends_with_the_user_holds_no_answer():
    state = {"messages": [{"role": "user", "content": "Where is order 7?"}]}

    assert find_text(state, ASSISTANT) == []
