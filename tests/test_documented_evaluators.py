"""Every snippet of docs/evaluators.md does what the page says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agentevals import custom_evaluators, wire
from agentevals.custom_evaluators import (
    CustomEvaluatorRunner,
    SubprocessBackend,
    create_executor,
    get_runtimes,
)
from agentevals.evaluator import sources
from agentevals.evaluator.resolver import EvaluatorResolver, RemoteEvaluatorDef
from agentevals.graders import GRADERS
from agentevals.model import ToolCall, Turn
from agentevals_evaluator_sdk import EvalInput

PAGE = (Path(__file__).parents[1] / "docs" / "evaluators.md").read_text()
TURNS = (
    Turn(turn_id="1", response="The answer is 4.", tool_calls=(ToolCall(name="calculator"),)),
    Turn(turn_id="2", response="Sure"),
)


def snippets(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def snippet(language, containing):
    (found,) = (text for text in snippets(language) if containing in text)
    return found


def judge(tmp_path, name, text):
    program = tmp_path / name
    program.write_text(text)
    return CustomEvaluatorRunner(SubprocessBackend(program), "ev").evaluate(TURNS)


def test_the_evaluator_in_python(tmp_path):
    grade = judge(tmp_path, "quality.py", snippet("python", "@evaluator"))

    assert (grade.score, grade.per_turn) == (0.75, (1.0, 0.5))


def test_the_evaluator_in_javascript(tmp_path):
    assert judge(tmp_path, "tool_check.js", snippet("js", "tool_calls")).score == 0.5


@pytest.mark.parametrize("text", snippets("yaml"))
def test_the_entries_of_a_config_are_accepted(text):
    for entry in yaml.safe_load(text)["evaluators"]:
        kind = entry.pop("type")
        GRADERS[entry["name"] if kind == "builtin" else kind].model_validate(entry)


def test_what_an_evaluator_reads_and_writes():
    given, answer = snippets("json")

    told = EvalInput.model_validate_json(given)
    assert told.model_dump(exclude_unset=True) == json.loads(given)
    assert wire.grade(answer.encode(), name="ev").score == 0.85


def test_the_fields_of_code_are_the_ones_there_are():
    table = PAGE.split("### type: code")[1].split("###")[0]
    names = " ".join(re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE))
    described = set(re.findall(r"`(\w+)`", names))

    assert described == set(GRADERS["code"].model_fields)


@pytest.fixture
def restored():
    lists = [custom_evaluators._RUNTIMES, sources._registered]
    before = [list(each) for each in lists]
    factories = dict(custom_evaluators._EXECUTOR_FACTORIES)
    yield
    for each, content in zip(lists, before, strict=True):
        each[:] = content
    custom_evaluators._EXECUTOR_FACTORIES.clear()
    custom_evaluators._EXECUTOR_FACTORIES.update(factories)


def run_snippet(containing):
    exec(snippet("python", containing), {"__name__": "plugin"})


def test_a_language_of_ones_own(restored):
    run_snippet("GoRuntime")

    assert get_runtimes()[-1].extensions == (".go",)


def test_an_executor_of_ones_own(restored, tmp_path):
    run_snippet("AlwaysHalf")

    backend = create_executor("half", tmp_path / "x.py")
    assert CustomEvaluatorRunner(backend, "ev").evaluate(TURNS).score == 0.5


def test_a_registry_of_ones_own(restored, tmp_path):
    run_snippet("MyRegistry")

    definition = RemoteEvaluatorDef(name="nice", source="my-registry", ref="nice.py")
    path = EvaluatorResolver(tmp_path).fetch(definition)
    assert CustomEvaluatorRunner(SubprocessBackend(path), "nice").evaluate(TURNS).score == 1.0


def test_a_package_adds_all_three_by_entry_points(tmp_path):
    info = tmp_path / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    groups = snippet("toml", "entry-points")
    entries = groups.replace('[project.entry-points."', "[").replace('"]', "]").replace('"', "")
    (info / "entry_points.txt").write_text(entries)
    parts = [re.split(r"\n(?:custom_|register_)", s)[0] for s in snippets("python")]
    (tmp_path / "my_package.py").write_text("\n".join(p for p in parts if "agentevals" in p))
    code = (
        "from pathlib import Path\n"
        "from agentevals.custom_evaluators import create_executor, supported_extensions\n"
        "from agentevals.evaluator.sources import get_sources\n"
        "print('.go' in supported_extensions(), create_executor('half', Path('x'))._timeout,\n"
        "      get_sources()[-1].source_name)\n"
    )

    said = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(tmp_path)},
    )

    assert said.stdout == "True 30 my-registry\n", said.stderr
