"""Which configs are evaluated, and with what said about them in the inputs."""

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


def found(job: Job) -> tuple[Path, ...]:
    """The configs that the inputs name, or those that lie where configs usually do."""
    given = job.inputs.config
    files = job.workspace.expand(given or _usual(job), "config").files
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


def _usual(job: Job) -> tuple[str, ...]:
    """Nobody has named these, so that one which leads elsewhere is nobody's mistake."""
    folder, root = job.workspace.folder, job.workspace.root
    there = (path for pattern in USUAL for path in sorted(folder.glob(pattern)))
    inside = (path for path in there if path.resolve().is_relative_to(root))
    names = (path.relative_to(folder).as_posix() for path in inside)
    return tuple(escape(name) for name in names if not name.startswith("."))


def overrides(job: Job, root: Path) -> Overrides:
    """What the inputs say about every config. Nothing outside of the root is read."""
    inputs = job.inputs
    return Overrides(
        eval_set=_eval_set(job, root),
        judge_model=inputs.judge_model,
        judge_provider=inputs.judge_provider,
        judge_base_url=inputs.judge_base_url,
        judge_api_key_env=inputs.judge_api_key_env,
        on_not_evaluated=inputs.on_not_evaluated,
        root=root,
    )


def _eval_set(job: Job, root: Path) -> Path | None:
    """The eval set of the inputs, in the tree that is judged."""
    given = job.inputs.eval_set
    if given is None:
        return None
    path = job.workspace.path(given, "eval-set")
    if not path.is_relative_to(job.workspace.root):
        return path
    moved = root / path.relative_to(job.workspace.root)
    if not moved.is_file():
        msg = f"{PLACE}: 'eval-set': there is no file '{given}'"
        raise InputError(msg)
    return moved
