"""Grants in files of other systems: by the names of their evaluators, under `x-agentevals`."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Plan
from agentevals.graders.programs import ThirdPartyGrader
from agentevals.model.errors import ConfigError


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
