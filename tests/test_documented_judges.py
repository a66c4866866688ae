"""The code judge of docs/agentv-judges.md: its config, its program and its table are true."""

import re

import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.graders.grader import Services
from agentevals.graders.programs import code_judge_payload
from agentevals.graders.programs.code_judge_payload import to_camel
from tests.support import DOCS, case

SECTION = (
    (DOCS / "agentv-judges.md").read_text().partition("\n## code_judge\n")[2].partition("\n## ")[0]
)
TOLD = code_judge_payload.build_payload(case(), {})


def snippet(language):
    (text,) = re.findall(rf"^```{language}\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)
    return text


@pytest.mark.parametrize(("answer", "score"), [("async await", 1.0), ("await", 0.5)])
def test_the_program_judges_as_its_config_says(tmp_path, answer, score):
    (tmp_path / "judges").mkdir()
    (tmp_path / "judges" / "syntax.py").write_text(snippet("python"))
    (tmp_path / "eval_config.yaml").write_text(snippet("yaml"))
    (grader,) = compile_plan(tmp_path / "eval_config.yaml").graders

    assert grader.problems() == []
    assert grader.grade(case(answer), Services()).score == score


def test_every_name_in_the_payload_is_documented_and_no_other():
    rows = SECTION.partition("### The payload")[2]
    names = {
        name
        for row in re.findall(r"^\| .* \| (.*) \|$", rows, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }

    assert names | {to_camel(name) for name in names} >= TOLD.keys()
    assert names <= TOLD.keys()
