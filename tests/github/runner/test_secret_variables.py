"""Which values of a step's environment are secrets, and which are what people read."""

import subprocess

import pytest

from agentevals.github.runner.secret_variables import find_secrets, looks_random

RANDOM = "q7Zp2Vx9Lk4Rt8Wn"


@pytest.mark.parametrize(
    "name",
    [
        *("DATABASE_PASSWORD", "MY_KEY", "APIKEY", "api_key", "dbPassword", "DEPLOY_TOKEN", "PAT"),
        *("CLIENT_SECRET", "GOOGLE_CREDENTIALS", "SENTRY_DSN", "BASIC_AUTH", "DB_PASS", "KEY_2"),
        *("AWS_ACCESS_KEY_ID", "SECRETS", "INPUT_OPENAI-API-KEY", "SLACK_WEBHOOK_URL"),
    ],
)
def test_a_variable_whose_name_says_secret_is_one(name):
    assert find_secrets({name: "hunter2!"}) == ("hunter2!",)


@pytest.mark.parametrize(
    "name", ["AUTHOR", "TOKENIZERS_PARALLELISM", "KEYBOARD", "PATH_INFO", "PASSED", "COMPASS"]
)
def test_a_name_that_only_contains_such_letters_says_nothing(name):
    assert find_secrets({name: "somebody here"}) == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_PASSWORD", "hunter2"),
        ("KEY_PATH", "/home/runner/.ssh/id_ed25519"),
        ("SSH_AUTH_SOCK", "/tmp/ssh-abc/agent.42"),
        ("SECRET_KEY", "2.1.0-rc.1"),
        ("TOKEN", "judge.corp.example:8443"),
        ("API_KEY", "gpt-4o-2024-11-20"),
        ("TOKEN_URL", "https://login.example.com/oauth/token"),
        ("TOKEN_HOST", "judge.firma.de"),
        ("CREDENTIALS", "config/credentials.json"),
        ("SECRETS", "deploy-secrets.yaml"),
        ("API_KEY", "us.anthropic.claude-sonnet-4-20250514-v1:0"),
        ("API_KEY", "meta-llama/Llama-3.3-70B-Instruct"),
        ("AUTH", "disabled"),
        ("MAX_TOKENS", "10000000"),
        ("PRIMARY_KEY", "customer_id"),
        ("BASIC_AUTH_USER", "agent-user"),
        ("GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D"),
        ("AGENTEVALS_IMAGE", "ghcr.io/o/action:v1@sha256:" + "3f8a9c1d7e2b4056" * 4),
        ("INPUT_JUDGE-API-KEY-ENV", "CORP_JUDGE_KEY"),
        ("INPUT_COMMENT-KEY", "nightly-2"),
        ("INPUT_COMMENT_KEY", "nightly-2"),
    ],
)
def test_short_values_paths_versions_hosts_and_models_are_none(name, value):
    assert find_secrets({name: value}) == ()


def test_a_key_of_gpg_that_is_no_fingerprint_is_one():
    assert find_secrets({"GPG_KEY": "hunter2!"}) == ("hunter2!",)


@pytest.mark.parametrize(
    "value",
    [
        RANDOM,
        "550e8400-e29b-41d4-a716-446655440000",
        "3f8a9c1d7e2b4056" * 2,
        "mF9tQ2/8xLp+V7zKd3Rw1Yb==",
        "4kd93mfx81lqp07z",
    ],
)
def test_a_random_value_is_one_whatever_its_name(value):
    assert find_secrets({"SOMETHING": value}) == (value,)


@pytest.mark.parametrize(
    "value",
    [
        *("feature/PROJ-1234-fix-the-thing", "ubuntu22-20251112.124.1", "gpt-4o-mini-2024-07-18"),
        *("HelloWorldFooBarBaz", "GitHub-Actions-ubuntu24", "claude-sonnet-4-5-20250929"),
        *("ACCEPTANCE_TESTS_ENABLED", "en_US.UTF-8:de_DE.UTF-8", "1234567890123456789"),
        *("a sentence of several words", "--max-old-space-size=4096", "q7Zp2Vx9Lk4Rt8W"),
        *("us-east-1.compute.internal", "s3://bucket-name-2024/path", "arm64-v8a-linux-gnu"),
    ],
)
def test_names_numbers_and_sentences_do_not_look_random(value):
    assert not looks_random(value)


@pytest.mark.parametrize(
    "name", ["GITHUB_SHA", "RUNNER_TRACKING_ID", "PYTHON_SHA256", "BASE_COMMIT", "JUDGE_MODEL"]
)
def test_ids_of_commits_runs_and_models_are_none(name):
    assert find_secrets({name: "3f8a9c1d7e2b4056a8b1" * 2}) == ()


def test_the_password_of_an_address_is_one_also_as_it_is_meant():
    found = find_secrets({"DATABASE": "postgres://user:hunter%402x@db.example/x"})

    assert {"hunter%402x", "hunter@2x"} <= set(found)


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("Server=tcp:db.example;User ID=me;Password=p4ss-canary;Encrypt=true", "p4ss-canary"),
        ("host=db user=me password=p4ss-canary", "p4ss-canary"),
        ("x-api-key=p4ss-canary,x-tenant=weather", "p4ss-canary"),
        ('{"type": "service", "client_secret": "p4ss-canary"}', "p4ss-canary"),
        (f'{{"id": "{RANDOM}"}}', RANDOM),
    ],
)
def test_a_part_of_a_value_that_is_a_secret_is_one(value, secret):
    assert secret in find_secrets({"SETTINGS": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_WEBHOOK_URL", "https://hooks.example/canary"),
        ("HBO_MAX_PASSWORD", "hunter2!"),
        ("AUTH_HEADER", "Basic hunter2!"),
    ],
)
def test_an_address_of_a_webhook_and_a_header_are_secrets(name, value):
    assert find_secrets({name: value}) == (value,)


@pytest.mark.parametrize("value", ['{"key": ', "{}", '{"key": 12345678}', '{"a": {"key": "x"}}'])
def test_other_objects_hold_none(value):
    assert find_secrets({"SETTINGS": value}) == ()


def test_an_input_that_is_not_ours_may_hold_one():
    assert find_secrets({"INPUT_FOO": RANDOM}) == (RANDOM,)


def test_a_key_that_begins_like_a_path_is_one():
    key = "/wJalrXUtnFEMIK7MDENGbPxRfiCYzEXAMPLEKEY"

    assert find_secrets({"AWS_SECRET_ACCESS_KEY": key}) == (key,)


def test_a_password_of_an_address_that_is_a_word_of_tracked_files_is_none(tmp_path):
    (tmp_path / "ci.yml").write_text("env:\n  POSTGRES_PASSWORD: postgres\n")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    address = "postgres://postgres:postgres@localhost:5432/weather"

    assert find_secrets({"DB": address, "GITHUB_WORKSPACE": str(tmp_path)}) == ()
    assert find_secrets({"DB": address, "GITHUB_WORKSPACE": "/nonexistent"}) == ("postgres",)


def test_a_word_of_tracked_files_is_none_but_one_of_a_recording_is(tmp_path):
    (tmp_path / "agent.py").write_text("mode = 'workload-identity'\n")
    (tmp_path / "trace.jsonl").write_text('{"said": "correct-horse"}\n')
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "paris.json").write_text('{"said": "correct-horse"}\n')
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    environ = {
        "GITHUB_WORKSPACE": str(tmp_path),
        "AUTH": "workload-identity",
        "PASSWORD": "correct-horse",
    }

    assert find_secrets(environ) == ("correct-horse",)
