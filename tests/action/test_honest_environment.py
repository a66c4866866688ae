"""A runner's environment hides nothing that a reader needs: not one character differs from none."""

import re

import pytest

from agentevals.github.runner.secret_variables import find_secrets
from tests.action.job import CITIES, TRAJECTORY, agent, config, eval_set, transcript
from tests.action.leaks import PACKED, list_texts, slipped

UUID = "1f0f3a7e-8b7c-4b0e-9a3f-2f6f8f1f0a11"
COMMIT = "8f14e45fceea167a5a36dedd4bea2543c1d2e3f4"

# what a runner gives a container action
RUNNER = {
    "ACTIONS_CACHE_MODE": "readwrite",
    "ACTIONS_CACHE_URL": "https://acghubeus1.actions.githubusercontent.com/AbCdEfGh1234567890/",
    "ACTIONS_ORCHESTRATION_ID": f"{UUID}.evaluate.__default",
    "ACTIONS_RUNTIME_URL": "https://pipelinesghubeus7.actions.githubusercontent.com/AbCdEf12345678/",
    "GITHUB_ACTION": "__agentevals_agentevals-action",
    "GITHUB_ACTION_REF": "v1",
    "GITHUB_ACTION_REPOSITORY": "agentevals/agentevals-action",
    "GITHUB_ACTOR_ID": "1234567",
    "GITHUB_BASE_REF": "main",
    "GITHUB_HEAD_REF": "units",
    "GITHUB_REF": "refs/pull/12/merge",
    "GITHUB_REF_NAME": "12/merge",
    "GITHUB_REF_PROTECTED": "false",
    "GITHUB_REF_TYPE": "branch",
    "GITHUB_REPOSITORY_ID": "501",
    "GITHUB_REPOSITORY_OWNER": "weather",
    "GITHUB_REPOSITORY_OWNER_ID": "98765",
    "GITHUB_RETENTION_DAYS": "90",
    "GITHUB_STATE": "/github/file_commands/save_state_1f0f3a7e",
    "GITHUB_TRIGGERING_ACTOR": "alice",
    "GITHUB_WORKFLOW_SHA": COMMIT,
    "RUNNER_ARCH": "X64",
    "RUNNER_DEBUG": "1",
    "RUNNER_ENVIRONMENT": "github-hosted",
    "RUNNER_NAME": "GitHub Actions 1000000123",
    "RUNNER_OS": "Linux",
    "RUNNER_TOOL_CACHE": "/opt/hostedtoolcache",
    "RUNNER_TRACKING_ID": f"github_{UUID}",
    "RUNNER_WORKSPACE": "/home/runner/work/agent",
}
# what a runner's image and the base image of the container set
IMAGE = {
    "ACCEPT_EULA": "Y",
    "AGENT_TOOLSDIRECTORY": "/opt/hostedtoolcache",
    "ANDROID_HOME": "/usr/local/lib/android/sdk",
    "AZURE_EXTENSION_DIR": "/opt/az/azcliextensions",
    "CHROMEWEBDRIVER": "/usr/local/share/chromedriver-linux64",
    "CONDA": "/usr/share/miniconda",
    "DEBIAN_FRONTEND": "noninteractive",
    "DEPLOYMENT_BASEPATH": "/opt/runner",
    "DOTNET_MULTILEVEL_LOOKUP": "0",
    "DOTNET_NOLOGO": "1",
    "ENABLE_RUNNER_TRACING": "true",
    "GHCUP_INSTALL_BASE_PREFIX": "/usr/local",
    "GOROOT_1_24_X64": "/opt/hostedtoolcache/go/1.24.9/x64",
    "GPG_KEY": "A035C8C19219BA821ECEA86B64E628F8D684696D",
    "HOMEBREW_CLEANUP_PERIODIC_FULL_DAYS": "3650",
    "HOSTNAME": "3f8a9c1d7e2b",
    "INVOCATION_ID": UUID.replace("-", ""),
    "ImageOS": "ubuntu24",
    "ImageVersion": "20251112.124.1",
    "JAVA_HOME_17_X64": "/usr/lib/jvm/temurin-17-jdk-amd64",
    "JOURNAL_STREAM": "9:13245",
    "LANG": "C.UTF-8",
    "MEMORY_PRESSURE_WATCH": "/sys/fs/cgroup/system.slice/hosted-compute.service/memory.pressure",
    "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA=",
    "NVM_DIR": "/home/runner/.nvm",
    "PIPX_BIN_DIR": "/opt/pipx_bin",
    "POWERSHELL_DISTRIBUTION_CHANNEL": "GitHub-Actions-ubuntu24",
    "PYTHON_SHA256": "c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2",
    "PYTHON_VERSION": "3.12.7",
    "SGX_AESM_ADDR": "1",
    "SHELL": "/bin/bash",
    "SHLVL": "1",
    "SSH_AUTH_SOCK": "/tmp/ssh-XXab12/agent.42",
    "SWIFT_PATH": "/usr/share/swift/usr/bin",
    "SYSTEMD_EXEC_PID": "1873",
    "USER": "runner",
    "VCPKG_INSTALLATION_ROOT": "/usr/local/share/vcpkg",
    "XDG_CONFIG_HOME": "/home/runner/.config",
    "XDG_RUNTIME_DIR": "/run/user/1001",
    "pythonLocation": "/opt/hostedtoolcache/Python/3.12.7/x64",
}
# what workflows add
USUAL = {
    "API_KEY_ENV": "OPENAI_API_KEY",
    "AUTH_TYPE": "workload-identity",
    "AWS_DEFAULT_REGION": "us-east-1",
    "BASE_URL": "http://localhost:8080/v1",
    "BRANCH": "main",
    "CASE": "paris",
    "CUSTOM_KEY_NAME": "deploy_key",
    "DATABASE_URL": "postgres://localhost:5432/weather",
    "DEBUG": "true",
    "DOCKER_BUILDKIT": "1",
    "FORCE_COLOR": "1",
    "IMAGE_TAG": "sha-3f8a9c1",
    "KEY_PATH": "traces/paris.json",
    "LOG_LEVEL": "warning",
    "MAX_TOKENS": "4096",
    "MODEL": "gpt-4o-mini",
    "NODE_ENV": "test",
    "NODE_OPTIONS": "--max-old-space-size=4096",
    "OPENAI_MODEL": "gpt-4o-mini-2024-07-18",
    "PYTHONUNBUFFERED": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TOOL_KEY": "forecast",
    "TURBO_TEAM": "weather",
    "TZ": "UTC",
}
# what the footer of a comment shows
SHOWN = {"AGENTEVALS_IMAGE": "ghcr.io/agentevals/action:v1@sha256:" + "3f8a9c1d7e2b4056" * 4}
HONEST = RUNNER | IMAGE | USUAL | SHOWN

