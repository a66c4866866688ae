"""An EvalConfig becomes a Plan: each of its criteria is a grader."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from agentevals.configs import config_problems, eval_sets
from agentevals.configs.config_gate import Gate
from agentevals.configs.config_graders import Builder
from agentevals.configs.dialects.adk.adk_config_criteria import (
    COUNTERS,
    CRITERIA,
    OF_THE_AGENT,
    Criterion,
    Custom,
    EvalConfig,
)
from agentevals.configs.ignored_config_keys import IgnoredKeys
from agentevals.configs.plan import Overrides, Plan
from agentevals.files.document_places import quote
from agentevals.files.documents import Document, Paths
from agentevals.files.pydantic_mistakes import Where, complaints
from agentevals.graders import GRADERS
from agentevals.graders.grader import Grader, Services
from agentevals.model.errors import ConfigError, InputError, Problem
from agentevals.model.plugins import suggestion
from agentevals.model.results import Finding, Severity

_NOTHING = (
    "'criteria' names no metric, so there is nothing to evaluate; write some, "
    'such as {"tool_trajectory_avg_score": 1.0}'
)


_FUNCTION = "adk_function"
_INSTEAD = {  # keys of a config of ours, and where an EvalConfig has what they say
    "judge": "name the model in 'judge_model_options', or with --judge-model, "
    "and who serves it with --judge-base-url or --judge-provider",
    "gate": "use --on-not-evaluated or --allow-missing, or list the metrics under 'evaluators' "
    "in a config that has a gate",
    "agent": "write it under 'x-agentevals'",
    "eval_set": "name it with --eval-set",
    "traces": "name them on the command line",
    "trace_format": "use --format",
    "output_format": "use --output",
    "group_by": "use --group-by",
    "pair": "use --pair",
    "jobs": "use --jobs",
    "prices": "list the metrics under 'evaluators' in a config that has prices",
}
# how deep the keys lie that ADK ignores; in all other places it refuses them
_OF_THE_FILE, _OF_A_METRIC, _OF_A_CRITERION = 1, 3, 1


class Metrics:
    """Reads the criteria; collects what is wrong with them, and what should be said."""

    def __init__(
        self,
        document: Document,
        paths: Paths,
        overrides: Mapping[str, Any],
        keys: IgnoredKeys,
    ) -> None:
        self._document, self._overrides, self._keys = document, overrides, keys
        self._builder = Builder(document, paths, lambda _entry, _where: None)
        self.problems: list[Problem] = self._builder.problems
        self.findings: list[Finding] = []

    def build_graders(self) -> list[Grader]:
        """Return a grader for every criterion, in the order of the file."""
        known = {key: v for key, v in self._document.value.items() if not str(key).startswith("x-")}
        levels = (_OF_THE_FILE, _OF_A_METRIC)
        for key in [key for key in known if key in _INSTEAD]:
            if known.pop(key) is not None:
                about = f"an EvalConfig has no {quote(key)}; {_INSTEAD[key]}"
                self.problems.append(self._document.problem(about, (key,), key=True))
        config, problems = self._keys.validate(EvalConfig, known, self._document, levels=levels)
        self.problems += problems
        written = self._document.value.get("criteria")
        criteria = written if isinstance(written, dict) else {}
        if config:
            self._warn_without_criterion(config)
        # where the rest is wrong the criteria are still checked, so that all is said at once
        found = [self._build_grader(name, value, config) for name, value in criteria.items()]
        return [grader for grader in found if grader is not None]

    def _build_grader(self, name: str, value: Any, config: EvalConfig | None) -> Grader | None:
        where = ("criteria", name)
        custom = config.custom_metrics.get(name) if config else None
        own = _get_either(self._document.value, "custom_metrics", "customMetrics")
        is_own = isinstance(own, dict) and name in own
        kind = Custom if is_own else CRITERIA.get(name)
        if kind is None:
            self.problems.append(self._document.problem(_describe_unknown(name), where, key=True))
            return None
        criterion = self._read_criterion(kind, name, value, where)
        if criterion is None or config is None:
            return None
        self._note_without_effect(name, value, where)
        settings = criterion.settings()
        if custom:
            settings |= {"function": custom.code_config.name, "metric_info": custom.metric_info}
        model = GRADERS[_FUNCTION if custom else name]
        known = {
            key: given
            for key, given in (settings | dict(self._overrides)).items()
            if key in model.model_fields and given is not None
        }
        return self._builder.build(model, {"name": name, **known}, where)

    def _read_criterion(
        self, kind: type[Criterion], name: str, value: Any, where: Where
    ) -> Criterion | None:
        """A number is the threshold; an object says more, and has to say the threshold too."""
        about = f"metric {quote(name)}: "
        if isinstance(value, dict):
            levels = (_OF_A_CRITERION,)
            made, problems = self._keys.validate(
                kind, value, self._document, where, about=about, levels=levels
            )
            self.problems += problems
            return made
        try:
            return kind.model_validate({"threshold": value})
        except ValidationError as error:
            self.problems += complaints(error, self._document, kind, where, about=about)
            return None

    def _note_without_effect(self, name: str, value: Any, where: Where) -> None:
        spellings = (
            "include_intermediate_responses_in_final",
            "includeIntermediateResponsesInFinal",
        )
        if name == "response_match_score" and _get_either(value, *spellings):
            message = f"{spellings[0]!r} has no effect on {name!r}, in ADK and here"
            self._note(message, where)
        options = _get_either(value, "judge_model_options", "judgeModelOptions")
        if _get_either(options, "judge_model_config", "judgeModelConfig"):
            message = "'judge_model_config' is Gemini's own; the judge of the run has its settings"
            self._note(message, where)

    def _warn_without_criterion(self, config: EvalConfig) -> None:
        """Declared, but never asked for: ADK says nothing about it."""
        spelling = _spell_custom_metrics(self._document)
        for name in config.custom_metrics:
            if name not in config.criteria:
                near = get_close_matches(name, config.criteria, n=1)
                remedy = f"; is {near[0]!r} meant?" if near else f"; add {name!r} to 'criteria'"
                message = f"custom metric {quote(name)} has no criterion, so it never runs{remedy}"
                self._note(message, (spelling, name), Severity.WARNING)

    def _note(self, message: str, where: Where, severity: Severity = Severity.NOTE) -> None:
        found = self._document.finding("no-effect", message, where, severity, key=True)
        self.findings.append(found)


def plan(document: Document | None, overrides: Overrides) -> Plan:
    """Compile the config; the command line wins."""
    if document is None:
        msg = "an EvalConfig is a file; give it with --config"
        raise InputError(msg)
    overrides.check()
    paths = Paths(document, overrides.root)
    keys = IgnoredKeys(document)
    metrics = Metrics(document, paths, overrides.builtin_settings, keys)
    graders = metrics.build_graders()
    problems = list(metrics.problems)
    if not problems and not graders and not overrides.metrics:
        problems.append(document.problem(_NOTHING, ("criteria",)))
    expected, wrong = eval_sets.try_load(overrides.eval_set, keys=keys)
    if problems or wrong:
        problems += config_problems.find_problems(graders, document, locate)
    if problems := keys.join([*problems, *wrong]):
        raise ConfigError(problems)
    return Plan(
        title=document.path.name,
        graders=tuple(overrides.merge_graders(graders)),
        expectations=tuple(replace(one, equal_turns=True) for one in expected.cases)
        if expected
        else None,
        eval_set_id=expected.eval_set_id if expected else "",
        policy=overrides.change_policy(Gate()),
        judge=overrides.change_judge(None),
        trace_format=None if overrides.trace_format == "auto" else overrides.trace_format,
        group_by=overrides.group_by,
        pair=overrides.pair or "auto",
        findings=(
            *_find_remarks(document),
            *metrics.findings,
            *keys.findings,
            *(expected.findings if expected else ()),
        ),
        sources=tuple(
            p.absolute() for p in (document.path, *([expected.path] if expected else []))
        ),
    )


def _find_remarks(document: Document) -> Iterator[Finding]:
    """Note the keys that only matter to a run of the agent: nothing runs it here."""
    for key, value in document.value.items():
        if key in OF_THE_AGENT and value is not None:
            message = f"{key!r} is a setting for running an agent; it has no effect on recordings"
            yield document.finding("no-effect", message, (key,), key=True)


def _describe_unknown(name: str) -> str:
    if name in COUNTERS:
        return (
            f"metric {quote(name)} is counted in every run and has no criterion; for a budget "
            "give it a 'max' in an eval_config.yaml"
        )
    near = suggestion(name, list(CRITERIA))
    return f"there is no metric {quote(name)}{near}; one of your own belongs into 'custom_metrics'"


def inspect(document: Document, plan: Plan, services: Services) -> Plan:
    """Import the functions, or raise a ConfigError with those that cannot be called."""
    problems = config_problems.inspect(plan.graders, document, _locate_function, services)
    if refused := [*problems]:
        raise ConfigError(refused)
    return plan


def _locate_function(document: Document, name: str) -> Where:
    return (_spell_custom_metrics(document), name, "code_config", "name")


def _spell_custom_metrics(document: Document) -> str:
    return "custom_metrics" if "custom_metrics" in document.value else "customMetrics"


def locate(document: Document, name: str) -> Where:
    """Return the criterion of that name."""
    criteria = document.value.get("criteria")
    return ("criteria", name) if isinstance(criteria, dict) and name in criteria else ()


def _get_either(value: Any, snake: str, camel: str) -> Any:
    return value.get(snake, value.get(camel)) if isinstance(value, dict) else None
