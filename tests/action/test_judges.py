"""Where the prompts and keys of a judge go, when a pull request changes its config."""

import json
from contextlib import contextmanager

import pytest

from tests.action.job import TRAJECTORY, agent, config
from tests.judge.models import completion
from tests.servers import serve

SECRET = "deploy-secret-of-the-step"
KEY = "key-of-the-company"
RUBRIC = {"name": "polite", "type": "rubric", "rubrics": ["The answer is polite"]}
SAFETY = {"name": "safety_v1", "type": "builtin"}


def fill(schema):
    """The answer that fits the schema and is in favour."""
    kind, allowed = schema.get("type"), schema.get("enum")
    if kind == "object":
        return {name: fill(inner) for name, inner in schema["properties"].items()}
    if kind == "array":
        return [fill(schema["items"])]
    if allowed:
        return "yes" if "yes" in allowed else allowed[0]
    return {"string": "so", "boolean": True}.get(kind, 1)


def approve(seen):
    given = json.loads(seen.body)["response_format"]["json_schema"]["schema"]
    return completion(fill(given))


@contextmanager
def judging():
    """A judge that finds everything right."""
    with serve(approve) as server:
        yield server


@pytest.fixture
def ours():
    with judging() as server:
        yield server


@pytest.fixture
def theirs():
    with judging() as server:
        yield server


@pytest.fixture
def job(job, monkeypatch):
    given = {"CORP_KEY": KEY, "DEPLOY_SECRET": SECRET, "OPENAI_API_KEY": "sk-of-openai"}
    job.environ |= given
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return job.given(baseline="none")


def judged(*evaluators, **judge):
    """The agent, with evaluators that ask a judge, which keeps no answer."""
    usual = {"model": "judge-1", "provider": "openai", "samples": 1, "cache": False, "retries": 0}
    return agent() | {"eval_config.yaml": config(*(evaluators or (SAFETY,)), judge=usual | judge)}


def pinned(job, server):
    return job.given(
        judge_base_url=f"{server.url}/v1", judge_api_key_env="CORP_KEY", judge_model="corp-1"
    )


def keys(server):
    return {seen.headers.get("authorization", "") for seen in server.seen}


def models(server):
    return {json.loads(seen.body)["model"] for seen in server.seen}


def messages(done):
    return [finding["message"] for finding in done.report["sections"][0]["report"]["findings"]]


# ---- the workflow pins the judge


DIVERTED = {
    "judge_base_url": lambda url: SAFETY | {"judge_base_url": url},
    "credential_ref": lambda url: (
        SAFETY | {"judge_base_url": url, "credential_ref": "DEPLOY_SECRET"}
    ),
    "inner": lambda url: {
        "name": "all",
        "type": "composite",
        "evaluators": [SAFETY | {"judge_base_url": url, "credential_ref": "DEPLOY_SECRET"}],
    },
}


@pytest.mark.parametrize("how", DIVERTED)
def test_no_evaluator_diverts_the_pinned_judge(job, ours, theirs, how):
    diverted = judged(DIVERTED[how](f"{theirs.url}/v1"))
    done = pinned(job, ours).pull_request(judged(), diverted).run()

    assert (theirs.seen, keys(ours), models(ours)) == ([], {f"Bearer {KEY}"}, {"corp-1"})
    overruled = [text for text in messages(done) if "overrules 'judge_base_url'" in text]
    by = "the input 'judge-base-url' of the workflow overrules"
    assert overruled == [f"evaluator 'safety_v1': {by} 'judge_base_url' ({theirs.url}/v1)"]


def test_no_judge_with_a_name_diverts_the_pinned_one(job, ours, theirs):
    there = {"base_url": f"{theirs.url}/v1", "api_key_env": "DEPLOY_SECRET", "model": "their-1"}
    diverted = judged(RUBRIC | {"target": "strict"}, targets={"strict": there})
    done = pinned(job, ours).pull_request(judged(), diverted).run()

    assert (theirs.seen, keys(ours), models(ours)) == ([], {f"Bearer {KEY}"}, {"corp-1"})
    assert len([text for text in messages(done) if text.startswith("judge 'strict':")]) == 3


def test_the_model_of_each_evaluator_is_the_pinned_one(job, ours):
    label = {
        "type": "label_model",
        "model": "own-3",
        "input": [{"role": "user", "content": "Rate: {{ item.actual_response }}"}],
        "labels": ["good", "bad"],
        "passing_labels": ["good"],
    }
    own = (
        SAFETY | {"judge_model": "own-1"},
        RUBRIC | {"judge_model": "own-2"},
        {"name": "label", "type": "openai_eval", "grader": label},
    )
    done = pinned(job, ours).pull_request(judged(), judged(*own)).run()

    assert models(ours) == {"corp-1"}
    told = [text for text in messages(done) if "'judge-model'" in text]
    assert [text.partition(":")[0] for text in told] == [
        "evaluator 'safety_v1'",
        "evaluator 'polite'",
        "evaluator 'label'",
    ]


# ---- the config names the judge


