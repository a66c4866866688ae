"""Which module imports which: by statement, and by text in a table, a command or a lazy import."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "agentevals": ROOT / "src" / "agentevals",
    "agentevals_evaluator_sdk": ROOT / "src" / "agentevals_evaluator_sdk",
    "registry_tools": ROOT / "registry_tools",
}
_TARGET = re.compile(r"(?:agentevals|agentevals_evaluator_sdk|registry_tools)(?:\.\w+)+(?::\w+)?")


@cache
def modules() -> dict[str, Path]:
    """The file of every module, by its dotted name."""
    return {
        name: path
        for package, home in PACKAGES.items()
        for path in sorted(home.rglob("*.py"))
        if (name := _name(package, home, path))
    }


def _name(package: str, home: Path, path: Path) -> str:
    parts = path.relative_to(home).with_suffix("").parts
    return ".".join((package, *parts)).removesuffix(".__init__")


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of ours that a module imports by statement."""
    found = set()
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in modules() else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found & modules().keys())


@cache
def named(module: str) -> frozenset[str]:
    """The modules of ours that a module names in a text, to import them when they are needed."""
    tree = parsed(module)
    constants = dict(_constants(tree))
    texts = (_text(node, constants) for node in ast.walk(tree))
    targets = (text.partition(":")[0] for text in texts if text and _TARGET.fullmatch(text))
    return frozenset(set(targets) & modules().keys() - {module})


@cache
def parsed(module: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    yield target.id, node.value.value


def _text(node: ast.AST, constants: dict[str, str]) -> str:
    """The text of a constant, or of an f-string that is made of constants of its module."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_piece(value, constants) for value in node.values)
    return ""


def _piece(value: ast.expr, constants: dict[str, str]) -> str:
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.FormattedValue) and isinstance(value.value, ast.Name):
        return constants.get(value.value.id, "?")
    return "?"
