"""Where the prompts and keys of a judge go, when a pull request changes its config."""

import json
from contextlib import contextmanager

import pytest

from tests.action.job import TRAJECTORY, agent, config
from tests.hosted_evals import Hosted, environ, item
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
    form = json.loads(seen.body).get("response_format")
    return completion(fill(form["json_schema"]["schema"]) if form else "yes")


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


ASKING = """
import json, os, urllib.request
body = json.dumps({"question": "Good?", "target": WHOM}).encode()
head = {"authorization": "Bearer " + os.environ["AGENTV_TARGET_PROXY_TOKEN"]}
url = os.environ["AGENTV_TARGET_PROXY_URL"] + "/invoke"
said = urllib.request.urlopen(urllib.request.Request(url, body, head)).read()
print(json.dumps({"score": 1.0, "reasoning": said.decode()}))
"""


@pytest.mark.parametrize("target", [None, "theirs"])
def test_a_program_that_asks_the_judge_asks_the_pinned_one(job, ours, theirs, target):
    asking = {"name": "asks", "type": "code_judge", "command": "python3 ask.py", "target": True}
    there = {"base_url": f"{theirs.url}/v1", "api_key_env": "DEPLOY_SECRET"}
    files = judged(asking, **there, targets={"theirs": there})
    program = {"ask.py": ASKING.replace("WHOM", repr(target))}
    before = judged(asking | {"weight": 2}, **there, targets={"theirs": there})
    done = pinned(job, ours).pull_request(before | program, files | program).run()

    assert (theirs.seen, keys(ours), models(ours)) == ([], {f"Bearer {KEY}"}, {"corp-1"}), done.log
    assert done.code == 0


HOSTED = {
    "name": "similar",
    "type": "openai_eval",
    "backend": "api",
    "grader": {"type": "text_similarity", "evaluation_metric": "bleu"},
}
LABELS = HOSTED | {
    "name": "labels",
    "grader": {
        "type": "label_model",
        "model": "own-3",
        "input": [{"role": "user", "content": "Rate: {{ item.actual_response }}"}],
        "labels": ["yes", "no"],
        "passing_labels": ["yes"],
    },
}