THEFTS = {
    "judge": lambda url: judged(base_url=url, api_key_env="DEPLOY_SECRET"),
    "usual key": lambda url: judged(base_url=url, api_key_env="OPENAI_API_KEY"),
    "known key": lambda url: judged(base_url=url, api_key_env="CORP_KEY"),
    "evaluator": lambda url: judged(
        SAFETY | {"judge_base_url": url, "credential_ref": "DEPLOY_SECRET"}
    ),
    "target": lambda url: judged(
        RUBRIC | {"target": "t"},
        targets={"t": {"base_url": url, "api_key_env": "DEPLOY_SECRET"}},
    ),
}


@pytest.mark.parametrize("how", THEFTS)
def test_a_key_goes_nowhere_that_the_base_does_not_send_it(job, ours, theirs, how):
    base = judged(base_url=f"{ours.url}/v1", api_key_env="CORP_KEY")
    done = job.pull_request(base, THEFTS[how](f"{theirs.url}/v1")).run()

    assert (done.code, theirs.seen) == (2, [])
    [problem] = [note for note in done.report["notes"] if note["rule"] == "config"]
    written = (job.workspace / "eval_config.yaml").read_text().splitlines()
    assert problem["path"] == "eval_config.yaml"
    assert any(key in written[problem["line"] - 1] for key in ("api_key_env", "credential_ref"))
    assert "'judge-api-key-env'" in problem["message"]


def test_the_key_of_the_workflow_follows_no_address_of_a_pull_request(job, ours, theirs):
    job.given(judge_api_key_env="CORP_KEY")
    base, head = (judged(base_url=f"{server.url}/v1") for server in (ours, theirs))
    done = job.pull_request(base, head).run()

    assert (done.code, theirs.seen) == (2, [])


@pytest.mark.parametrize("where", ["judge", "evaluator", "target", "workflow"])
def test_a_key_that_the_base_or_the_workflow_lists_is_sent(job, ours, where):
    url, evaluator, judge = f"{ours.url}/v1", SAFETY, {}
    if where == "judge":
        judge = {"base_url": url, "api_key_env": "CORP_KEY"}
    elif where == "evaluator":
        evaluator = SAFETY | {"judge_base_url": url, "credential_ref": "CORP_KEY"}
    elif where == "target":
        evaluator = RUBRIC | {"target": "t"}
        judge = {"targets": {"t": {"base_url": url, "api_key_env": "CORP_KEY"}}}
    else:
        job.given(judge_base_url=url, judge_api_key_env="CORP_KEY")
    files = judged(evaluator, **judge)
    changed = judged(evaluator, TRAJECTORY, **judge)
    done = job.pull_request(files, changed).run()

    assert (done.code, keys(ours)) == (0, {f"Bearer {KEY}"}), done.log


def test_a_config_that_moves_keeps_its_keys(job, ours):
    files = judged(base_url=f"{ours.url}/v1", api_key_env="CORP_KEY")
    renamed = {name: text for name, text in files.items() if name != "eval_config.yaml"}
    renamed["EVAL/eval_config.yaml"] = (
        files["eval_config.yaml"]
        .replace("traces: traces", "traces: ../traces")
        .replace("eval_set: eval", "eval_set: ../eval")
    )
    done = job.pull_request(files, renamed).run()

    assert (done.code, keys(ours)) == (0, {f"Bearer {KEY}"}), done.log


def test_a_push_needs_no_base_to_list_its_keys(job, ours):
    files = judged(base_url=f"{ours.url}/v1", api_key_env="CORP_KEY")
    done = job.pushed(files).run()

    assert (done.code, keys(ours)) == (0, {f"Bearer {KEY}"}), done.log


# ---- addresses


def test_a_key_is_not_sent_in_the_clear(job):
    plain = {"base_url": "http://judge.example/v1", "api_key_env": "CORP_KEY"}
    done = job.pull_request(judged(**plain), judged(SAFETY, TRAJECTORY, **plain)).run()

    [problem] = [note for note in done.report["notes"] if note["rule"] == "config"]
    assert (done.code, problem["path"]) == (2, "eval_config.yaml")
    assert "without encryption. Write https://" in problem["message"]


def test_a_local_judge_without_a_key_is_asked_over_http(job, ours):
    files = judged(base_url=f"{ours.url}/v1")
    done = job.pull_request(files, judged(SAFETY, TRAJECTORY, base_url=f"{ours.url}/v1")).run()

    assert (done.code, keys(ours)) == (0, {""}), done.log
    assert done.report["sections"][0]["report"]["judge"]["hosts"] == [ours.host]


def test_the_comment_names_another_host_than_that_of_the_base(job, ours, theirs):
    base, head = (judged(base_url=f"{server.url}/v1") for server in (ours, theirs))
    done = job.pull_request(base, head).run()

    assert done.report["sections"][0]["report"]["judge"]["hosts"] == [theirs.host]
    said = (
        f"this pull request has another judge asked: {theirs.url}; the base branch asks {ours.url}"
    )
    assert said in messages(done)
    assert theirs.host in job.comments[0]


def test_the_comment_does_not_name_the_host_of_the_base(job, ours):
    files = judged(base_url=f"{ours.url}/v1")
    job.pull_request(files, judged(SAFETY, TRAJECTORY, base_url=f"{ours.url}/v1")).run()

    assert ours.host not in job.comments[0]
