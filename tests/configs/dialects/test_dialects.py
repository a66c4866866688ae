"""Every config under tests/data/configs is accepted or refused as the file beside it says.

Grants in files of other systems: by the names of their evaluators, under `x-agentevals`.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentevals.configs.dialects import DIALECTS, compile_plan
from agentevals.configs.plan import Plan
from agentevals.graders.programs import ThirdPartyGrader
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


def compile_with(folder: Path, grants: Any) -> Plan:
    config = {
        "criteria": {"polite": 0.5, "response_match_score": 0.5},
        "custom_metrics": {"polite": {"code_config": {"name": "metrics.polite"}}},
        "x-agentevals": {"grants": grants},
    }
    (folder / ".git").mkdir()
    (folder / "metrics.py").write_text("")
    (folder / "words.txt").write_text("")
    path = folder / "test_config.json"
    path.write_text(json.dumps(config, indent=1))
    return compile_plan(path)


def test_a_metric_of_adk_is_granted_what_its_config_says(tmp_path: Path) -> None:
    given = {"env": ["API_KEY"], "files": ["words.txt"], "network": ["a.example"], "judge": True}

    polite, match = compile_with(tmp_path, {"polite": given}).graders

    assert isinstance(polite, ThirdPartyGrader)
    assert (polite.env, polite.files) == (("API_KEY",), (tmp_path / "words.txt",))
    assert (polite.network, polite.judge) == (("a.example:443",), True)
    assert not isinstance(match, ThirdPartyGrader)


@pytest.mark.parametrize(
    ("grants", "said"),
    [
        (
            {"polit": {}},
            "no evaluator that is a program is called 'polit' (did you mean 'polite'?)",
        ),
        ({"response_match_score": {}}, "no evaluator that is a program is called"),
        ({"polite": ["env"]}, "'polite' must be a mapping, not a list"),
        ({"polite": {"enf": []}}, "unknown key 'enf' (did you mean 'env'?)"),
        ({"polite": {"env": ["GITHUB_TOKEN"]}}, "'GITHUB_TOKEN' belongs to the machine"),
        ({"polite": {"files": ["/etc/shadow"]}}, "'/etc/shadow' lies outside of the project"),
        ([], "'grants' must be a mapping, not a list"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, grants: Any, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        compile_with(tmp_path, grants)

    [problem] = refused.value.problems
    assert said in problem.message
    assert problem.line is not None
