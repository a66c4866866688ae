import base64

import pytest

from registry_tools.index import index_repository
from tests.registry_tools import registries
from tests.registry_tools.registries import git


@pytest.fixture
def found(tmp_path, monkeypatch):
    registries.write(tmp_path)
    registries.repository(tmp_path)
    for name in ("AGENTEVALS_GITHUB_TOKEN", "GITHUB_SERVER_URL", "GIT_CONFIG_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_TOKEN", "s3cr3t")

    def at(address):
        git(tmp_path, "remote", "add", "origin", address)
        return index_repository.find(tmp_path)

    return at


def header(found):
    return found.environment.get("GIT_CONFIG_VALUE_0", "")


def test_the_token_travels_in_the_environment(found):
    given = index_repository.add_token(found("https://github.com/owner/name.git"), "origin")
    secret = base64.b64encode(b"x-access-token:s3cr3t").decode()

    assert header(given) == f"AUTHORIZATION: basic {secret}"
    assert given.environment["GIT_CONFIG_KEY_0"] == "http.https://github.com/.extraheader"
    assert given.ask("config", "--get-urlmatch", "http.extraheader", "https://github.com/owner/x")


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/owner/name.git",
        "https://github.com.example.com/owner/name.git",
        "https://github.com:8443/owner/name.git",
        "http://github.com/owner/name.git",
        "git@github.com:owner/name.git",
        "/somewhere/here.git",
    ],
)
def test_no_other_host_is_told(found, address):
    assert header(index_repository.add_token(found(address), "origin")) == ""


def test_another_server_has_its_own_token(found, monkeypatch):
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example.com")
    given = index_repository.add_token(found("https://git.example.com/owner/name"), "origin")

    assert given.environment["GIT_CONFIG_KEY_0"] == "http.https://git.example.com/.extraheader"


def test_settings_that_are_there_already_stay(found, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Somebody")
    given = index_repository.add_token(found("https://github.com/owner/name.git"), "origin")

    assert given.ask("config", "user.name") == b"Somebody\n"
    assert given.environment["GIT_CONFIG_COUNT"] == "2"


def test_a_checkout_that_knows_a_token_is_given_no_second_one(found, tmp_path):
    one = found("https://github.com/owner/name.git")
    git(tmp_path, "config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic x")

    assert header(index_repository.add_token(one, "origin")) == ""


def test_without_a_token_there_is_nothing_to_tell(found, monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN")

    assert (
        header(index_repository.add_token(found("https://github.com/owner/name.git"), "origin"))
        == ""
    )


def test_a_token_is_in_no_text_that_somebody_could_log(found):
    given = index_repository.add_token(found("https://github.com/owner/name.git"), "origin")

    assert "basic" not in repr(given)
