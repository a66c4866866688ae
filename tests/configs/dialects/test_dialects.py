"""Every config under tests/data/configs is accepted or refused as the file beside it says."""

import json
from pathlib import Path

import msgspec
import pytest

from agentevals.configs.dialects import DIALECTS, compile_plan
from agentevals.model.errors import ConfigError
from tests.support import DATA

CONFIGS = DATA / "configs"
NAMES = ("eval_config.*", "EVAL.*", "config.*")


def cases(verdict):
    return sorted(str(path.relative_to(DATA)) for path in CONFIGS.glob(f"*/{verdict}/*"))


def config(folder):
    found = [path for name in NAMES for path in sorted(folder.glob(name))]
    assert found, f"{folder} holds no config; call it {' or '.join(NAMES)}"
    return found[0]


def listed(graders):
    return [
        {"type": grader.type, **grader.model_dump(mode="json", exclude_unset=True)}
        for grader in graders
    ]


def told(wanted):
    """What an EVAL file says about one test, without what is empty."""
    told = {
        "id": wanted.case_id,
        "criteria": wanted.criteria,
        "openings": [wanted.opening, *wanted.openings],
        "question": wanted.task.question,
        "reference": wanted.task.reference,
        "input_files": wanted.task.input_files,
        "metadata": wanted.task.metadata,
        "own_only": wanted.own_only,
        "graders": listed(wanted.graders),
    }
    return {key: value for key, value in told.items() if value}


def described(plan, folder):
    """A plan as people can read it. What was not written is left out."""
    tests = [told(wanted) for wanted in plan.expectations or () if wanted.task]
    shown = {
        "title": plan.title,
        "graders": listed(plan.graders),
        **({"tests": tests, "eval_set_id": plan.eval_set_id} if tests else {}),
        "expectations": plan.expectations and [e.case_id for e in plan.expectations],
        "policy": msgspec.to_builtins(plan.policy),
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


@pytest.mark.parametrize("name", DIALECTS.ours)
def test_every_dialect_is_tried_with_right_and_wrong_configs(name):
    own = Path(__file__).with_name(f"test_{name}.py")
    folders = [CONFIGS / name / verdict for verdict in ("accepted", "refused")]

    assert own.is_file() or all(map(Path.is_dir, folders)), f"write configs to {folders}"


@pytest.mark.parametrize("name", cases("accepted"))
def test_accepted(golden, name):
    folder = DATA / name

    plan = compile_plan(config(folder))

    golden(f"{name}/plan.json", described(plan, folder))


@pytest.mark.parametrize("name", cases("refused"))
def test_refused(golden, monkeypatch, name):
    monkeypatch.chdir(DATA / name)

    with pytest.raises(ConfigError) as refused:
        compile_plan(config(Path()))

    message = str(refused.value)
    assert message.replace("\n", "").isprintable()
    golden(f"{name}/message.txt", message + "\n")
