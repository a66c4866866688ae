"""Pull requests and what they change."""

from tests.stand_in import documents
from tests.stand_in.exchange import Answer, Request, page, refusal, route
from tests.stand_in.world import Pull, Repository, World

_MOST_FILES = 3_000


@route("GET", "/repos/{repo}")
def repository(world: World, request: Request, repo: str) -> Answer:
    return Answer(200, documents.full_repository(request.api, world.repository(repo)))


@route("GET", "/repos/{repo}/collaborators/{login}/permission")
def permission(world: World, request: Request, repo: str, login: str) -> Answer:
    place = world.repository(repo)
    if place.roles.get(login) == "none":
        return refusal(404, "Not Found")
    return Answer(200, documents.permission(request.api, place, login))


@route("GET", "/repos/{repo}/pulls/{number}", "pull-requests")
def shown(world: World, request: Request, repo: str, number: str) -> Answer:
    place = world.repository(repo)
    pull = place.pulls.get(int(number))
    if pull is None:
        return refusal(404, "Not Found")
    head = _head(world, pull)
    return Answer(200, documents.pull_request(request.api, place, pull, head))


@route("GET", "/repos/{repo}/pulls", "pull-requests")
def listed(world: World, request: Request, repo: str) -> Answer:
    query = request.query
    state, head = query.get("state", "open"), query.get("head", "")
    place = world.repository(repo)
    found = [
        pull
        for pull in place.pulls.values()
        if state in ("all", pull.state)
        and (":" not in head or head == _label(pull))
        and query.get("base") in (None, pull.base_ref)
    ]
    return page(request, _documents(world, request, place, found))


@route("POST", "/repos/{repo}/pulls", "pull-requests")
def opened(world: World, request: Request, repo: str) -> Answer:
    place, asked = world.repository(repo), request.document
    if any((p.head_ref, p.state) == (asked["head"], "open") for p in place.pulls.values()):
        return refusal(422, "Validation Failed", {"message": "A pull request already exists"})
    number = max(place.pulls, default=0) + 1
    pull = Pull(
        number, head_ref=asked["head"], base_ref=asked["base"], title=asked["title"],
        head_repository=repo,
    )  # fmt: skip
    place.pulls[number] = pull
    return Answer(201, documents.pull_request(request.api, place, pull, _head(world, pull)))


@route("GET", "/repos/{repo}/commits/{sha}/pulls", "pull-requests")
def of_commit(world: World, request: Request, repo: str, sha: str) -> Answer:
    place = world.repository(repo)
    found = [pull for pull in place.pulls.values() if pull.head_sha == sha]
    return page(request, _documents(world, request, place, found))


@route("GET", "/repos/{repo}/pulls/{number}/files", "pull-requests")
def files(world: World, request: Request, repo: str, number: str) -> Answer:
    pull = world.repository(repo).pulls.get(int(number))
    if pull is None:
        return refusal(404, "Not Found")
    return page(request, pull.files[:_MOST_FILES])


@route("GET", "/repos/{repo}/pulls/{number}/reviews", "pull-requests")
def reviews(world: World, request: Request, repo: str, number: str) -> Answer:
    place = world.repository(repo)
    pull = place.pulls.get(int(number))
    if pull is None:
        return refusal(404, "Not Found")
    return page(request, documents.reviews(request.api, place, pull))


def _documents(
    world: World, request: Request, place: Repository, pulls: list[Pull]
) -> list[documents.Document]:
    return [documents.simple_pull(request.api, place, p, _head(world, p)) for p in pulls]


def _head(world: World, pull: Pull) -> Repository | None:
    return world.repository(pull.head_repository) if pull.head_repository else None


def _label(pull: Pull) -> str:
    return f"{(pull.head_repository or 'ghost').partition('/')[0]}:{pull.head_ref}"
