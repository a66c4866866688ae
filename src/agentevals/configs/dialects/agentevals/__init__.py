"""The `eval_config.yaml` of agentevals: `evaluators:`, and what they are run on."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from agentevals.configs import building, eval_sets, gate
from agentevals.configs.building import has_name, number_names
from agentevals.configs.dialects.agentevals import top
from agentevals.configs.dialects.agentevals.top import Config
from agentevals.configs.entries import Entries, name_entry
from agentevals.configs.eval_sets import Expectations
from agentevals.configs.plan import Overrides, Plan
from agentevals.files import reading
from agentevals.files.documents import Document, Paths
from agentevals.files.places import quote
from agentevals.files.validation import Where
from agentevals.graders.grader import Grader
from agentevals.model.errors import ConfigError, Problem

KEYS = top.KEYS

_NOTHING = (
    "there is nothing to evaluate; list an evaluator under 'evaluators:', "
    "such as '- {name: tool_trajectory_avg_score, type: builtin}'"
)


def matches(document: Document) -> bool:
    """One key of ours is enough, so that the others can be complained about."""
    value = document.value
    return isinstance(value, dict) and any(key in KEYS or key in top.MOVED for key in value)


def locate(document: Document, name: str) -> Where:
    """The path of the evaluator of that name."""
    for key in top.LISTS:
        written = document.value.get(key)
        listed = written if isinstance(written, list) else []
        names = [(name_entry(entry), has_name(entry)) for entry in listed]
        for index, found in enumerate(number_names(names)):
            if found == name:
                return key, index
    return ()


def plan(document: Document | None, overrides: Overrides) -> Plan:
    """Compile the config; the command line wins."""
    overrides.check()
    if document is None:
        expected = eval_sets.load(overrides.eval_set) if overrides.eval_set else None
        graders = overrides.merge_graders([])
        return _make_plan(Config(), graders, expected, overrides)
    paths = Paths(document, overrides.root)
    config, problems = top.read(document)
    entries = Entries(document, paths, overrides.builtin_settings)
    graders = [g for key in top.LISTS if key in document.value for g in entries.graders(key)]
    expected, wrong = _load_eval_set(overrides, document, paths)
    traces = tuple(paths.absolute(t, ("traces", i)) for i, t in enumerate(config.traces))
    problems += [
        *paths.problems,
        *entries.problems,
        *wrong,
        *_refuse_empty(document, overrides, problems),
    ]
    problems += _check_gate(config, graders, document, problems)
    if problems:
        problems += building.find_problems(graders, document, locate)
        raise ConfigError(sorted(problems, key=lambda problem: _rank(problem, document)))
    made = _make_plan(config, overrides.merge_graders(graders), expected, overrides)
    wanted = [case.case_id for case in expected.cases] if expected else []
    return replace(
        made,
        title=document.path.name,
        traces=traces,
        sources=_make_absolute(
            document.path, *([expected.path] if expected else []), *entries.sources
        ),
        findings=(
            *top.find_old_spellings(document),
            *entries.findings,
            *(gate.check_cases(config.gate, wanted, document) if expected else ()),
            *paths.findings,
            *made.findings,
        ),
    )


def _make_absolute(*paths: Path) -> tuple[Path, ...]:
    return tuple(path.absolute() for path in paths)


def _make_plan(
    config: Config, graders: list[Grader], expected: Expectations | None, overrides: Overrides
) -> Plan:
    trace_format = overrides.trace_format or config.trace_format
    return Plan(
        title="agentevals",
        graders=tuple(graders),
        expectations=expected.cases if expected else None,
        eval_set_id=expected.eval_set_id if expected else "",
        policy=overrides.change_policy(config.gate),
        judge=overrides.change_judge(config.judge),
        trace_format=None if trace_format == "auto" else trace_format,
        output_format=config.output_format or config.output,
        group_by=overrides.group_by or config.group_by,
        pair=overrides.pair or config.pair or "auto",
        jobs=config.jobs,
        findings=expected.findings if expected else (),
    )


def _check_gate(
    config: Config, graders: list[Grader], document: Document, others: list[Problem]
) -> list[Problem]:
    """Said only where all evaluators are known: one that is wrong itself is not missing."""
    names = [grader.name for grader in graders]
    return [] if others else list(gate.check_names(config.gate, names, document))


def _load_eval_set(
    overrides: Overrides, document: Document, paths: Paths
) -> tuple[Expectations | None, list[Problem]]:
    """The eval set, read even when the config is wrong, so that all is said at once."""
    path, given = overrides.eval_set, document.value.get("eval_set")
    if path is None and given and isinstance(given, str):
        path = Path(paths.absolute(given, ("eval_set",)))
        if paths.problems:
            return None, []
        if not reading.exists(path):
            message = f"the eval set {quote(given)} does not exist{reading.nearest(path)}"
            return None, [document.problem(message, ("eval_set",))]
        path = reading.shortest(path)
    try:
        return (eval_sets.load(path) if path else None), []
    except ConfigError as error:
        return None, list(error.problems)


def _refuse_empty(
    document: Document, overrides: Overrides, others: list[Problem]
) -> Iterator[Problem]:
    """A list that is empty or not there; said only when nothing explains why it is not."""
    written = [key for key in top.LISTS if key in document.value]
    if overrides.metrics or any(document.value[key] not in (None, []) for key in written):
        return
    if written or not others:
        yield document.problem(_NOTHING, tuple(written[:1]), key=bool(written))


def _rank(problem: Problem, document: Document) -> tuple[bool, int, int]:
    """The config's own problems come first, each file's from top to bottom."""
    return problem.path != str(document.path), problem.line or 0, problem.column or 0
