"""What a pull request has to touch for anything to be evaluated."""

import pytest

from tests.action.job import agent, config, transcript

POLITE = {"name": "polite", "type": "code", "path": "evaluators/polite.py", "threshold": 0.0}
BASE = agent() | {
    "README.md": "An agent.",
    "prompts/system.md": "Be kind.",
    ".github/workflows/evals.yml": "on: pull_request",
}
WITH_EVALUATOR = BASE | {
    "eval_config.yaml": config(POLITE),
    "evaluators/polite.py": "import json, words\nprint(json.dumps({'score': 1.0}))\n",
    "evaluators/words.py": "KIND = ['please']\n",
}


def without(files, *names):
    return {name: text for name, text in files.items() if name not in names}


@pytest.mark.parametrize("recorded", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize("shallow", [False, True], ids=["with the history", "shallow"])
def test_a_change_that_nothing_depends_on_passes_with_one_line(job, recorded, shallow):
    job.pull_request(BASE, BASE | {"README.md": "An agent!"}, recorded=recorded, shallow=shallow)
    job.pull.files = [file("README.md")]

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed")
    assert "nothing" in job.comments[0].lower()
    assert "Evaluate" not in done.log
    assert done.report["state"] == "unchanged"


@pytest.mark.parametrize(
    "head",
    [
        BASE | {"traces/paris.json": transcript("paris", "geocode", "forecast", answer="Rain.")},
        BASE | {"traces/lima.json": transcript("lima", "forecast")},
        without(BASE, "traces/rome.json"),
        BASE | {"eval_config.yaml": BASE["eval_config.yaml"] + "jobs: 1\n"},
        BASE | {"eval_set.json": BASE["eval_set.json"] + "\n"},
        BASE | {".github/workflows/evals.yml": "on: push"},
        BASE | {"eval_config.yaml": "evaluators: [nonsense"},
    ],
    ids=["trace", "new trace", "gone trace", "config", "eval set", "workflow", "broken config"],
)
def test_whatever_the_evaluation_depends_on_has_it_evaluated(job, head):
    job.pull_request(BASE, head)

    done = job.run()

    assert done.report["state"] != "unchanged"


@pytest.mark.parametrize(
    "head",
    [
        WITH_EVALUATOR | {"evaluators/words.py": "KIND = []\n"},
        without(WITH_EVALUATOR, "evaluators/words.py") | {"words.py": "KIND = ['please']\n"},
        without(WITH_EVALUATOR, "evaluators/words.py"),
        WITH_EVALUATOR | {"evaluators/deep/more.py": ""},
    ],
    ids=["changed", "moved away", "deleted", "added"],
)
@pytest.mark.parametrize("shallow", [False, True], ids=["with the history", "shallow"])
def test_what_an_evaluator_may_import_is_relevant(job, head, shallow):
    job.pull_request(WITH_EVALUATOR, head, shallow=shallow)
    job.pull.files = (
        [file("words.py", status="renamed", previous_filename="evaluators/words.py")]
        if "words.py" in head
        else [file("evaluators/words.py", status="removed")]
    )

    done = job.run()

    assert done.report["state"] == "done"


def composed(*evaluators):
    return {"name": "all", "type": "composite", "evaluators": list(evaluators)}


COMMAND = {"name": "short", "type": "code_judge", "command": "python3 judges/short.py"}
FIXED = {"name": "kind", "type": "contains", "value": "please"}


@pytest.mark.parametrize(
    ("evaluator", "changed", "state"),
    [
        (composed(POLITE), "evaluators/words.py", "done"),
        (composed(composed(POLITE) | {"name": "inner"}), "evaluators/words.py", "done"),
        (COMMAND, "judges/short.py", "done"),
        (composed(COMMAND), "judges/short.py", "done"),
        (composed(FIXED), "judges/short.py", "unchanged"),
        ({"name": "r", "type": "remote", "ref": "contains"}, "agentevals.lock", "done"),
        ({"name": "r", "type": "remote", "ref": "contains"}, "judges/short.py", "unchanged"),
    ],
)
def test_what_stands_in_an_evaluator_and_what_it_starts_is_relevant(job, evaluator, changed, state):
    before = WITH_EVALUATOR | {
        "eval_config.yaml": config(evaluator),
        "judges/short.py": "",
        "agentevals.lock": '{"version": 1, "evaluators": []}',
    }
    job.pull_request(before, before | {changed: before[changed] + "\n"})

    done = job.run()

    assert done.report["state"] == state


@pytest.mark.parametrize("paths", ["prompts", "prompts/**", "docs/*\nprompts/*.md", "*/system.md"])
def test_more_files_can_be_made_relevant(job, paths):
    job.pull_request(BASE, BASE | {"prompts/system.md": "Be brief."}).given(paths=paths)

    done = job.run()

    assert done.report["state"] == "done"


def test_more_files_than_github_lists_may_hold_anything(job):
    job.pull_request(BASE, BASE | {"README.md": "An agent!"}, shallow=True)
    job.pull.files = [file(f"docs/{at}.md") for at in range(3_001)]

    done = job.run()

    assert done.report["state"] == "done"


def test_a_push_is_always_evaluated(job):
    job.pull_request(BASE, BASE | {"README.md": "An agent!"}, recorded="push")

    done = job.run()

    assert done.report["state"] == "done"


def file(name, status="modified", **facts):
    """One of the files that a pull request changes, as GitHub lists it."""
    return {
        "sha": "0" * 40,
        "filename": name,
        "status": status,
        "additions": 1,
        "deletions": 1,
        "changes": 2,
        "blob_url": "https://server.example/blob",
        "raw_url": "https://server.example/raw",
        "contents_url": "https://server.example/contents",
        **facts,
    }
