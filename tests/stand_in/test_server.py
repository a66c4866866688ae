import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from agentevals import web
from tests.stand_in.faults import Fault
from tests.stand_in.server import TOKEN, running

ONCE = web.Terms(retries=0, passing=frozenset())


def test_it_runs_by_itself_with_the_standard_library_alone():
    command = [sys.executable, "-S", "-m", "tests.stand_in"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as process:
        told = json.loads(process.stdout.readline())
        with urllib.request.urlopen(f"{told['GITHUB_API_URL']}/repos/o/r/pulls/7") as answer:
            pull = json.load(answer)
        process.terminate()

    assert pull["number"] == 7
    assert told["token"] == TOKEN
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("header", "method", "status"),
    [
        ({}, "GET", 200),
        ({}, "POST", 401),
        ({"authorization": "Bearer other"}, "GET", 401),
        ({"authorization": f"Bearer {TOKEN}"}, "POST", 201),
        ({"authorization": f"Bearer {TOKEN}", "x-github-api-version": "1999-01-01"}, "GET", 400),
    ],
)
def test_tokens(header, method, status):
    with running() as github:
        place = f"{github.url}/repos/o/r/issues/7/comments"
        document = {"body": "x"} if method == "POST" else b""
        response = web.send(method, place, document, headers=header, terms=ONCE)

    assert response.status == status


@pytest.mark.parametrize(("after_effect", "left"), [(True, 1), (False, 0)])
def test_an_answer_that_is_lost_after_or_before_its_effect(after_effect, left):
    with running() as github:
        github.faults.append(Fault("POST", "comments", after_effect=after_effect))
        with pytest.raises(web.NoAnswerError):
            web.post(
                f"{github.url}/repos/o/r/issues/7/comments",
                {"body": "x"},
                headers={"authorization": f"Bearer {TOKEN}"},
                terms=ONCE,
            )

        assert len(github.world.repository().comments) == left


def test_the_storage_refuses_tokens():
    with running() as github:
        github.world.signed["/signed/1"] = b"data"
        place = f"{github.storage}/signed/1?sig=abc"
        refused = web.get(place, headers={"authorization": "Bearer t"}, terms=ONCE)
        given = web.get(place, terms=ONCE)

    assert (refused.status, given.body) == (400, b"data")
