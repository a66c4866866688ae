"""GitHub's documents, as large as its own description of them demands."""

from base64 import b64encode
from typing import Any

from tests.stand_in.world import (
    ACTIONS_APP,
    Artifact,
    Comment,
    Pull,
    Release,
    ReleaseAsset,
    Repository,
    Run,
)

WHEN = "2026-03-01T12:00:00Z"
_USER = "events followers following gists organizations received_events repos starred subscriptions"
_REPOSITORY = (
    "archive assignees blobs branches collaborators comments commits compare contents contributors "
    "deployments downloads events forks git_commits git_refs git_tags hooks issue_comment "
    "issue_events issues keys labels languages merges milestones notifications pulls releases "
    "stargazers statuses subscribers subscription tags teams trees"
)

Document = dict[str, Any]


def user(api: str, login: str) -> Document:
    url = f"{api}/users/{login}"
    return {
        "login": login,
        "id": sum(login.encode()),
        "node_id": f"U_{login}",
        "avatar_url": f"{url}/avatar",
        "gravatar_id": "",
        "url": url,
        "html_url": url,
        "type": "Bot" if login.endswith("[bot]") else "User",
        "site_admin": False,
        **{f"{name}_url": f"{url}/{name}" for name in _USER.split()},
    }


def app(api: str, number: int = ACTIONS_APP) -> Document:
    return {
        "id": number,
        "slug": "github-actions",
        "node_id": f"A_{number}",
        "owner": user(api, "github"),
        "name": "GitHub Actions",
        "description": "Automate your workflow",
        "external_url": f"{api}/apps",
        "html_url": f"{api}/apps/github-actions",
        "created_at": WHEN,
        "updated_at": WHEN,
        "permissions": {"checks": "write"},
        "events": [],
    }


def minimal_repository(api: str, repository: Repository) -> Document:
    url = f"{api}/repos/{repository.name}"
    owner, _, name = repository.name.partition("/")
    return {
        "id": repository.id,
        "node_id": f"R_{repository.id}",
        "name": name,
        "full_name": repository.name,
        "private": repository.private,
        "owner": user(api, owner),
        "html_url": url,
        "description": None,
        "fork": False,
        "url": url,
        **{f"{part}_url": f"{url}/{part}" for part in _REPOSITORY.split()},
    }


def full_repository(api: str, repository: Repository) -> Document:
    url = f"{api}/repos/{repository.name}"
    switches = "issues projects wiki pages discussions downloads"
    counts = "forks forks_count open_issues open_issues_count size stargazers_count watchers "
    counts += "watchers_count network_count subscribers_count"
    return {
        **minimal_repository(api, repository),
        **{f"has_{name}": False for name in switches.split()},
        **dict.fromkeys(counts.split(), 0),
        **{f"{name}_url": url for name in ("clone", "git", "ssh", "svn")},
        **dict.fromkeys(("homepage", "language", "mirror_url", "license")),
        "default_branch": repository.default_branch,
        "archived": False,
        "disabled": False,
        "pushed_at": WHEN,
        "created_at": WHEN,
        "updated_at": WHEN,
    }


def permission(api: str, repository: Repository, login: str) -> Document:
    role = repository.roles.get(login, "read")
    known = {"maintain": "write", "triage": "read"}.get(role, role)
    return {"permission": known, "role_name": role, "user": user(api, login) | {"role_name": role}}


def comment(api: str, repository: Repository, said: Comment) -> Document:
    url = f"{api}/repos/{repository.name}/issues"
    return {
        "id": said.id,
        "node_id": f"IC_{said.id}",
        "url": f"{url}/comments/{said.id}",
        "html_url": f"{api}/{repository.name}/pull/{said.issue}#issuecomment-{said.id}",
        "issue_url": f"{url}/{said.issue}",
        "body": said.body,
        "user": user(api, said.author),
        "created_at": WHEN,
        "updated_at": said.edited or WHEN,
        "author_association": "NONE",
        "performed_via_github_app": app(api) if said.app else None,
    }


