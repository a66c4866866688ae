"""Who signs a registry, for a client that has seen a signer or has one in its lock."""

import json
import shutil

import pytest

from agentevals.evaluator import evaluator_lists, evaluator_lock
from agentevals.evaluator.evaluator_lock import RemoteEvaluatorDef
from agentevals.evaluator.head_signatures import SSH
from agentevals.evaluator.https_source import HttpsEvaluatorSource
from agentevals.evaluator.lock_updates import Wish, update_lock
from agentevals.evaluator.registry_head import HEAD
from agentevals.evaluator.registry_index import Index
from agentevals.evaluator.resolver import EvaluatorResolver
from agentevals.evaluator.ssh_signature import verify
from agentevals.model.errors import UnavailableError
from agentevals.web import Terms
from registry_tools.index import index_signing
from registry_tools.index.index_serialise import serialise
from registry_tools.index.index_signing import KeySigner
from tests.evaluator.conftest import fetched
from tests.evaluator.test_published_index import Site, listed
from tests.evaluator.test_ssh_signature import make_key
from tests.servers import serve


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folders = (tmp_path_factory.mktemp(name) for name in ("ours", "theirs"))
    return [KeySigner(make_key(folder)) for folder in folders]


@pytest.fixture
def ours(keys):
    return keys[0]


@pytest.fixture
def theirs(keys):
    return keys[1]


@pytest.fixture
def place(monkeypatch):
    monkeypatch.setattr(HttpsEvaluatorSource, "terms", Terms(retries=0))
    site = Site({})
    with serve(site) as server:
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", f"{server.url}/r/index.json")
        yield site


def publish(place, signer, *names):
    files = serialise(Index(evaluators=tuple(map(listed, sorted(names))))).files()
    newest = index_signing.extend([dict(place.files).get], files, "", signer)
    place.files = files | newest


def rewrite(place, **facts):
    place.files[HEAD] = json.dumps({**json.loads(place.files[HEAD]), **facts}).encode()


def name_of(signer):
    return verify(b"x", signer.sign(b"x"))


def test_the_first_signer_is_the_one_that_is_expected_from_then_on(place, ours):
    publish(place, ours, "a")
    fetched("a", "https")
    publish(place, ours, "a", "b")

    assert fetched("b", "https").pinned_by == "index"
    assert HttpsEvaluatorSource().current.signer == name_of(ours)


def test_another_signer_is_refused_and_the_last_good_copy_used(place, ours, theirs, caplog):
    publish(place, ours, "a")
    fetched("a", "https")
    publish(place, theirs, "a", "b")

    assert fetched("a", "https").pinned_by == "cache"
    said = f"signed by {name_of(ours)}, and {name_of(theirs)} signs it now"
    with pytest.raises(UnavailableError, match=said.replace("+", r"\+")):
        fetched("b", "https")


@pytest.mark.parametrize("signature", [SSH, ""])
def test_an_unsigned_index_is_refused_where_one_was_signed(place, ours, signature):
    publish(place, ours, "a")
    fetched("a", "https")
    publish(place, None, "a", "b")
    rewrite(place, signature=signature)

    with pytest.raises(UnavailableError, match=r"nobody signs it now|it is missing"):
        fetched("b", "https")


def test_a_signature_of_another_head_is_refused_by_everybody(place, ours):
    publish(place, ours, "a")
    rewrite(place, commit="d" * 40)

    with pytest.raises(UnavailableError, match=r"head\.json\.sig: the signature is not valid"):
        fetched("a", "https")


def test_a_way_of_signing_that_is_unknown_here_counts_as_none(place, caplog):
    publish(place, None, "a")
    rewrite(place, signature="head.json.pgp")

    assert fetched("a", "https").pinned_by == "index"
    assert "the signature is not checked: this way of signing is not known here" in caplog.text


def test_an_unknown_way_of_signing_is_refused_where_a_signer_is_expected(place, ours):
    publish(place, ours, "a")
    fetched("a", "https")
    publish(place, ours, "a", "b")
    rewrite(place, signature="head.json.pgp")

    with pytest.raises(UnavailableError, match=r"signature of ssh-ed25519 .* cannot be checked"):
        fetched("b", "https")


