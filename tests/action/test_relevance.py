"""What a pull request has to touch, or a step to record, for anything to be evaluated."""

import shutil
from pathlib import Path

import pytest

from tests.action.job import agent, config, git, transcript, write

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
def test_a_change_that_nothing_depends_on_is_not_evaluated_and_the_step_says_so(
    job, recorded, shallow
):
    job.pull_request(BASE, BASE | {"README.md": "An agent!"}, recorded=recorded, shallow=shallow)
    job.pull.files = [file("README.md")]

    done = job.run()

    (check,) = job.place.checks.values()
    assert (done.code, done.outputs["verdict"]) == (0, "not-evaluated")
    assert "**Not evaluated: nothing that the evaluation reads was changed.**" in job.comments[0]
    assert "Not evaluated" in done.said("notice")[0]
    assert not any("eady to merge" in text for text in (done.log, done.summary, *job.comments))
    assert (check["conclusion"], "Evaluate" in done.log) == ("neutral", False)
    assert (done.report["state"], done.report["verdict"]) == ("unchanged", None)


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


OTHER_AGENT = BASE | {"agent.py": "print('worse')", ".gitignore": "fresh/\nout/\n"}


def fresh(folder):
    """What a step before has recorded: Paris has got worse."""
    return {f"{folder}/again.json": transcript("paris", "forecast")}


@pytest.mark.parametrize(
    ("recorded", "inputs"),
    [
        (fresh("traces"), {}),
        ({"traces/paris.json": transcript("paris", "forecast")}, {}),
        ({"traces/paris.json": None}, {}),
        (fresh("fresh"), {"traces": "fresh/*.json"}),
        (fresh("fresh"), {"traces": "fresh"}),
        (fresh("fresh"), {"traces": "missing.json\nfresh"}),
        ({"eval_set.json": BASE["eval_set.json"] + "\n"}, {}),
    ],
    ids=["beside", "instead", "removed", "ignored", "folder", "one is missing", "eval set"],
)
def test_what_a_step_before_has_recorded_is_evaluated(job, recorded, inputs):
    job.pull_request(BASE, OTHER_AGENT, shallow=True).given(**inputs)
    for name in recorded:
        (job.workspace / name).unlink(missing_ok=True)
    write(job.workspace, {name: text for name, text in recorded.items() if text is not None})

    done = job.run()

    assert done.report["state"] != "unchanged"


def test_a_config_that_names_an_ignored_folder_has_what_was_recorded_there_evaluated(job):
    elsewhere = {"eval_config.yaml": config(traces="out/*.json")}
    job.pull_request(BASE | elsewhere, OTHER_AGENT | elsewhere)
    write(job.workspace, fresh("out"))

    done = job.run()

    assert (done.report["state"], done.code) == ("done", 1)


def test_what_was_recorded_outside_of_the_checkout_is_evaluated(job):
    job.pull_request(BASE, OTHER_AGENT)
    temp = job.folder / "temp"
    write(temp, fresh("."))
    job.given(traces=f"{temp}/*.json")

    assert job.run().report["state"] == "done"


def test_what_was_recorded_and_committed_here_is_evaluated(job):
    job.pull_request(BASE, OTHER_AGENT)
    write(job.workspace, fresh("traces"))
    git(job.workspace, "add", "--all")
    git(job.workspace, "commit", "--quiet", "--message", "Record")

    assert job.run().report["state"] == "done"


def test_what_another_repository_below_has_recorded_is_evaluated(job):
    inner = {"eval_config.yaml": config(traces="inner/*.json")}
    job.pull_request(BASE | inner, OTHER_AGENT | inner)
    write(job.workspace, fresh("inner"))
    git(job.workspace / "inner", "init", "--quiet")

    assert job.run().report["state"] == "done"


def test_a_checkout_that_git_does_not_know_is_evaluated(job):
    job.pull_request(BASE, OTHER_AGENT)
    shutil.rmtree(job.workspace / ".git")

    assert job.run().report["state"] == "done"


def test_a_link_to_what_is_committed_is_no_change(job):
    linked = OTHER_AGENT | {"data/lima.json": transcript("oslo", "geocode", "forecast")}
    linked |= {"traces/lima.json": Path("../data/lima.json")}
    job.pull_request(linked, linked | {"README.md": "An agent!"})

    assert job.run().report["state"] == "unchanged"


def test_nothing_runs_the_filters_that_the_checkout_names(job):
    job.pull_request(BASE, OTHER_AGENT | {".gitattributes": "* filter=evil\n"})
    git(job.workspace, "config", "filter.evil.clean", f"touch {job.folder}/ran; cat")

    job.run()

    assert not (job.folder / "ran").exists()


def test_what_is_not_committed_has_no_link(job):
    job.pull_request(BASE, OTHER_AGENT | agent(failing=["rome"]))
    write(job.workspace, {"traces/paris.json": transcript("paris", "forecast")})

    done = job.run()

    traces = {one["case_id"]: one["trace"] for one in done.report["sections"][0]["highlights"]}
    assert traces == {"paris": None, "rome": {"path": "traces/rome.json", "line": 1}}
    assert "# record the traces again" in job.comments[0]


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
