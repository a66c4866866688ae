"""Files at a commit, whole trees, and where branches parted."""

from tests.stand_in import documents
from tests.stand_in.exchange import Answer, Request, refusal, route
from tests.stand_in.world import World

_INLINE = 1024 * 1024  # bytes of a file that are put into a document


@route("GET", "/repos/{repo}/contents/{rest}", "contents")
def file(world: World, request: Request, repo: str, rest: str) -> Answer:
    place = world.repository(repo)
    ref = request.query.get("ref", place.default_branch)
    data = place.files.get(ref, {}).get(rest)
    if data is None:
        return refusal(404, "Not Found")
    if "raw" in request.headers.get("accept", ""):
        kind = "application/vnd.github.raw+json; charset=utf-8"
        return Answer(200, body=data, headers={"Content-Type": kind})
    shown = data if len(data) <= _INLINE else b""
    return Answer(200, documents.content(request.api, place, rest, ref, shown))


@route("GET", "/repos/{repo}/compare/{basehead}", "contents")
def compared(world: World, request: Request, repo: str, basehead: str) -> Answer:
    place = world.repository(repo)
    base, _, head = basehead.partition("...")
    merge_base = place.merge_bases.get(basehead)
    if merge_base is None:
        return refusal(404, f"No common ancestor between {base} and {head}.")
    return Answer(200, documents.comparison(request.api, place, base, head, merge_base))


@route("GET", "/repos/{repo}/tarball/{ref}", "contents")
def tarball(world: World, request: Request, repo: str, ref: str) -> Answer:
    data = world.repository(repo).tarballs.get(ref)
    if data is None:
        return refusal(404, "Not Found")
    return signed(world, request, data)


def signed(world: World, request: Request, data: bytes) -> Answer:
    """Leads to another host, where a signature in the address stands for the token."""
    name = f"/signed/{next(world.ids)}"
    world.signed[name] = data
    storage = request.storage
    return Answer(302, headers={"Location": f"{storage}{name}?sig=abc"})
