"""`head.json`: a chain of all indexes that were published, by which a step back is seen."""

import hashlib

import msgspec

from agentevals.evaluator.head import FILE, Head, parse
from agentevals.model.errors import InputError


def after(before: bytes | None, index: bytes, commit: str) -> bytes:
    """The head of an index.json; the same as before where the index is."""
    digest = hashlib.sha256(index).hexdigest()
    if before is None:
        return _line(Head(sequence=1, index=digest, commit=commit))
    old = parse(before)
    if old is None:
        msg = f"{FILE} cannot be read; restore the last one that was published"
        raise InputError(msg)
    if old.index == digest:
        return before
    previous = hashlib.sha256(before).hexdigest()
    return _line(Head(sequence=old.sequence + 1, index=digest, previous=previous, commit=commit))


def _line(head: Head) -> bytes:
    return msgspec.json.encode(head) + b"\n"
