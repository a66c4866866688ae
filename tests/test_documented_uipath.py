"""Every snippet of docs/uipath.md is what the page says it is."""

import re

import pytest

from agentevals.dialects import compile_plan
from tests.support import DOCS

PAGE = (DOCS / "uipath.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text", re.findall(r"^```yaml\n(evaluators:\n.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
)
def test_the_evaluators_are_accepted(tmp_path, text):
    (tmp_path / "eval_config.yaml").write_text(text)

    assert len(compile_plan(tmp_path / "eval_config.yaml").graders) == 1
