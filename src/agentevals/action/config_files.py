"""The configs to evaluate, and the inputs that override them."""

from glob import escape
from pathlib import Path

from agentevals.action.job import Job
from agentevals.configs.plan import Overrides
from agentevals.github.runner.inputs import PLACE
from agentevals.model.errors import ConfigError, InputError, Problem

USUAL = (
    "eval_config.yaml",
    "eval_config.yml",
    "eval_config.json",
    "evals/eval_config.yaml",
    "*/eval_config.yaml",
    "EVAL.yaml",
    "*.eval.yaml",
    "evals/EVAL.yaml",
    "evals/*.eval.yaml",
)


def find_configs(job: Job) -> tuple[Path, ...]:
    """Return the configs that the inputs name, or those in the usual places."""
    given = job.inputs.config
    files = job.workspace.expand(given or _find_usual(job), "config").files
    if files:
        return files
    if given:
        message = f"'config': no file matches {', '.join(given)}; name one that is there"
    else:
        message = (
            "'config': nothing is given, and there is no eval_config.yaml or EVAL.yaml; "
            "name your configs, or write one with 'agentevals init'"
        )
    raise ConfigError([Problem(message=message, path=PLACE)])


def _find_usual(job: Job) -> tuple[str, ...]:
    """Return configs in the usual places. Nobody named them, so links elsewhere are no mistake."""
    folder, root = job.workspace.folder, job.workspace.root
    there = (path for pattern in USUAL for path in sorted(folder.glob(pattern)))
    inside = (path for path in there if path.resolve().is_relative_to(root))
    names = (path.relative_to(folder).as_posix() for path in inside)
    return tuple(escape(name) for name in names if not name.startswith("."))


def build_overrides(job: Job, root: Path) -> Overrides:
    """Return the settings of the inputs for every config. Nothing outside of the root is read."""
    inputs = job.inputs
    return Overrides(
        eval_set=_find_eval_set(job, root),
        judge_model=inputs.judge_model,
        judge_provider=inputs.judge_provider,
        judge_base_url=inputs.judge_base_url,
        judge_api_key_env=inputs.judge_api_key_env,
        on_not_evaluated=inputs.on_not_evaluated,
        root=root,
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
