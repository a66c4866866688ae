"""`cache`: whose results are read, and who writes them."""

import pytest

from agentevals.sandbox.kept_program_outputs import KEY_VARIABLE
from tests.action.job import agent, config

# a program that never says the same twice
DICE = """
import json, sys, time
print(json.dumps({"score": 1.0, "details": {"drawn": time.time_ns()}}))
"""
PROGRAM = {"name": "dice", "type": "code", "path": "evaluators/dice.py"}
KEY = "of-this-repository-7f3a9c"


@pytest.fixture
def job(job):
    return job.given(cache="kept")


def tree(**more):
    return agent(**more) | {"evaluators/dice.py": DICE, "eval_config.yaml": config(PROGRAM)}


def list_drawn(done):
    cases = done.report["sections"][0]["report"]["cases"]
    return {case["case_id"]: case["results"][0]["details"]["drawn"] for case in cases}


def list_kept(job):
    return {path: path.read_bytes() for path in job.workspace.glob("kept/**/*") if path.is_file()}


def restore(job, kept):
    """As `actions/cache` does, before the step."""
    for path, content in kept.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def test_what_the_base_has_kept_is_read_by_a_pull_request(job):
    job.environ[KEY_VARIABLE] = KEY
    base = list_drawn(job.pushed(tree()).run())
    kept = list_kept(job)
    restore(job.proposed(tree(failing=["paris"])), kept)

    head = list_drawn(job.run())

    assert {case for case in base if head[case] != base[case]} == {"paris"}
    assert list_kept(job) == kept


def test_what_nobody_with_the_key_has_kept_is_not_read(job):
    job.environ[KEY_VARIABLE] = "of-somebody-else-7f3a9c"
    base = list_drawn(job.pushed(tree()).run())
    kept = list_kept(job)
    job.environ[KEY_VARIABLE] = KEY
    restore(job.proposed(tree(failing=["paris"])), kept)

    assert not set(list_drawn(job.run()).values()) & set(base.values())


def test_a_fork_neither_reads_nor_writes(job):
    job.environ[KEY_VARIABLE] = KEY
    job.pull_request(tree(), tree(failing=["paris"]), recorded="pull_request_fork")

    done = job.run()

    assert not list_kept(job)
    assert "'cache' is not used for a fork" in done.log


def test_without_a_key_nothing_is_kept(job):
    done = job.pushed(tree()).run()

    assert not list_kept(job)
    assert "'cache' is not used without a secret in AGENTEVALS_RESULT_CACHE_KEY" in done.log
