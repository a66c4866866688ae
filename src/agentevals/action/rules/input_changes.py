"""What the workflow asks of this action: its inputs decide as much as a config does.

A workflow may do anything besides, so this notices a change, and prevents none.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentevals.action.job import NAME, Job
from agentevals.files import named_files, yaml_reader
from agentevals.model.errors import AgentEvalsError
from agentevals.model.rule_changes import compute_digest
from agentevals.text.json_text import encode

RULE = "workflow"
# the inputs that decide what is judged, by what, and whether that fails
_JUDGING = (
    *("command", "config", "traces", "eval-set", "working-directory", "shard", "parts", "paths"),
    *("fail-on", "on-not-evaluated", "baseline", "dry-run", "isolation"),
    *("judge-model", "judge-provider", "judge-base-url", "judge-api-key-env"),
)
_BESIDE = ("if", "continue-on-error")  # what keeps a step, or the job of it, from failing
_MEANING = ("env", "strategy", "with", "inputs", "on")  # what expressions in inputs stand for
_EXPRESSIONS = "expressions"
_VARIABLE = "INPUT_"  # begins the variable that holds an input
_DEEPEST = 40  # workflows, jobs and steps within each other, which may go round


def find_changes(job: Job, base: Path, head: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the change of the workflow that runs, if there is one: the rule, and its digest."""
    path = _find_path(job)
    if not path:
        return
    action = job.environ.get("GITHUB_ACTION_REPOSITORY", "") or f"/{NAME}-action"
    was, now = ([*_Place(root, action).list_steps(path)] for root in (base, head))
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


@dataclass(frozen=True)
class _Place:
    """The place of a step: what keeps it from failing, and what its expressions may mean."""

    root: Path
    action: str
    beside: _Step = field(default_factory=dict)
    means: tuple[_Step, ...] = ()

    def enter(self, whose: str, owner: Any) -> "_Place":
        """Return the place within a workflow, a job or a step."""
        beside = {f"{whose} {key}".strip(): owner[key] for key in _BESIDE if key in owner}
        means = {key: owner[key] for key in _MEANING if key in owner}
        return replace(self, beside=self.beside | beside, means=(*self.means, means))

    def list_steps(self, name: str) -> Iterator[_Step]:
        """Yield what each step of this action is given, in a file and in those that it uses."""
        path = Path(os.path.normpath(self.root / name))
        if len(self.means) > _DEEPEST or not path.is_relative_to(self.root):
            return
        document = _read(path)
        inner = self.enter("", document)
        jobs = _get(document, "jobs")
        for job in (*(jobs.values() if isinstance(jobs, dict) else ()), _get(document, "runs")):
            if isinstance(job, dict):
                yield from inner.enter("job", job).list_steps_of(job)

    def list_steps_of(self, job: _Step) -> Iterator[_Step]:
        """Yield those of a job, or of an action that is made of steps."""
        yield from self.follow(job)
        for step in job.get("steps") or ():
            if isinstance(step, dict):
                inner = self.enter("", step)
                if self.action in str(step.get("uses")):
                    yield inner.list_inputs(step)
                yield from inner.follow(step)

    def follow(self, owner: _Step) -> Iterator[_Step]:
        """Yield those of a workflow or an action of the repository that is used here."""
        used = str(owner.get("uses"))
        for name in _list_files(used) if used.startswith("./") else ():
            yield from self.list_steps(name)

    def list_inputs(self, step: _Step) -> _Step:
        """Return what the step is given, as far as it decides."""
        given = _list_inputs(step) | _list_variables(self.means)
        written = any("${{" in str(value) for value in given.values())
        return given | self.beside | ({_EXPRESSIONS: self.means} if written else {})


def _list_files(used: str) -> tuple[str, ...]:
    return (used,) if used.endswith(_YAML) else (f"{used}/action.yml", f"{used}/action.yaml")


def _read(path: Path) -> Any:
    try:
        # not as a document: what it says of the key `on` is about another YAML
        return (yaml_reader.scan(named_files.text(path))[0] if path.is_file() else {}) or {}
    except AgentEvalsError:  # GitHub runs no workflow that it cannot read
        return {}


def _list_variables(means: Iterable[_Step]) -> _Step:
    """Return the inputs that are given as variables of the container, under their other name."""
    found = [owner for one in means if isinstance(owner := one.get("env"), dict)]
    named = {_name(str(k)[len(_VARIABLE) :]): v for env in found for k, v in env.items()
             if str(k).upper().startswith(_VARIABLE)}  # fmt: skip
    return {name: named[name] for name in _JUDGING if name in named}


def _name(written: str) -> str:
    return written.replace("_", "-").lower()


def _list_inputs(step: Any) -> _Step:
    given = _get(step, "with")
    named = {_name(str(k)): v for k, v in given.items()} if isinstance(given, dict) else {}
    return {name: named[name] for name in _JUDGING if name in named}


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _describe(path: str, was: list[_Step], now: list[_Step]) -> str:
    """Name the inputs that differ, where both sides have as many steps."""
    if not was:
        return f"{path} does not run this action on the base"
    if len(was) != len(now):
        return f"{path} has {len(now)} steps of this action, and had {len(was)}"
    names = {
        name: _compare(name, one.get(name, "unset"), other.get(name, "unset"))
        for one, other in zip(was, now, strict=True)
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    }
    return f"{path}: {', '.join(names.values())}"


def _compare(name: str, was: Any, now: Any) -> str:
    return "what its expressions mean" if name == _EXPRESSIONS else f"{name} {was} → {now}"
