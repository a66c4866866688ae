"""The names that an evaluator of a registry may have."""

import keyword

import msgspec

from agentevals.evaluator.manifest import NAME, WORDS, Name
from agentevals.model.builtins import EVALUATORS

_DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{port}{n}" for port in ("com", "lpt") for n in "123456789"
}
_OURS = (
    "agentevals", "agentevals_evaluator_sdk", "registry_tools", "builtin", "code", "remote",
    "openai_eval", "all", "index", "head", "evaluator", "evaluators", "test", "tests", "latest",
    "true", "false", "null", "none", "yes", "no", "on", "off",
)  # fmt: skip


def fold(name: str) -> str:
    """Return one text for all names that differ only in case and separators."""
    return name.lower().replace("-", "").replace("_", "").replace(".", "")


_RESERVED = {fold(name) for name in (*_DEVICES, *_OURS, *EVALUATORS, *keyword.kwlist)}


def is_reserved(name: str) -> bool:
    """Return whether the name, or one that people would take for it, is in use."""
    return fold(name) in _RESERVED


def find_objection(name: str) -> str:
    """Return why every registry refuses a name; "" where the name itself is fine."""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        return f"a name is {WORDS[NAME]}, of 2 to 64 characters"
    return "it is reserved" if is_reserved(name) else ""
