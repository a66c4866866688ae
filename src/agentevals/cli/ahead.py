"""Start the slow parts while the rest of the program is still being imported."""

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path

_OPTIONS = ("--config", "-c")
_READ = 1 << 16  # bytes of a config; further down it only takes a little longer
# what configs that start programs have in them
_MARKS = (b"custom_metrics", b"customMetrics", b".py")
# a UiPath project says it by its folders
_CLASSES = Path("evaluators", "custom")


def begin(words: Sequence[str]) -> None:
    """Start what starts programs where a run seems to need it; it is found out later if not."""
    if needs_programs(words):
        import_module("agentevals.sandbox.isolation").start()


def needs_programs(words: Sequence[str]) -> bool:
    """A guess, by a glance at the config that the words name."""
    return words[:1] == ["run"] and any(map(_starts_programs, _find_configs(words)))


def _find_configs(words: Sequence[str]) -> list[Path]:
    named = [Path(value) for option, value in pairwise(words) if option in _OPTIONS]
    long = f"{_OPTIONS[0]}="
    return named + [Path(word.removeprefix(long)) for word in words if word.startswith(long)]


def _starts_programs(config: Path) -> bool:
    try:
        if (config.absolute().parents[1] / _CLASSES).is_dir():
            return True
        if not config.is_file():  # what was read from a pipe is gone
            return False
        with config.open("rb") as file:
            text = file.read(_READ)
    except (OSError, ValueError, IndexError):
        return False  # whoever reads it says what is wrong
    return any(mark in text for mark in _MARKS)
