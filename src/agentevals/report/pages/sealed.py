"""A digest as a hidden line of the comment carries it, with the checksum of the text below it."""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from agentevals.report.pages.digest import NAME, Digest, cut

LARGEST = 1_024  # characters of an encoded digest
_DECODED = 8_192  # bytes that one may grow to
_NAMES = (
    *("config", "leg", "fallen", "figure", "cost", "base", "reason", "error"),
    *("rules", "pending", "approved", "stale"),
)


def encode(digest: Digest) -> str:
    """Encode in the alphabet of base64 for addresses: nothing in it can end a comment."""
    length = NAME
    while True:
        packed = zlib.compress(msgspec.json.encode(_shorten(digest, length)), 9)
        encoded = urlsafe_b64encode(packed).decode()
        if len(encoded) <= LARGEST or not length:
            return encoded.replace("--", "-.")
        length //= 2


def decode(encoded: str) -> Digest | None:
    """Strictly; None for whatever is not one."""
    unpacking = zlib.decompressobj()
    try:
        packed = urlsafe_b64decode(encoded.replace(".", "-").encode("ascii"))
        unpacked = unpacking.decompress(packed, _DECODED)
        return msgspec.json.decode(unpacked, type=Digest) if unpacking.eof else None
    except (ValueError, zlib.error, msgspec.MsgspecError):
        return None


def seal(digest: Digest, text: str) -> Digest:
    """With the checksum of what is published under it."""
    return msgspec.structs.replace(digest, checksum=checksum(text))


def facts(digest: Digest) -> Digest:
    """Without what may have been shortened on the way."""
    return msgspec.structs.replace(digest, checksum=None, **dict.fromkeys(_NAMES, ""))


def checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace")) % 10**9


def _shorten(digest: Digest, length: int) -> Digest:
    names = {name: cut(getattr(digest, name), length) for name in _NAMES}
    return msgspec.structs.replace(digest, **names)
