import json
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection

import pytest

from agentevals.graders.programs.judge_proxy import serve
from agentevals.judge import Unconfigured
from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError, InputError
from tests.graders.llm.questions.scripted import BROKE, ScriptedJudge

NOBODY = InputError("no judge is called 'x'")


@pytest.fixture
def judge():
    return ScriptedJudge("an answer")


@pytest.fixture
def access(judge):
    with serve(judge, 3) as found:
        yield found


def call(access, path="/invoke", body=None, **headers):
    """POST a body, or GET where there is none."""
    connection = HTTPConnection("127.0.0.1", access.port, timeout=10)
    sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    given = {"authorization": f"Bearer {access.token}"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET" if body is None else "POST", path, sent, given)
    response = connection.getresponse()
    answer = response.status, json.loads(response.read())
    connection.close()
    return answer


def test_a_question_is_answered_in_words(access, judge):
    status, told = call(access, body={"question": "why?", "systemPrompt": "be brief"})

    assert (status, told["rawText"]) == (200, "an answer")
    assert told["output"] == [{"role": "assistant", "content": "an answer"}]
    assert (judge.prompts, judge.systems) == (["why?"], ["be brief"])


def test_several_questions_are_answered_in_their_order():
    with serve(ScriptedJudge("one", "two"), 3) as access:
        body = {"requests": [{"question": "a"}, {"question": "b"}]}
        _, told = call(access, path="/invokeBatch", body=body)

    assert [answer["rawText"] for answer in told["responses"]] == ["one", "two"]


def test_what_may_be_asked_and_was_is_told(access):
    call(access, body={"question": "why?"})
    status, told = call(access, "/info")

    assert (status, told["maxCalls"], told["callCount"]) == (200, 3, 1)


def test_no_more_is_answered_than_was_granted(access, judge):
    statuses = [call(access, body={"question": "q"})[0] for _ in range(5)]

    assert statuses == [200, 200, 200, 429, 429]
    assert len(judge.prompts) == 3


def test_a_batch_beyond_what_is_left_is_refused_as_a_whole(access, judge):
    status, told = call(access, path="/invokeBatch", body={"requests": [{"question": "q"}] * 4})

    assert (status, judge.prompts) == (429, [])
    assert "no more than 3 questions" in told["error"]


@pytest.mark.parametrize("token", ["wrong", "tökén", " "])
def test_nobody_asks_without_the_token(access, judge, token):
    status, told = call(access, body={"question": "q"}, authorization=f"Bearer {token}")

    assert (status, judge.prompts) == (401, [])
    assert access.token not in json.dumps(told)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/invoke", {}, 400),
        ("/invoke", {"question": 7}, 400),
        ("/invoke", {"question": ""}, 400),
        ("/invoke", [], 400),
        ("/invoke", b"{", 400),
        ("/invoke", b"\xff", 400),
        ("/invoke", b"[" * 100_000, 400),
        ("/invokeBatch", {"requests": "x"}, 400),
        ("/invokeBatch", {"requests": []}, 400),
        ("/info", {}, 404),
        ("/elsewhere", {}, 404),
    ],
)
def test_what_is_no_question_is_refused(access, path, body, status):
    assert call(access, path=path, body=body)[0] == status


@pytest.mark.parametrize(("length", "status"), [("x", 411), ("-1", 411), ("9" * 7, 413)])
def test_a_question_has_a_length_within_bounds(access, length, status):
    assert call(access, body=b"", content_length=length)[0] == status


def test_another_judge_may_be_asked_by_its_name(access, judge):
    call(access, body={"question": "q", "target": "small"})

    assert judge.variants == [{"target": "small"}]


def test_a_name_that_no_judge_has_is_refused():
    class Nameless(ScriptedJudge):
        def variant(self, **changes):
            raise NOBODY

    with serve(Nameless(""), 3) as access:
        status, told = call(access, body={"question": "q", "target": "x"})
        access.check("j")

    assert (status, told["error"]) == (400, "no judge is called 'x'")


@pytest.mark.parametrize(
    ("judge", "error"),
    [(ScriptedJudge(BROKE), EvaluatorError), (Unconfigured(), InputError)],
)
def test_a_judge_that_does_not_answer_is_an_error_whatever_the_program_makes_of_it(judge, error):
    with serve(judge, 3) as access:
        status, _ = call(access, body={"question": "q"})

        with pytest.raises(error, match="evaluator 'j': the judge that it asked did not answer"):
            access.check("j")
    assert status == 503


