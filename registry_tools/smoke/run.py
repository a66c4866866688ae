"""The smoke run of a registry: every chosen entry that can run, in a checked sandbox."""

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
from registry_tools.smoke import program, rules, sandbox, storage, trial
from registry_tools.smoke.sandbox import Grants

LEAST = "partial"
_LARGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Options:
    """The sandbox level, the time limit of a run, and the variables for programs."""

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
    """Run the entries, and return findings in their order. Nothing runs without a sandbox."""
    asked = options or Options()
    known: dict[str, list[Finding]] = {}
    tasks: list[_Task] = []
    machine = storage.describe_machine() if asked.cached else ""
    for entry in filter(_can_be_run, registry.chosen):
        task = _build_task(entry, registry, asked, machine)
        found = storage.recall(task.key) if task.key else None
        if found is None:
            tasks.append(task)
        else:
            known[entry.name] = found
    if tasks and (why := sandbox.find_objection(asked.level)):
        return [*_sort(registry, known), _refuse(why)]
    most = os.cpu_count()
    with ThreadPoolExecutor(most) as programs, ThreadPoolExecutor(most) as entries:
        ran = entries.map(lambda task: _run(task, asked, programs), tasks)
        known |= {task.entry.name: found for task, found in zip(tasks, ran, strict=True)}
    return _sort(registry, known)


def _can_be_run(entry: Entry) -> bool:
    """Return whether there is a program, and no link in its folder."""
    manifest = entry.manifest
    if (
        manifest is None
        or entry.links
        or paths.check_path(manifest.entrypoint, entry.files, entry.links)
    ):
        return False
    return bool(entry.read_bytes(manifest.entrypoint, 1))


def _build_task(entry: Entry, registry: Registry, asked: Options, machine: str) -> _Task:
    given = sandbox.grant(entry, registry, asked.environ)
    # what reaches the world, or tells of its own environment, may say something else tomorrow
    lasting = asked.cached and not given and asked.level != "basic"
    return _Task(entry, given, storage.build_key(entry, asked.level, machine) if lasting else "")


def _run(task: _Task, asked: Options, programs: Executor) -> list[Finding]:
    try:
        found = list(_collect_findings(task, asked, programs))
    except (EvaluatorError, OSError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        at = task.entry.locate("entrypoint")
        found = [task.entry.report(rules.PROGRAM, f"it cannot be run: {why}", at)]
    if task.key:
        storage.remember(task.key, found)
    return found


def _collect_findings(task: _Task, asked: Options, programs: Executor) -> Iterator[Finding]:
    entry = task.entry
    if why := _explain_unlocked(entry):
        message = f"not run: {why}"
        fix = "uv pip compile --generate-hashes writes a lock"
        yield entry.report(rules.UNPROVEN, message, entry.locate("entrypoint"), fix=fix)
        return
    path = fixtures.find_file(entry)
    read = fixtures.read(entry.read_bytes(path, _LARGEST + 1), path) if path else None
    if read and read.problems:
        yield from _report_unreadable(entry, read)
        return
    if task.given:
        message = f"its program was given {task.given}"
        yield entry.report(rules.GRANTED, message, entry.locate("capabilities"))
    with program.open_program(
        entry, task.given, level=asked.level, timeout=asked.timeout
    ) as opened:
        yield from trial.try_out(entry, opened, read, programs)


def _report_unreadable(entry: Entry, read: Read) -> Iterator[Finding]:
    """Report fixtures that cannot be read, unless the rule `fixtures` does."""
    if entry.get_text("fixtures"):
        return
    for problem in read.problems:
        message = f"not run: {problem.message}"
        at = point(problem.line or 1, problem.column or 1)
        yield entry.report_in(read.path, rules.UNPROVEN, message, at, fix="correct the file")


def _explain_unlocked(entry: Entry) -> str:
    """Explain why its packages are not installed."""
    path = program.find_requirements(entry)
    if not path or entry.get_text("language") != "python":
        return ""
    text = entry.read_bytes(path, _LARGEST).decode(errors="replace")
    wrong = next(pins.find_problems(text), None)
    return f"{path} is no lock: {wrong.message}" if wrong else ""


def _refuse(why: str) -> Finding:
    return Finding(
        rule=rules.SANDBOX.id,
        severity=rules.SANDBOX.severity,
        message=f"no evaluator was run: {why}",
        path=FOLDER,
        fix="`agentevals sandbox check` shows it; --no-smoke checks without running anything",
    )


def _sort(registry: Registry, known: Mapping[str, list[Finding]]) -> list[Finding]:
    return [found for entry in registry.chosen for found in known.get(entry.name, ())]
