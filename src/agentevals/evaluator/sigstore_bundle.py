"""Signatures of Sigstore: a bundle beside the head, checked without asking anybody.

The package that does it comes with the extra `sigstore`. The trust root is the one that it ships,
or the file that AGENTEVALS_SIGSTORE_ROOT names, for a Sigstore of one's own.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentevals.evaluator.signatures import SignatureError, UncheckedError
from agentevals.model.errors import InputError

if TYPE_CHECKING:
    from cryptography import x509
    from sigstore.models import Bundle, TrustedRoot

VARIABLE = "AGENTEVALS_SIGSTORE_ROOT"
MISSING = "pip install 'agentevals-action[sigstore]'"
_LARGEST = 1 << 20
# what Fulcio writes into a certificate: github.com/sigstore/fulcio/blob/main/docs/oid-info.md
_ISSUER, _REPOSITORY, _REF = (f"1.3.6.1.4.1.57264.1.{number}" for number in (8, 12, 14))


def verify(content: bytes, signature: bytes) -> str:
    """Return the identity that signed a content; else SignatureError."""
    try:
        from sigstore.errors import Error  # noqa: PLC0415 -- it is slow, and hardly ever there
        from sigstore.verify import Verifier  # noqa: PLC0415
        from sigstore.verify.policy import UnsafeNoOp  # noqa: PLC0415
    except ImportError:
        msg = f"that needs a package: {MISSING}"
        raise UncheckedError(msg) from None
    bundle, root = _read_bundle(signature), _read_root()
    try:
        # whoever signed is compared with who is expected, by name
        Verifier(trusted_root=root).verify_artifact(content, bundle, UnsafeNoOp())
    except (Error, ValueError) as error:
        raise SignatureError(str(error)) from None
    return name_identity(bundle.signing_certificate)


def _read_bundle(signature: bytes) -> "Bundle":
    from sigstore.models import Bundle  # noqa: PLC0415

    try:
        return Bundle.from_json(signature if len(signature) <= _LARGEST else b"")
    except Exception as error:  # noqa: BLE001 -- its parts raise what they like
        msg = f"it is no bundle of Sigstore: {str(error).splitlines()[0]}"
        raise SignatureError(msg) from None


def _read_root() -> "TrustedRoot":
    from sigstore.errors import Error  # noqa: PLC0415
    from sigstore.models import ClientTrustConfig, TrustedRoot  # noqa: PLC0415

    path = os.environ.get(VARIABLE)
    try:
        if path:
            return TrustedRoot.from_file(path)
        return ClientTrustConfig.production(offline=True).trusted_root
    except (Error, OSError, ValueError) as error:
        msg = f"{path or 'sigstore'}: there is no trust root: {error}; name one in {VARIABLE}"
        raise InputError(msg) from None


def name_identity(certificate: "x509.Certificate") -> str:
    """Return who a certificate is for: a branch of a repository where it names one.

    The workflow is not the identity: every registry may call the one of this repository.
    """
    issuer, repository, ref = (_read_text(certificate, oid) for oid in (_ISSUER, _REPOSITORY, _REF))
    who = f"{repository}@{ref}" if repository and ref else _read_subject(certificate)
    if not issuer or not who:
        msg = "its certificate does not say who it is for"
        raise SignatureError(msg)
    return f"sigstore {issuer} {who}"


def _read_text(certificate: "x509.Certificate", oid: str) -> str:
    from cryptography.hazmat import asn1  # noqa: PLC0415
    from cryptography.x509 import ExtensionNotFound, ObjectIdentifier  # noqa: PLC0415

    with _refuse_odd():
        try:
            found = certificate.extensions.get_extension_for_oid(ObjectIdentifier(oid))
        except ExtensionNotFound:
            return ""
        return str(asn1.decode_der(str, found.value.public_bytes()))


def _read_subject(certificate: "x509.Certificate") -> str:
    from cryptography.x509 import SubjectAlternativeName  # noqa: PLC0415

    with _refuse_odd():
        names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
        return " ".join(str(name.value) for name in names)


@contextmanager
def _refuse_odd() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        msg = f"its certificate cannot be read: {error}"
        raise SignatureError(msg) from None
