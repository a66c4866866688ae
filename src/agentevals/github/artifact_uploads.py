"""Uploading an artifact from inside a container action, with the runner's own service.

It is no public interface: whatever it answers, the files are in the workspace as well.
"""

import hashlib
import io
import re
import zipfile
from base64 import urlsafe_b64decode
from binascii import Error as BadBase64
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from agentevals import web
from agentevals.github.api_retries import CLOCK, Clock
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.noun import Noun

LARGEST = 64 * 1024 * 1024
_SERVICE = "/twirp/github.actions.results.api.v1.ArtifactService"
_VERSION = 7
_TRIES = 5
_FIRST_PAUSE, _GROWTH = 3.0, 1.5
_PASSING = frozenset({429, 500, 502, 503, 504})
_FORBIDDEN = re.compile(r'["\:<>|*?\\/\r\n]')
_TIMEOUT = 60.0
_IN_TROUBLE = 45.0  # seconds after which it is not tried again; the files are in the workspace

Shape = TypeVar("Shape", "_Created", "_Finalized")


class _Claims(msgspec.Struct):
    scp: str = ""


class _Created(msgspec.Struct):
    ok: bool = False
    signed_upload_url: str = ""


class _Finalized(msgspec.Struct):
    ok: bool = False
    artifact_id: str | int = ""


class Backend(Noun, frozen=True):
    """The run and the job, in the service's own numbers."""

    run: str
    job: str


@dataclass(frozen=True, kw_only=True)
class Service:
    """The runner's service for artifacts, as the environment gives it."""

    url: str
    token: str = field(repr=False)
    backend: Backend
    clock: Clock = CLOCK


def find_service(environ: Mapping[str, str], clock: Clock = CLOCK) -> Service | None:
    """Return the service, or None if the runner has none (Enterprise Server, no Actions)."""
    token = environ.get("ACTIONS_RUNTIME_TOKEN", "")
    place = urlsplit(environ.get("ACTIONS_RESULTS_URL", ""))
    backend = read_backend(token)
    if not (backend and place.scheme and place.netloc):
        return None
    url = f"{place.scheme}://{place.netloc}"
    return Service(url=url, token=token, backend=backend, clock=clock)


def read_backend(token: str) -> Backend | None:
    """Read the run and the job from the token's scope: `Actions.Results:<run>:<job>`."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 -- a JSON web token
        return None
    padded = parts[1] + "=" * (-len(parts[1]) % 4)
    try:
        claims = msgspec.json.decode(urlsafe_b64decode(padded.encode()), type=_Claims)
    except (BadBase64, ValueError, RecursionError):
        return None
    for scope in claims.scp.split(" "):
        match scope.split(":"):
            case ["Actions.Results", run, job] if run and job:
                return Backend(run=run, job=job)
    return None


def upload(where: Service, name: str, files: Mapping[str, Path]) -> str:
    """Upload files under their names in the archive, and give the artifact's number."""
    if not name or _FORBIDDEN.search(name):
        msg = f'{name!r} cannot name an artifact; use none of " : < > | * ? \\ / and line breaks'
        raise InputError(msg)
    data = _zip(files)
    known = {
        "workflow_run_backend_id": where.backend.run,
        "workflow_job_run_backend_id": where.backend.job,
        "name": name,
    }
    asked = {**known, "version": _VERSION, "mime_type": "application/zip"}
    created = _call(where, "CreateArtifact", asked, _Created)
    if not (created.ok and created.signed_upload_url):
        msg = "the runner's artifact service does not say where to put an artifact"
        raise UnavailableError(msg)
    _put(where, created.signed_upload_url, data)
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    done = {**known, "size": str(len(data)), "hash": digest}
    finalized = _call(where, "FinalizeArtifact", done, _Finalized)
    if not finalized.ok:
        msg = "the runner's artifact service did not take the artifact"
        raise UnavailableError(msg)
    return str(finalized.artifact_id)


def _zip(files: Mapping[str, Path]) -> bytes:
    """Pack files. Equal files give equal bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in sorted(files.items()):
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o644 << 16
            archive.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)
    if packed.tell() > LARGEST:
        msg = f"the artifact would have {packed.tell()} bytes, and at most {LARGEST} are uploaded; "
        raise InputError(msg + "use a step with actions/upload-artifact")
    return packed.getvalue()


def _call(where: Service, method: str, document: Mapping[str, object], shape: type[Shape]) -> Shape:
    url = f"{where.url}{_SERVICE}/{method}"
    headers = {"authorization": f"Bearer {where.token}"}
    response = _send(where, "POST", url, msgspec.json.encode(document), headers)
    try:
        return msgspec.json.decode(response.body, type=shape)
    except msgspec.DecodeError:
        msg = f"the runner's artifact service answers {method} in a way that is not known"
        raise UnavailableError(msg) from None


def _put(where: Service, url: str, data: bytes) -> None:
    """Upload. The signature in the address is enough: the storage must not see the token."""
    headers = {"x-ms-blob-type": "BlockBlob", "content-type": "application/zip"}
    _send(where, "PUT", url, data, headers)


def _send(
    where: Service, method: str, url: str, body: bytes, headers: Mapping[str, str]
) -> web.Response:
    pause, began = _FIRST_PAUSE, where.clock.now()
    terms = web.Terms(retries=0, passing=frozenset())
    for attempt in range(_TRIES):
        try:
            response = web.send(method, url, body, headers=headers, timeout=_TIMEOUT, terms=terms)
        except web.NoAnswerError as error:
            problem = str(error)
        else:
            if response.status < 300:  # noqa: PLR2004 -- done
                return response
            problem = f"answered {response.status}"
            if response.status not in _PASSING:
                break
        if where.clock.now() - began > _IN_TROUBLE:
            break
        if attempt + 1 < _TRIES:
            where.clock.sleep(pause)
            pause *= _GROWTH
    msg = f"the artifact cannot be uploaded from here: {problem}; the files are in the workspace, "
    raise UnavailableError(msg + "a step with actions/upload-artifact can take them from there")
