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
        if token == "{":
            fields[last] = _fields(tokens)
        elif not token.startswith("("):
            last = token
            fields[last] = {}
    msg = "Expected one of SCHEMA, SCALAR, TYPE, got end of file"
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
    found: dict[str, Any] = {"viewer": {"login": world.viewer}}
    if "repository" in wanted:
        repository = world.repository(f"{variables['owner']}/{variables['name']}")
        number = variables["number"]
        if number not in repository.pulls:
            msg = f"Could not resolve to a PullRequest of number {number}."
            raise Refusal(msg, "NOT_FOUND")
        comments = _page(world, repository, number, variables.get("after"))
        found["repository"] = {"pullRequest": {"comments": comments}}
    return found


def _page(world: World, repository: Repository, number: int, after: str | None) -> dict[str, Any]:
    comments = repository.comments_on(number)
    start = int(after or 0)
    shown = comments[start : start + 100]
    return {
        "nodes": [_node(world, comment) for comment in shown],
        "pageInfo": {
            "hasNextPage": start + 100 < len(comments),
            "endCursor": str(start + len(shown)),
        },
    }


def _node(world: World, comment: Comment) -> dict[str, Any]:
    return {
        "id": f"IC_{comment.id}",
        "databaseId": comment.id,
        "body": comment.body,
        "isMinimized": bool(comment.minimized),
        "viewerDidAuthor": comment.author == world.viewer,
        "author": {"login": comment.author.removesuffix("[bot]")},
    }


def _mutated(world: World, wanted: Selection, variables: dict[str, Any]) -> dict[str, Any]:
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
