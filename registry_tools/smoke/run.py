"""The smoke run of a registry: every chosen entry that can be run, behind walls that hold."""

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field

from agentevals.model.errors import EvaluatorError, point
from registry_tools.manifests import fixtures
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding
from registry_tools.manifests.fixtures import Read
from registry_tools.manifests.registry import FOLDER, Registry
from registry_tools.manifests.validators import paths, pins
from registry_tools.smoke import box, grants, memory, rules, sandbox, trial
from registry_tools.smoke.grants import Grants

LEAST = "partial"
_LARGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Options:
    """How far programs must be shut in, how long one run may take, and what they may be given."""

    level: str = LEAST
    timeout: float = 10
    cached: bool = True
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)


@dataclass(frozen=True)
class _Task:
    """An entry that is to be run, and the key of what is known about it."""

    entry: Entry
    given: Grants
    key: str


def run(registry: Registry, options: Options | None = None) -> list[Finding]:
    """What the runs show, in the order of the entries. Nothing runs if the walls do not hold."""
    asked = options or Options()
    known: dict[str, list[Finding]] = {}
    tasks: list[_Task] = []
    machine = memory.machine() if asked.cached else ""
    for entry in filter(_can_be_run, registry.chosen):
        task = _task(entry, registry, asked, machine)
        found = memory.recalled(task.key) if task.key else None
        if found is None:
            tasks.append(task)
        else:
            known[entry.name] = found
    if tasks and (why := sandbox.objection(asked.level)):
        return [*_in_order(registry, known), _refused(why)]
    most = os.cpu_count()
    with ThreadPoolExecutor(most) as programs, ThreadPoolExecutor(most) as entries:
        ran = entries.map(lambda task: _run(task, asked, programs), tasks)
        known |= {task.entry.name: found for task, found in zip(tasks, ran, strict=True)}
    return _in_order(registry, known)


def _can_be_run(entry: Entry) -> bool:
    """Whether there is a program, and nothing in its folder that leads elsewhere."""
    manifest = entry.manifest
    if (
        manifest is None
        or entry.links
        or paths.check_path(manifest.entrypoint, entry.files, entry.links)
    ):
        return False
    return bool(entry.read_bytes(manifest.entrypoint, 1))


def _task(entry: Entry, registry: Registry, asked: Options, machine: str) -> _Task:
    given = grants.granted(entry, registry, asked.environ)
    # what reaches the world, or tells of its own environment, may say something else tomorrow
    lasting = asked.cached and not given and asked.level != "basic"
    return _Task(entry, given, memory.key(entry, asked.level, machine) if lasting else "")


def _run(task: _Task, asked: Options, programs: Executor) -> list[Finding]:
    try:
        found = list(_findings(task, asked, programs))
    except (EvaluatorError, OSError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        at = task.entry.locate("entrypoint")
        found = [task.entry.report(rules.PROGRAM, f"it cannot be run: {why}", at)]
    if task.key:
        memory.remember(task.key, found)
    return found


def _findings(task: _Task, asked: Options, programs: Executor) -> Iterator[Finding]:
    entry = task.entry
    if why := _unlocked(entry):
        message = f"not run: {why}"
        fix = "uv pip compile --generate-hashes writes a lock"
        yield entry.report(rules.UNPROVEN, message, entry.locate("entrypoint"), fix=fix)
        return
    path = fixtures.find_file(entry)
    read = fixtures.read(entry.read_bytes(path, _LARGEST + 1), path) if path else None
    if read and read.problems:
        yield from _unreadable(entry, read)
        return
    if task.given:
        message = f"its program was given {task.given}"
        yield entry.report(rules.GRANTED, message, entry.locate("capabilities"))
    with box.opened(entry, task.given, level=asked.level, timeout=asked.timeout) as opened:
        yield from trial.findings(entry, opened, read, programs)


def _unreadable(entry: Entry, read: Read) -> Iterator[Finding]:
    """Where the manifest names the file, the rule `fixtures` says what is wrong with it."""
    if entry.get_text("fixtures"):
        return
    for problem in read.problems:
        message = f"not run: {problem.message}"
        at = point(problem.line or 1, problem.column or 1)
        yield entry.report_in(read.path, rules.UNPROVEN, message, at, fix="correct the file")


def _unlocked(entry: Entry) -> str:
    """Why its packages are not installed."""
    path = box.requirements_of(entry)
    if not path or entry.get_text("language") != "python":
        return ""
    text = entry.read_bytes(path, _LARGEST).decode(errors="replace")
    wrong = next(pins.find_problems(text), None)
    return f"{path} is no lock: {wrong.message}" if wrong else ""


def _refused(why: str) -> Finding:
    return Finding(
        rule=rules.SANDBOX.id,
        severity=rules.SANDBOX.severity,
        message=f"no evaluator was run: {why}",
        path=FOLDER,
        fix="`agentevals sandbox check` shows it; --no-smoke checks without running anything",
    )


def _in_order(registry: Registry, known: Mapping[str, list[Finding]]) -> list[Finding]:
    return [found for entry in registry.chosen for found in known.get(entry.name, ())]
