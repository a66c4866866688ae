"""Who signed the head of a registry: by a key of SSH, or by Sigstore without any key."""

import logging
from collections.abc import Callable

from agentevals.evaluator.registry_head import Fetch, Head
from agentevals.model.errors import UnavailableError
from agentevals.model.plugins import Table

log = logging.getLogger(__name__)

SSH, SIGSTORE = "head.json.sig", "head.json.sigstore.json"

Verify = Callable[[bytes, bytes], str]  # content and signature become the signer's name

FORMS: Table[Verify] = Table(
    "signature",
    {
        SSH: "agentevals.evaluator.ssh_signature:verify",
        SIGSTORE: "agentevals.evaluator.sigstore_bundle:verify",
    },
)


class SignatureError(Exception):
    """A signature that proves nothing; the text says why."""


class UncheckedError(Exception):
    """A signature that this machine cannot check; the text says what it lacks."""


def find_signer(content: bytes, head: Head, fetch: Fetch, *, where: str, known: str = "") -> str:
    """Return who signed a head; "" where nobody did, or where nobody here can tell.

    The latter is an error where a signer is known.
    """
    if not head.signature:
        return ""
    about = f"{where}/{head.signature}"
    try:
        return _verify(content, head.signature, fetch)
    except SignatureError as error:
        msg = f"{about}: the signature is not valid: {error}; ask who maintains the registry"
        raise UnavailableError(msg) from None
    except UncheckedError as error:
        if known:
            msg = f"{about}: the signature of {known} cannot be checked: {error}"
            raise UnavailableError(msg) from None
        log.warning("%s: the signature is not checked: %s", about, error)
        return ""


def _verify(content: bytes, form: str, fetch: Fetch) -> str:
    if form not in FORMS:
        msg = "this way of signing is not known here; update agentevals"
        raise UncheckedError(msg)
    signature = fetch(form)
    if signature is None:
        msg = "it is missing"
        raise SignatureError(msg)
    return FORMS[form](content, signature)
