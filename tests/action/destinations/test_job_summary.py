"""The summary of the job, in a file that others write to as well."""

from io import StringIO
from pathlib import Path

import pytest

from agentevals.action import main
from agentevals.github.runner.step_outputs import MOST_SUMMARY
from tests.action.job import agent


@pytest.fixture
def regression(job):
    return job.pull_request(agent(), agent(failing=["paris"])).given(comment="off", check="off")


def summary_after(job, begun):
    """The file as it is afterwards, where another step of the job has begun it."""
    path = Path(job.environ["GITHUB_STEP_SUMMARY"])
    path.write_bytes(begun)
    stream = StringIO()
    code = main.run(job.environ, stream, job.time.clock)
    return code, path.read_bytes(), stream.getvalue()


def test_it_says_what_the_comment_says_and_every_case(regression):
    done = regression.run()

    assert done.summary.startswith("> [!CAUTION]\n> **Not ready to merge: 1 of 4 cases failed.**")
    assert all(f"| `{case}` | " in done.summary for case in ("oslo", "paris", "quito", "rome"))


def test_what_is_in_it_already_stays(regression):
    _, text, _ = summary_after(regression, b"## Lint\nfine")

    assert text.startswith(b"## Lint\nfine\n> [!CAUTION]")


@pytest.mark.parametrize("left", [600_000, 200_000, 3_000])
def test_it_takes_the_room_that_is_left(regression, left):
    code, text, log = summary_after(regression, b"x" * (MOST_SUMMARY - left))

    assert len(text) <= MOST_SUMMARY
    assert b"Not ready to merge" in text
    assert code == 1
    assert "::warning::" not in log


def test_where_there_is_no_room_it_is_left_out_and_said(regression):
    begun = b"x" * (MOST_SUMMARY - 10)
    code, text, log = summary_after(regression, begun)

    assert (code, text) == (1, begun)
    assert "::warning::summary: the summary was omitted" in log


def test_it_can_be_switched_off(regression):
    assert regression.given(summary="off").run().summary == ""


def test_outside_of_a_runner_there_is_none(regression):
    regression.environ.pop("GITHUB_STEP_SUMMARY")
    done = regression.run()

    assert (done.code, done.summary) == (1, "")


def test_a_summary_that_cannot_be_written_is_a_warning(regression):
    regression.environ["GITHUB_STEP_SUMMARY"] = str(regression.folder / "missing" / "summary")
    done = regression.run()

    assert done.code == 1
    assert done.said("warning") == [
        "summary: the summary cannot be written: no such file or directory"
    ]
