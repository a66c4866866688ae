import pytest

from agentevals.evaluator.hosts import API_URL, RAW_URL, Hosts, read_environment


def hosts(monkeypatch, *, own=True, **variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return read_environment(own_repository=own)


def test_github_com_is_where_nobody_says_otherwise(monkeypatch):
    found = hosts(monkeypatch)

    assert (found.api, found.raw, found.token, found.name) == (API_URL, RAW_URL, "", "github.com")


GHES = "https://github.example/api/v3"


def test_a_repository_of_ones_own_is_on_the_server_that_the_runner_belongs_to(monkeypatch):
    found = hosts(monkeypatch, GITHUB_API_URL=GHES, GITHUB_TOKEN="t")

    assert (found.api, found.raw, found.token) == (GHES, "", "t")
    assert found.name == "github.example"


def test_that_of_the_community_is_on_github_com(monkeypatch):
    found = hosts(monkeypatch, own=False, GITHUB_API_URL=GHES, GITHUB_TOKEN="t")

    assert (found.api, found.token) == (API_URL, "")


def test_a_mirror_of_files_has_no_api_and_no_token_of_a_workflow(monkeypatch):
    found = hosts(monkeypatch, AGENTEVALS_RAW_URL="https://mirror.example/", GITHUB_TOKEN="t")

    assert (found.api, found.raw, found.token) == ("", "https://mirror.example", "")


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.github.com/repos/o/r", True),
        ("https://raw.githubusercontent.com/o/r", True),
        ("https://api.github.com.evil.example/", False),
        ("https://api.github.com:8443/", False),
        ("http://api.github.com/", False),
        ("https://example.org/", False),
    ],
)
def test_the_token_goes_where_it_belongs(url, sent):
    assert Hosts(token="t").headers(url) == ({"authorization": "token t"} if sent else {})


def test_it_is_not_sent_where_others_can_read_it():
    plain = Hosts(api="http://github.example/api/v3", raw="", token="t")

    assert plain.headers("http://github.example/api/v3/x") == {}
    assert "'t'" not in repr(plain)
