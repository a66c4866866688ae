"""Secrets of a step are on no output, and an honest environment changes none of them."""

import json

import pytest

from agentevals.action.scoring import redact_case
from agentevals.github.runner.secrets import Redactor
from agentevals.model.results import CaseReport, Verdict
from tests.action.job import TRAJECTORY, agent, config, eval_set, transcript
from tests.action.test_scoring import everything, slipped

CANARIES = {
    "DATABASE_PASSWORD": "hunter2!canary",
    "SENTRY_DSN": "https://c4n4ry@o1.ingest.example/1",
    "DEPLOY_CREDENTIAL": "canary of two words",
    "DATABASE": "postgres://me:p4ss-canary@db.example/x",
    "SOMETHING": "q7Zp2Vx9Lk4Rt8WnCanary",
}
HIDDEN = {**CANARIES, "DATABASE": "p4ss-canary"}

# what a runner gives a container, and what workflows often add
HONEST = {
    "NODE_ENV": "test",
    "DEBUG": "true",
    "BRANCH": "main",
    "CI": "true",
    "HOME": "/github/home",
    "LANG": "C.UTF-8",
    "SHELL": "/bin/bash",
    "LOG_LEVEL": "warning",
    "MAX_TOKENS": "4096",
    "OPENAI_MODEL": "gpt-4o-mini-2024-07-18",
    "AUTH_TYPE": "workload-identity",
    "SSH_AUTH_SOCK": "/tmp/ssh-XXab12/agent.42",
    "KEY_PATH": "traces/paris.json",
    "CASE": "paris",
    "TOOL_KEY": "forecast",
    "API_KEY_ENV": "OPENAI_API_KEY",
    "HOSTNAME": "3f8a9c1d7e2b",
    "ImageOS": "ubuntu24",
    "ImageVersion": "20251112.124.1",
    "RUNNER_NAME": "GitHub Actions 1000000123",
    "RUNNER_OS": "Linux",
    "RUNNER_ARCH": "X64",
    "RUNNER_TRACKING_ID": "github_1f0f3a7e-8b7c-4b0e-9a3f-2f6f8f1f0a11",
    "RUNNER_TOOL_CACHE": "/opt/hostedtoolcache",
    "RUNNER_ENVIRONMENT": "github-hosted",
    "GITHUB_ACTION": "__agentevals_agentevals-action",
    "GITHUB_ACTOR_ID": "1234567",
    "GITHUB_JOB": "evaluate",
    "GITHUB_REF_TYPE": "branch",
    "GITHUB_WORKFLOW_SHA": "8f14e45fceea167a5a36dedd4bea2543c1d2e3f4",
    "ACTIONS_ORCHESTRATION_ID": "1f0f3a7e-8b7c-4b0e-9a3f-2f6f8f1f0a11.evaluate.__default",
    "DEPLOYMENT_BASEPATH": "/opt/runner",
    "ACCEPT_EULA": "Y",
    "GOROOT_1_24_X64": "/opt/hostedtoolcache/go/1.24.9/x64",
    "JAVA_HOME_17_X64": "/usr/lib/jvm/temurin-17-jdk-amd64",
    "POWERSHELL_DISTRIBUTION_CHANNEL": "GitHub-Actions-ubuntu24",
    "PYTHON_VERSION": "3.11.7",
    "PYTHON_SHA256": "c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2",
    "XDG_CONFIG_HOME": "/github/home/.config",
    "DOTNET_NOLOGO": "1",
}


def test_no_secret_of_the_step_reaches_an_output_or_a_request(job):
    job.environ |= CANARIES
    done = job.pull_request(agent(), slipped(" and ".join(CANARIES.values()))).run()

    assert done.outputs["regressed"] == "1"
    assert "***" in done.text
    leaks = [name for name in HIDDEN for text in everything(job, done) if HIDDEN[name] in text]
    assert leaks == []


STATES = {
    "passed": agent(),
    "one failing": agent(failing=["paris"]),
    "all failing": agent(failing=["paris", "oslo"]),
    "case removed": agent() | {"eval_set.json": eval_set("paris")},
    "broken config": agent() | {"eval_config.yaml": "evaluators: [{nme: x}]\n"},
    "broken trace": agent() | {"traces/paris.json": "{"},
    "rules changed": agent() | {"eval_config.yaml": config({**TRAJECTORY, "threshold": 0.1})},
    "words of the environment": slipped("test true main paris forecast warning /github/home"),
}


@pytest.mark.parametrize("state", STATES)
def test_an_honest_environment_hides_not_one_character(job, state):
    job.environ |= {name: value for name, value in HONEST.items() if name not in job.environ}
    done = job.pull_request(agent(), STATES[state]).run()

    masked = [line for line in done.log.splitlines() if line.startswith("::add-mask::")]
    assert "***" not in "".join(everything(job, done))
    assert masked == [f"::add-mask::{job.github.token}"]


def test_a_secret_in_names_changes_neither_pairing_nor_scores(job):
    job.environ |= {"DEPLOY_TOKEN": "ordinary-name-7"}
    cases = ("ordinary-name-7", "ordinary-name-7 and more", "plain")
    files = {
        "eval_config.yaml": config(TRAJECTORY),
        "eval_set.json": eval_set(*cases),
        **{
            f"traces/{number}.json": transcript(case, "geocode", "forecast")
            for number, case in enumerate(cases)
        },
    }
    worse = files | {"traces/0.json": transcript(cases[0], "forecast")}
    done = job.pull_request(files, worse).run()

    report = done.report["sections"][0]["report"]
    ids = [case["case_id"] for case in report["cases"]]
    assert (done.outputs["regressed"], len(set(ids))) == ("1", 3)
    assert "ordinary-name-7" not in json.dumps(ids)


def test_a_value_is_hidden_also_where_only_its_key_tells_that_it_is_secret():
    case = CaseReport(
        case_id="paris",
        verdict=Verdict.PASS,
        performance={"aws_secret_access_key": "a1B2" * 10, "region": "eu"},
    )

    redacted = redact_case(case, Redactor())

    assert redacted.performance == {"aws_secret_access_key": "***", "region": "eu"}
    assert (redacted.case_id, redacted.verdict) == (case.case_id, case.verdict)
