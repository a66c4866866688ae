"""Signatures that the real ssh-keygen has made."""

import base64
import subprocess

import pytest

from agentevals.evaluator import ssh_signature
from agentevals.evaluator.head_signatures import SignatureError
from agentevals.evaluator.ssh_signature import NAMESPACE

CONTENT = b'{"sequence":1}\n'


def make_key(folder, kind="ed25519"):
    path = folder / f"key-{kind}"
    words = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", str(path)]
    subprocess.run(words, check=True)
    return path


def sign(path, content=CONTENT, namespace=NAMESPACE):
    words = ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", str(path)]
    return subprocess.run(words, input=content, check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return make_key(tmp_path_factory.mktemp("keys"))


def test_the_signer_has_the_name_that_ssh_keygen_shows(key):
    listed = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(key)], check=True, capture_output=True, text=True
    )
    fingerprint = listed.stdout.split()[1]

    assert ssh_signature.verify(CONTENT, sign(key)) == f"ssh-ed25519 {fingerprint}"


@pytest.mark.parametrize("content", [b"", CONTENT + b" ", b"x" * 10**6])
def test_another_content_is_not_what_was_signed(key, content):
    with pytest.raises(SignatureError, match="the content is another one"):
        ssh_signature.verify(content, sign(key))


def test_a_signature_for_something_else_is_refused(key):
    with pytest.raises(SignatureError, match="not one of the namespace agentevals-registry"):
        ssh_signature.verify(CONTENT, sign(key, namespace="git"))


def test_another_kind_of_key_is_refused(tmp_path):
    with pytest.raises(SignatureError, match="make one with ssh-keygen -t ed25519"):
        ssh_signature.verify(CONTENT, sign(make_key(tmp_path, "ecdsa")))


def armored(content):
    inner = base64.b64encode(content)
    return b"-----BEGIN SSH SIGNATURE-----\n" + inner + b"\n-----END SSH SIGNATURE-----\n"


def test_every_cut_and_every_other_byte_is_refused(key):
    whole = base64.b64decode(b"".join(sign(key).split(b"-----")[2].split()))

    for at in range(len(whole)):
        other = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        for wrong in (whole[:at], other):
            with pytest.raises(SignatureError):
                ssh_signature.verify(CONTENT, armored(wrong))


@pytest.mark.parametrize("signature", [b"", b"x", b"\xff" * 100, armored(b"x"), b"-" * 10**6])
def test_what_is_no_signature(signature):
    with pytest.raises(SignatureError, match="no signature of ssh-keygen"):
        ssh_signature.verify(CONTENT, signature)
