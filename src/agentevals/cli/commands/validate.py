"""`agentevals validate`: check configs, evaluators and eval sets without running anything."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from agentevals.cli import schemas
from agentevals.configs import config_judges, dialects, eval_sets
from agentevals.configs.plan import Overrides, Plan
from agentevals.model.errors import AgentEvalsError, ConfigError, InputError, Problem
from agentevals.model.results import Finding, Severity
from agentevals.text.terminal import plain
from agentevals.text.wording import plural


@dataclass
class _Checked:
    """The outcome for one config, or for an eval set without one."""

    path: Path
    plan: Plan | None = None
    cases: int = 0
    problems: list[Problem] = field(default_factory=list)
    findings: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        graders = self.plan.outer_graders if self.plan else ()
        names = list(dict.fromkeys(grader.name for grader in graders))
        return {"path": str(self.path), "evaluators": names, "eval_cases": self.cases}


def validate(
    configs: Annotated[
        list[Path] | None, typer.Argument(metavar="CONFIG...", help="Configs to check")
    ] = None,
    eval_set: Annotated[
        Path | None,
        typer.Option(
            "-e", "--eval-set", help="Check this eval set, instead of those of the configs"
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all findings as one JSON object")
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print only the JSON Schema of configs, for editors")
    ] = False,
) -> None:
    """Check configs, their evaluators and eval sets, without running them.

    Examples:

      agentevals validate eval_config.yaml

      agentevals validate configs/*.yaml --json

      agentevals validate --eval-set eval_set.json

    Exit codes: 0 no mistakes; 2 mistakes.
    """
    if schema:
        print(schemas.path("eval_config").read_text(encoding="utf-8"), end="")
        return
    if not configs and eval_set is None:
        msg = "nothing to validate; name a config, or an eval set with --eval-set"
        raise InputError(msg)
    checked = [_check_config(path, eval_set) for path in configs or ()]
    if eval_set is not None and not configs:
        checked = [_check_eval_set(eval_set)]
    print(_write_json(checked) if as_json else "\n".join(_write_text(checked)))
    raise typer.Exit(2 if any(one.problems for one in checked) else 0)


def _check_config(path: Path, eval_set: Path | None) -> _Checked:
    try:
        plan = dialects.compile_plan(path, Overrides(eval_set=eval_set))
        config_judges.check_encryption(plan, path, os.environ)
    except AgentEvalsError as error:
        return _Checked(path, problems=_list_problems(path, error))
    problems = list(dialects.find_problems(path, plan))
    try:
        plan = dialects.inspect(path, plan)
    except AgentEvalsError as error:
        problems += _list_problems(path, error)
    problems = list(dict.fromkeys(problems))
    cases = len(plan.expectations or ())
    unasked = config_judges.find_missing(plan, path)
    findings = (*plan.findings, *dialects.find_remarks(path), *unasked)
    return _Checked(path, plan, cases, problems, findings)


def _check_eval_set(path: Path) -> _Checked:
    try:
        expected = eval_sets.load(path)
    except AgentEvalsError as error:
        return _Checked(path, problems=_list_problems(path, error))
    return _Checked(path, cases=len(expected.cases), findings=expected.findings)


def _list_problems(path: Path, error: AgentEvalsError) -> list[Problem]:
    if isinstance(error, ConfigError):
        return list(error.problems)
    return [Problem(message=str(error), path=str(path))]


def _write_text(checked: list[_Checked]) -> Iterator[str]:
    """Every problem once, though several configs may name the same eval set."""
    problems = dict.fromkeys(str(problem) for one in checked for problem in one.problems)
    findings = dict.fromkeys(
        f"{found.severity}: {found}" for one in checked for found in one.findings
    )
    yield from map(plain, problems)
    yield from map(plain, findings)
    warned = sum(one.startswith(f"{Severity.WARNING}: ") for one in findings)
    yield _summarise(checked, len(problems), warned)


def _summarise(checked: list[_Checked], problems: int, warned: int) -> str:
    files = plural(len(checked), "file")
    if problems:
        return f"{plural(problems, 'problem')} in {files}"
    graders = sum(len(one.plan.outer_graders) for one in checked if one.plan)
    cases = plural(sum(one.cases for one in checked), "eval case")
    found = plural(warned, "warning") if warned else "no problems"
    return f"{files}, {plural(graders, 'evaluator')}, {cases}: {found}"


def _write_json(checked: list[_Checked]) -> str:
    problems = [
        {
            "message": problem.message,
            "path": problem.path,
            "line": problem.line,
            "column": problem.column,
        }
        for one in checked
        for problem in one.problems
    ]
    findings = [
        {
            "severity": found.severity,
            "rule": found.rule,
            "message": found.message,
            "path": found.path,
            "line": found.line,
            "column": found.column,
        }
        for one in checked
        for found in one.findings
    ]
    return json.dumps(
        {
            "ok": not problems,
            "problems": problems,
            "findings": findings,
            "files": [one.to_json() for one in checked],
        },
        indent=2,
    )
