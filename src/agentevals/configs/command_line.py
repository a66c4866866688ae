"""Changes that the command line makes to a config.

With `-m` the options for builtins apply to those it names, without it to every builtin entry.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from agentevals.configs.gate import Gate
from agentevals.configs.plan import Overrides
from agentevals.graders import BUILTINS, GRADERS
from agentevals.graders.grader import Grader
from agentevals.judge import JudgeSettings
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.model.results import Policy
from agentevals.traces.loaders import LOADERS

_DEFAULT = ("tool_trajectory_avg_score",)


def check(overrides: Overrides) -> None:
    """Options whose mistakes are the same whatever the config says."""
    threshold, trace_format = overrides.threshold, overrides.trace_format
    if threshold is not None and not 0 <= threshold <= 1:
        msg = f"--threshold {threshold:g}: must be a number from 0 to 1"
        raise InputError(msg)
    if trace_format not in {None, "auto"} and trace_format not in LOADERS:
        msg = f"--format {trace_format}: unknown format{suggestion(str(trace_format), LOADERS)}"
        raise InputError(msg)
    for name in overrides.metrics:
        if name not in BUILTINS:
            msg = f"--metric {name}: there is no such builtin{suggestion(name, list(BUILTINS))}"
            raise InputError(msg)


def collect_settings(overrides: Overrides) -> dict[str, Any]:
    """The settings that builtin entries of the config get from the command line."""
    return {} if overrides.metrics else _list_settings(overrides)


def merge_graders(graders: Sequence[Grader], overrides: Overrides) -> list[Grader]:
    """The graders of the config with those of `-m`, which replace the ones of the same name."""
    names = overrides.metrics or (() if graders else _DEFAULT)
    named = {name: _build_builtin(name, overrides) for name in names}
    kept = [named.pop(grader.name, grader) for grader in graders]
    return [*kept, *named.values()]


def override_judge(settings: JudgeSettings | None, overrides: Overrides) -> JudgeSettings | None:
    """The judge of the config, or the one that `--judge-model` names."""
    given = {
        "model": None if settings is not None and overrides.metrics else overrides.judge_model,
        "base_url": overrides.judge_base_url,
        "provider": overrides.judge_provider,
        "api_key_env": overrides.judge_api_key_env,
    }
    changes = {key: value for key, value in given.items() if value is not None}
    if not changes:
        return settings
    provider = changes.pop("provider", None)
    try:
        if settings is None:
            return JudgeSettings(provider=provider, **changes)
        varied = settings.change(**changes)
        return varied.model_copy(update={"provider": provider}) if provider else varied
    except ValidationError as error:
        words = " and ".join(f"--judge-{key.replace('_', '-')}" for key in changes)
        msg = f"{words} {overrides.judge_model or ''}".rstrip() + f": {_describe_errors(error)}"
        raise InputError(msg) from None


def override_policy(gate: Gate, overrides: Overrides) -> Policy:
    """Return the policy of the gate, with what the command line changes about it."""
    said = {
        "on_not_evaluated": overrides.on_not_evaluated,
        "allow_missing": overrides.allow_missing,
        "allow_foreign": overrides.allow_foreign,
    }
    update = {key: value for key, value in said.items() if value is not None}
    return gate.model_copy(update=update).policy()


def _build_builtin(name: str, overrides: Overrides) -> Grader:
    kind = GRADERS[name]
    fields = {k: v for k, v in _list_settings(overrides).items() if k in kind.model_fields}
    try:
        return kind.model_validate({"name": name, **fields})
    except ValidationError as error:
        msg = f"--metric {name}: {_describe_errors(error)}, in an entry of a config"
        raise InputError(msg) from None


def _describe_errors(error: ValidationError) -> str:
    return "; ".join(str(e.get("ctx", {}).get("error", e["msg"])) for e in error.errors())


def _list_settings(overrides: Overrides) -> dict[str, Any]:
    given = {
        "threshold": overrides.threshold,
        "judge_model": overrides.judge_model,
        "trajectory_match_type": overrides.trajectory_match_type,
    }
    return {key: value for key, value in given.items() if value is not None}
