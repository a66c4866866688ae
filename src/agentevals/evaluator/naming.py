"""Which names an evaluator of a registry may have."""

import keyword

import msgspec

from agentevals.evaluator.builtins import DESCRIPTIONS
from agentevals.evaluator.manifest import NAME, WORDS, Name

_DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{port}{n}" for port in ("com", "lpt") for n in "123456789"
}
_OURS = (
    "agentevals", "agentevals_evaluator_sdk", "registry_tools", "builtin", "code", "remote",
    "openai_eval", "all", "index", "head", "evaluator", "evaluators", "test", "tests", "latest",
    "true", "false", "null", "none", "yes", "no", "on", "off",
)  # fmt: skip


def folded(name: str) -> str:
    """The same for names that differ in case and separators only."""
    return name.lower().replace("-", "").replace("_", "").replace(".", "")


_RESERVED = {folded(name) for name in (*_DEVICES, *_OURS, *DESCRIPTIONS, *keyword.kwlist)}


def is_reserved(name: str) -> bool:
    """Whether it, or one that people would take for it, means something already."""
    return folded(name) in _RESERVED


def objection(name: str) -> str:
    """Why every registry would refuse it; "" when there is no reason in the name itself."""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        return f"a name is {WORDS[NAME]}, of 2 to 64 characters"
    return "it is reserved" if is_reserved(name) else ""
