"""The few fields of GitHub's GraphQL that we ask for; any other field is an error, as there."""

import re
from collections.abc import Iterator
from typing import Any

from tests.stand_in.exchange import Answer, Request, route
from tests.stand_in.world import Comment, Repository, World

_CLASSIFIERS = {"ABUSE", "DUPLICATE", "LOW_QUALITY", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"}
_TOKEN = re.compile(r"\.\.\.|[{}]|\([^)]*\)|\w+")

Selection = dict[str, "Selection"]


class Refusal(Exception):
    """An error that comes back with status 200."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


@route("POST", "/graphql")
def asked(world: World, request: Request) -> Answer:
    query, variables = request.document["query"], request.document.get("variables", {})
    mutation = query.lstrip().startswith("mutation")
    try:
        wanted = _selection(query)
        found = (_mutated if mutation else _found)(world, wanted, variables)
        return Answer(200, {"data": _project(found, wanted)})
    except Refusal as refusal:
        error = {"message": str(refusal)} | ({"type": refusal.kind} if refusal.kind else {})
        return Answer(200, {"data": None, "errors": [error]})


def level(request: Request) -> str:
    return "write" if b"mutation" in request.body else "read"


def _selection(query: str) -> Selection:
    tokens = iter(_TOKEN.findall(query[query.index("{") :]))
    next(tokens)
    return _fields(tokens)


def _fields(tokens: Iterator[str]) -> Selection:
    fields: Selection = {}
    last = ""
    for token in tokens:
        if token == "}":
            return fields
        if token == "...":  # `... on Type {`: here everything is of the type that is asked for
            next(tokens), next(tokens), next(tokens)
            fields |= _fields(tokens)
        elif token == "{":
            fields[last] = _fields(tokens)
        elif not token.startswith("("):
            last = token
            fields[last] = {}
    msg = "Expected NAME, actual: end of file"
    raise Refusal(msg)


def _project(found: Any, wanted: Selection) -> Any:
    if isinstance(found, list):
        return [_project(item, wanted) for item in found]
    if not wanted or found is None:
        return found
    for name in wanted:
        if name not in found:
            msg = f"Field '{name}' doesn't exist"
            raise Refusal(msg)
    return {name: _project(found[name], inner) for name, inner in wanted.items()}


def _found(world: World, wanted: Selection, variables: dict[str, Any]) -> dict[str, Any]:
    comments = {
        f"IC_{comment.id}": comment
        for repository in world.repositories.values()
        for comment in repository.comments.values()
    }
    nodes = [comments.get(number) for number in variables.get("ids", [])]
    return {
        "viewer": {"login": world.viewer},
        "repository": _repository(world, variables),
        "nodes": [node and _node(world, node) for node in nodes],
    }


def _node(world: World, comment: Comment) -> dict[str, Any]:
    return {
        "id": f"IC_{comment.id}",
        "body": comment.body,
        "isMinimized": bool(comment.minimized),
        "viewerDidAuthor": comment.author == world.viewer,
        "author": {"login": comment.author.removesuffix("[bot]")},
    }


def _repository(world: World, variables: dict[str, Any]) -> dict[str, Any] | None:
    place = world.repositories.get(f"{variables.get('owner')}/{variables.get('name')}")
    pull = place.pulls.get(variables["number"]) if place else None
    if place is None or pull is None:
        return place and {"pullRequest": None}

    def commit(sha: str) -> dict[str, Any]:
        return _commit(place, sha, variables["check"])

    pushes = [{"beforeCommit": commit(sha)} for sha in pull.replaced]
    member = {"commit": commit(pull.head_sha)}
    found = {"commits": {"nodes": [member]}, "timelineItems": {"nodes": pushes}}
    return {"pullRequest": found}


def _commit(place: Repository, sha: str, name: str) -> dict[str, Any]:
    running = [
        {"databaseId": check["id"], "externalId": check["external_id"]}
        for check in place.checks.values()
        if (check["head_sha"], check["name"], check["status"]) == (sha, name, "in_progress")
    ]
    said = [s for s in place.statuses if (s["sha"], s["context"]) == (sha, name)]
    context = said and {"state": said[-1]["state"].upper(), "targetUrl": said[-1]["target_url"]}
    return {
        "oid": sha,
        "checkSuites": {"nodes": [{"checkRuns": {"nodes": running}}]},
        "status": {"context": context or None},
    }


def _mutated(world: World, wanted: Selection, variables: dict[str, Any]) -> dict[str, Any]:
    if set(wanted) == {"enablePullRequestAutoMerge"}:
        return _let_merge(world, variables)
    if set(wanted) != {"minimizeComment"}:
        msg = "no such mutation"
        raise Refusal(msg)
    number = int(variables["id"].removeprefix("IC_"))
    classifier = variables["classifier"]
    if classifier not in _CLASSIFIERS:
        msg = f"{classifier} is not a ReportedContentClassifiers"
        raise Refusal(msg)
    for repository in world.repositories.values():
        if number in repository.comments:
            repository.comments[number].minimized = classifier
            return {"minimizeComment": {"minimizedComment": {"isMinimized": True}}}
    msg = "Could not resolve to a node with that id."
    raise Refusal(msg, "NOT_FOUND")


def _let_merge(world: World, variables: dict[str, Any]) -> dict[str, Any]:
    """GitHub refuses it where nothing is required, or where the repository does not allow it."""
    number = int(variables["id"].removeprefix("PR_"))
    for repository in world.repositories.values():
        pull = repository.pulls.get(number)
        if pull and repository.auto_merge != "allowed":
            raise Refusal(repository.auto_merge)
        if pull:
            pull.merges_itself = True
            return {"enablePullRequestAutoMerge": {"pullRequest": {"number": number}}}
    msg = "Could not resolve to a node"
    raise Refusal(msg, "NOT_FOUND")
