import pytest

from agentevals.model.results import Severity
from registry_tools.smoke import grants
from tests.registry_tools.smoke.builders import found, judge


def told(path, **capabilities):
    registry = judge(path, capabilities=capabilities)
    (entry,) = registry.entries
    return grants.grant(entry, registry, {"EXAMPLE_KEY": "s3cret", "GITHUB_TOKEN": "ghs_x"})


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
        "the network, not only api.example.com; the values of EXAMPLE_KEY; to read /usr/share"
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


LISTENS = """
import json, socket
try:
    socket.create_server(("127.0.0.1", 0)).close()
    score = 1.0
except OSError:
    score = 0.0
print(json.dumps({"score": score}))
"""


def test_the_network_is_open_only_to_who_names_a_host(tmp_path):
    hosts = {"network": ["api.example.com"]}
    named = judge(tmp_path / "a", LISTENS, SCORES_ONE, capabilities=hosts)
    unnamed = judge(tmp_path / "b", LISTENS, SCORES_ONE)

    assert list(found(named)) == ["smoke-granted"]
    assert "scores 0, not 1" in found(unnamed)["smoke-result"].message
