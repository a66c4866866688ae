"""Sign the head of an index, with a key of SSH or with Sigstore and no key."""

import os
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from agentevals.evaluator import signatures
from agentevals.evaluator.ssh_signature import NAMESPACE
from agentevals.files.git import complaint
from agentevals.model.errors import InputError, UnavailableError

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


def open_key(path: Path | None) -> Signer | None:
    """Return who signs with a key, or nobody."""
    return KeySigner(path) if path else None