def simple_pull(api: str, repository: Repository, pull: Pull, head: Repository | None) -> Document:
    url = f"{api}/repos/{repository.name}/pulls/{pull.number}"
    links = "comments commits statuses html issue review_comments review_comment self"
    empty = "assignee auto_merge body closed_at merge_commit_sha merged_at milestone"
    places = "comments commits diff html issue patch review_comment review_comments statuses"
    return {
        **dict.fromkeys(empty.split()),
        **{f"{name}_url": f"{url}/{name}" for name in places.split()},
        "_links": {name: {"href": f"{url}/{name}"} for name in links.split()},
        "id": 9_000 + pull.number,
        "node_id": f"PR_{pull.number}",
        "number": pull.number,
        "url": url,
        "labels": [],
        "state": pull.state,
        "draft": pull.draft,
        "locked": pull.number in repository.locked,
        "title": pull.title,
        "user": user(api, pull.author),
        "author_association": "CONTRIBUTOR",
        "created_at": WHEN,
        "updated_at": WHEN,
        "head": _end(api, head, pull.head_ref, pull.head_sha),
        "base": _end(api, repository, pull.base_ref, pull.base_sha),
    }


def pull_request(api: str, repository: Repository, pull: Pull, head: Repository | None) -> Document:
    changed = sum(file["changes"] for file in pull.files)
    return {
        **simple_pull(api, repository, pull, head),
        "additions": changed,
        "deletions": 0,
        "changed_files": len(pull.files),
        "comments": len(repository.comments_on(pull.number)),
        "review_comments": 0,
        "commits": 1,
        "mergeable": True,
        "mergeable_state": "clean",
        "merged": False,
        "merged_by": None,
        "maintainer_can_modify": False,
    }


def reviews(api: str, repository: Repository, pull: Pull) -> list[Document]:
    url = f"{api}/repos/{repository.name}/pulls/{pull.number}"
    return [
        {
            "id": at,
            "node_id": f"PRR_{at}",
            "user": user(api, author),
            "body": "",
            "state": state,
            "html_url": f"{url}#pullrequestreview-{at}",
            "pull_request_url": url,
            "author_association": "NONE",
            "_links": {"html": {"href": url}, "pull_request": {"href": url}},
            "submitted_at": WHEN,
            "commit_id": commit,
        }
        for at, (author, state, commit) in enumerate(pull.reviews, 1)
    ]


def _end(api: str, repository: Repository | None, ref: str, sha: str) -> Document:
    owner = repository.name.partition("/")[0] if repository else "ghost"
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user(api, owner),
        "repo": full_repository(api, repository) if repository else None,
    }


def changed_file(api: str, path: str, status: str = "modified") -> Document:
    return {
        "sha": "c" * 40,
        "filename": path,
        "status": status,
        "additions": 1,
        "deletions": 0,
        "changes": 1,
        **{name: f"{api}/blob/{len(path)}" for name in ("blob_url", "raw_url", "contents_url")},
        "patch": "@@ -0,0 +1 @@",
    }


def commit(api: str, repository: Repository, sha: str) -> Document:
    url = f"{api}/repos/{repository.name}/commits/{sha}"
    person = {"name": "Someone", "email": "someone@example.com", "date": WHEN}
    tree = {"sha": "d" * 40, "url": f"{url}/tree"}
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "url": url,
        "html_url": url,
        "comments_url": f"{url}/comments",
        "author": user(api, "someone"),
        "committer": user(api, "someone"),
        "parents": [],
        "commit": {
            "url": url,
            "author": person,
            "committer": person,
            "message": "A change",
            "comment_count": 0,
            "tree": tree,
        },
    }


def comparison(api: str, repository: Repository, base: str, head: str, merge_base: str) -> Document:
    url = f"{api}/repos/{repository.name}/compare/{base}...{head}"
    places = ("url", "html_url", "permalink_url", "diff_url", "patch_url")
    return {
        **dict.fromkeys(places, url),
        "base_commit": commit(api, repository, base),
        "merge_base_commit": commit(api, repository, merge_base),
        "status": "ahead" if base == merge_base else "diverged",
        "ahead_by": 1,
        "behind_by": 0,
        "total_commits": 1,
        "commits": [commit(api, repository, head)],
        "files": [],
    }


def content(api: str, repository: Repository, path: str, ref: str, data: bytes) -> Document:
    url = f"{api}/repos/{repository.name}/contents/{path}?ref={ref}"
    return {
        "type": "file",
        "encoding": "base64",
        "size": len(data),
        "name": path.rpartition("/")[2],
        "path": path,
        "content": b64encode(data).decode(),
        "sha": "e" * 40,
        **dict.fromkeys(("url", "git_url", "html_url", "download_url"), url),
        "_links": {"self": url, "git": url, "html": url},
    }


