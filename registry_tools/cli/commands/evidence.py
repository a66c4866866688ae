"""`agentevals registry evidence`: how well evaluators judge examples that people labelled."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from agentevals.cli import run_options
from agentevals.configs.plan import Overrides
from agentevals.files import atomic_files
from agentevals.judge import Judge, JudgeSettings, create_judge
from agentevals.model.errors import ConfigError, InputError, Problem
from registry_tools.cli import print_line
from registry_tools.cli.registry_gate import Isolation
from registry_tools.evidence import evidence_measuring, evidence_page, labelled_examples
from registry_tools.evidence.evidence_measuring import Evidence, Misjudged
from registry_tools.evidence.labelled_examples import Labelled
from registry_tools.manifests import registry_folder
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_folder import Registry
from registry_tools.smoke import smoke_program

_PAGE = "README.md"
_TIMEOUT = 20.0
_TIMEOUT_OF_JUDGED = 600.0


def evidence(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Registries or entries; default: the registry in this folder"),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write evidence.json and the section of each README")
    ] = False,
    isolation: Annotated[
        Isolation, typer.Option(help="The lowest isolation level of programs")
    ] = Isolation.PARTIAL,
    judge_model: run_options.JudgeModel = None,
    judge_base_url: run_options.JudgeBaseUrl = None,
    judge_provider: run_options.JudgeProvider = None,
    judge_api_key_env: run_options.JudgeApiKeyEnv = None,
) -> None:
    """Run evaluators on labelled examples, and measure recall and precision.

    The examples are in examples.yaml beside the manifest. held_out.yaml has examples that nobody
    used to write the program. Without --write, the command checks whether the READMEs are up to
    date. An evaluator with a judge needs --judge-model. Each program gets the capabilities of its
    manifest.

    Examples:

      agentevals registry evidence

      agentevals registry evidence evaluators/politeness --write

      agentevals registry evidence evaluators/faithfulness --write --judge-model gpt-5-mini

    Exit codes: 0 measured, and the READMEs are up to date; 1 a README is not; 2 it cannot be
    measured.
    """
    where = registry_folder.find(paths or [Path()])
    found = registry_folder.read(where.root, where.names, where.folder)
    chosen = [one for one in found.chosen if one.manifest and labelled_examples.FILE in one.files]
    if not chosen:
        msg = (
            f"no evaluator here has a file {labelled_examples.FILE}; write one beside its manifest"
        )
        raise InputError(msg)
    _check_examples(chosen)
    if why := smoke_program.find_objection(isolation.value):
        raise InputError(why)
    settings = Overrides(
        judge_model=judge_model,
        judge_base_url=judge_base_url,
        judge_provider=judge_provider.value if judge_provider else None,
        judge_api_key_env=judge_api_key_env,
    ).change_judge(None)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        measure = _Measure(found, pool, isolation.value, settings)
        stale = [_settle(one, measure(one), write=write) for one in chosen]
    raise typer.Exit(1 if any(stale) else 0)


def _check_examples(chosen: list[Entry]) -> None:
    """Raise ConfigError with all that is wrong in the examples of all evaluators."""
    problems: list[Problem] = []
    for entry in chosen:
        for file in evidence_measuring.SETS:
            try:
                _read_examples(entry, file)
            except ConfigError as error:
                problems += error.problems
    if problems:
        raise ConfigError(problems)


@dataclass(frozen=True)
class _Measure:
    """Measures evaluators one by one, those that ask a judge only if there is one."""

    registry: Registry
    pool: ThreadPoolExecutor
    level: str
    settings: JudgeSettings | None

    def __call__(self, entry: Entry) -> Evidence | None:
        """Print what was found, and return it; or what was found before."""
        if not evidence_measuring.asks_judge(entry):
            return self._run(entry, None, _TIMEOUT)
        if self.settings is None:
            listed = [
                one for file in evidence_measuring.SETS for one in _read_examples(entry, file)
            ]
            print_line(
                f"{entry.name}: not measured: its {len(listed)} examples need a judge; "
                "give --judge-model"
            )
            return evidence_measuring.read_evidence(entry)
        return self._run(entry, create_judge(self.settings), _TIMEOUT_OF_JUDGED)

    def _run(self, entry: Entry, judge: Judge | None, timeout: float) -> Evidence:
        given = smoke_program.grant(entry, self.registry, os.environ)
        if given:
            print_line(f"{entry.name}: its program was given {given}")
        with (
            evidence_measuring.lend(entry, judge, given) as grants,
            smoke_program.open_program(entry, grants, level=self.level, timeout=timeout) as opened,
        ):
            made, wrong = evidence_measuring.measure(
                entry,
                lambda message: opened.run(message.model_dump_json().encode()),
                self.pool,
                (judge and self.settings and self.settings.model) or "",
            )
        _describe(entry, made, wrong)
        return made


def _read_examples(entry: Entry, file: str) -> tuple[Labelled, ...]:
    return labelled_examples.read(entry, file) if file in entry.files else ()


def _settle(entry: Entry, made: Evidence | None, *, write: bool) -> bool:
    """Write the evidence, or say which files are out of date and return whether any is."""
    stale = _list_stale(entry, made)
    if write:
        for file, content in stale.items():
            atomic_files.write(entry.home / file, content)
        return False
    for file in stale:
        print_line(f"{entry.folder}/{file} is out of date: run with --write")
    return bool(stale)


def _describe(entry: Entry, made: Evidence, wrong: list[Misjudged]) -> None:
    for one in made.sets:
        reported = one.found + one.false_alarms
        print_line(
            f"{entry.name} {one.file}: found {evidence_page.write_share(one.found, one.failures)}, "
            f"right {evidence_page.write_share(one.found, reported)}, "
            f"{one.right} of {one.examples} as labelled"
        )
    for misjudged in wrong:
        print_line(str(misjudged))


def _list_stale(entry: Entry, made: Evidence | None) -> dict[str, bytes]:
    """Return the files that say something else, with what they must say."""
    wanted: dict[str, bytes] = {}
    if made:
        wanted[evidence_measuring.FILE] = (
            msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"
        )
    if _PAGE in entry.files:
        text = entry.read_bytes(_PAGE, 1 << 20).decode()
        wanted[_PAGE] = evidence_page.replace_section(
            text, evidence_page.write_section(made)
        ).encode()
    return {
        file: content
        for file, content in wanted.items()
        if file not in entry.files or entry.read_bytes(file, 1 << 20) != content
    }
