"""The `eval_config.yaml` of agentevals: `evaluators:`, and what they are run on."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agentevals.configs import config_gate, config_problems, eval_sets
from agentevals.configs.config_entries import Entries, name_entry
from agentevals.configs.config_gate import Gate
from agentevals.configs.config_graders import has_name, number_names
from agentevals.configs.eval_sets import Expectations
from agentevals.configs.plan import Overrides, Pairs, Plan, Texts, flatten
from agentevals.files import named_files
from agentevals.files.document_places import quote
from agentevals.files.documents import Document, Paths
from agentevals.files.pydantic_mistakes import Where, validate
from agentevals.graders.budgets.spending import Price
from agentevals.graders.grader import Grader
from agentevals.judge import JudgeSettings
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.output_formats import OUTPUT_FORMATS
from agentevals.model.plugins import suggestion
from agentevals.model.results import Finding
from agentevals.traces.loaders import LOADERS

LISTS = ("evaluators", "metrics")  # today's spelling first

# what is written elsewhere now, or was written here once
_MOVED = {
    "custom_evaluators": "list its entries under 'evaluators', each with a 'type'",
    "judge_model": "write 'judge: {model: …}', or 'judge_model' in an evaluator",
    "threshold": "write it in each evaluator",
    "trajectory_match_type": "write it in the evaluator 'tool_trajectory_avg_score'",
    "max_concurrent_evals": "write 'jobs'",
    "max_concurrent_traces": "write 'jobs'",
    "on_not_evaluated": "write it under 'gate'",
    "allow_missing": "write it under 'gate'",
    "allow_foreign": "write it under 'gate'",
    "approval": "write it under 'gate'",
    "on_stale_recording": "write it under 'gate'",
}


class Config(BaseModel):
    """The top level, without the list of evaluators."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    eval_set: str | None = Field(
        default=None, min_length=1, description="The eval set with the expectations"
    )
    traces: Texts = Field(
        default=[], description="Trace files, folders or globs, for runs that name none"
    )
    agent: Texts = Field(
        default=[],
        description="The files that the agent is made of: files, folders and globs, `!` to leave "
        "some out. A recording is fresh if they are what they were",
    )
    trace_format: str | None = Field(
        default=None, description="Format of the traces, instead of recognising it"
    )
    output_format: str | None = Field(default=None, description="What `run` prints")
    output: str | None = Field(default=None, description="The same as `output_format`")
    group_by: Literal["auto", "trace", "conversation"] | None = Field(
        default=None, description="What counts as one conversation"
    )
    pair: Pairs | None = Field(
        default=None,
        description="How traces find their eval cases: by id and text, or in the order of both",
    )
    judge: JudgeSettings | None = Field(
        default=None, description="The language model that judged evaluators ask"
    )
    gate: Gate = Field(default=Gate(), description="What fails a run")
    prices: dict[str, Price] = Field(
        default={},
        description="US dollars per million tokens by model, for the cost of the recordings, "
        "written as in `cost_v1`",
    )
    jobs: int | None = Field(default=None, ge=1, description="How many evaluators at a time")


KEYS = (*LISTS, *Config.model_fields)
_OF_ADK = "criteria"


_SUGGESTED = [key for key in KEYS if key not in {"metrics", "output"}]
_NOTHING = (
    "there is nothing to evaluate; list an evaluator under 'evaluators:', "
    "such as '- {name: tool_trajectory_avg_score, type: builtin}'"
)


def matches(document: Document) -> bool:
    """One key of ours is enough, so that the others can be complained about.

    Without a list of evaluators it is not, beside the criteria of ADK: that dialect says where
    else its settings are made.
    """
    value = document.value
    if not isinstance(value, dict):
        return False
    own = {key for key in value if key in KEYS or key in _MOVED}
    return bool(own) and not (_OF_ADK in value and own.isdisjoint(LISTS))


