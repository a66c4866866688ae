"""Check runs, commit statuses and uploads of SARIF."""

from typing import Any

from tests.stand_in import documents
from tests.stand_in.exchange import Answer, Request, page, refusal, route
from tests.stand_in.world import ACTIONS_APP, World

_OUTPUT = ("title", "summary", "text")
_CHANGEABLE = ("name", "status", "conclusion", "started_at", "completed_at", "external_id")
_BYTES = 65_535
_DESCRIPTION = 140


@route("POST", "/repos/{repo}/check-runs", "checks")
def created(world: World, request: Request, repo: str) -> Answer:
    asked = request.document
    if trouble := _wrong(asked):
        return trouble
    number = next(world.ids)
    url = f"{request.api}/repos/{repo}/check-runs/{number}"
    check: dict[str, Any] = {
        **dict.fromkeys(("conclusion", "completed_at")),
        "id": number,
        "node_id": f"CR_{number}",
        "name": asked["name"],
        "head_sha": asked["head_sha"],
        "external_id": "",
        "url": url,
        "html_url": f"{url}/page",
        "details_url": f"{url}/page",
        "status": "queued",
        "started_at": documents.WHEN,
        "check_suite": {"id": 5},
        "output": dict.fromkeys(_OUTPUT),
        "annotations": [],
        "app": documents.app(request.api),
        "pull_requests": [],
    }
    world.repository(repo).checks[number] = check
    _change(check, asked)
    return Answer(201, _document(check))


@route("PATCH", "/repos/{repo}/check-runs/{id}", "checks")
def changed(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    check = world.repository(repo).checks.get(int(id))
    if check is None:
        return refusal(404, "Not Found")
    if check["app"]["id"] != ACTIONS_APP:
        return refusal(403, "Invalid app_id `15368` - check run can only be modified by its app.")
    if trouble := _wrong(request.document):
        return trouble
    _change(check, request.document)
    return Answer(200, _document(check))


@route("GET", "/repos/{repo}/check-runs/{id}", "checks")
def shown(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    check = world.repository(repo).checks.get(int(id))
    return Answer(200, _document(check)) if check else refusal(404, "Not Found")


@route("GET", "/repos/{repo}/check-runs/{id}/annotations", "checks")
def remarked(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    check = world.repository(repo).checks.get(int(id))
    if check is None:
        return refusal(404, "Not Found")
    nothing = {"start_column": None, "end_column": None, "raw_details": None, "title": None}
    home = {"blob_href": f"{request.api}/{repo}/blob/{check['head_sha']}"}
    return page(request, [nothing | home | one for one in check["annotations"]])


@route("GET", "/repos/{repo}/commits/{ref}/check-runs", "checks")
def listed(world: World, request: Request, repo: str, ref: str) -> Answer:
    name, app = request.query.get("check_name"), request.query.get("app_id")
    found = {
        (check["name"], check["app"]["id"], request.query.get("filter") == "all" and number): check
        for number, check in sorted(world.repository(repo).checks.items())
        if check["head_sha"] == ref
        and name in (None, check["name"])
        and app in (None, str(check["app"]["id"]))
    }
    return page(request, [_document(check) for check in found.values()], "check_runs")


def _document(check: dict[str, Any]) -> dict[str, Any]:
    count = len(check["annotations"])
    output = {**check["output"], "annotations_count": count}
    output["annotations_url"] = f"{check['url']}/annotations"
    return {k: v for k, v in check.items() if k != "annotations"} | {"output": output}


def _change(check: dict[str, Any], asked: dict[str, Any]) -> None:
    check |= {name: asked[name] for name in _CHANGEABLE if name in asked}
    if asked.get("status", "completed") != "completed":
        check |= {"conclusion": None, "completed_at": None}
    if asked.get("conclusion"):
        check |= {"status": "completed", "completed_at": documents.WHEN}
    output = asked.get("output", {})
    check["output"] |= {name: output[name] for name in _OUTPUT if name in output}
    check["annotations"] += output.get("annotations", [])


def _wrong(asked: dict[str, Any]) -> Answer | None:
    output = asked.get("output", {})
    if len(output.get("annotations", [])) > 50:
        return refusal(422, "Invalid request.\n\nNo more than 50 items are allowed.")
    if any(len(output.get(part, "").encode()) > _BYTES for part in ("summary", "text")):
        return refusal(422, "Invalid request.\n\nOnly 65535 characters are allowed.")
    return None


@route("POST", "/repos/{repo}/statuses/{sha}", "statuses")
def said(world: World, request: Request, repo: str, sha: str) -> Answer:
    asked = request.document
    if len(asked.get("description") or "") > _DESCRIPTION:
        error = {"resource": "Status", "code": "custom", "message": "description is too long"}
        return refusal(422, "Validation Failed", error)
    number = next(world.ids)
    status = {
        "id": number,
        "node_id": f"S_{number}",
        "url": f"{request.api}/repos/{repo}/statuses/{sha}",
        "avatar_url": None,
        "description": None,
        "target_url": None,
        "context": "default",
        "created_at": documents.WHEN,
        "updated_at": documents.WHEN,
        "creator": documents.user(request.api, world.viewer),
        **asked,
    }
    world.repository(repo).statuses.append(status | {"sha": sha})
    return Answer(201, status)
