"""`head.json` of a new index, and the pages with the hashes of all heads before it."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from agentevals.evaluator import heads
from agentevals.evaluator.heads import BEGIN, HEAD, Fetch, Head, Page, hash_bytes, parse_head
from agentevals.evaluator.publication import SEARCH
from agentevals.evaluator.published import JSON
from agentevals.evaluator.signatures import FORMS, SignatureError, UncheckedError
from agentevals.evaluator.tree import ROOT
from agentevals.model.errors import InputError
from registry_tools.index.signing import Signer

Files = Mapping[str, bytes]


def extend(
    fetches: Sequence[Fetch], index: Files, commit: str, signer: Signer | None
) -> dict[str, bytes]:
    """Return the head of an index, its signature, and the pages behind it.

    An unchanged index keeps its head. `fetches` hand out what was published before; the first
    that has the right pages is believed.
    """
    before = fetches[0](HEAD)
    new = _describe(index, commit)
    if before is None:
        return _sign(replace(new, signature=signer.form if signer else ""), {}, signer)
    old = parse_head(before)
    if old is None:
        msg = f"{HEAD} cannot be read; restore the last one that was published"
        raise InputError(msg)
    new = replace(new, signature=signer.form if signer else old.signature)
    hashes = _read_hashes(old, fetches)
    if not _is_same(old, new):
        return _follow(old, before, new, hashes, signer)
    pages = _write_pages(old.since, hashes)
    signature = fetches[0](old.signature) if old.signature else None
    if signer and not _is_signed(before, old, signature):
        return {HEAD: before, signer.form: signer.sign(before), **pages}
    kept = {} if signature is None else {old.signature: signature}
    return {HEAD: before, **kept, **pages}


def _is_signed(content: bytes, head: Head, signature: bytes | None) -> bool:
    try:
        return signature is not None and bool(FORMS[head.signature](content, signature))
    except (SignatureError, UncheckedError):
        return False


def _describe(index: Files, commit: str) -> Head:
    """Return the first head of a registry."""
    return Head(
        sequence=1,
        index=hash_bytes(index[JSON]),
        search=hash_bytes(index[SEARCH]),
        tree=hash_bytes(index[ROOT]),
        commit=commit,
        chain=BEGIN,
        since=1,
    )


def _sign(head: Head, pages: dict[str, bytes], signer: Signer | None) -> dict[str, bytes]:
    content = _encode(head)
    signature = {signer.form: signer.sign(content)} if signer else {}
    return {HEAD: content, **signature, **pages}


def _is_same(old: Head, new: Head) -> bool:
    parts = ("index", "search", "tree", "signature")
    return all(getattr(old, part) == getattr(new, part) for part in parts)


def _follow(
    old: Head, before: bytes, new: Head, hashes: list[str], signer: Signer | None
) -> dict[str, bytes]:
    since, digest = (old.since if old.chain else old.sequence), hash_bytes(before)
    newest = replace(
        new,
        sequence=old.sequence + 1,
        previous=digest,
        since=since,
        chain=heads.fold(old.chain or BEGIN, digest),
    )
    return _sign(newest, _write_pages(since, [*hashes, digest]), signer)


def _read_hashes(old: Head, sources: Iterable[Fetch]) -> list[str]:
    """Return the hashes of all heads that a head has folded."""
    count = old.sequence - old.since
    if not old.chain or not count:
        return []
    for fetch in sources:
        found = heads.read_hashes(fetch, old.since, old.sequence - 1)
        if len(found) == count and heads.fold(BEGIN, *found) == old.chain:
            return found
    msg = f"index/heads/ does not have the heads before {HEAD}; restore both as they were published"
    raise InputError(msg)


def _write_pages(since: int, hashes: list[str]) -> dict[str, bytes]:
    pages: dict[str, list[tuple[int, str]]] = {}
    for at, digest in enumerate(hashes, since):
        pages.setdefault(heads.name_page(at), []).append((at, digest))
    return {
        name: _encode(Page(first=listed[0][0], heads=tuple(digest for _, digest in listed)))
        for name, listed in pages.items()
    }


def _encode(what: Head | Page) -> bytes:
    return msgspec.json.encode(what) + b"\n"
