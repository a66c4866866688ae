"""What the workflow asks of this action: its inputs decide as much as a config does.

A workflow may do anything besides, so this notices a change, and prevents none.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentevals.action.job import NAME, Job
from agentevals.files import reading, yaml_
from agentevals.model.errors import AgentEvalsError
from agentevals.model.rules import compute_digest
from agentevals.text.json_ import encode

RULE = "workflow"
# the inputs that decide what is judged, by what, and whether that fails
_JUDGING = (
    *("command", "config", "traces", "eval-set", "working-directory", "shard", "paths"),
    *("fail-on", "on-not-evaluated", "baseline", "dry-run", "isolation"),
    *("judge-model", "judge-provider", "judge-base-url", "judge-api-key-env"),
)
_BESIDE = ("if", "continue-on-error")  # what keeps a step, or the job of it, from failing


def find_changes(job: Job, base: Path, head: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the change of the workflow that runs, if there is one: the rule, and its digest."""
    path = _find_path(job)
    if not path:
        return
    action = job.environ.get("GITHUB_ACTION_REPOSITORY", "") or f"/{NAME}-action"
    was, now = (_list_steps(root / path, action) for root in (base, head))
    if was == now:
        return
    digest = compute_digest((encode([was, now], order="deterministic").decode(),))
    yield RULE, _describe(path, was, now), digest


def _find_path(job: Job) -> str:
    """Return the path of the workflow that runs: `owner/name/.github/workflows/x.yml@ref`."""
    named = job.context.workflow_ref.partition("@")[0]
    return named.removeprefix(f"{job.context.repository}/") if named.endswith(_YAML) else ""


_YAML = (".yml", ".yaml")

_Step = dict[str, Any]


def _list_steps(path: Path, action: str) -> list[_Step]:
    """Return what each step of this action is given, as far as it decides."""
    try:
        # not as a document: what it says of the key `on` is about another YAML
        workflow = yaml_.scan(reading.text(path))[0] if path.is_file() else {}
    except AgentEvalsError:  # GitHub runs no workflow that it cannot read
        return []
    jobs = _get(workflow, "jobs")
    return [
        _list_inputs(step) | _list_beside("job", job) | _list_beside("", step)
        for job in (jobs.values() if isinstance(jobs, dict) else ())
        for step in _get(job, "steps") or ()
        if action in str(_get(step, "uses"))
    ]


def _list_inputs(step: Any) -> _Step:
    given = _get(step, "with")
    named = (
        {str(k).replace("_", "-"): v for k, v in given.items()} if isinstance(given, dict) else {}
    )
    return {name: named[name] for name in _JUDGING if name in named}


def _list_beside(whose: str, owner: Any) -> _Step:
    return {f"{whose} {key}".strip(): owner[key] for key in _BESIDE if key in owner}


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _describe(path: str, was: list[_Step], now: list[_Step]) -> str:
    """Name the inputs that differ, where both sides have as many steps."""
    if not was:
        return f"{path} does not run this action on the base"
    if len(was) != len(now):
        return f"{path} has {len(now)} steps of this action, and had {len(was)}"
    names = {
        name: f"{name} {one.get(name, 'unset')} → {other.get(name, 'unset')}"
        for one, other in zip(was, now, strict=True)
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    }
    return f"{path}: {', '.join(names.values())}"
