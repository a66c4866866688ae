"""`head.json` of a new index, with the pages of hashes of all heads before it, and its signature.

It is signed with a key of SSH, or with Sigstore and no key.
"""

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import msgspec
from msgspec.structs import replace

from agentevals.evaluator import head_signatures, registry_head, sigstore_bundle
from agentevals.evaluator.head_signatures import FORMS, SignatureError, UncheckedError
from agentevals.evaluator.index_tree import ROOT
from agentevals.evaluator.published_index import JSON, SEARCH
from agentevals.evaluator.registry_head import (
    BEGIN,
    HEAD,
    Fetch,
    Head,
    Page,
    hash_bytes,
    parse_head,
)
from agentevals.evaluator.ssh_signature import NAMESPACE
from agentevals.files.git_process import complaint
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    from sigstore import errors, models, oidc, sign
else:
    errors, models = Lazy("sigstore.errors"), Lazy("sigstore.models")
    oidc, sign = Lazy("sigstore.oidc"), Lazy("sigstore.sign")

_TIMEOUT = 120  # seconds: a key may ask for a passphrase or a touch
Files = Mapping[str, bytes]


class Signer(ABC):
    """Somebody who answers for what is published."""

    form: ClassVar[str]  # the file beside the head

    @abstractmethod
    def sign(self, content: bytes) -> bytes:
        """Return the signature of a content, or raise UnavailableError."""


@dataclass(frozen=True)
class KeySigner(Signer):
    """A key of SSH at `path`; where its public half is there, an agent may have the key."""

    path: Path
    form: ClassVar[str] = head_signatures.SSH

    def sign(self, content: bytes) -> bytes:
        words = ["ssh-keygen", "-Y", "sign", "-q", "-n", NAMESPACE, "-f", os.fspath(self.path)]
        try:
            done = subprocess.run(  # noqa: S603 -- no shell, and the path is one word
                words, input=content, capture_output=True, timeout=_TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            msg = f"ssh-keygen cannot be run: {error}; install OpenSSH to sign with a key"
            raise UnavailableError(msg) from None
        if done.returncode:
            msg = f"{self.path}: ssh-keygen cannot sign with it: {complaint(done.stderr)}"
            raise InputError(msg)
        return done.stdout


class KeylessSigner(Signer):
    """The identity of the workflow that runs this, which Sigstore certifies for some minutes."""

    form = head_signatures.SIGSTORE

    def sign(self, content: bytes) -> bytes:
        if not sigstore_bundle.is_installed():
            msg = f"--keyless needs a package: {sigstore_bundle.MISSING}"
            raise InputError(msg)
        try:
            token = oidc.detect_credential()
            if token is None:
                msg = "--keyless signs in a workflow only; give its job 'id-token: write'"
                raise InputError(msg)
            context = sign.SigningContext.from_trust_config(models.ClientTrustConfig.production())
            with context.signer(oidc.IdentityToken(token)) as signer:
                return signer.sign_artifact(content).to_json().encode() + b"\n"
        except (errors.Error, OSError) as error:
            msg = f"Sigstore has not signed: {error}; run it again in some minutes"
            raise UnavailableError(msg) from None


def open_signer(key: Path | None, *, keyless: bool = False) -> Signer | None:
    """Return who signs, or nobody."""
    if key and keyless:
        msg = "--sign-key and --keyless exclude each other; give one of them"
        raise InputError(msg)
    return KeylessSigner() if keyless else KeySigner(key) if key else None


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
        chain=registry_head.fold(old.chain or BEGIN, digest),
    )
    return _sign(newest, _write_pages(since, [*hashes, digest]), signer)


def _read_hashes(old: Head, sources: Iterable[Fetch]) -> list[str]:
    """Return the hashes of all heads that a head has folded."""
    count = old.sequence - old.since
    if not old.chain or not count:
        return []
    for fetch in sources:
        found = registry_head.read_hashes(fetch, old.since, old.sequence - 1)
        if len(found) == count and registry_head.fold(BEGIN, *found) == old.chain:
            return found
    msg = f"index/heads/ does not have the heads before {HEAD}; restore both as they were published"
    raise InputError(msg)


def _write_pages(since: int, hashes: list[str]) -> dict[str, bytes]:
    pages: dict[str, list[tuple[int, str]]] = {}
    for at, digest in enumerate(hashes, since):
        pages.setdefault(registry_head.name_page(at), []).append((at, digest))
    return {
        name: _encode(Page(first=listed[0][0], heads=tuple(digest for _, digest in listed)))
        for name, listed in pages.items()
    }


def _encode(what: Head | Page) -> bytes:
    return msgspec.json.encode(what) + b"\n"
