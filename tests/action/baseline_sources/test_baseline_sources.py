"""Which of several baselines is taken, and what is said where there is none."""

import pytest

from tests.action.job import TRAJECTORY, agent, config
from tests.judge.models import completion
from tests.servers import serve

WORSE = agent(failing=["paris"])
JUDGED = {"name": "final_response_match_v2", "type": "builtin"}


def source(done):
    return done.against["origin"]["source"]


@pytest.fixture
def history(job):
    """A push to main that left a check run and an artifact, and a shallow pull request."""
    job.keeping_artifacts().given(baseline="none").pushed(agent()).run()
    job.ended()
    return job.given(baseline="auto").proposed(WORSE, shallow=True)


def test_files_of_the_base_come_first(history):
    assert source(history.run()) == "merge-base"


def test_then_the_artifact_of_a_run_on_the_base_branch(history):
    history.place.tarballs.clear()

    assert source(history.run()) == "artifact"


def test_then_the_check_run_of_the_base_commit(history):
    history.place.tarballs.clear()
    history.place.artifacts.clear()

    done = history.run()

    assert source(done) == "check"
    assert done.outputs["regressed"] == "1"


def test_without_any_every_source_says_why(history):
    history.place.tarballs.clear()
    history.place.artifacts.clear()
    history.place.checks.clear()

    done = history.run()

    assert (done.code, done.against["state"]) == (1, "no-baseline")
    for reason in (
        "merge-base: ",
        "; artifact: no run on main has an artifact",
        "; check: the base commit",
    ):
        assert reason in done.against["reason"]
    assert "Not compared with the base" in history.comments[0]


def test_without_a_token_only_the_checkout_is_left(job):
    job.pull_request(agent(), WORSE).given(github_token="")

    done = job.run()

    assert (source(done), done.outputs["regressed"]) == ("merge-base", "1")


def test_none_asks_for_none(job):
    job.pull_request(agent(), WORSE).given(baseline="none")

    done = job.run()

    assert done.against["reason"] == "the input 'baseline' asks for none"
    assert job.github.requests("GET", "/actions/") == []


@pytest.mark.parametrize("named", ["merge-base", "artifact", "check"])
def test_a_source_that_is_named_is_the_only_one(history, named):
    assert source(history.given(baseline=named).run()) == named


def test_what_a_judge_said_earlier_is_worth_more_than_a_base_that_none_was_asked_about(job):
    judge_says = completion({"reasoning": "r", "verdict": "valid"})
    with serve(lambda _: judge_says) as server:
        judge = {"model": "judge-1", "base_url": f"{server.url}/v1", "cache": False}
        gate = {"on_not_evaluated": "warn"}
        judged = {"eval_config.yaml": config(TRAJECTORY, JUDGED, judge=judge, gate=gate)}
        job.environ["OPENAI_API_KEY"] = "sk-test-1234567890"
        job.keeping_artifacts().pushed(agent() | judged).run()
        job.ended()

        done = job.proposed(WORSE | judged).run()

    assert (source(done), done.against["state"]) == ("artifact", None)
    assert done.outputs["regressed"] == "1"


def test_where_nothing_can_be_compared_in_whole_the_first_is_compared_in_part(history):
    changed = {"eval_config.yaml": config(TRAJECTORY | {"threshold": 0.5})}

    done = history.proposed(WORSE | changed).run()

    assert (source(done), done.against["state"]) == ("merge-base", "incompatible")
