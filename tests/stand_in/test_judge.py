import json

import pytest

from tests.stand_in.exchange import Answer, Exchange, Request, find
from tests.stand_in.fixtures import judge
from tests.stand_in.server import StandIn

__all__ = ["judge"]

CHECK = {"name": "evals", "head_sha": "a" * 40}


@pytest.fixture
def told(judge):
    """What the judge has against a request, after the stand-in has answered it."""
    if judge is None:
        pytest.skip("GitHub's description cannot be fetched")
    stand_in = StandIn(root="http://127.0.0.1")
    stand_in.world.pull()

    def tell(method, target, document=None, answer=None):
        body = b"" if document is None else json.dumps(document).encode()
        headers = {"authorization": f"Bearer {stand_in.token}", "content-type": "application/json"}
        request = Request(method, target, headers, body)
        given = answer or stand_in.answer(request)
        return judge.complaints([Exchange(request, given)])

    return tell


@pytest.mark.parametrize(
    ("method", "target", "document"),
    [
        ("GET", "/repos/o/r", None),
        ("GET", "/repos/o/r/pulls/7", None),
        ("GET", "/repos/o/r/pulls/8", None),
        ("POST", "/repos/o/r/issues/7/comments", {"body": "x"}),
        ("POST", "/repos/o/r/check-runs", CHECK),
    ],
)
def test_what_github_understands(told, method, target, document):
    assert told(method, target, document) == []


@pytest.mark.parametrize(
    ("method", "target", "document", "complaint"),
    [
        ("GET", "/repos/o/r/nope", None, "Path not found"),
        ("DELETE", "/repos/o/r/check-runs/1", None, "Operation delete not found"),
        ("GET", "/repos/o/r/pulls?per_page=many", None, "per_page"),
        ("GET", "/repos/o/r/pulls?sate=open", None, "knows no parameter 'sate'"),
        ("POST", "/repos/o/r/check-runs", {"name": "x"}, "head_sha"),
        ("POST", "/repos/o/r/check-runs", CHECK | {"conclusion": "great"}, "'great' is not one of"),
        ("POST", "/repos/o/r/check-runs", CHECK | {"sumary": ""}, "knows no property 'sumary'"),
    ],
)
def test_what_github_does_not_understand(told, method, target, document, complaint):
    complaints = told(method, target, document, Answer(404))

    assert complaint in complaints[0]


def test_an_answer_that_github_would_not_give(told):
    complaints = told("GET", "/repos/o/r/issues/comments/5", None, Answer(200, {"id": "five"}))

    assert "the answer 200" in complaints[0]


def test_who_answers_what_takes_names_apart():
    request = Request("GET", "/repos/o/r/contents/a%20b/c.md?ref=main", {}, b"")

    assert find(request)[1] == {"repo": "o/r", "rest": "a b/c.md"}