WORDS = " ".join([*USUAL, *USUAL.values(), *IMAGE.values(), *RUNNER.values()])
SAYS_ALL = slipped(f"test true main paris {WORDS}") | {"agent.py": "AUTH = 'workload-identity'\n"}
ECHO_CRASHES = {"echo.py": "raise SystemExit('NODE_ENV=test DEBUG=true BRANCH=main')\n"}


def below(folder, files):
    return {f"{folder}/{name}": text for name, text in files.items()}


def many(number):
    """Two agents, of which one gets worse."""
    return below("billing", agent()) | below("search", agent(failing=CITIES[:number]))


RULES = {"eval_config.yaml": config({**TRAJECTORY, "threshold": 0.1})}
GATE = {"eval_config.yaml": config(gate={"pass_rate": {"at_least": 0.9}, "score": {"max_drop": 0}})}
JUDGED = {
    "eval_config.yaml": config({"name": "safety_v1", "type": "builtin"}, judge={"model": "m"})
}
# head of the pull request; what else is given; the event
STATES = {
    "passed": (agent() | {"agent.py": "1\n"}, {"paths": "agent.py"}, "pull_request"),
    "regressed": (agent(failing=["paris"]), {}, "pull_request"),
    "all regressed": (agent(failing=CITIES), {}, "pull_request"),
    "says every value": (SAYS_ALL, {"status": "on"}, "pull_request"),
    "evaluator crashed": (SAYS_ALL | ECHO_CRASHES, {}, "pull_request"),
    "nothing relevant": (agent() | {"README.md": "main\n"}, {}, "pull_request"),
    "fork": (agent(failing=["paris"]), {}, "pull_request_fork"),
    "Dependabot": (agent(failing=["paris"]), {}, "pull_request_dependabot"),
    "draft": (agent(failing=["paris"]), {}, "pull_request_draft"),
    "privileged": (agent(failing=["paris"]), {}, "pull_request_target"),
    "by a comment": (agent(failing=["paris"]), {}, "issue_comment"),
    "merge group": (agent(failing=["paris"]), {}, "merge_group"),
    "no baseline": (agent(failing=["paris"]), {"baseline": "none"}, "pull_request"),
    "baseline missing": (agent(failing=["paris"]), {"baseline": "./main.json"}, "pull_request"),
    "monorepo": (many(2), {"config": "*/eval_config.yaml"}, "pull_request"),
    "one config broken": (
        many(2) | {"billing/eval_config.yaml": "evaluators: [{nme: test}]\n"},
        {"config": "*/eval_config.yaml"},
        "pull_request",
    ),
    "case removed": (agent() | {"eval_set.json": eval_set("paris")}, {}, "pull_request"),
    "case added": (agent(cases=(*CITIES, "main")), {}, "pull_request"),
    "rules changed": (agent() | RULES, {}, "pull_request"),
    "gate": (agent(failing=["paris"]) | GATE, {"fail_on": "never"}, "pull_request"),
    "nothing judged": (agent() | JUDGED, {}, "pull_request"),
    "broken config": (agent() | {"eval_config.yaml": "evaluators: [test, "}, {}, "pull_request"),
    "unknown evaluator": (agent() | {"eval_config.yaml": config("true")}, {}, "pull_request"),
    "broken trace": (agent() | {"traces/paris.json": '{"main"'}, {}, "pull_request"),
    "no traces": (
        {"eval_config.yaml": config(), "eval_set.json": eval_set("paris")},
        {},
        "pull_request",
    ),
    "other conversation": (
        agent() | {"traces/paris.json": transcript("main", "test", user="warning?")},
        {},
        "pull_request",
    ),
    "wrong input": (agent(), {"fail_on": "true"}, "pull_request"),
    "dry run": (agent(failing=["paris"]), {"dry_run": "true"}, "pull_request"),
    "a shard": (agent(failing=["paris"]), {"shard": "1/2"}, "pull_request"),
    "a matrix": (agent(failing=["paris"]), {"matrix": '{"os": "ubuntu24"}'}, "pull_request"),
}


