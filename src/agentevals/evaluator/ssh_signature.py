"""Signatures of `ssh-keygen -Y sign` with an Ed25519 key, in the format of PROTOCOL.sshsig."""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator

from agentevals.evaluator import ed25519
from agentevals.evaluator.head_signatures import SignatureError

NAMESPACE = "agentevals-registry"
_MAGIC, _VERSION = b"SSHSIG", b"\0\0\0\1"
_KIND = b"ssh-ed25519"
_LARGEST = 4096
_ARMOR = re.compile(
    rb"-----BEGIN SSH SIGNATURE-----\s(.+?)-----END SSH SIGNATURE-----\s*", re.DOTALL
)
_HASHES = (b"sha256", b"sha512")


def verify(content: bytes, signature: bytes) -> str:
    """Return the key that signed a content, as `ssh-keygen -l` names it; else SignatureError."""
    key, namespace, reserved, kind, signed = _read_parts(_strip_armor(signature))
    if namespace != NAMESPACE.encode() or kind not in _HASHES:
        msg = f"it is not one of the namespace {NAMESPACE}"
        raise SignatureError(msg)
    digest = hashlib.new(kind.decode(), content).digest()
    message = _MAGIC + b"".join(map(_pack, (namespace, reserved, kind, digest)))
    if not ed25519.verify(_read_ed25519(key), message, _read_ed25519(signed)):
        msg = "the content is another one, or the key is"
        raise SignatureError(msg)
    return name_key(key)


def name_key(key: bytes) -> str:
    """Return the name of a public key: its kind and its fingerprint."""
    digest = base64.b64encode(hashlib.sha256(key).digest()).rstrip(b"=")
    return f"{_KIND.decode()} SHA256:{digest.decode()}"


def _strip_armor(signature: bytes) -> bytes:
    found = _ARMOR.fullmatch(signature) if len(signature) <= _LARGEST else None
    try:
        content = base64.b64decode(b"".join(found[1].split()), validate=True) if found else b""
    except binascii.Error:
        content = b""
    if not content.startswith(_MAGIC + _VERSION):
        msg = "it is no signature of ssh-keygen"
        raise SignatureError(msg)
    return content.removeprefix(_MAGIC + _VERSION)


def _read_parts(content: bytes) -> list[bytes]:
    parts = list(_split(content))
    if len(parts) != 5:  # noqa: PLR2004 -- key, namespace, nothing, hash, signature
        msg = "it has not the parts of a signature"
        raise SignatureError(msg)
    return parts


def _read_ed25519(content: bytes) -> bytes:
    """Return the bytes of a key or a signature, without the name of its kind."""
    parts = list(_split(content))
    if parts[:1] != [_KIND] or len(parts) != 2:  # noqa: PLR2004 -- its kind, and the bytes
        msg = f"the key is no {_KIND.decode()} key; make one with ssh-keygen -t ed25519"
        raise SignatureError(msg)
    return parts[1]


def _split(content: bytes) -> Iterator[bytes]:
    """Yield the texts of SSH's wire format, each with its length before it."""
    while content:
        size = int.from_bytes(content[:4])
        part, content = content[4 : 4 + size], content[4 + size :]
        if len(part) < size:
            msg = "it ends too early"
            raise SignatureError(msg)
        yield part


def _pack(part: bytes) -> bytes:
    return len(part).to_bytes(4) + part