def locate(document: Document, name: str) -> Where:
    """Return the path of the evaluator of that name."""
    for key in LISTS:
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
    config, problems = _read_settings(document)
    entries = Entries(document, paths, overrides.builtin_settings)
    graders = [g for key in LISTS if key in document.value for g in entries.graders(key)]
    expected, wrong = _load_eval_set(
        overrides,
        document,
        paths,
        config.gate.cluster,
        invocations=any(grader.reads_invocations for grader in flatten(graders)),
    )
    traces = tuple(paths.pattern(t, ("traces", i)) for i, t in enumerate(config.traces))
    problems += [
        *paths.problems,
        *entries.problems,
        *wrong,
        *_refuse_empty(document, overrides, problems),
    ]
    if not problems:  # an evaluator that is wrong itself is not missing
        names = [grader.name for grader in graders]
        problems += config_gate.check_names(config.gate, names, document)
    if problems:
        problems += config_problems.find_problems(graders, document, locate)
        raise ConfigError(problems)
    made = _make_plan(config, overrides.merge_graders(graders), expected, overrides)
    wanted = (case.case_id for case in expected.cases) if expected else ()
    sources = (document.path, *([expected.path] if expected else []), *entries.sources)
    return replace(
        made,
        title=document.path.name,
        traces=traces,
        sources=tuple(path.absolute() for path in sources),
        findings=(
            *_find_old_spellings(document),
            *entries.findings,
            *(config_gate.check_cases(config.gate, wanted, document) if expected else ()),
            *paths.findings,
            *made.findings,
        ),
    )


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
        prices=config.prices,
        findings=expected.findings if expected else (),
    )


def _load_eval_set(
    overrides: Overrides, document: Document, paths: Paths, cluster: str, *, invocations: bool
) -> tuple[Expectations | None, list[Problem]]:
    """Return the eval set, read even when the config is wrong, so that all is said at once."""
    path, given = overrides.eval_set, document.value.get("eval_set")
    if path is None and given and isinstance(given, str):
        path = Path(paths.absolute(given, ("eval_set",)))
        if paths.problems:
            return None, []
        if not named_files.exists(path):
            message = f"the eval set {quote(given)} does not exist{named_files.nearest(path)}"
            return None, [document.problem(message, ("eval_set",))]
        path = named_files.shortest(path)
    return eval_sets.try_load(path, cluster, invocations=invocations)


def _refuse_empty(
    document: Document, overrides: Overrides, others: list[Problem]
) -> Iterator[Problem]:
    """Refuse a list that is empty or missing, where nothing explains why it is."""
    written = [key for key in LISTS if key in document.value]
    if overrides.metrics or any(document.value[key] not in (None, []) for key in written):
        return
    if written or not others:
        yield document.problem(_NOTHING, tuple(written[:1]), key=bool(written))


def _read_settings(document: Document) -> tuple[Config, list[Problem]]:
    """Return the settings, or the default ones and what is wrong with those that are written."""
    written = document.value
    settings = {key: written[key] for key in Config.model_fields if key in written}
    config, problems = validate(Config, settings, document)
    strange = [key for key in written if key not in KEYS and key not in _MOVED]
    problems += document.find_unknown_keys(strange, _SUGGESTED)
    return config or Config(), [
        *problems,
        *_refuse_moved(document),
        *_refuse_unknown_formats(document),
    ]


def _find_old_spellings(document: Document) -> Iterator[Finding]:
    if "metrics" in document.value:
        message = "'metrics' is the old spelling of 'evaluators'; write that instead"
        yield document.finding("deprecated", message, ("metrics",), key=True)


def _refuse_moved(document: Document) -> Iterator[Problem]:
    for key, remedy in _MOVED.items():
        if key in document.value:
            message = f"{key!r} is not a key of the top level; {remedy}"
            yield document.problem(message, (key,), key=True)
    for first, second in (LISTS, ("output_format", "output")):
        if first in document.value and second in document.value:
            message = f"{first!r} and {second!r} mean the same; keep {first!r}"
            yield document.problem(message, (second,), key=True)


def _refuse_unknown_formats(document: Document) -> Iterator[Problem]:
    for key, table in (
        ("trace_format", LOADERS),
        ("output_format", OUTPUT_FORMATS),
        ("output", OUTPUT_FORMATS),
    ):
        name = document.value.get(key)
        if isinstance(name, str) and name not in table and (key, name) != ("trace_format", "auto"):
            known = suggestion(name, list(table))
            yield document.problem(f"{key!r}: unknown format {quote(name)}{known}", (key,))
