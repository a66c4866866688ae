"""Names and docstrings of the house: what is not a verb, and what has no subject."""

import ast
import re
from collections.abc import Iterator

from tests.house.imports import ROOT, modules, parsed

_PARTICIPLES = frozenset(
    [
        "begun",
        "bound",
        "brought",
        "built",
        "caught",
        "chosen",
        "done",
        "drawn",
        "found",
        "given",
        "grown",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "left",
        "lost",
        "made",
        "meant",
        "said",
        "seen",
        "sent",
        "shown",
        "spoken",
        "taken",
        "thought",
        "told",
        "written",
    ]
)
_PREPOSITIONS = frozenset(
    [
        "after",
        "as",
        "at",
        "before",
        "beside",
        "between",
        "by",
        "for",
        "from",
        "in",
        "of",
        "on",
        "over",
        "than",
        "under",
        "within",
    ]
)
_VERBS = frozenset(
    ["embed", "exceed", "feed", "need", "proceed", "seed", "speed"]
)  # they end in -ed as well
_NOUNS = frozenset({"property", "cached_property"})  # a property is named by what it is
_NO_SUBJECT = re.compile(
    r"(?:What|Whether|Where|Who|Whom|Those|The same|That|Of|By|In|Which|How)\b"
)

EVALUATORS = "evaluators"  # of the registry that this repository is: their programs are no modules
Function = ast.FunctionDef | ast.AsyncFunctionDef


def room(module: str) -> str:
    """The package and the room of a module, such as agentevals.traces."""
    package, _, rest = module.partition(".")
    inside = "" if package == "agentevals_evaluator_sdk" else rest.partition(".")[0]
    return f"{package}.{inside}" if inside else package


def sources() -> Iterator[tuple[str, str, ast.Module]]:
    """Yield the room, the name and the syntax tree of every module, and of every evaluator's."""
    for module in modules():
        yield room(module), module, parsed(module)
    for path in sorted((ROOT / EVALUATORS).glob("*/*.py")):
        text = path.read_text(encoding="utf-8")
        yield EVALUATORS, path.relative_to(ROOT).as_posix(), ast.parse(text)


def names_without_verb() -> Iterator[tuple[str, str]]:
    """Yield the room and the place of every function that a participle or a preposition names."""
    for where, module, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, Function) and not _is_property(node) and not has_verb(node.name):
                yield where, f"{module}:{node.lineno} {node.name}"


def docstrings_without_subject() -> Iterator[tuple[str, str]]:
    """Yield the room and the place of every docstring that begins in the middle of a sentence."""
    for where, module, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, Function | ast.ClassDef) and not has_subject(
                ast.get_docstring(node)
            ):
                yield where, f"{module}:{node.lineno} {node.name}"


def has_verb(name: str) -> bool:
    """Return whether a name begins neither with a participle nor with a preposition."""
    if name.startswith("__"):
        return True
    first = name.strip("_").partition("_")[0]
    regular = first.endswith("ed") and len(first) > 4 and first not in _VERBS
    return not regular and first not in _PARTICIPLES and first not in _PREPOSITIONS


def has_subject(docstring: str | None) -> bool:
    """Return whether a docstring is missing or begins with something else than What, Of, Those."""
    return not docstring or not _NO_SUBJECT.match(docstring)


def _is_property(function: Function) -> bool:
    names = {getattr(d, "id", getattr(d, "attr", "")) for d in function.decorator_list}
    return not names.isdisjoint(_NOUNS)