def test_the_grade_says_how_often_it_was_asked(access):
    call(access, body={"question": "q"})

    noted = access.add_usage(Grade(score=1, details={"own": 1}))
    assert noted.details == {"own": 1, "target_proxy": {"call_count": 1, "max_calls": 3}}


def test_a_program_that_says_nothing_does_not_keep_others_out(access):
    silent = [HTTPConnection("127.0.0.1", access.port, timeout=10) for _ in range(10)]
    for connection in silent:
        connection.connect()

    assert call(access, body={"question": "q"})[0] == 200
    for connection in silent:
        connection.close()


def complete(access, **body):
    return call(access, "/v1/chat/completions", body)


def test_a_client_of_openai_asks_the_same_judge(access, judge):
    system, user = ({"role": "system", "content": "be brief"}, {"role": "user", "content": "why?"})

    status, told = complete(access, model="gpt-any", messages=[system, user])

    assert (status, told["choices"][0]["message"]["content"]) == (200, "an answer")
    assert told["object"] == "chat.completion"
    assert (judge.prompts, judge.systems) == (["why?"], ["be brief"])
    assert call(access, "/info")[1]["callCount"] == 1


def test_a_question_in_parts_or_of_several_turns_is_asked_as_one(access, judge):
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    turns = [{"role": "user", "content": parts}, {"role": "assistant", "content": "c"}]

    complete(access, messages=turns)

    assert judge.prompts == ["user: ab\n\nassistant: c"]


@pytest.mark.parametrize(
    "body",
    [
        *(
            {},
            {"messages": []},
            {"messages": "x"},
            {"messages": [{"role": "user", "content": " "}]},
        ),
        *(
            {"messages": [1, None]},
            {"messages": [{"role": "user", "content": "x"}], "stream": True},
        ),
    ],
)
def test_a_completion_that_is_no_question_is_refused(access, judge, body):
    assert complete(access, **body)[0] == 400
    assert judge.prompts == []


def test_no_more_is_answered_to_many_at_once_than_was_granted(judge):
    with serve(judge, 5) as access, ThreadPoolExecutor(12) as pool:
        asked = pool.map(lambda _: call(access, body={"question": "q"})[0], range(12))
        batches = pool.map(
            lambda _: call(access, "/invokeBatch", {"requests": [{"question": "q"}] * 5})[0],
            range(12),
        )

        assert (sorted([*asked]).count(200), len(judge.prompts)) == (5, 5)
        assert set(batches) == {429}


def send(access, *pieces):
    """Send bytes as they are, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", access.port), timeout=2) as one:
        for piece in pieces:
            one.sendall(piece)
        one.shutdown(socket.SHUT_WR)
        return b"".join(iter(partial(one.recv, 65536), b""))


def test_a_request_inside_of_another_is_not_answered(access, judge):
    inner = b'POST /invoke HTTP/1.1\r\nContent-Length: 16\r\n\r\n{"question":"x"}'
    head = f"POST /invoke HTTP/1.1\r\nAuthorization: Bearer {access.token}\r\n".encode()
    lengths = b"Content-Length: 16\r\nTransfer-Encoding: chunked\r\n\r\n"

    told = send(access, head + lengths, b'{"question":"o"}', inner)

    assert told.count(b"HTTP/1.") == 1
    assert judge.prompts == ["o"]


@pytest.mark.parametrize(
    "more",
    [
        {"model": "another\r\nAuthorization: x", "max_tokens": 10**9, "n": 50},
        {"base_url": "http://127.0.0.1:9", "api_key": "own", "extra_headers": {"a": "b"}},
        {"tools": [{"type": "function"}], "response_format": {"type": "json_object"}},
    ],
)
def test_a_client_chooses_neither_model_nor_place_nor_headers(access, judge, more):
    status, told = complete(access, messages=[{"role": "user", "content": "q\r\nHost: x"}], **more)

    assert (status, len(told["choices"]), judge.prompts) == (200, 1, ["q\r\nHost: x"])
    assert told["model"] == call(access, "/info")[1]["targetName"]


@pytest.mark.parametrize(
    "line",
    ["GET http://other.example.org/ HTTP/1.1", "CONNECT other.example.org:443 HTTP/1.1"],
)
def test_the_judge_is_no_proxy(access, judge, line):
    told = send(access, f"{line}\r\nAuthorization: Bearer {access.token}\r\n\r\n".encode())

    assert told.split()[1] in {b"404", b"501"}
    assert judge.prompts == []
