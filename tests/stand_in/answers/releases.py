"""Releases and their files."""

from typing import Any

from tests.stand_in import documents
from tests.stand_in.exchange import Answer, Request, refusal, route
from tests.stand_in.world import Release, ReleaseAsset, Repository, World


@route("GET", "/repos/{repo}/releases/tags/{tag}", "contents")
def by_tag(world: World, request: Request, repo: str, tag: str) -> Answer:
    place = world.repository(repo)
    found = next((one for one in place.releases.values() if one.tag == tag), None)
    return _shown(request, place, found, 200)


@route("POST", "/repos/{repo}/releases", "contents")
def made(world: World, request: Request, repo: str) -> Answer:
    place, tag = world.repository(repo), request.document["tag_name"]
    if any(one.tag == tag for one in place.releases.values()):
        return refusal(422, "Validation Failed", {"code": "already_exists", "field": "tag_name"})
    release = Release(next(world.ids), tag, request.document.get("target_commitish", "main"))
    place.releases[release.id] = release
    return _shown(request, place, release, 201)


@route("POST", "/repos/{repo}/releases/{number}/assets", "contents")
def uploaded(world: World, request: Request, repo: str, number: str) -> Answer:
    place, name = world.repository(repo), request.query["name"]
    release = place.releases.get(int(number))
    if release is None:
        return refusal(404, "Not Found")
    if any(one.name == name for one in release.assets.values()):
        return refusal(422, "Validation Failed", {"code": "already_exists", "field": "name"})
    asset = ReleaseAsset(next(world.ids), name, request.body)
    release.assets[asset.id] = asset
    return Answer(201, documents.release_asset(request.api, place, asset))


@route("GET", "/repos/{repo}/releases/assets/{number}", "contents")
def asset(world: World, request: Request, repo: str, number: str) -> Answer:
    _, found = _find(world.repository(repo), int(number))
    if found is None:
        return refusal(404, "Not Found")
    if request.headers.get("accept") != "application/octet-stream":
        return Answer(200, documents.release_asset(request.api, world.repository(repo), found))
    path = f"/asset/{found.id}"
    world.signed[path] = found.content
    return Answer(302, headers={"Location": f"{request.storage}{path}?sig=abc"})


@route("DELETE", "/repos/{repo}/releases/assets/{number}", "contents")
def removed(world: World, request: Request, repo: str, number: str) -> Answer:
    release, found = _find(world.repository(repo), int(number))
    if release is None or found is None:
        return refusal(404, "Not Found")
    del release.assets[found.id]
    return Answer(204)


@route("PATCH", "/repos/{repo}/releases/assets/{number}", "contents")
def renamed(world: World, request: Request, repo: str, number: str) -> Answer:
    place = world.repository(repo)
    release, found = _find(place, int(number))
    if release is None or found is None:
        return refusal(404, "Not Found")
    name = request.document["name"]
    if any(one.name == name for one in release.assets.values()):
        return refusal(422, "Validation Failed", {"code": "already_exists", "field": "name"})
    found.name = name
    return Answer(200, documents.release_asset(request.api, place, found))


def _find(place: Repository, number: int) -> tuple[Release | None, ReleaseAsset | None]:
    holders = (one for one in place.releases.values() if number in one.assets)
    release = next(holders, None)
    return release, release.assets[number] if release else None


def _shown(request: Request, place: Repository, release: Any, status: int) -> Answer:
    if release is None:
        return refusal(404, "Not Found")
    return Answer(status, documents.release(request.api, place, release))
