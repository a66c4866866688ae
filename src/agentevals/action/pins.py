"""The judge that a workflow pins by inputs. It wins over the config, for each evaluator."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentevals.configs.judges import SETTINGS, find_place
from agentevals.configs.plan import Expectation, Overrides, Plan
from agentevals.github.runner.inputs import Inputs
from agentevals.graders import BUILTINS
from agentevals.graders.grader import Grader
from agentevals.graders.llm.openai_eval import LabelModel, OpenAIEval
from agentevals.judge import JudgeSettings
from agentevals.judge.settings import JudgeTarget
from agentevals.model.results import Finding, Severity

_INPUTS = {
    "model": "judge-model",
    "base_url": "judge-base-url",
    "provider": "judge-provider",
    "api_key_env": "judge-api-key-env",
}


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
