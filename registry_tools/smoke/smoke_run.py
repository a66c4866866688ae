"""The smoke run of a registry: every chosen entry that can run, in a checked sandbox."""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

import agentevals_evaluator_sdk
from agentevals.cli import schemas
from agentevals.model.errors import EvaluatorError, point
from agentevals.model.results import Severity
from agentevals.model.version import VERSION
from agentevals.sandbox import isolation, wire_protocol
from agentevals.sandbox.program_runtimes import find_node, node_version
from registry_tools import smoke
from registry_tools.manifests import manifest_fixtures, manifest_paths
from registry_tools.manifests.manifest_fixtures import Read
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding
from registry_tools.manifests.registry_folder import FOLDER, Registry
from registry_tools.rules import requirements
from registry_tools.smoke import smoke_program, smoke_rules, smoke_trial
from registry_tools.smoke.smoke_program import Grants

LEAST = "partial"
_LARGEST = 1 << 20
_LARGEST_FILE = 64 << 20  # of an entry, in the key of its results
_KIND = "results"


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
    machine = describe_machine() if asked.cached else ""
    for entry in filter(_can_be_run, registry.chosen):
        task = _build_task(entry, registry, asked, machine)
        found = recall(task.key) if task.key else None
        if found is None:
            tasks.append(task)
        else:
            known[entry.name] = found
    if tasks and (why := smoke_program.find_objection(asked.level)):
        return [*_sort(registry, known), _refuse(why)]
    most = os.cpu_count()
    with ThreadPoolExecutor(most) as programs, ThreadPoolExecutor(most) as entries:
        ran = entries.map(lambda task: _run(task, asked, programs), tasks)
        known |= {task.entry.name: found for task, found in zip(tasks, ran, strict=True)}
    return _sort(registry, known)


def _can_be_run(entry: Entry) -> bool:
    """Return whether there is a program, and no link in its folder."""
    manifest = entry.manifest
    if manifest is None or entry.links or manifest_paths.check_path(entry, manifest.entrypoint):
        return False
    return bool(entry.read_bytes(manifest.entrypoint, 1))


def _build_task(entry: Entry, registry: Registry, asked: Options, machine: str) -> _Task:
    given = smoke_program.grant(entry, registry, asked.environ)
    # what reaches the world, or tells of its own environment, may say something else tomorrow
    lasting = asked.cached and not given and asked.level != "basic"
    return _Task(entry, given, build_key(entry, asked.level, machine) if lasting else "")


def _run(task: _Task, asked: Options, programs: Executor) -> list[Finding]:
    try:
        found = list(_collect_findings(task, asked, programs))
    except (EvaluatorError, OSError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        at = task.entry.locate("entrypoint")
        found = [task.entry.report(smoke_rules.PROGRAM, f"it cannot be run: {why}", at)]
    if task.key:
        remember(task.key, found)
    return found


def _collect_findings(task: _Task, asked: Options, programs: Executor) -> Iterator[Finding]:
    entry = task.entry
    if why := _explain_unlocked(entry):
        message = f"not run: {why}"
        fix = "uv pip compile --generate-hashes writes a lock"
        yield entry.report(smoke_rules.UNPROVEN, message, entry.locate("entrypoint"), fix=fix)
        return
    path = manifest_fixtures.find_file(entry)
    read = manifest_fixtures.read(entry.read_bytes(path, _LARGEST + 1), path) if path else None
    if read and read.problems:
        yield from _report_unreadable(entry, read)
        return
    if task.given:
        message = f"its program was given {task.given}"
        yield entry.report(smoke_rules.GRANTED, message, entry.locate("capabilities"))
    with smoke_program.open_program(
        entry, task.given, level=asked.level, timeout=asked.timeout
    ) as opened:
        yield from smoke_trial.try_out(entry, opened, read, programs)


def _report_unreadable(entry: Entry, read: Read) -> Iterator[Finding]:
    """Report fixtures that cannot be read, unless the rule `fixtures` does."""
    if entry.get_text("fixtures"):
        return
    for problem in read.problems:
        message = f"not run: {problem.message}"
        at = point(problem.line or 1, problem.column or 1)
        yield entry.report_in(read.path, smoke_rules.UNPROVEN, message, at, fix="correct the file")


def _explain_unlocked(entry: Entry) -> str:
    """Explain why its packages are not installed."""
    path = smoke_program.find_requirements(entry)
    if not path or entry.get_text("language") != "python":
        return ""
    text = entry.read_bytes(path, _LARGEST).decode(errors="replace")
    wrong = next(requirements.find_problems(text), None)
    return f"{path} is no lock: {wrong.message}" if wrong else ""


def _refuse(why: str) -> Finding:
    fix = "`agentevals sandbox check` shows it; --no-smoke checks without running anything"
    return smoke_rules.SANDBOX.report(f"no evaluator was run: {why}", FOLDER, fix=fix)


def _sort(registry: Registry, known: Mapping[str, list[Finding]]) -> list[Finding]:
    return [found for entry in registry.chosen for found in known.get(entry.name, ())]


def build_key(entry: Entry, level: str, machine: str) -> str:
    """Build the key of everything that a smoke run depends on; "" if it cannot be read."""
    try:
        digests = {
            file: hashlib.sha256(entry.read_bytes(file, _LARGEST_FILE)).hexdigest()
            for file in entry.files
        }
    except OSError:
        return ""
    parts = (machine, entry.folder, level, digests)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def describe_machine() -> str:
    """Describe the interpreters, and the parts of our code that matter."""
    folders = (smoke, isolation, agentevals_evaluator_sdk)
    ours = [Path(module.__file__ or "") for module in folders]
    files = [file for one in ours for file in sorted(one.parent.rglob("*.py"))]
    files += [Path(wire_protocol.__file__), schemas.path("evaluator")]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return json.dumps((VERSION, sys.version, _find_node(), digest.hexdigest()))


def recall(key: str) -> list[Finding] | None:
    """Return the findings of the last run."""
    content = smoke_program.find(_KIND, f"{key}.json")
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=list[Finding])
    except msgspec.DecodeError:
        return None


def remember(key: str, findings: Iterable[Finding]) -> None:
    """Remember findings without errors; a failure is tried again."""
    found = list(findings)
    if not any(finding.severity is Severity.ERROR for finding in found):
        with suppress(OSError):  # a machine without a place for it tries again
            smoke_program.keep(_KIND, f"{key}.json", msgspec.json.encode(found))


def _find_node() -> str:
    try:
        return ".".join(map(str, node_version(find_node())))
    except RuntimeError:
        return ""
