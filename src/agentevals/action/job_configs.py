"""The configs of a job: found, and compiled once with the judge that the inputs pin.

A config is that of the checkout, or of the base if the pull request must not decide. A pinned judge
wins over the config, for each evaluator. Configs that the base has as well share the chance of a
false alarm.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from pathlib import Path
from typing import Any

from agentevals.action.checkouts import Checkouts, find_rules_commit, move_path, work_in
from agentevals.action.job import Job
from agentevals.configs.config_judges import SETTINGS, find_place
from agentevals.configs.dialects import compile_plan, inspect
from agentevals.configs.eval_sets.config_search import find_configs as find_configs_in
from agentevals.configs.plan import Expectation, Overrides, Plan
from agentevals.github.runner.inputs import PLACE, Inputs
from agentevals.github.runner.runner_secrets import collect_secrets
from agentevals.graders import BUILTINS
from agentevals.graders.grader import Grader
from agentevals.graders.llm.openai_eval import LabelModel, OpenAIEval
from agentevals.judge import JudgeSettings
from agentevals.judge.judge_settings import JudgeTarget
from agentevals.model.errors import AgentEvalsError, ConfigError, InputError, Problem
from agentevals.model.results import Finding, Severity

_KEY = "credential_ref"  # where an evaluator says which variable holds the key of its own judge
_INPUTS = {
    "model": "judge-model",
    "base_url": "judge-base-url",
    "provider": "judge-provider",
    "api_key_env": "judge-api-key-env",
}


def find_configs(job: Job) -> tuple[Path, ...]:
    """Return the configs that the inputs name, or those in the usual places."""
    given = job.inputs.config
    files = job.workspace.expand(given or _find_usual(job), "config").files
    if files:
        return files
    if given:
        message = f"'config': no file matches {', '.join(given)}; name an existing one"
    else:
        message = (
            "'config': nothing is given, and there is no eval_config.yaml or EVAL.yaml; "
            "name your configs, or write one with 'agentevals init'"
        )
    raise ConfigError([Problem(message=message, path=PLACE)])


def _find_usual(job: Job) -> tuple[str, ...]:
    """Return configs in the usual places. Nobody named them, so links elsewhere are no mistake."""
    folder, root = job.workspace.folder, job.workspace.root
    inside = (path for path in find_configs_in(folder) if path.resolve().is_relative_to(root))
    return tuple(escape(path.relative_to(folder).as_posix()) for path in inside)


def choose_configs(job: Job, checkouts: Checkouts) -> tuple[Path, ...]:
    """Return the configs of the tree that decides."""
    there = replace(
        job.workspace,
        root=checkouts.config_root,
        folder=move_path(job.workspace.folder, job.workspace.root, checkouts.config_root),
    )
    return find_configs(replace(job, workspace=there))


def build_overrides(job: Job, root: Path) -> Overrides:
    """Return the settings of the inputs for every config, without those of the judge.

    Nothing outside of the root is read.
    """
    inputs = job.inputs
    return Overrides(
        eval_set=_find_eval_set(job, root),
        on_not_evaluated=inputs.on_not_evaluated,
        root=root,
        has_agent=root == job.workspace.root,  # what is built, and lacks there, is no mistake here
    )


def _find_eval_set(job: Job, root: Path) -> Path | None:
    """Return the eval set of the inputs, in the tree that is scored."""
    given = job.inputs.eval_set
    if given is None:
        return None
    path = job.workspace.resolve(given, "eval-set")
    if not path.is_relative_to(job.workspace.root):
        return path
    moved = root / path.relative_to(job.workspace.root)
    if not moved.is_file():
        msg = f"{PLACE}: 'eval-set': there is no file '{given}'"
        raise InputError(msg)
    return moved


def compile_once(job: Job, checkouts: Checkouts, root: Path, config: Path) -> Plan:
    """Return the plan of a config of the tree at `root`. Each is compiled once."""
    return checkouts.cache.get(("plan", root, config), lambda: _compile(job, root, config))


def _compile(job: Job, root: Path, config: Path) -> Plan:
    with work_in(move_path(job.workspace.folder, job.workspace.root, root)):
        plan = compile_plan(config, build_overrides(job, root))
        plan = inspect(config, plan, isolation=job.inputs.isolation)
        pinned = pin_judges(plan, job.inputs, config)
    variables = [*_list_key_variables(plan), *_list_key_variables(pinned)]
    job.log.redact = job.log.redact.add(collect_secrets(job.environ, variables=variables))
    return pinned


def _list_key_variables(plan: Plan) -> Iterator[str]:
    """Yield the variables that hold keys for judges, under any name in the config."""
    if plan.judge:
        yield from plan.judge.key_variables
    yield from plan.granted_variables
    yield from (name for grader in plan.all_graders if (name := getattr(grader, _KEY, None)))


def pin_judges(plan: Plan, inputs: Inputs, config: Path) -> Plan:
    """Return the plan with the judge of the inputs, and a finding for each overruled setting."""
    overrides = Overrides(
        judge_model=inputs.judge_model,
        judge_provider=inputs.judge_provider,
        judge_base_url=inputs.judge_base_url,
        judge_api_key_env=inputs.judge_api_key_env,
    )
    given = {key: getattr(overrides, f"judge_{key}") for key in _INPUTS}
    pins = _Pins({key: value for key, value in given.items() if value}, plan, config)
    if not pins.pinned:
        return plan
    judge = overrides.change_judge(pins.pin_targets(plan.judge))
    graders = pins.pin_graders(plan.graders)
    expectations = plan.expectations and tuple(map(pins.pin_expectation, plan.expectations))
    findings = (*plan.findings, *pins.findings)
    return replace(plan, judge=judge, graders=graders, expectations=expectations, findings=findings)


@dataclass(frozen=True)
class _Pins:
    """Drops what the inputs overrule. `pinned` has their settings by the names of a judge's."""

    pinned: Mapping[str, str]
    plan: Plan
    config: Path
    findings: list[Finding] = field(default_factory=list)

    def pin_targets(self, judge: JudgeSettings | None) -> JudgeSettings | None:
        if judge is None:
            return None
        targets = {name: self._pin_target(name, one) for name, one in judge.targets.items()}
        return judge.model_copy(update={"targets": targets})

    def pin_expectation(self, wanted: Expectation) -> Expectation:
        return replace(wanted, graders=self.pin_graders(wanted.graders))

    def pin_graders(self, graders: Iterable[Grader]) -> tuple[Grader, ...]:
        return tuple(map(self._pin_grader, graders))

    def _pin_target(self, name: str, target: JudgeTarget) -> JudgeTarget:
        dropped = self._drop(f"judge {name!r}", {key: getattr(target, key) for key in _INPUTS}, {})
        return target.model_copy(update=dropped)

    def _pin_grader(self, grader: Grader) -> Grader:
        update: dict[str, Any] = {
            name: type(value)(map(self._pin_grader, value))
            for name, value in grader
            if isinstance(value, tuple | list) and value and isinstance(value[0], Grader)
        }
        if hasattr(grader, SETTINGS["api_key_env"]):
            given = {key: getattr(grader, name) for key, name in SETTINGS.items()}
            dropped = self._drop(f"evaluator {grader.name!r}", given, SETTINGS)
            update |= {SETTINGS[key]: value for key, value in dropped.items()}
            if "model" in self.pinned and grader.type in BUILTINS:
                update["judge_model"] = self.pinned["model"]
        return grader.model_copy(update=update | self._pin_openai_eval(grader))

    def _pin_openai_eval(self, grader: Grader) -> dict[str, Any]:
        """Return changes of a grader of OpenAI's Evals API: the pinned judge is asked instead."""
        if not isinstance(grader, OpenAIEval):
            return {}
        changes: dict[str, Any] = {}
        who, criterion = f"evaluator {grader.name!r}", grader.grader
        if grader.backend == "api":
            changes["backend"] = "local"
            self._report(who, "backend", "api", _INPUTS[next(iter(self.pinned))])
        model = self.pinned.get("model")
        if model and isinstance(criterion, LabelModel) and criterion.model != model:
            changes["grader"] = criterion.model_copy(update={"model": model})
            self._report(who, "model", criterion.model, _INPUTS["model"])
        return changes

    def _drop(
        self, who: str, given: Mapping[str, str | None], names: Mapping[str, str]
    ) -> dict[str, None]:
        """Return the overruled settings, with nothing in their places."""
        overruled = self._find_overruled(given)
        for key, because in overruled.items():
            if given[key] != self.pinned.get(key):
                self._report(who, names.get(key, key), str(given[key]), _INPUTS[because])
        return dict.fromkeys(overruled)

    def _find_overruled(self, given: Mapping[str, str | None]) -> dict[str, str]:
        """Return the overruled settings with the input that is the reason.

        A key stays with its address: it is overruled where its address is.
        """
        pinned = self.pinned
        found = {key: key for key, value in given.items() if value and key in pinned}
        address, provider = given.get("base_url"), given.get("provider")
        if "base_url" not in pinned:
            if address or (provider and "provider" not in pinned):
                found.pop("api_key_env", None)
            return found
        if provider:
            found["provider"] = "base_url"
        if address and address != pinned["base_url"] and given.get("api_key_env"):
            found["api_key_env"] = "base_url"
        return found

    def _report(self, who: str, setting: str, value: str, by: str) -> None:
        message = f"{who}: the input {by!r} of the workflow overrules {setting!r} ({value})"
        document, where = find_place(self.plan, self.config, (setting,), value)
        self.findings.append(document.finding("judge-pinned", message, where, Severity.WARNING))


def count_configs(job: Job, checkouts: Checkouts, chosen: Sequence[Path]) -> int:
    """Count the configs of a pull request that its base has as well, and else all of them.

    A config that is new has nothing to compare with, so that it raises no alarm, and must not make
    the others less strict.
    """
    base = find_rules_commit(job) if len(chosen) > 1 and job.context.number is not None else ""
    if not base:
        return len(chosen)
    try:
        there = replace(checkouts, config_root=checkouts.trees.unpack(base))
        known = set(map(there.name_config, choose_configs(job, there)))
    except AgentEvalsError:  # the base has none, or nobody can read it
        return 1
    return max(1, sum(checkouts.name_config(config) in known for config in chosen))
