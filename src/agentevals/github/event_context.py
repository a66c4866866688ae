"""The context of a run: its event, its commits, and the limits on what it may publish."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentevals.github.events import (
    DEPENDABOT,
    EVENTS,
    OTHER,
    Environment,
    PayloadError,
    SourceRun,
    TriggerComment,
    Want,
)
from agentevals.github.runner.input_texts import read_matrix
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.text.terminal import plain

__all__ = ["LOCAL", "EventContext", "SourceRun", "TriggerComment", "Want", "read"]

_WHOLE = re.compile(r"[0-9]{1,18}")
LOCAL = "local"  # no event: somebody runs the action's program on their own machine


class EventContext(Noun, frozen=True):
    """The facts about a run that need no request to the API.

    `sha` is what the runner checked out, `head_sha` what is evaluated and what a check or a
    status belongs to. What is None is not in the payload, and `wants` says what to ask for.
    In a `privileged` run the base's config and thresholds judge, as they are at `rules_sha`: where
    the branch left its base its author has chosen. With a `refusal` nothing is done, and it says
    why.
    """

    event: str
    repository: str = ""
    server_url: str = ""
    api_url: str = ""
    graphql_url: str = ""
    run_id: int | None = None
    run_number: int | None = None
    run_attempt: int = 1
    run_url: str = ""
    workflow: str = ""
    workflow_ref: str = ""
    job: str = ""
    matrix: str = ""
    actor: str = ""
    default_branch: str | None = None
    private: bool | None = None
    sha: str | None = None
    head_sha: str | None = None
    base_sha: str | None = None
    rules_sha: str | None = None
    base_ref: str | None = None
    head_ref: str | None = None
    head_repository: str | None = None
    number: int | None = None
    author: str = ""
    fork: bool = False
    dependabot: bool = False
    draft: bool = False
    closed: bool = False
    conflict: bool = False
    privileged: bool = False
    is_base_run: bool = False
    source: SourceRun | None = None
    comment: TriggerComment | None = None
    refusal: str = ""
    notice: str = ""
    wants: tuple[Want, ...] = ()


def read(environ: Mapping[str, str], event_path: Path | None = None) -> EventContext:
    """Read the runner's variables and the payload, which is at GITHUB_EVENT_PATH by default."""
    event = environ.get("GITHUB_EVENT_NAME") or LOCAL
    path = event_path or environ.get("GITHUB_EVENT_PATH")
    payload = {} if event == LOCAL else _read_payload(path)
    found: dict[str, Any] = {**_read_environ(environ), "event": event}
    found["default_branch"] = _find_default_branch(payload)
    found["private"] = _is_private(payload)
    known = event in EVENTS.ours and event != OTHER
    try:
        found |= EVENTS[event if known else OTHER](payload, _read_environment(environ))
    except PayloadError as error:
        msg = f"the payload of {plain(event)} is not as GitHub sends it, {error}; {_AGAIN}"
        raise InputError(msg) from None
    if not known and event != LOCAL:
        said = f"the event {plain(event)!r} is not known"
        found["notice"] = f"{said}; the action evaluates the checkout without changes"
    found["dependabot"] = found.get("dependabot", False) or found["actor"] == DEPENDABOT
    return EventContext(**found)


_AGAIN = "run the workflow again, or check what GITHUB_EVENT_PATH names"


def _read_payload(path: Path | str | None) -> dict[str, Any]:
    if not path:
        msg = "GITHUB_EVENT_NAME is set and GITHUB_EVENT_PATH is not; set both, or none"
        raise InputError(msg)
    where = f"the event at '{plain(os.fspath(path))}'"
    try:
        # not msgspec: it refuses halves of surrogate pairs, which people do put into texts
        payload = _replace_surrogates(json.loads(Path(path).read_bytes()))
    except OSError as error:
        msg = f"{where} cannot be read: {(error.strerror or str(error)).lower()}; {_AGAIN}"
        raise InputError(msg) from None
    except (ValueError, RecursionError):
        msg = f"{where} is not JSON; {_AGAIN}"
        raise InputError(msg) from None
    if not isinstance(payload, dict):
        msg = f"{where} is no JSON object; {_AGAIN}"
        raise InputError(msg)
    return payload


def _replace_surrogates(payload: Any) -> Any:
    """Put question marks for halves of surrogate pairs, which have no UTF-8."""
    try:
        json.dumps(payload, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.loads(json.dumps(payload, ensure_ascii=False).encode(errors="replace"))
    return payload


def _read_environ(environ: Mapping[str, str]) -> dict[str, Any]:
    server = environ.get("GITHUB_SERVER_URL", "").rstrip("/")
    repository = environ.get("GITHUB_REPOSITORY", "")
    run = _read_number(environ.get("GITHUB_RUN_ID"))
    return {
        "repository": repository,
        "server_url": server,
        "api_url": environ.get("GITHUB_API_URL", "").rstrip("/"),
        "graphql_url": environ.get("GITHUB_GRAPHQL_URL", "").rstrip("/"),
        "run_id": run,
        "run_number": _read_number(environ.get("GITHUB_RUN_NUMBER")),
        "run_attempt": _read_number(environ.get("GITHUB_RUN_ATTEMPT")) or 1,
        "run_url": f"{server}/{repository}/actions/runs/{run}" if server and run else "",
        "workflow": environ.get("GITHUB_WORKFLOW", ""),
        "workflow_ref": environ.get("GITHUB_WORKFLOW_REF", ""),
        "job": environ.get("GITHUB_JOB", ""),
        "matrix": _read_matrix(environ.get("INPUT_MATRIX", "")),
        "actor": environ.get("GITHUB_ACTOR", ""),
        "sha": environ.get("GITHUB_SHA") or None,
    }


def _read_environment(environ: Mapping[str, str]) -> Environment:
    return Environment(
        sha=environ.get("GITHUB_SHA") or None,
        ref=environ.get("GITHUB_REF", ""),
        ref_protected=environ.get("GITHUB_REF_PROTECTED") == "true",
        number=_read_number(environ.get("INPUT_NUMBER")),
    )


def _find_default_branch(payload: Mapping[str, Any]) -> str | None:
    repository = payload.get("repository")
    branch = repository.get("default_branch") if isinstance(repository, dict) else None
    return branch if isinstance(branch, str) else None


def _is_private(payload: Mapping[str, Any]) -> bool | None:
    """Return whether only some people see the repository; None if the event does not say."""
    repository = payload.get("repository")
    known = repository if isinstance(repository, dict) else {}
    private, visibility = known.get("private"), known.get("visibility")
    if private is False or visibility == "public":
        return False
    return True if private is True or visibility in {"private", "internal"} else None


def _read_matrix(text: str) -> str:
    """Return the matrix as text. `inputs.read` reports a malformed one."""
    try:
        return read_matrix(text)
    except ValueError:
        return ""


def _read_number(text: str | None) -> int | None:
    return int(text) if text and _WHOLE.fullmatch(text) else None
