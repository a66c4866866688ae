import subprocess
import sys

import pytest

from agentevals.model.results import Severity
from agentevals.sandbox.isolation import describe
from agentevals.sandbox.isolation_promises import CheckedPromise, Outcome
from registry_tools.smoke import smoke_program
from tests.registry_tools.smoke.builders import found, judge
from tests.sandbox.test_levels import LANDLOCK

HELD = CheckedPromise("it cannot use TCP", Outcome.HELD)
LACKING = CheckedPromise("it cannot use TCP", Outcome.UNAVAILABLE, ("connected over TCP",))
BROKEN = CheckedPromise("it cannot use TCP", Outcome.BROKEN, ("connected over TCP",))


@pytest.mark.parametrize(
    ("available", "checked", "level", "why"),
    [
        ("strict (own user)", HELD, "strict", ""),
        ("partial (seccomp)", LACKING, "partial", ""),
        ("partial (seccomp)", HELD, "strict", "only the isolation partial (seccomp), and 'strict'"),
        ("basic", LACKING, "partial", "this machine has only the isolation basic"),
        ("basic", LACKING, "basic", ""),
        ("strict (own user)", BROKEN, "partial", "it cannot use TCP: it connected over TCP"),
        ("basic", BROKEN, "basic", "a promise of the sandbox does not hold"),
    ],
)
def test_nothing_runs_where_the_sandbox_does_not_hold(available, checked, level, why):
    objection = smoke_program.judge_promises(available, [HELD, checked], level)

    assert why in objection
    assert bool(objection) == bool(why)


# on a machine that offers less: system calls are taken away, as in the tests of isolation
POORER = """if True:
    import errno, sys
    from pathlib import Path
    from agentevals.sandbox.launcher import kernel, seccomp
    from registry_tools.manifests import registry_folder as registry
    from registry_tools.smoke import smoke_run as run
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.Filter(seccomp._compile([({"landlock": LANDLOCK}, errno.ENOSYS)], [])).enforce()
    found = registry.read(Path(sys.argv[1]))
    for one in run.run(found, run.Options(level=sys.argv[2], cached=False)):
        print(one.rule, one.severity.value, one.path, one.message)
    """


def said_without_landlock(root, level):
    program = POORER.replace("LANDLOCK", str(LANDLOCK))
    done = subprocess.run(
        [sys.executable, "-c", program, str(root), level],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif("landlock" not in describe(), reason="nothing can be taken away")
def test_a_machine_that_offers_less_than_was_asked_for_runs_nothing(tmp_path):
    judge(tmp_path, "1 / 0")

    said = said_without_landlock(tmp_path, "strict")

    assert said.startswith("smoke-sandbox error evaluators no evaluator was run: ")
    assert said.count("\n") == 1


@pytest.mark.skipif("landlock" not in describe(), reason="nothing can be taken away")
def test_a_machine_that_offers_less_runs_what_it_may(tmp_path):
    judge(tmp_path, "1 / 0")

    assert "smoke-program error" in said_without_landlock(tmp_path, "partial")


def told(path, **capabilities):
    registry = judge(path, capabilities=capabilities)
    (entry,) = registry.entries
    return smoke_program.grant(entry, registry, {"EXAMPLE_KEY": "s3cret", "GITHUB_TOKEN": "ghs_x"})


def test_nothing_is_given_that_is_not_named(tmp_path):
    assert not told(tmp_path)


def test_what_is_named_and_there_is_given(tmp_path):
    given = told(
        tmp_path,
        network=["api.example.com"],
        environment=["EXAMPLE_KEY", "OTHER_KEY"],
        files=["/usr/share", "/usr/no/such/file"],
    )

    assert given.environment == (("EXAMPLE_KEY", "s3cret"),)
    assert str(given) == (
        "connections to api.example.com; the values of EXAMPLE_KEY; /usr/share to read"
    )


@pytest.mark.parametrize(
    "capabilities",
    [
        {"environment": ["EXAMPLE_KEY", "GITHUB_TOKEN"]},
        {"network": ["169.254.169.254"], "environment": ["EXAMPLE_KEY"]},
        {"files": ["/etc/shadow", "/usr/share"]},
    ],
)
def test_who_asks_for_what_is_not_to_be_had_gets_nothing(tmp_path, capabilities):
    assert not told(tmp_path, **capabilities)


def test_files_of_a_person_and_of_the_registry_are_not_shared(tmp_path, monkeypatch):
    home = tmp_path / "person"
    (home / "notes").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "link").symlink_to(home)

    given = told(
        tmp_path / "registry",
        files=[str(home), str(home / "notes"), str(tmp_path), str(tmp_path / "link"), "usr/share"],
    )

    assert not given


SECRET = """
import json, os
print(json.dumps({"score": 1.0 if os.environ.get("EXAMPLE_KEY") == "s3cret" else 0.0}))
"""
SCORES_ONE = "fixtures:\n  - name: one\n    input: {}\n    expect: {score: 1}\n"


def test_a_variable_reaches_only_who_names_it(tmp_path):
    environ = {"EXAMPLE_KEY": "s3cret"}
    named = judge(tmp_path / "a", SECRET, SCORES_ONE, capabilities={"environment": ["EXAMPLE_KEY"]})
    unnamed = judge(tmp_path / "b", SECRET, SCORES_ONE)

    finding = found(named, environ=environ)["smoke-granted"]
    assert finding.message == "its program was given the values of EXAMPLE_KEY"
    assert finding.severity is Severity.NOTE
    assert "scores 0, not 1" in found(unnamed, environ=environ)["smoke-result"].message


def test_a_value_that_was_given_is_not_shown(tmp_path):
    program = "import os\nraise SystemExit(os.environ['EXAMPLE_KEY'])"
    registry = judge(tmp_path, program, capabilities={"environment": ["EXAMPLE_KEY"]})

    message = found(registry, environ={"EXAMPLE_KEY": "s3cret"})["smoke-program"].message

    assert message.endswith("exited with code 1: …")


ASKS = """
import json, urllib.request
def ask(host):
    try:
        urllib.request.urlopen(f"http://{host}", timeout=9)
    except OSError as error:
        return str(error)
said = [ask("api.example.invalid:443"), ask("neighbour.example.invalid:443")]
granted = "but its name has no address" in said[0]
print(json.dumps({"score": float(granted and "is not granted" in said[1])}))
"""


def test_a_host_is_open_only_to_who_names_it(tmp_path):
    hosts = {"network": ["api.example.invalid"]}
    named = judge(tmp_path / "a", ASKS, SCORES_ONE, capabilities=hosts)
    unnamed = judge(tmp_path / "b", ASKS, SCORES_ONE)

    assert list(found(named)) == ["smoke-granted"]
    assert "scores 0, not 1" in found(unnamed)["smoke-result"].message
