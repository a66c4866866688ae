"""A folder may be called like a glob, as routes of a web framework are; it stands for itself."""

import pytest

from tests.action.job import CITIES
from tests.action.test_freshness import AGENT, CHANGED, tree  # noqa: F401 -- a fixture

# a folder, and another one that it would find if its name were a glob
NAMES = [("apps/[id]", "apps/i"), ("**b**", "b"), ("apps/a?", "apps/ab")]
CONFIGS = ["NAME/eval_config.yaml", "**/eval_config.yaml"]


def put(folder, files):
    return {f"{folder}/{name}": text for name, text in files.items()}


def verdict(done):
    return done.code, done.outputs["verdict"]


def run_beside(job, same, changed, name, other):
    """Judge a pull request that changes one folder, beside another that stays the same."""
    beside = put(other, same)
    return job.pull_request(beside | put(name, same), beside | put(name, changed)).run()


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("name", "other"), NAMES)
def test_its_own_traces_are_judged(job, tree, name, other, config):  # noqa: F811
    job.given(config=config.replace("NAME", name))
    done = run_beside(job, tree(), tree(CHANGED, failing=CITIES), name, other)

    found = {one["config"]: one["verdict"] for one in done.report["sections"]}
    known = {f"{name}/eval_config.yaml": "fail"}
    assert found == known | ({} if "NAME" in config else {f"{other}/eval_config.yaml": "pass"})
    assert verdict(done) == (1, "failed")


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("name", "other"), NAMES)
def test_a_change_of_its_agent_is_one(job, tree, name, other, config):  # noqa: F811
    job.given(config=config.replace("NAME", name))
    done = run_beside(job, tree(), tree(CHANGED, of=AGENT), name, other)

    assert verdict(done) == (1, "not-evaluated")
    stale = {one["config"]: one["freshness"]["stale"] for one in done.report["sections"]}
    assert stale.pop(f"{name}/eval_config.yaml") == 4
    assert set(stale.values()) <= {0}


@pytest.mark.parametrize(("name", "other"), NAMES)
def test_its_recordings_are_fresh(job, tree, name, other):  # noqa: F811
    beside = put(other, tree())
    base, head = beside | put(name, tree()), beside | put(name, tree(CHANGED))
    done = job.given(config=f"{name}/eval_config.yaml").pull_request(base, head).run()

    assert verdict(done) == (0, "passed")
    assert done.report["sections"][0]["freshness"]["fresh"] == 4


@pytest.mark.parametrize(("name", "other"), NAMES)
def test_a_change_of_the_other_folder_does_not_affect_it(job, tree, name, other):  # noqa: F811
    base = put(other, tree()) | put(name, tree())
    head = put(other, tree(CHANGED, failing=CITIES)) | put(name, tree())
    done = job.given(config=f"{name}/eval_config.yaml").pull_request(base, head).run()

    assert verdict(done) == (0, "not-affected")


@pytest.mark.parametrize("inputs", [{}, {"traces": "traces/*", "config": "eval_config.yaml"}])
@pytest.mark.parametrize(("name", "other"), NAMES)
def test_it_may_be_the_working_directory(job, tree, name, other, inputs):  # noqa: F811
    beside = put(other, tree())
    base = beside | put(name, tree())
    head = beside | put(name, tree(CHANGED, failing=CITIES))
    done = job.given(working_directory=name, **inputs).pull_request(base, head).run()

    assert verdict(done) == (1, "failed")
    assert done.report["sections"][0]["counts"]["failed"] == 4


@pytest.mark.parametrize(("name", "other"), NAMES)
def test_a_trace_that_goes_is_missed(job, tree, name, other):  # noqa: F811
    beside = put(other, tree())
    base = beside | put(name, tree())
    head = {path: text for path, text in base.items() if path != f"{name}/traces/oslo.jsonl"}
    done = job.given(config=f"{name}/eval_config.yaml").pull_request(base, head).run()

    assert done.outputs["verdict"] not in {"passed", "not-affected"}


def test_a_file_of_the_agent_that_is_called_like_a_glob_is_meant(job, tree):  # noqa: F811
    listed = ["[id].py", "!prompts/[x].md", "prompts"]
    files = {"[id].py": "kind", "i.py": "kind", "prompts/x.md": "kind", "prompts/[x].md": "kind"}

    def change(name):
        changed = files | {name: "rude"}
        base, head = tree(files, listed=listed), tree(changed, of=files, listed=listed)
        return verdict(job.pull_request(base, head).run())[1]

    assert [change(name) for name in files] == [
        "not-evaluated",
        "not-affected",
        "not-evaluated",
        "not-affected",
    ]


def test_a_folder_that_is_called_like_a_wildcard_hides_no_change(job, tree):  # noqa: F811
    base = tree() | {"traces/*/README.md": "x"}
    done = job.pull_request(base, base | tree(failing=["oslo"])).run()

    assert done.outputs["verdict"] != "not-affected"
