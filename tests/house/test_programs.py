"""Programs that tests and benchmarks hold as texts import what there is."""

import ast
import re
from importlib import import_module
from pathlib import Path

from tests.house.imports import ROOT

_IMPORT = re.compile(
    r"from ((?:agentevals|agentevals_evaluator_sdk|registry_tools)[\w.]*) import (\w+(?:, \w+)*)"
)


def texts(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def exists(module, name):
    if hasattr(import_module(module), name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ImportError:
        return False
    return True


def test_every_import_in_a_text_leads_somewhere():
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.name != Path(__file__).name]
    wrong = [
        f"{path.relative_to(ROOT)}: from {module} import {name}"
        for path in files
        if "data" not in path.parts
        for text in texts(path)
        for module, names in _IMPORT.findall(text)
        for name in names.split(", ")
        if not exists(module, name)
    ]

    assert wrong == []
