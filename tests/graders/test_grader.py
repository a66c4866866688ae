import ast

import pytest

from agentevals.graders import grader
from tests.support import DOCS

ADVICE = ("; run ", "; write ", "; add ", "; name ", "; instrument ", "; record ")


@pytest.mark.parametrize("name", [name for name in vars(grader) if name.startswith("NO_")])
def test_each_reason_says_what_to_do(name):
    assert any(advice in getattr(grader, name) for advice in ADVICE)


def list_literals():
    """Texts that a grader writes itself where it says why it did not judge."""
    for path in sorted((DOCS.parent / "src/agentevals/graders").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr == "not_evaluated":
                texts = (one for one in ast.walk(node) if isinstance(one, ast.Constant))
                said = (one.value for one in texts if isinstance(one.value, str))
                yield from (f"{path.name}: {text}" for text in said if len(text) > len("; record"))


def test_no_grader_has_a_reason_without_advice():
    assert list(list_literals()) == [
        "__init__.py:  evaluators could judge this: ",  # and the reason of each
        "execution_metrics.py: not recorded: ",
        "execution_metrics.py: ; record it, or remove the limit",
    ]
