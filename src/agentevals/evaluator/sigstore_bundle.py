"""Signatures of Sigstore: a bundle beside the head, checked without asking anybody.

The package that does it comes with the extra `sigstore`. The trust root is the one that it ships,
or the file that AGENTEVALS_SIGSTORE_ROOT names, for a Sigstore of one's own.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from agentevals.evaluator.head_signatures import SignatureError, UncheckedError
from agentevals.model.errors import InputError
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat import asn1
    from sigstore import errors, models
    from sigstore import verify as verifying
    from sigstore.verify import policy
else:
    asn1, x509 = Lazy("cryptography.hazmat.asn1"), Lazy("cryptography.x509")
    errors, models = Lazy("sigstore.errors"), Lazy("sigstore.models")
    verifying, policy = Lazy("sigstore.verify"), Lazy("sigstore.verify.policy")

VARIABLE = "AGENTEVALS_SIGSTORE_ROOT"
MISSING = "install 'sigstore' beside agentevals, for instance with pip install sigstore"
_LARGEST = 1 << 20
# what Fulcio writes into a certificate: github.com/sigstore/fulcio/blob/main/docs/oid-info.md
_ISSUER, _REPOSITORY, _REF = (f"1.3.6.1.4.1.57264.1.{number}" for number in (8, 12, 14))


def verify(content: bytes, signature: bytes) -> str:
    """Return the identity that signed a content; else SignatureError."""
    if not is_installed():
        msg = f"that needs a package: {MISSING}"
        raise UncheckedError(msg)
    bundle, root = _read_bundle(signature), _read_root()
    try:
        # whoever signed is compared with who is expected, by name
        verifier = verifying.Verifier(trusted_root=root)
        verifier.verify_artifact(content, bundle, policy.UnsafeNoOp())
    except (errors.Error, ValueError) as error:
        raise SignatureError(str(error)) from None
    return name_identity(bundle.signing_certificate)


def is_installed() -> bool:
    """Return whether the package is there."""
    try:
        import_module("sigstore.errors")
    except ImportError:
        return False
    return True


def _read_bundle(signature: bytes) -> "models.Bundle":
    try:
        return models.Bundle.from_json(signature if len(signature) <= _LARGEST else b"")
    except Exception as error:  # noqa: BLE001 -- its parts raise what they like
        msg = f"it is no bundle of Sigstore: {str(error).splitlines()[0]}"
        raise SignatureError(msg) from None


def _read_root() -> "models.TrustedRoot":
    path = os.environ.get(VARIABLE)
    try:
        if path:
            return models.TrustedRoot.from_file(path)
        return models.ClientTrustConfig.production(offline=True).trusted_root
    except (errors.Error, OSError, ValueError) as error:
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
    with _refuse_odd():
        try:
            found = certificate.extensions.get_extension_for_oid(x509.ObjectIdentifier(oid))
        except x509.ExtensionNotFound:
            return ""
        return str(asn1.decode_der(str, found.value.public_bytes()))


def _read_subject(certificate: "x509.Certificate") -> str:
    with _refuse_odd():
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        return " ".join(str(name.value) for name in names)


@contextmanager
def _refuse_odd() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        msg = f"its certificate cannot be read: {error}"
        raise SignatureError(msg) from None
