"""Every snippet of the pages about evaluators does what its page says."""

import json
import re

import pytest
import yaml

from agentevals import custom_evaluators
from agentevals.custom_evaluators import (
    CustomEvaluatorRunner,
    SubprocessBackend,
    create_executor,
    get_runtimes,
)
from agentevals.evaluator import sources
from agentevals.evaluator.evaluator_lock import RemoteEvaluatorDef
from agentevals.evaluator.resolver import EvaluatorResolver
from agentevals.graders import GRADERS
from agentevals.graders.grader import Services
from agentevals.graders.programs.code import Code
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Turn
from agentevals.sandbox import wire_protocol
from agentevals_evaluator_sdk import EvalInput
from tests.graders.llm.questions.scripted import ScriptedJudge
from tests.support import DOCS, agentevals, case

NAMES = ("evaluators", "remote-evaluators", "protocol", "plug-ins")
PAGE = "\n".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in NAMES)
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
    grade = judge(tmp_path, "quality.py", snippet("python", "def response_quality"))

    assert (grade.score, grade.per_turn) == (0.75, (1.0, 0.5))


def test_the_evaluator_that_asks_the_judge(tmp_path):
    program = tmp_path / "friendly.py"
    program.write_text(snippet("python", "ask_judge"))
    asked = ScriptedJudge('{"reason": "it greets", "score": 0.75}')

    grade = Code(name="ev", path=program, judge=True).grade(case("Hi!"), Services(judge=asked))

    assert (grade.score, grade.reasoning) == (0.75, "it greets")
    assert "\nHi!\n<<<END " in asked.prompts[0]


def test_the_evaluator_in_javascript(tmp_path):
    assert judge(tmp_path, "tool_check.js", snippet("js", "score -= 0.5")).score == 0.5


def test_the_evaluator_in_javascript_that_takes_a_batch(tmp_path):
    program = tmp_path / "tool_check.js"
    program.write_text(snippet("js", "trim().split"))
    grader = Code(name="ev", path=program, batch=True)

    first, second = grader.grade_batch([case("Hi!"), case("Hi!")], Services())

    assert first == second
    assert first.score == 0


@pytest.mark.parametrize("text", snippets("yaml"))
def test_the_entries_of_a_config_are_accepted(text):
    for entry in yaml.safe_load(text)["evaluators"]:
        kind = entry.pop("type")
        grader = GRADERS[entry["name"] if kind == "builtin" else kind].model_validate(entry)

        assert grader.name == entry["name"]


def test_what_an_evaluator_reads_and_writes():
    given, completeness, answer = snippets("json")

    told = EvalInput.model_validate_json(given)
    assert told.model_dump(exclude_unset=True) == json.loads(given)
    assert list(json.loads(completeness)) == list(Fact)
    assert wire_protocol.read_grade(answer.encode(), name="ev").score == 0.85


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


@pytest.fixture
def package(tmp_path):
    """Everything that the page shows, as a package that somebody has installed."""
    info = tmp_path / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    groups = snippet("toml", "entry-points")
    entries = groups.replace('[project.entry-points."', "[").replace('"]', "]").replace('"', "")
    (info / "entry_points.txt").write_text(entries)
    parts = [re.split(r"\n(?:custom_|register_)", s)[0] for s in snippets("python")]
    (tmp_path / "my_package.py").write_text("\n".join(p for p in parts if "agentevals" in p))
    return tmp_path


def test_a_package_adds_everything_by_entry_points(package):
    (package / "log.txt").write_text('{"id": "t1", "asked": "Hi", "answered": "yes, please"}\n')
    (package / "score.go").write_text("package main\n")
    go = package / "go"
    go.write_text("#!/bin/sh\ncat > /dev/null\necho '{\"score\": 0.75}'\n")
    go.chmod(0o755)
    entries = [
        {"name": "go", "type": "code", "path": "score.go"},
        {"name": "half", "type": "code", "path": "score.go", "executor": "half"},
        {"name": "nice", "type": "remote", "source": "my-registry", "ref": "nice.py"},
        {"name": "polite", "type": "says", "word": "please"},
    ]
    (package / "c.yaml").write_text(yaml.safe_dump({"evaluators": entries}))

    done = agentevals(
        *("run", "log.txt", "-c", "c.yaml", "-o", "json"),
        cwd=package,
        PYTHONPATH=str(package),
        PATH=f"{package}:/usr/bin:/bin",
        XDG_CACHE_HOME=str(package / "cache"),
    )

    (trace,) = json.loads(done.stdout)["traces"]
    assert trace["trace_id"] == "t1"
    assert {m["metric_name"]: (m["score"], m["error"]) for m in trace["metrics"]} == {
        "go": (0.75, None),
        "half": (0.5, None),
        "nice": (1.0, None),
        "polite": (1.0, None),
    }


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["evaluator", "runtimes"], ["Go ", ".go", "half "]),
        (["evaluator", "list", "--source", "my-registry"], ["Is it nice?"]),
        (["evaluator", "config", "nice"], ["source: my-registry", "ref: nice.py"]),
        (["run", "x", "-f", "my-lag"], ["did you mean 'my-log'?"]),
    ],
)
def test_what_a_package_adds_is_shown_with_ours(package, words, shown):
    done = agentevals(*words, PYTHONPATH=str(package), AGENTEVALS_OFFLINE="1")

    for text in shown:
        assert text in done.stdout + done.stderr


def test_a_type_of_a_package_is_checked_as_strictly_as_ours(package):
    entry = {"name": "polite", "type": "says", "wrd": "please"}
    (package / "c.yaml").write_text(yaml.safe_dump({"evaluators": [entry]}))

    done = agentevals("validate", str(package / "c.yaml"), PYTHONPATH=str(package))

    assert done.returncode == 2
    assert "unknown key 'wrd' (did you mean 'word'?)" in done.stdout
