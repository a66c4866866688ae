"""Check runs and commit statuses of a pull request that still say that something runs."""

import re
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec

from agentevals.github.api import Api
from agentevals.github.api_calls import Purpose
from agentevals.github.check_runs import Mark, read_mark
from agentevals.model.noun import Noun

_READ = Purpose(deed="look for what earlier runs have left", needs="checks: read")
_RUN = re.compile(r"/actions/runs/([0-9]{1,18})(?:/|$)")
_CHECKS = """checkSuites(last: 20, filterBy: {checkName: $check}) { nodes {
        checkRuns(last: 20, filterBy: {checkName: $check, checkType: ALL, status: IN_PROGRESS}) {
          nodes { databaseId externalId } } } }"""
_STATUS = "status { context(name: $check) { state targetUrl } }"
# the commits of the pull request, and the heads that a push has replaced
_QUERY = """query($owner: String!, $name: String!, $number: Int!, $check: String!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    commits(last: 20) { nodes { commit { COMMIT } } }
    timelineItems(last: 5, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) {
      nodes { ... on HeadRefForcePushedEvent { beforeCommit { COMMIT } } } } } }
}"""


class LeftCheck(Noun, frozen=True):
    """A check run in progress, and which job of which run has begun it."""

    id: int
    sha: str
    mark: Mark


class LeftStatus(Noun, frozen=True):
    """A pending commit status, and which run has written it."""

    sha: str
    run_id: int


Item = TypeVar("Item")


class _Nodes(msgspec.Struct, Generic[Item]):
    nodes: list[Item | None] = []

    def __iter__(self) -> Iterator[Item]:
        return (node for node in self.nodes if node is not None)


class _Run(msgspec.Struct, rename="camel"):
    database_id: int | None = None
    external_id: str | None = None


class _Suite(msgspec.Struct, rename="camel"):
    check_runs: _Nodes[_Run]


class _Context(msgspec.Struct, rename="camel"):
    state: str = ""
    target_url: str | None = None


class _Status(msgspec.Struct):
    context: _Context | None = None


class _Commit(msgspec.Struct, rename="camel"):
    oid: str
    check_suites: _Nodes[_Suite] | None = None
    status: _Status | None = None


class _Member(msgspec.Struct):
    commit: _Commit


class _Push(msgspec.Struct, rename="camel"):
    before_commit: _Commit | None = None


class _Pull(msgspec.Struct, rename="camel"):
    commits: _Nodes[_Member]
    timeline_items: _Nodes[_Push]


class _Repository(msgspec.Struct, rename="camel"):
    pull_request: _Pull | None = None


class _Found(msgspec.Struct):
    repository: _Repository | None = None


def find(  # noqa: PLR0913 -- where, under which name, and what
    api: Api, repository: str, number: int, name: str, *, checks: bool, statuses: bool
) -> list[LeftCheck | LeftStatus]:
    """Return what of that name still runs on a commit of the pull request. One request."""
    wanted = ["oid", *([_CHECKS] if checks else []), *([_STATUS] if statuses else [])]
    query = _QUERY.replace("COMMIT", "\n      ".join(wanted))
    owner, _, short = repository.partition("/")
    variables = {"owner": owner, "name": short, "number": number, "check": name}
    found = api.graphql(query, variables, _Found, to=_READ).repository
    if not found or not found.pull_request:
        return []
    commits = [member.commit for member in found.pull_request.commits]
    commits += [p.before_commit for p in found.pull_request.timeline_items if p.before_commit]
    return [one for commit in {c.oid: c for c in commits}.values() for one in _list_left(commit)]


def _list_left(commit: _Commit) -> Iterator[LeftCheck | LeftStatus]:
    for suite in commit.check_suites or ():
        for run in suite.check_runs:
            mark = read_mark(run.external_id or "")
            if run.database_id and mark:
                yield LeftCheck(id=run.database_id, sha=commit.oid, mark=mark)
    context = commit.status.context if commit.status else None
    made_by = _RUN.search(context.target_url or "") if context else None
    if context and context.state == "PENDING" and made_by:
        yield LeftStatus(sha=commit.oid, run_id=int(made_by[1]))
