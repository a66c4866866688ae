"""What a pull request grants its evaluators: no more than its base does, until it is approved."""

import json

import pytest

from agentevals.sandbox import package_indexes
from tests.action.job import TRAJECTORY, agent, config
from tests.action.rules.test_approval import MARIA, approve

SECRET = "s3cret-of-the-step"
LOOKS = """\
import json, os
found = {"key": "MODEL_KEY" in os.environ, "judge": "AGENTEVALS_JUDGE_URL" in os.environ}
try: open("words.txt"); found["file"] = True
except OSError: found["file"] = False
try:
    import socket
    socket.socket().close()
    found["network"] = True
except OSError: found["network"] = False
print(json.dumps({"score": 1.0, "details": found}))
"""
LOOK = {"name": "look", "type": "code", "path": "look.py"}
GRANTS = {"env": ["MODEL_KEY"], "files": ["words.txt"], "network": ["127.0.0.1:9"]}


# recorded anew, so that there is something to evaluate
CHANGED = {"traces/paris.json": agent(failing=["paris"])["traces/paris.json"]}


def tree(**grants):
    return (
        agent()
        | {"eval_config.yaml": config(TRAJECTORY, LOOK | grants)}
        | {"look.py": LOOKS, "words.txt": "please"}
    )


@pytest.fixture
def job(job, monkeypatch):
    job.place.roles |= {MARIA: "write", "rita": "read"}
    monkeypatch.setenv("AGENTEVALS_WITHOUT_INDEX_PASSWORDS", "")
    job.environ["MODEL_KEY"] = SECRET
    monkeypatch.setenv("MODEL_KEY", SECRET)
    return job.given(baseline="none")


def found(done):
    """What the program found of its grants, in the first case."""
    results = done.report["sections"][0]["report"]["cases"][0]["results"]
    [details] = [one["details"] for one in results if one["name"] == "look"]
    return {key for key, has in details.items() if has is True}


def said(done):
    return json.dumps(done.report["rules"]) if "rules" in done.report else ""


def test_a_grant_that_is_added_does_not_hold_before_it_is_approved(job):
    done = job.pull_request(tree(), tree(**GRANTS)).run()

    assert found(done) == set()
    assert "it is granted env: [MODEL_KEY] and files: [words.txt] and network: [127.0.0.1:9]" in (
        said(done)
    )
    assert "needs approval" in job.comments[0]
    assert "**These changes of the rules need approval:**" in job.comments[0]
    assert "would fail" not in job.comments[0]
    assert "`env: [MODEL_KEY]`" in json.dumps(done.report)


def test_it_holds_once_somebody_who_may_write_has_approved_it(job):
    job.pull_request(tree(), tree(**GRANTS)).run()
    approve(job, "rita")
    stranger = job.run()
    approve(job)

    done = job.run()

    assert found(stranger) == set()
    assert found(done) == {"key", "file", "network"}
    assert SECRET not in json.dumps(done.report) + job.comments[0]


def test_an_approval_is_of_the_program_as_it_was(job):
    job.pull_request(tree(), tree(**GRANTS)).run()
    approve(job)
    other = tree(**GRANTS) | {"look.py": LOOKS + "# other\n"}

    done = job.pull_request(tree(), other).run()

    assert found(done) == set()


def test_what_the_base_grants_holds(job):
    done = job.pull_request(tree(**GRANTS), tree(**GRANTS) | CHANGED).run()

    assert found(done) == {"key", "file", "network"}
    assert "rules" not in done.report


def test_a_wider_grant_holds_as_far_as_the_base_has_it(job):
    wide = GRANTS | {"network": True, "env": ["MODEL_KEY", "OTHER_KEY"]}

    done = job.pull_request(tree(**GRANTS), tree(**wide)).run()

    assert found(done) == {"key", "file", "network"}
    assert "it is granted env: [OTHER_KEY] and network: true" in said(done)


CHANGES = {
    "its program": {"look.py": LOOKS + "# other\n"},
    "a file that it reads": {"words.txt": "other"},
    "what it is told": {
        "eval_config.yaml": config(TRAJECTORY, LOOK | GRANTS | {"config": {"say": "key"}})
    },
    "which program it is": {
        "eval_config.yaml": config(TRAJECTORY, LOOK | GRANTS | {"path": "other.py"})
    },
}


@pytest.mark.parametrize("changed", CHANGES)
def test_a_program_that_is_changed_gets_no_variable_of_the_base_before_it_is_approved(job, changed):
    before = tree(**GRANTS) | {"other.py": LOOKS}
    job.pull_request(before, before | CHANGES[changed] | CHANGED)
    held = job.run()
    approve(job)
    approved = job.run()

    assert found(held) == {"file", "network"}
    assert "it is granted env: [MODEL_KEY], which does not hold until it is approved" in said(held)
    assert found(approved) == {"key", "file", "network"}


def test_a_threshold_is_nothing_that_a_program_is_told(job):
    stricter = tree(**GRANTS, threshold=0.9) | CHANGED

    done = job.pull_request(tree(**GRANTS, threshold=0.8), stricter).run()

    assert found(done) == {"key", "file", "network"}


def test_another_evaluator_inherits_no_grant(job):
    head = tree() | {"eval_config.yaml": config(TRAJECTORY, LOOK, LOOK | {"name": "new"} | GRANTS)}

    done = job.pull_request(tree(**GRANTS), head).run()

    assert "evaluator 'new'" in said(done)


def test_on_a_fork_no_variable_and_no_judge_is_granted_and_others_as_the_base_has_them(job):
    job.pull_request(tree(**GRANTS), tree(**GRANTS, subprocess=True), recorded="pull_request_fork")

    done = job.run()

    assert found(done) == {"file", "network"}
    assert (
        package_indexes.Place.parse("https://u:p@example.org/simple").prove("https://example.org/")
        == {}
    )
    assert SECRET not in json.dumps(done.report)
    assert "`subprocess: true`" in json.dumps(done.report)


def test_where_the_base_decides_about_a_fork_its_other_grants_hold(job):
    job.pull_request(tree(**GRANTS), tree(**GRANTS) | CHANGED, recorded="pull_request_target")
    job.checkout(job.base)

    done = job.run()

    assert done.report["scene"]["fork"] is True
    assert found(done) == {"file", "network"}
    assert "runs without `env: [MODEL_KEY]`" in json.dumps(done.report)
