"""An EvalConfig becomes a Plan."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from agentevals.configs import command_line, eval_sets, inspection
from agentevals.configs.dialects.adk.criteria import OF_THE_AGENT
from agentevals.configs.dialects.adk.metrics import Metrics, locate
from agentevals.configs.gate import Gate
from agentevals.configs.plan import Overrides, Plan
from agentevals.files.documents import Document
from agentevals.files.paths import Paths
from agentevals.model.errors import ConfigError, InputError, Problem
from agentevals.model.results import Finding, Severity

_NOTHING = (
    "'criteria' names no metric, so there is nothing to evaluate; write some, "
    'such as {"tool_trajectory_avg_score": 1.0}'
)


def plan(document: Document | None, overrides: Overrides) -> Plan:
    """Compile the config; the command line wins."""
    if document is None:
        msg = "an EvalConfig is a file; give it with --config"
        raise InputError(msg)
    command_line.check(overrides)
    paths = Paths(document, overrides.root)
    metrics = Metrics(document, paths, command_line.collect_settings(overrides))
    graders = metrics.build_graders()
    problems = list(metrics.problems)
    if not problems and not graders and not overrides.metrics:
        problems.append(document.problem(_NOTHING, ("criteria",)))
    expected, wrong = _load_eval_set(overrides.eval_set)
    if problems or wrong:
        problems += inspection.find_problems(graders, document, locate)
        raise ConfigError([*problems, *wrong])
    return Plan(
        title=document.path.name,
        graders=tuple(command_line.merge_graders(graders, overrides)),
        expectations=tuple(replace(one, equal_turns=True) for one in expected.cases)
        if expected
        else None,
        eval_set_id=expected.eval_set_id if expected else "",
        policy=command_line.override_policy(Gate(), overrides),
        judge=command_line.override_judge(None, overrides),
        trace_format=None if overrides.trace_format == "auto" else overrides.trace_format,
        group_by=overrides.group_by,
        pair=overrides.pair or "auto",
        findings=(
            *_find_remarks(document),
            *metrics.findings,
            *(expected.findings if expected else ()),
        ),
        sources=tuple(
            p.absolute() for p in (document.path, *([expected.path] if expected else []))
        ),
    )


def _load_eval_set(path: Path | None) -> tuple[eval_sets.Expectations | None, list[Problem]]:
    try:
        return (eval_sets.load(path) if path else None), []
    except ConfigError as error:
        return None, list(error.problems)


def _find_remarks(document: Document) -> Iterator[Finding]:
    """Note the keys that only matter to a run of the agent: nothing runs it here."""
    for key in document.value:
        if key not in OF_THE_AGENT:
            continue
        line, column = document.key_place((key,))
        yield Finding(
            severity=Severity.NOTE,
            rule="no-effect",
            message=f"{key!r} says how an agent is run; recordings are judged as they are",
            path=str(document.path),
            line=line,
            column=column,
        )