def test_neither_does_a_rollback_variable_allow_another_signer(place, ours, theirs, monkeypatch):
    publish(place, ours, "a")
    fetched("a", "https")
    publish(place, theirs, "a", "b")
    monkeypatch.setenv("AGENTEVALS_ALLOW_ROLLBACK", "1")

    with pytest.raises(UnavailableError, match="run 'agentevals evaluator trust'"):
        fetched("b", "https")


def test_a_command_accepts_whoever_signs_now(place, ours, theirs):
    publish(place, ours, "a")
    fetched("a", "https")
    publish(place, theirs, "a", "b")
    said = evaluator_lists.trust_anew("https")

    assert said.endswith(f"its index no. 2, signed by {name_of(theirs)}, is trusted from now on")
    assert fetched("b", "https").pinned_by == "index"


class TestLock:
    """A lock says who signs, so that a machine that has seen nothing knows it too."""

    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / evaluator_lock.FILE

    def relock(self, path, *refs, **wish):
        wanted = [RemoteEvaluatorDef(name=ref, ref=ref, source="https", lock=path) for ref in refs]
        new, _ = update_lock(path, wanted, EvaluatorResolver(), Wish(**wish))
        evaluator_lock.write(path, new)
        return new

    def test_it_has_who_signed(self, place, ours, path):
        publish(place, ours, "a")
        self.relock(path, "a")

        assert list(evaluator_lock.read(path).signers.values()) == [name_of(ours)]

    def test_without_a_signature_it_is_as_before(self, place, path):
        publish(place, None, "a")
        self.relock(path, "a")

        assert set(json.loads(path.read_bytes())) == {"schema", "evaluators", "heads"}

    @pytest.mark.parametrize("gone", [(), (HEAD,), ("index.json",), (HEAD, "index.json")])
    def test_a_machine_that_has_seen_nothing_notices_an_older_index(self, place, path, gone):
        publish(place, None, "a")
        older = {name: text for name, text in place.files.items() if name not in gone}
        publish(place, None, "a", "b")
        locked = self.relock(path, "a", "b")
        shutil.rmtree(path.parent / "cache")
        place.files = older

        with pytest.raises(UnavailableError, match=r"put back|does not exist"):
            self.relock(path, "a", update=True)
        assert evaluator_lock.read(path) == locked
        assert not list((path.parent / "cache").rglob("heads/*.json"))  # a lock may be anybody's

    def test_the_head_stays_while_no_evaluator_changes(self, place, path):
        publish(place, None, "a")
        self.relock(path, "a")
        before = path.read_bytes()
        publish(place, None, "a", "b")
        self.relock(path, "a", update=True)

        assert path.read_bytes() == before
        self.relock(path, "a", "b")
        assert [head.sequence for head in evaluator_lock.read(path).heads.values()] == [2]

    @pytest.mark.parametrize("now", [None, "theirs"])
    def test_another_signer_is_refused_until_somebody_accepts_it(self, place, keys, path, now):
        """By a machine that has seen nothing."""
        publish(place, keys[0], "a")
        self.relock(path, "a")
        shutil.rmtree(path.parent / "cache")
        publish(place, keys[1] if now else None, "a", "b")
        if not now:
            rewrite(place, signature="")

        with pytest.raises(UnavailableError, match="agentevals lock --update --accept-signer"):
            self.relock(path, "a", update=True)
        accepted = self.relock(path, "a", update=True, accept_signer=True)
        assert list((accepted.signers or {}).values()) == [name_of(keys[1])] * bool(now)

    def test_what_no_config_uses_any_more_is_removed(self, place, path):
        publish(place, None, "a", "b", "c", "d")
        self.relock(path, "a", "b", "c", "d")
        below = path.parent / "below"
        below.mkdir()
        (below / "other.yaml").write_text("evaluators:\n- {type: remote, ref: c}\n")
        (path.parent / "eval_config.yaml").write_text("evaluators: [{ref: a}, {ref: dd}]")

        assert [each.ref for each in self.relock(path, "a").evaluators] == ["a", "b", "c", "d"]
        assert [each.ref for each in self.relock(path, "a", update=True).evaluators] == ["a", "c"]
