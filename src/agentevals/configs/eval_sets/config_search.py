"""Files of a project that nobody has to name: configs, recordings, the eval set of a folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from agentevals.configs import eval_sets
from agentevals.configs.eval_sets import Expectations
from agentevals.model.errors import AgentEvalsError

CONFIG = "eval_config.yaml"  # what `init` writes
CONFIGS = (
    CONFIG,
    "eval_config.yml",
    "eval_config.json",
    "evals/eval_config.yaml",
    "*/eval_config.yaml",
    "EVAL.yaml",
    "*.eval.yaml",
    "evals/EVAL.yaml",
    "evals/*.eval.yaml",
)
_EVAL_SETS = ("*eval_set*.json*", "*evalset*.json*", "*/*eval_set*.json*", "*/*evalset*.json*")
_IGNORED = {"node_modules", "site-packages", "venv"}
_LOOKED_AT = 50  # files of a kind; a project has few, and somebody waits


def find_files(folder: Path, patterns: Sequence[str]) -> Iterator[Path]:
    """Yield only names that nothing but people choose: no hidden folders, no installed packages."""
    matches = (path for pattern in patterns for path in sorted(folder.glob(pattern)))
    for path in list(matches)[:_LOOKED_AT]:
        parts = path.relative_to(folder).parts
        if not any(part.startswith(".") or part in _IGNORED for part in parts):
            yield path


def find_configs(folder: Path) -> Iterator[Path]:
    """Yield the configs in the usual places of a folder, each once."""
    there = (path for pattern in CONFIGS for path in sorted(folder.glob(pattern)))
    yield from (p for p in dict.fromkeys(there) if p.relative_to(folder).as_posix()[0] != ".")


def find_eval_set(folder: Path) -> Expectations | None:
    """Return the first eval set of a folder that can be read and has cases."""
    for path in find_files(folder, _EVAL_SETS):
        try:
            found = eval_sets.load(path)
        except AgentEvalsError:
            continue
        if found.cases:
            return found
    return None
