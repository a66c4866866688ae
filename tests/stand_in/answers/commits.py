"""What branches and tags point to, and what a commit holds."""

import hashlib

from tests.stand_in.exchange import Answer, Request, refusal, route
from tests.stand_in.world import World

_SHA = "application/vnd.github.sha"


@route("GET", "/repos/{repo}/commits/{ref}", "contents")
def commit(world: World, request: Request, repo: str, ref: str) -> Answer:
    place = world.repository(repo)
    sha = place.commits.get(ref, ref if ref in place.files else "")
    if not sha:
        return refusal(422, f"No commit found for SHA: {ref}")
    etag = f'"{sha}"'
    if request.headers.get("if-none-match") == etag:
        return Answer(304, headers={"ETag": etag})
    if _SHA not in request.headers.get("accept", ""):
        return refusal(415, "the stand-in tells the SHA alone")
    headers = {"Content-Type": f"{_SHA}; charset=utf-8", "ETag": etag}
    return Answer(200, body=sha.encode(), headers=headers)


@route("GET", "/repos/{repo}/git/trees/{ref}", "contents")
def tree(world: World, request: Request, repo: str, ref: str) -> Answer:
    files = world.repository(repo).files.get(ref)
    if files is None:
        return refusal(404, "Not Found")
    api = f"{request.api}/repos/{repo}/git"
    leaves = [_leaf(api, path, content) for path, content in sorted(files.items())]
    document = {"sha": ref, "url": f"{api}/trees/{ref}", "truncated": False, "tree": leaves}
    return Answer(200, document)


def _leaf(api: str, path: str, content: bytes) -> dict[str, object]:
    sha = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return {
        "path": path,
        "mode": "100644",
        "type": "blob",
        "sha": sha,
        "size": len(content),
        "url": f"{api}/blobs/{sha}",
    }
