"""Runs of workflows, their jobs, and the artifacts they left."""

from tests.stand_in import documents
from tests.stand_in.answers.contents import signed
from tests.stand_in.exchange import Answer, Request, page, refusal, route
from tests.stand_in.world import Run, World


@route("GET", "/repos/{repo}/actions/workflows/{workflow}/runs", "actions")
def runs(world: World, request: Request, repo: str, workflow: str) -> Answer:
    place = world.repository(repo)
    found = [r for r in place.runs.values() if r.workflow == workflow and _asked(request, r)]
    found.sort(key=lambda run: -run.id)
    shown = [
        documents.workflow_run(request.api, place, run, world.repository(run.head_repository))
        for run in found[:1000]
    ]
    return page(request, shown, "workflow_runs")


def _asked(request: Request, run: Run) -> bool:
    facts = {"branch": run.branch, "event": run.event, "head_sha": run.sha}
    query = request.query
    status = query.get("status")
    return all(query.get(name) in (None, value) for name, value in facts.items()) and (
        status is None or status in (run.status, run.conclusion)
    )


@route("GET", "/repos/{repo}/actions/runs/{id}", "actions")
def run(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    place = world.repository(repo)
    found = place.runs.get(int(id))
    if found is None:
        return refusal(404, "Not Found")
    head = world.repository(found.head_repository)
    return Answer(200, documents.workflow_run(request.api, place, found, head))


@route("GET", "/repos/{repo}/actions/runs/{id}/attempts/{attempt}/jobs", "actions")
def jobs(world: World, request: Request, repo: str, id: str, attempt: str) -> Answer:  # noqa: A002
    found = world.repository(repo).runs.get(int(id))
    if found is None:
        return refusal(404, "Not Found")
    shown = [
        documents.job(request.api, found, number, **facts)
        for number, facts in enumerate(found.jobs, 1)
    ]
    return page(request, shown, "jobs")


@route("GET", "/repos/{repo}/actions/runs/{id}/artifacts", "actions")
def artifacts(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    place = world.repository(repo)
    name = request.query.get("name")
    found = [
        artifact
        for artifact in place.artifacts.values()
        if artifact.run == int(id) and name in (None, artifact.name)
    ]
    shown = [documents.artifact(request.api, place, artifact) for artifact in reversed(found)]
    return page(request, shown, "artifacts")


@route("GET", "/repos/{repo}/actions/artifacts/{id}/zip", "actions")
def download(world: World, request: Request, repo: str, id: str) -> Answer:  # noqa: A002
    artifact = world.repository(repo).artifacts.get(int(id))
    if artifact is None:
        return refusal(404, "Not Found")
    if artifact.expired:
        return refusal(410, "Artifact has expired")
    return signed(world, request, artifact.content)
