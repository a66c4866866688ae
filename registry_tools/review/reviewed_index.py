"""The index in a pull request: right if it is what the branch compiles to, by whoever signs it."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentevals.evaluator.head_signatures import FORMS, SignatureError, UncheckedError
from agentevals.evaluator.registry_head import HEAD, parse_head
from agentevals.model.errors import InputError
from registry_tools.index import index_build, index_staleness
from registry_tools.index.index_repository import read_blob
from registry_tools.index.index_signing import Signer
from registry_tools.index.index_updates import GENERATED as RULE
from registry_tools.manifests.registry_finding import Finding, make_warning
from registry_tools.review.reviewed_changes import GENERATED, Proposal


@dataclass(frozen=True)
class _Signed(Signer):
    """Whoever has signed a head already: the signature lies beside it."""

    form: str  # type: ignore[misc]  # each has its own
    content: bytes
    signature: bytes

    @classmethod
    def read(cls, root: Path) -> "_Signed | None":
        content = index_staleness.read_content(root / HEAD) or b""
        head = parse_head(content)
        if head is None or head.signature not in FORMS:
            return None
        return cls(
            head.signature, content, index_staleness.read_content(root / head.signature) or b""
        )

    def sign(self, content: bytes) -> bytes:
        return self.signature if content == self.content else b""

    def name(self) -> str:
        """Return who it was, or raise SignatureError or UncheckedError."""
        return FORMS[self.form](self.content, self.signature)


def review(proposal: Proposal) -> Iterator[Finding]:
    """Refuse files of the index, unless they are what the branch compiles to."""
    changed = proposal.list_generated()
    signed = _Signed.read(proposal.registry.root)
    if not changed:
        return
    if _is_compiled(proposal, changed, signed):
        if signed:
            yield from _review_signature(proposal, signed)
        return
    for path in changed:
        yield _refuse(proposal, path, "this file is written by the job that publishes")


def _is_compiled(proposal: Proposal, paths: list[str], signer: Signer | None) -> bool:
    found, fork = proposal.repository, proposal.fork
    try:
        wanted = index_build.build_commit(found, fork, thorough=True, signer=signer).files
    except InputError:
        return False
    files = ((proposal.registry.root / path, wanted.get(path)) for path in paths)
    return not index_staleness.find_differing(dict(files))


def _review_signature(proposal: Proposal, signed: _Signed) -> Iterator[Finding]:
    """Compare who signs the index with who has signed it on the branch."""
    try:
        before, who = _find_signer(proposal), signed.name()
    except SignatureError as error:
        yield _refuse(proposal, signed.form, f"the signature is not valid: {error}")
        return
    except UncheckedError as error:
        fix = "merge it only if the publishing job has written it"
        message = f"the signature cannot be checked here: {error}"
        yield make_warning(RULE.report(message, signed.form, fix=fix))
        return
    if before and who != before:
        message = f"the index is signed by {before}, and here by {who}: no client would take it"
        yield _refuse(proposal, signed.form, message)
    elif not before:
        message = f"the index is signed for the first time, by {who}; clients will demand it"
        yield make_warning(RULE.report(message, signed.form, fix="merge it only if that is yours"))


def _find_signer(proposal: Proposal) -> str:
    """Return who has signed the index on the branch; empty for nobody."""

    def read(name: str, /, digest: str = "") -> bytes | None:  # noqa: ARG001 -- a seam
        found = proposal.repository
        return read_blob(found, found.list_blobs(proposal.fork, name), name)

    content = read(HEAD) or b""
    head = parse_head(content)
    if head is None or head.signature not in FORMS:
        return ""
    try:
        return FORMS[head.signature](content, read(head.signature) or b"")
    except SignatureError:
        return ""


def _refuse(proposal: Proposal, path: str, message: str) -> Finding:
    there = {blob.path for blob in proposal.repository.list_blobs(proposal.fork, *GENERATED)}
    undo = f"git checkout {proposal.fork[:12]} --" if path in there else "git rm --cached"
    return RULE.report(message, path, fix=f"run {undo} {shlex.quote(path)}")
