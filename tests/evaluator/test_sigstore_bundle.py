"""Bundles of a Sigstore of the tests' own, verified by the real package without a network."""

import json
import sys

import pytest

from agentevals.evaluator import sigstore_bundle
from agentevals.evaluator.head_signatures import SIGSTORE, SignatureError, UncheckedError
from agentevals.model.errors import InputError, UnavailableError
from registry_tools.index import index_signing
from registry_tools.index.index_signing import Signer
from tests.evaluator import test_signers
from tests.evaluator.conftest import fetched
from tests.evaluator.sigstore_authority import GITHUB, Authority

CONTENT = b'{"sequence":1}\n'
OURS = f"sigstore {GITHUB} https://github.com/o/r@refs/heads/main"

place = test_signers.place


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.fixture(autouse=True)
def root(authority, tmp_path, monkeypatch):
    path = tmp_path / "trusted_root.json"
    path.write_text(json.dumps(authority.describe_root()))
    monkeypatch.setenv("AGENTEVALS_SIGSTORE_ROOT", str(path))
    return path


def test_the_signer_is_the_branch_of_the_repository_and_not_the_workflow(authority):
    assert sigstore_bundle.verify(CONTENT, authority.sign(CONTENT)) == OURS


def test_another_content_is_not_what_was_signed(authority):
    with pytest.raises(SignatureError, match="digest mismatch"):
        sigstore_bundle.verify(b"another", authority.sign(CONTENT))


def test_who_is_certified_elsewhere_is_nobody_here():
    with pytest.raises(SignatureError):
        sigstore_bundle.verify(CONTENT, Authority().sign(CONTENT))


@pytest.mark.parametrize(
    "where",
    [
        ("messageSignature", "signature"),
        ("messageSignature", "messageDigest", "digest"),
        ("verificationMaterial", "certificate", "rawBytes"),
        ("verificationMaterial", "tlogEntries", 0, "canonicalizedBody"),
        ("verificationMaterial", "tlogEntries", 0, "inclusionPromise", "signedEntryTimestamp"),
        ("verificationMaterial", "tlogEntries", 0, "inclusionProof", "rootHash"),
        ("verificationMaterial", "tlogEntries", 0, "inclusionProof", "checkpoint", "envelope"),
    ],
)
def test_every_part_counts(authority, where):
    document = json.loads(authority.sign(CONTENT))
    other = json.loads(authority.sign(b"another"))
    *above, last = where
    for step in above:
        document, other = document[step], other[step]
    whole = json.loads(authority.sign(CONTENT))
    part = whole
    for step in above:
        part = part[step]
    part[last] = other[last]

    with pytest.raises(SignatureError):
        sigstore_bundle.verify(CONTENT, json.dumps(whole).encode())


@pytest.mark.parametrize("bundle", [b"", b"{}", b"[]", b"\xff", b"[" * 10**5, b" " * (1 << 21)])
def test_what_is_no_bundle(bundle):
    with pytest.raises(SignatureError, match="no bundle of Sigstore"):
        sigstore_bundle.verify(CONTENT, bundle)


def test_a_trust_root_that_is_none_is_the_users_mistake(authority, root):
    root.write_text("{}")

    with pytest.raises(InputError, match="there is no trust root"):
        sigstore_bundle.verify(CONTENT, authority.sign(CONTENT))


def test_without_the_package_nobody_can_tell(authority, monkeypatch):
    monkeypatch.setitem(sys.modules, "sigstore.errors", None)

    with pytest.raises(UncheckedError, match="pip install sigstore"):
        sigstore_bundle.verify(CONTENT, authority.sign(CONTENT))


class Workflow(Signer):
    """A workflow of some repository, as this Sigstore knows it."""

    form = SIGSTORE

    def __init__(self, authority, repository):
        self._sign, self._repository = authority.sign, f"https://github.com/{repository}"

    def sign(self, content):
        return self._sign(content, repository=self._repository)


def test_a_client_that_saw_a_repository_sign_takes_no_other_one(place, authority):
    test_signers.publish(place, Workflow(authority, "o/r"), "a")
    fetched("a", "https")
    test_signers.publish(place, Workflow(authority, "o/r"), "a", "b")
    assert fetched("b", "https").pinned_by == "index"
    test_signers.publish(place, Workflow(authority, "mallory/r"), "a", "b", "c")

    with pytest.raises(UnavailableError, match=r"signed by sigstore .*/o/r@refs/heads/main, and "):
        fetched("c", "https")


def test_a_client_without_the_package_takes_nothing_new_of_a_known_signer(
    place, authority, monkeypatch
):
    test_signers.publish(place, Workflow(authority, "o/r"), "a")
    fetched("a", "https")
    test_signers.publish(place, Workflow(authority, "o/r"), "a", "b")
    monkeypatch.setitem(sys.modules, "sigstore.errors", None)

    with pytest.raises(UnavailableError, match="that needs a package: install 'sigstore'"):
        fetched("b", "https")


def test_outside_of_a_workflow_nobody_signs_without_a_key(monkeypatch):
    for name in ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    signer = index_signing.open_signer(None, keyless=True)

    with pytest.raises(InputError, match="give its job 'id-token: write'"):
        signer.sign(CONTENT)
