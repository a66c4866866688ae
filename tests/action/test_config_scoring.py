"""Secrets that an agent has let slip, and text of strangers: what becomes of it on all surfaces."""

import json

import pytest

from tests import hostile
from tests.action.job import TRAJECTORY, agent, config, eval_set, transcript
from tests.github.runner.grammar import commands
from tests.report.pages.harmless import HOME, complaints

LIKE_ONE = {
    "model key": "sk-live4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
    "token": "ghp_abcdefghijklmnop0123456789ABCDEF",
    "cloud key": "AKIAABCDEFGHIJKLMNOP",
    "signed": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
}


def slipped(secret):
    """An agent that hands a secret to a tool, and tells it to the user."""
    recorded = json.loads(transcript("paris", "forecast", answer=f"It is {secret}."))
    call = recorded["messages"][1]["tool_calls"][0]["function"]
    call["arguments"] = json.dumps({"key": secret})
    return agent() | {"traces/paris.json": json.dumps(recorded) + "\n"}


def everything(job, done):
    """All that was sent or written, but the line that asks the runner to mask the token."""
    sent = [request.body.decode() for request in job.github.requests()]
    files = [path.read_text() for path in done.folder.iterdir()]
    log = [line for line in done.log.splitlines() if not line.startswith("::add-mask::")]
    return [*sent, *files, *log, done.summary, *done.outputs.values()]


@pytest.mark.parametrize("kind", LIKE_ONE)
def test_what_looks_like_a_secret_is_shown_nowhere(job, kind):
    secret = LIKE_ONE[kind]
    done = job.pull_request(agent(), slipped(secret)).run()

    assert done.outputs["regressed"] == "1"
    assert '"key": "***"' in done.text
    assert not [text for text in everything(job, done) if secret in text]


@pytest.mark.parametrize("kind", ["the token", "the judge's key"])
def test_what_the_action_itself_was_given_is_shown_nowhere(job, kind):
    job.environ["MY_KEY"] = "correct horse battery staple"
    job.given(judge_api_key_env="MY_KEY")
    secret = job.github.token if kind == "the token" else job.environ["MY_KEY"]
    done = job.pull_request(agent(), slipped(secret)).run()

    assert done.outputs["regressed"] == "1"
    assert not [text for text in everything(job, done) if secret in text]


@pytest.mark.parametrize("where", ["judge", "another judge", "one evaluator", "one in another"])
def test_a_key_that_only_the_config_names_is_shown_nowhere(job, where):
    job.environ["MY_KEY"] = secret = "correct horse battery staple"
    judged = {"name": "safety_v1", "type": "builtin"}
    settings = {"model": "gpt-5", "cache": False}
    if where == "judge":
        settings["api_key_env"] = "MY_KEY"
    elif where == "another judge":
        settings["targets"] = {"other": {"api_key_env": "MY_KEY"}}
    else:
        judged["credential_ref"] = "MY_KEY"
    if where == "one in another":
        judged = {"name": "all", "type": "composite", "evaluators": [judged]}
    rules = {
        "eval_config.yaml": config(
            TRAJECTORY, judged, judge=settings | {"budget": {"max_calls": 0}}
        )
    }
    done = job.pull_request(agent() | rules, slipped(secret) | rules).run()

    assert done.outputs["regressed"] == "1"
    assert not [text for text in everything(job, done) if secret in text]


def test_the_token_is_masked_before_anything_else_is_said(job):
    done = job.pull_request(agent(), agent()).run()

    assert done.log.startswith(f"::add-mask::{job.github.token}\n")


ECHO = """
import json, sys

given = json.load(sys.stdin)
said = [turn.get("final_response") or "" for turn in given["invocations"]]
print("\\n".join(said), file=sys.stderr)
print(json.dumps({"score": float(said == ["fine"]), "details": {"issues": said}}))
"""
FRIENDS = 20


def crowd(*, hostile_answers):
    """Agents that between them say every hostile text, and an evaluator that repeats them."""
    texts = [text.encode("utf-8", "replace").decode() for text in hostile.strings()]
    cases = [f"{texts[number]} {number}" for number in range(FRIENDS)]
    echo = {"name": "::error::echo ##[error]", "type": "code", "path": "./echo.py"}
    recorded = {}
    for at, case in enumerate(cases):
        answer = "\n".join(texts[at::FRIENDS]) if hostile_answers else "fine"
        calls = ("geocode", texts[at + FRIENDS] if hostile_answers else "forecast")
        recorded[f"traces/{at}.json"] = transcript(case, *calls, answer=answer)
    return {
        "eval_config.yaml": config(TRAJECTORY, echo),
        "eval_set.json": eval_set(*cases),
        "echo.py": ECHO,
        **recorded,
    }


def test_twenty_thousand_hostile_texts_are_obeyed_by_nobody(job):
    job.pull_request(crowd(hostile_answers=False), crowd(hostile_answers=True))
    job.github.permissions = {"checks": "read"}
    done = job.run()
    names = [command.name for command in commands(done.log)]
    masked = [command.data for command in commands(done.log) if command.name == "add-mask"]

    assert (done.code, done.outputs["regressed"]) == (1, str(FRIENDS))
    assert set(names) <= {"add-mask", "group", "endgroup", "notice", "warning", "error"}
    assert (masked, names.count("group")) == ([job.github.token], 1)
    assert {command.properties.get("file") for command in commands(done.log)} <= {
        None,
        "eval_config.yaml",
        *(f"traces/{number}.json" for number in range(FRIENDS)),
    }
    for page in (job.comments[0], done.summary):
        assert complaints(page.replace(f"{job.github.root}/weather/agent", HOME)) == []


def test_those_that_lie_where_configs_usually_do(job):
    below = config(traces="../traces/*", eval_set="../eval_set.json")
    files = agent(failing=["oslo"]) | {f"{name}/eval_config.yaml": below for name in ("a", "[b]")}
    done = job.pull_request(agent(), files | {".hidden/eval_config.yaml": below}).run()

    assert [section["config"] for section in done.report["sections"]] == [
        "eval_config.yaml",
        "[b]/eval_config.yaml",
        "a/eval_config.yaml",
    ]


def test_a_link_that_nobody_has_named_is_nobodys_mistake(job):
    elsewhere = job.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "eval_config.yaml").write_text(config())
    job.pull_request(agent(), agent(failing=["oslo"]) | {"linked": elsewhere})
    done = job.run()

    assert [section["config"] for section in done.report["sections"]] == ["eval_config.yaml"]
    assert done.said("error") == []