def workflow_run(api: str, repository: Repository, run: Run, head: Repository) -> Document:
    url = f"{api}/repos/{repository.name}/actions/runs/{run.id}"
    places = "jobs logs check_suite cancel rerun artifacts workflow html"
    person = {"name": "Someone", "email": "someone@example.com"}
    return {
        **{f"{name}_url": f"{url}/{name}" for name in places.split()},
        "id": run.id,
        "node_id": f"WR_{run.id}",
        "name": "Evals",
        "display_title": "A change",
        "head_branch": run.branch,
        "head_sha": run.sha,
        "path": f".github/workflows/{run.workflow}",
        "run_number": run.number,
        "run_attempt": 1,
        "event": run.event,
        "status": run.status,
        "conclusion": run.conclusion,
        "workflow_id": 55,
        "url": url,
        "pull_requests": [],
        "created_at": run.created_at,
        "updated_at": WHEN,
        "head_commit": {
            "id": run.sha,
            "tree_id": "d" * 40,
            "message": "A change",
            "timestamp": WHEN,
            "author": person,
            "committer": person,
        },
        "repository": minimal_repository(api, repository),
        "head_repository": minimal_repository(api, head),
    }


def job(api: str, run: Run, number: int, **facts: Any) -> Document:
    url = f"{api}/jobs/{number}"
    return {
        "id": number,
        "node_id": f"J_{number}",
        "run_id": run.id,
        "run_url": f"{api}/runs/{run.id}",
        "run_attempt": 1,
        "head_sha": run.sha,
        "head_branch": run.branch,
        "workflow_name": "Evals",
        "name": "evals",
        "url": url,
        "html_url": url,
        "check_run_url": f"{url}/check",
        "status": "in_progress",
        "conclusion": None,
        "created_at": WHEN,
        "started_at": WHEN,
        "completed_at": None,
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "runner 1",
        "runner_group_id": 1,
        "runner_group_name": "all",
        **facts,
    }


def artifact(api: str, repository: Repository, left: Artifact) -> Document:
    run = repository.runs[left.run]
    url = f"{api}/repos/{repository.name}/actions/artifacts/{left.id}"
    return {
        "id": left.id,
        "node_id": f"AR_{left.id}",
        "name": left.name,
        "size_in_bytes": len(left.content),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": left.expired,
        "created_at": WHEN,
        "expires_at": WHEN,
        "updated_at": WHEN,
        "workflow_run": {
            "id": run.id,
            "repository_id": repository.id,
            "head_repository_id": repository.id if run.head_repository == repository.name else 77,
            "head_branch": run.branch,
            "head_sha": run.sha,
        },
    }


def release(api: str, repository: Repository, made: Release) -> Document:
    url = f"{api}/repos/{repository.name}/releases/{made.id}"
    return {
        "url": url,
        "html_url": f"https://github.com/{repository.name}/releases/tag/{made.tag}",
        "assets_url": f"{url}/assets",
        "upload_url": f"{url}/assets{{?name,label}}",
        "tarball_url": None,
        "zipball_url": None,
        "id": made.id,
        "node_id": f"RE_{made.id}",
        "tag_name": made.tag,
        "target_commitish": made.target,
        "name": made.tag,
        "body": "",
        "draft": False,
        "prerelease": False,
        "created_at": WHEN,
        "published_at": WHEN,
        "author": user(api, "github-actions[bot]"),
        "assets": [release_asset(api, repository, one) for one in made.assets.values()],
    }


def release_asset(api: str, repository: Repository, asset: ReleaseAsset) -> Document:
    return {
        "url": f"{api}/repos/{repository.name}/releases/assets/{asset.id}",
        "browser_download_url": f"https://github.com/{repository.name}/{asset.name}",
        "id": asset.id,
        "node_id": f"RA_{asset.id}",
        "name": asset.name,
        "label": "",
        "state": "uploaded",
        "content_type": "application/octet-stream",
        "size": len(asset.content),
        "digest": None,
        "download_count": 0,
        "created_at": WHEN,
        "updated_at": WHEN,
        "uploader": user(api, "github-actions[bot]"),
    }
