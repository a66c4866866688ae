"""The service of the runner that takes artifacts while a job runs: no part of the REST API."""

import hashlib
import json
from base64 import urlsafe_b64encode
from urllib.parse import quote

from tests.stand_in.exchange import Answer, Request, route
from tests.stand_in.world import Upload, World

SERVICE = "/twirp/github.actions.results.api.v1.ArtifactService"
RUN, JOB = "run-backend-1", "job-backend-2"
_FORBIDDEN = set('":<>|*?\\/\r\n')


def runtime_token(scope: str = f"Actions.Results:{RUN}:{JOB}") -> str:
    """A token as the runner gives it to the action; nobody checks its signature."""
    parts = ({"alg": "none"}, {"scp": f"Actions.ExampleScope {scope}"}, {})
    return ".".join(
        urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts
    )


@route("POST", f"{SERVICE}/CreateArtifact")
def created(world: World, request: Request) -> Answer:
    asked = request.document
    name = asked["name"]
    if (asked["workflow_run_backend_id"], asked["workflow_job_run_backend_id"]) != (RUN, JOB):
        return _error(401, "unauthenticated", "backend ids do not match the token")
    if _FORBIDDEN & set(name) or asked["version"] != 7:
        return _error(400, "invalid_argument", "the artifact name is not valid")
    if name in world.uploads:
        return _error(409, "already_exists", "an artifact with this name already exists")
    world.uploads[name] = Upload(name)
    storage = request.storage
    return Answer(200, {"ok": True, "signed_upload_url": f"{storage}/upload/{quote(name)}?sig=abc"})


@route("POST", f"{SERVICE}/FinalizeArtifact")
def finalized(world: World, request: Request) -> Answer:
    asked = request.document
    upload = world.uploads.get(asked["name"])
    if upload is None or upload.content is None:
        return _error(404, "not_found", "no such upload")
    digest = f"sha256:{hashlib.sha256(upload.content).hexdigest()}"
    if (asked["size"], asked["hash"]) != (str(len(upload.content)), digest):
        return _error(400, "invalid_argument", "size or hash are wrong")
    upload.finished = asked
    return Answer(200, {"ok": True, "artifact_id": str(next(world.ids))})


def _error(status: int, code: str, message: str) -> Answer:
    return Answer(status, {"code": code, "msg": message})