@pytest.mark.parametrize("pin", ["judge_base_url", "judge_model"])
def test_no_evaluator_is_computed_elsewhere_than_by_the_pinned_judge(
    job, ours, theirs, monkeypatch, pin
):
    """The Evals API is where the environment says; the pinned judge is not there."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{theirs.url}/v1")
    job.given(**{pin: f"{ours.url}/v1" if pin == "judge_base_url" else "corp-1"})
    base_url = {"base_url": f"{ours.url}/v1"}
    done = job.pull_request(judged(**base_url), judged(HOSTED, LABELS, **base_url)).run()

    assert theirs.seen == []
    assert len(ours.seen) == 2 * 4  # by the evaluators of the head, and by that of the base
    by = f"the input '{pin.replace('_', '-')}' of the workflow overrules 'backend' (api)"
    told = [text for text in messages(done) if by in text]
    assert told == [f"evaluator {name!r}: {by}" for name in ("similar", "labels")]


PINS = {
    "judge_model": ("corp-1", {"judge_model": "own"}, "judge_model"),
    "judge_api_key_env": ("CORP_KEY", {"credential_ref": "DEPLOY_SECRET"}, "credential_ref"),
}


@pytest.mark.parametrize("pin", PINS)
def test_one_pinned_setting_wins_and_the_others_stay(job, ours, pin):
    value, own, setting = PINS[pin]
    there = {"base_url": f"{ours.url}/v1", "api_key_env": "CORP_KEY"}
    job.given(**{pin: value})
    done = job.pull_request(judged(**there), judged(SAFETY | own, **there)).run()

    assert (done.code, keys(ours)) == (0, {f"Bearer {KEY}"}), done.log
    assert models(ours) == {"corp-1" if pin == "judge_model" else "judge-1"}
    assert [text for text in messages(done) if f"overrules {setting!r}" in text]


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


@pytest.mark.parametrize("recorded", ["pull_request_fork", "merge_group", "pull_request_draft"])
@pytest.mark.parametrize("how", ["evaluator", "usual key"])
def test_a_key_goes_nowhere_else_on_other_events_either(job, ours, theirs, recorded, how):
    base = judged(base_url=f"{ours.url}/v1", api_key_env="CORP_KEY")
    done = job.pull_request(base, THEFTS[how](f"{theirs.url}/v1"), recorded=recorded).run()

    assert (done.code, theirs.seen) == (2, [])


@pytest.mark.parametrize("recorded", ["pull_request_target", "issue_comment"])
@pytest.mark.parametrize("how", THEFTS)
def test_with_the_rights_of_the_base_the_judge_of_the_base_is_asked(
    job, ours, theirs, recorded, how
):
    base = judged(base_url=f"{ours.url}/v1", api_key_env="CORP_KEY")
    job.pull_request(base, THEFTS[how](f"{theirs.url}/v1"), recorded=recorded)
    job.environ["GITHUB_SHA"] = job.base
    done = job.run()

    assert (done.code, theirs.seen, keys(ours)) == (0, [], {f"Bearer {KEY}"}), done.log
    assert done.report["sections"][0]["report"]["judge"]["hosts"] == [ours.host]


def without_base(job, base, head):
    """Neither git nor GitHub has the base."""
    job.pull_request(base, head).checkout(job.head, shallow=True)
    job.place.tarballs.clear()
    return job


def test_where_the_base_is_not_here_no_key_is_known(job, ours):
    files = judged(base_url=f"{ours.url}/v1", api_key_env="CORP_KEY")
    done = without_base(job, files, files | judged(SAFETY, TRAJECTORY)).run()
    refused = without_base(job, files, files | {"traces/x.json": "{}"}).run()

    # what the base asks is out of reach, which is more severe than what this config asks
    assert (refused.code, ours.seen) == (3, [])
    assert "CORP_KEY is not listed as the key of a judge" in refused.log
    assert done.code != 0


def test_where_the_base_is_not_here_the_pinned_judge_is_asked(job, ours):
    files = judged(base_url=f"{ours.url}/v1", api_key_env="CORP_KEY")
    changed = files | {"eval_set.json": files["eval_set.json"] + "\n"}
    done = without_base(pinned(job, ours), files, changed).run()

    # what the pull request changes of its rules cannot be told either
    assert (done.code, keys(ours)) == (3, {f"Bearer {KEY}"}), done.log
    assert [text for text in messages(done) if "the judges of the base branch are unknown" in text]


def test_a_branch_cannot_choose_the_keys_by_where_it_leaves_the_base(job, ours, theirs):
    """Long ago the base sent its key to a host that somebody else has by now."""
    old, now = (
        judged(base_url=f"{server.url}/v1", api_key_env="CORP_KEY") for server in (theirs, ours)
    )
    long_ago = job.origin.commit(old)
    job.base = job.origin.commit(now, on=long_ago)
    job.head = job.origin.commit(old | {"traces/x.json": "{}"}, on=long_ago)
    job.origin.move("main", job.base)
    job.on("pull_request", job.head, job.base).known().checkout(job.head)
    done = job.run()

    assert (done.code, theirs.seen) == (2, []), done.log


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


def test_on_a_pull_request_nothing_at_all_is_sent_in_the_clear(job):
    plain = judged(base_url="http://judge.example/v1")
    done = job.pull_request(plain, plain | {"traces/x.json": "{}"}).run()

    [problem] = [note for note in done.report["notes"] if note["rule"] == "config"]
    assert (done.code, problem["path"]) == (2, "eval_config.yaml")
    assert "what the agent said would go to http://judge.example" in problem["message"]


def test_the_workflow_may_name_an_address_without_encryption(job):
    """A service container, say: here it is one that nobody reaches."""
    job.given(judge_base_url="http://judge.invalid/v1", judge_api_key_env="CORP_KEY")
    done = job.pull_request(judged(), judged(SAFETY, TRAJECTORY)).run()

    assert done.code == 3
    assert "judge.invalid" in done.log


def test_a_local_judge_without_a_key_is_asked_over_http(job, ours):
    files = judged(base_url=f"{ours.url}/v1")
    done = job.pull_request(files, judged(SAFETY, TRAJECTORY, base_url=f"{ours.url}/v1")).run()

    assert (done.code, keys(ours)) == (0, {""}), done.log
    assert done.report["sections"][0]["report"]["judge"]["hosts"] == [ours.host]
    assert f"asked {ours.host}" in " ".join(done.log.split())


def test_the_host_of_the_evals_api_is_reported(job, monkeypatch):
    items = [item(0, 1.0)]
    with serve(Hosted(*items)) as server:
        for name, value in environ(server).items():
            monkeypatch.setenv(name, value)
        job.environ |= environ(server)
        done = job.pull_request(judged(), judged(HOSTED)).run()

    assert done.report["sections"][0]["report"]["judge"]["hosts"] == [server.host]
    assert f"asked {server.host}" in " ".join(done.log.split())


def test_the_comment_names_a_host_where_the_base_asks_nobody(job, ours):
    done = job.pull_request(agent(), judged(base_url=f"{ours.url}/v1")).run()

    said = f"this pull request has another judge asked: {ours.url}; the base branch asks none"
    assert said in messages(done)
    assert ours.host in job.comments[0]


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


# ---- answers that are kept


def keeping(job, ours, folder, **files):
    """A judge whose answers are kept in a folder of the repository."""
    kept = judged(base_url=f"{ours.url}/v1", cache=True, cache_directory=folder)
    return job.pull_request(judged(base_url=f"{ours.url}/v1"), kept | files)


def test_committed_answers_of_a_judge_are_not_believed(job, ours):
    keeping(job, ours, "kept").run()
    answers = {
        str(path.relative_to(job.workspace)): path.read_text()
        for path in (job.workspace / "kept").rglob("*.json")
    }
    ours.seen.clear()
    done = keeping(job, ours, "kept", **answers).run()

    assert answers
    [problem] = [note for note in done.report["notes"] if note["rule"] == "config"]
    written = (job.workspace / "eval_config.yaml").read_text().splitlines()
    assert (done.code, ours.seen) == (2, [])
    assert "cache_directory" in written[problem["line"] - 1]


def test_answers_that_a_step_has_restored_are_used(job, ours):
    keeping(job, ours, "kept").run()
    asked = len(ours.seen)
    done = job.run()

    assert (done.code, asked > 0, len(ours.seen)) == (0, True, asked), done.log
