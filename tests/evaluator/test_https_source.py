import asyncio
import json

import pytest

from agentevals.evaluator.https_source import HttpsEvaluatorSource
from agentevals.model.errors import InputError, UnavailableError
from agentevals.web import Terms
from tests.evaluator.conftest import PROGRAM, entry, fetched, head_of, listing
from tests.servers import reply, serve

PLACE = "/reg/evaluators/a/a.py"


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(HttpsEvaluatorSource, "terms", Terms(retries=0))


class Site:
    """Files by path, each with a mark; `answers` counts those that were sent whole."""

    def __init__(self, **files):
        self.files = dict(files)
        self.sent, self.down = 0, False

    def __call__(self, seen):
        found = self.files.get(seen.path)
        if self.down or found is None:
            return reply(503 if self.down else 404)
        etag = f'"{hash(found)}"'
        if seen.headers.get("if-none-match") == etag:
            return reply(304)
        self.sent += 1
        return reply(200, found, {"etag": etag})


@pytest.fixture
def site(monkeypatch):
    place = Site(**{"/reg/index.json": listing(entry()), PLACE: PROGRAM})
    with serve(place) as server:
        place.server = server
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", f"{server.url}/reg/index.json")
        yield place


def test_files_lie_beside_the_index(site):
    found = fetched("a", "https")

    assert found.path.read_bytes() == PROGRAM
    assert found.pin.repository == f"{site.server.url}/reg"
    assert found.pinned_by == "index"


def test_an_index_that_is_the_same_is_not_sent_again(site):
    fetched("a", "https")
    before = site.sent
    fetched("a", "https")

    assert site.sent == before


def test_a_file_that_is_not_what_the_index_says_is_refused(site):
    site.files[PLACE] = b"import os"

    with pytest.raises(UnavailableError, match="is not what its index says"):
        fetched("a", "https")


def test_the_next_address_is_asked_where_the_first_does_not_answer(site, monkeypatch):
    addresses = f"http://127.0.0.1:1/index.json {site.server.url}/reg/index.json"
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", addresses)

    assert fetched("a", "https").path.read_bytes() == PROGRAM


def test_without_any_that_answers_the_last_good_copy_is_used(site, caplog):
    before = fetched("a", "https")
    site.down = True
    after = fetched("a", "https")

    assert after.path == before.path
    assert "that was fetched before is used" in caplog.text


def test_an_index_that_was_put_back_is_refused(site):
    for sequence, version in ((2, "1.1.0"), (1, "1.0.0")):
        content = listing(entry(version=version))
        site.files["/reg/index.json"] = content
        site.files["/reg/head.json"] = head_of(content, sequence)
        if sequence == 2:
            asyncio.run(HttpsEvaluatorSource().list_evaluators())

    with pytest.raises(UnavailableError, match="was put back"):
        asyncio.run(HttpsEvaluatorSource().list_evaluators())


@pytest.mark.parametrize("gone", ["head.json", "index.json"])
def test_an_index_that_was_put_back_without_its_head_is_refused(site, caplog, gone):
    content = listing(entry(version="1.1.0"))
    site.files |= {"/reg/index.json": content, "/reg/head.json": head_of(content, 2)}
    fetched("a", "https")
    site.files["/reg/index.json"] = listing(entry(version="1.0.0"))
    del site.files[f"/reg/{gone}"]

    assert fetched("a", "https").pin.version == "1.1.0"
    assert "may have been put back: its index no. 2 was seen before" in caplog.text


def test_a_program_that_its_index_does_not_list_is_unpinned(site, caplog):
    site.files["/reg/evaluators/b/b.py"] = PROGRAM
    site.files["/reg/evaluators/b/requirements.txt"] = b"six"

    found = fetched("evaluators/b/b.py", "https")

    assert sorted(found.pin.files) == ["b.py", "requirements.txt"]
    assert "is not pinned" in caplog.text


def test_no_token_is_sent(site, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_GITHUB_TOKEN", "s3cr3t")
    monkeypatch.setenv("GITHUB_TOKEN", "s3cr3t")
    fetched("a", "https")

    assert all("authorization" not in seen.headers for seen in site.server.seen)


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/index.json",
        "ftp://example.org/index.json",
        "https://example.org/",
        "https://example.org/index.json?x=1",
        "index.json",
    ],
)
def test_an_address_that_is_none_of_an_index_is_refused(monkeypatch, address):
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", address)

    with pytest.raises(InputError, match="is no address of an index"):
        fetched("a", "https")


def test_an_entry_that_cannot_be_used_costs_only_itself(site, caplog):
    broken = {"name": "b", "files": 7}
    content = json.dumps({"evaluators": [entry(), broken]}).encode()
    site.files["/reg/index.json"] = content

    (info,) = asyncio.run(HttpsEvaluatorSource().list_evaluators())

    assert info.name == "a"
    assert "entry 'b' is skipped" in caplog.text
