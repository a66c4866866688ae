"""Sign the head of an index, with a key of SSH or with Sigstore and no key."""

import os
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from agentevals.evaluator import signatures, sigstore_bundle
from agentevals.evaluator.ssh_signature import NAMESPACE
from agentevals.files.git import complaint
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    from sigstore import errors, models, oidc, sign
else:
    errors, models = Lazy("sigstore.errors"), Lazy("sigstore.models")
    oidc, sign = Lazy("sigstore.oidc"), Lazy("sigstore.sign")

_TIMEOUT = 120  # seconds: a key may ask for a passphrase or a touch


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
    form: ClassVar[str] = signatures.SSH

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

    form = signatures.SIGSTORE

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
