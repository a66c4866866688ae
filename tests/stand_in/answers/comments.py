"""Comments on issues and pull requests."""

from tests.stand_in import documents
from tests.stand_in.exchange import Answer, Request, page, refusal, route
from tests.stand_in.world import Comment, Repository, World

LONGEST = 65_536
ANY = ("pull-requests", "issues")


@route("GET", "/repos/{repo}/issues/{number}/comments", *ANY)
def listed(world: World, request: Request, repo: str, number: str) -> Answer:
    repository = world.repository(repo)
    said = repository.comments_on(int(number))
    return page(request, [documents.comment(request.api, repository, c) for c in said])


@route("POST", "/repos/{repo}/issues/{number}/comments", *ANY)
def created(world: World, request: Request, repo: str, number: str) -> Answer:
    repository = world.repository(repo)
    if not repository.issues:
        return refusal(410, "Issues are disabled for this repo")
    if int(number) in repository.locked:
        return refusal(403, "Unable to create comment because issue is locked.")
    body = request.document["body"]
    if trouble := _unfit(body):
        return trouble
    comment = world.comment(body, int(number), repo, author=world.viewer)
    return Answer(201, documents.comment(request.api, repository, comment))


@route("GET", "/repos/{repo}/issues/comments/{id}", *ANY)
def shown(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    repository = world.repository(repo)
    comment = repository.comments.get(int(id))
    return _as_document(request, repository, comment) if comment else refusal(404, "Not Found")


@route("PATCH", "/repos/{repo}/issues/comments/{id}", *ANY)
def changed(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    repository = world.repository(repo)
    comment = repository.comments.get(int(id))
    if comment is None:
        return refusal(404, "Not Found")
    if comment.author != world.viewer:
        return refusal(403, "Resource not accessible by integration")
    if trouble := _unfit(request.document["body"]):
        return trouble
    comment.body = request.document["body"]
    return _as_document(request, repository, comment)


@route("DELETE", "/repos/{repo}/issues/comments/{id}", *ANY)
def deleted(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    comment = world.repository(repo).comments.pop(int(id), None)
    return Answer(204) if comment else refusal(404, "Not Found")


def _as_document(request: Request, repository: Repository, comment: Comment) -> Answer:
    return Answer(200, documents.comment(request.api, repository, comment))


def _unfit(body: str) -> Answer | None:
    if body.strip() and len(body) <= LONGEST:
        return None
    long = f"body is too long (maximum is {LONGEST} characters)"
    message = long if body.strip() else "body can't be blank"
    fault = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
    return refusal(422, "Validation Failed", {**fault, "message": message})