def tell(job, state, environ):
    """All that the step writes and sends, without what no two runs have in common."""
    head, given, recorded = STATES[state]
    before = many(0) if "*" in given.get("config", "") else agent()
    job.environ |= {name: value for name, value in environ.items() if name not in job.environ}
    job.keeping_artifacts().given(**given).pull_request(before, head, recorded=recorded)
    done = job.run()
    masked = [line for line in done.log.splitlines() if line.startswith("::add-mask::")]
    return [_even(job, text) for text in [*masked, *list_texts(job, done)]]


def _even(job, text):
    text = text.replace(str(job.folder), "FOLDER").replace(job.github.root, "ROOT")
    text = text.replace(job.environ["ACTIONS_RUNTIME_TOKEN"], "RUNTIME")
    text = PACKED.sub("PACKED", text)  # `list_texts` has it unpacked as well
    text = re.sub(
        r'end_[0-9a-f]{32}|agentevals-[0-9a-f-]{36}|"(checksum|size)": ?"?\d+', "ANY", text
    )
    text = re.sub(r"\b\d+(?:\.\d+)? ?m?s\b", "TIME", text)
    return re.sub(r'("(?:duration|elapsed|time|start|stop)\w*": ?|time=")[\d.e-]+', r"\1TIME", text)


@pytest.mark.parametrize("state", STATES)
def test_not_one_character_differs_from_a_run_without_it(job, twin, state):
    without, within = tell(job, state, SHOWN), tell(twin, state, HONEST)

    assert "***" not in "".join(within)
    assert within == without


@pytest.mark.parametrize("group", [RUNNER, IMAGE])
def test_no_variable_of_a_runner_is_a_secret(group):
    assert find_secrets(group) == ()
