import gzip

import pytest

from agentevals.evaluator.registry_copies import Copies, NotHereError, TokenRefusedError
from agentevals.evaluator.registry_head import hash_bytes
from agentevals.model.errors import UnavailableError
from agentevals.web import Terms
from tests.servers import Script, reply, serve

TEXT = reply(200, b"one", {"etag": '"1"'})


@pytest.fixture
def copies(tmp_path):
    return Copies(root=tmp_path / "web", terms=Terms(retries=0))


def got(copies, server, **words):
    return copies.get(f"{server.url}/x", {}, what="the index", **words)


def test_a_mark_is_sent_and_an_unchanged_document_is_not(copies):
    with serve(Script(TEXT, reply(304))) as server:
        answers = [got(copies, server) for _ in range(2)]

    assert answers == [b"one", b"one"]
    assert server.seen[1].headers["if-none-match"] == '"1"'


def test_a_changed_document_replaces_the_copy(copies):
    with serve(Script(TEXT, reply(200, b"two"), reply(503))) as server:
        answers = [got(copies, server) for _ in range(3)]

    assert answers == [b"one", b"two", b"two"]


def test_what_lasts_is_asked_for_once_even_if_it_is_not_there(copies):
    with serve(Script(reply(404))) as server:
        answers = [got(copies, server, lasting=True) for _ in range(2)]

    assert answers == [None, None]
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [401, 403, 503])
def test_a_refusal_is_not_taken_for_nothing(copies, status):
    with serve(Script(TEXT, reply(status))) as server:
        answers = [got(copies, server) for _ in range(2)]

    assert answers == [b"one", b"one"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (reply(401), r"the index was refused \(401\)"),
        (reply(200, b"\n<!DOCTYPE html>"), "the index was answered with a web page"),
        (reply(418), "the index was answered with 418"),
    ],
)
def test_without_a_copy_it_is_unavailable(copies, answer, said):
    with serve(Script(answer)) as server, pytest.raises(UnavailableError, match=said):
        got(copies, server)


def test_offline_only_copies_are_used(copies, monkeypatch):
    with serve(Script(TEXT)) as server:
        got(copies, server)
        monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")
        assert got(copies, server) == b"one"
        with pytest.raises(NotHereError, match="the index is not in the cache and this run is"):
            copies.get(f"{server.url}/y", {}, what="the index")

    assert len(server.seen) == 1


def test_what_one_may_see_with_a_token_is_not_shown_without(copies):
    secret = {"authorization": "token t"}
    with serve(Script(TEXT, reply(404))) as server:
        copies.get(f"{server.url}/x", secret, what="the index", lasting=True)

        assert got(copies, server, lasting=True) is None


def test_nobody_waits_twice_for_who_does_not_answer(tmp_path):
    pauses = []
    copies = Copies(root=tmp_path, terms=Terms(retries=2, sleep=pauses.append))
    for _ in range(3):
        with pytest.raises(UnavailableError):
            copies.get("http://127.0.0.1:1/x", {}, what="the index")

    assert len(pauses) == 2


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x80"])
def test_a_copy_that_is_none_is_fetched_anew(copies, content):
    with serve(Script(TEXT)) as server:
        got(copies, server)
        (path,) = copies.root.iterdir()
        path.write_bytes(content)

        assert got(copies, server) == b"one"


def test_a_folder_that_cannot_be_written_costs_only_the_memory(tmp_path):
    (tmp_path / "file").touch()
    copies = Copies(root=tmp_path / "file", terms=Terms(retries=0))
    with serve(Script(TEXT)) as server:
        assert got(copies, server) == b"one"


class TestOneWait:
    """Whoever does not answer, or asks to come back later, is waited for once in a run."""

    @pytest.fixture
    def pauses(self):
        return []

    @pytest.fixture
    def copies(self, tmp_path, pauses):
        return Copies(root=tmp_path / "web", terms=Terms(sleep=pauses.append))

    @pytest.mark.parametrize(
        ("answer", "waited"),
        [
            (reply(429), [0.5, 1.0, 2.0]),
            (reply(503, headers={"retry-after": "4"}), [4.0, 4.0, 4.0]),
            (reply(429, headers={"retry-after": "60"}), []),
        ],
    )
    def test_who_asks_to_come_back_later(self, copies, pauses, answer, waited):
        with serve(Script(answer)) as server:
            for path in "abc":
                with pytest.raises(UnavailableError, match=f"answered {answer.status}"):
                    copies.get(f"{server.url}/r/{path}", {}, what=path)

        assert pauses == waited
        assert len(server.seen) == len(waited) + 1

    def test_who_says_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setattr("agentevals.evaluator.registry_copies._PATIENCE", 0.2)
        monkeypatch.setattr("agentevals.evaluator.registry_copies._LEAST", 0.1)
        copies = Copies(root=tmp_path / "web")
        with serve(Script(reply(stall=True))) as server:
            for path in "abc":
                with pytest.raises(UnavailableError, match=r"did not answer within 0\.2 s"):
                    copies.get(f"{server.url}/r/{path}", {}, what=path)

        assert len(server.seen) == 1

    def test_one_sentence_says_that_copies_are_used(self, copies, caplog):
        with serve(Script(*[reply(200, b"x")] * 3, reply(503))) as server:
            for path in "abcabc":
                assert copies.get(f"{server.url}/r/{path}", {}, what=path) == b"x"

        assert len([r for r in caplog.records if r.levelname == "WARNING"]) == 1


def test_a_compressed_document_is_shorter_on_the_way(copies):
    whole = b"x" * 10**5
    with serve(Script(reply(200, gzip.compress(whole), {"content-encoding": "gzip"}))) as server:
        assert got(copies, server) == whole

    assert server.seen[0].headers["accept-encoding"] == "gzip"


def test_a_token_that_is_refused_is_said_to_be_that(tmp_path):
    copies = Copies(root=tmp_path, terms=Terms(retries=0), token="GITHUB_TOKEN")
    said = r"the token in GITHUB_TOKEN was refused \(401\): it is wrong, or has expired"
    with serve(Script(reply(401))) as server, pytest.raises(TokenRefusedError, match=said):
        copies.get(f"{server.url}/x", {"authorization": "token t"}, what="it")


def test_a_copy_that_has_the_wanted_hash_is_not_asked_for_again(copies):
    with serve(Script(TEXT)) as server:
        for _ in range(2):
            assert got(copies, server, digest=hash_bytes(b"one")) == b"one"

    assert len(server.seen) == 1
