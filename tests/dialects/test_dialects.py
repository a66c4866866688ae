"""Every config under tests/data/configs is accepted or refused as the file beside it says."""

import json
from pathlib import Path

import pytest

from agentevals.dialects import compile_plan
from agentevals.errors import ConfigError
from tests.support import DATA

CONFIGS = DATA / "configs"


def cases(verdict):
    return sorted(str(path.relative_to(DATA)) for path in CONFIGS.glob(f"*/{verdict}/*"))


def described(plan, folder):
    """A plan as people can read it. What was not written is left out."""
    graders = [
        {"type": grader.type, **grader.model_dump(mode="json", exclude_unset=True)}
        for grader in plan.graders
    ]
    shown = {
        "title": plan.title,
        "graders": graders,
        "expectations": plan.expectations and [e.case_id for e in plan.expectations],
        "policy": {name: getattr(plan.policy, name) for name in plan.policy.__struct_fields__},
        "judge": plan.judge and plan.judge.model_dump(mode="json", exclude_unset=True),
        "traces": plan.traces,
        "trace_format": plan.trace_format,
        "output_format": plan.output_format,
        "group_by": plan.group_by,
        "jobs": plan.jobs,
        "findings": [f"{found.severity}: {found}" for found in plan.findings],
    }
    text = json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
    return text.replace(str(folder), "FOLDER")


@pytest.mark.parametrize("name", cases("accepted"))
def test_accepted(golden, name):
    folder = DATA / name

    plan = compile_plan(next(folder.glob("eval_config.*")))

    golden(f"{name}/plan.json", described(plan, folder))


@pytest.mark.parametrize("name", cases("refused"))
def test_refused(golden, monkeypatch, name):
    monkeypatch.chdir(DATA / name)

    with pytest.raises(ConfigError) as refused:
        compile_plan(next(Path().glob("eval_config.*")))

    message = str(refused.value)
    assert message.replace("\n", "").isprintable()
    golden(f"{name}/message.txt", message + "\n")
