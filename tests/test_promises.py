"""What the documents about custom evaluators promise, through the command line.

The programs here are those of the documents in our own words: the same imports, signatures and
spellings, because that is what people have written their own after.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agentevals.graders import GRADERS
from agentevals.sandbox.program_runtimes import find_node
from agentevals_evaluator_sdk import EvalInput
from tests.servers import reply, serve
from tests.support import EXAMPLES, agentevals

PARIS = str(EXAMPLES / "traces" / "paris.jsonl")
EVAL_SET = ("--eval-set", str(EXAMPLES / "eval_set.json"), "--allow-missing")

RESPONSE_QUALITY = """
from agentevals_evaluator_sdk import evaluator, EvalInput, EvalResult

@evaluator
def response_quality(input: EvalInput) -> EvalResult:
    scores = []
    for inv in input.invocations:
        if not inv.final_response:
            scores.append(0.0)
        elif len(inv.final_response.strip()) < input.config.get("min_length", 10):
            scores.append(0.5)
        else:
            scores.append(1.0)
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0,
        per_invocation_scores=scores,
    )

if __name__ == "__main__":
    response_quality.run()
"""

TOOL_CHECK = """
const input = JSON.parse(require("fs").readFileSync("/dev/stdin", "utf8"));
let score = 1.0;
for (const inv of input.invocations) {
  if (inv.intermediate_steps.tool_calls.length === 0) {
    score -= 0.5;
  }
}
console.log(JSON.stringify({
  score: Math.max(0, score),
  per_invocation_scores: [],
}));
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with traces, an eval set and evaluators, as the documents lay it out."""
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "my_trace.json").write_bytes(Path(PARIS).read_bytes())
    (tmp_path / "eval_set.json").write_bytes((EXAMPLES / "eval_set.json").read_bytes())
    (tmp_path / "evaluators").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(project, *entries):
    config = project / "eval_config.yaml"
    config.write_text(yaml.safe_dump({"evaluators": list(entries)}))
    return config


def outcomes(done):
    """What became of each evaluator, on the one trace."""
    assert done.stdout, done.stderr
    (trace,) = json.loads(done.stdout)["traces"]
    return {m["metric_name"]: (m["outcome"], m["score"], m["error"]) for m in trace["metrics"]}


def run(config, *words, **variables):
    return outcomes(
        agentevals(
            "run", PARIS, "--config", str(config), *EVAL_SET, "-o", "json", *words, **variables
        )
    )


def run_with(plugin, config, cwd):
    """The same in a program that has registered something of its own before."""
    code = f"{plugin}\nfrom agentevals.cli import main\nmain()\n"
    words = ["run", PARIS, "--config", str(config), *EVAL_SET, "-o", "json"]
    return outcomes(
        subprocess.run(
            [sys.executable, "-c", code, *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            env=os.environ,
        )
    )


def test_the_first_config_runs_with_the_command_that_stands_beside_it(project):
    (project / "evaluators" / "response_quality.py").write_text(RESPONSE_QUALITY)
    (project / "eval_config.yaml").write_text(
        "# eval_config.yaml\n"
        "evaluators:\n"
        "- name: tool_trajectory_avg_score # built-in metric\n"
        "  type: builtin\n"
        "- name: response_quality # your custom evaluator\n"
        "  type: code\n"
        "  path: ./evaluators/response_quality.py\n"
        "  threshold: 0.7\n"
        "  config:\n"
        "    min_length: 20\n"
    )

    done = agentevals(
        *("run", "traces/my_trace.json", "--config", "eval_config.yaml"),
        *("--eval-set", "eval_set.json", "--allow-missing", "-o", "json"),
        cwd=project,
    )

    assert outcomes(done) == {
        "tool_trajectory_avg_score": ("PASSED", 1.0, None),
        "response_quality": ("PASSED", 1.0, None),
    }


def test_the_evaluator_can_be_called_in_a_test():
    names = {"__name__": "response_quality"}
    exec(RESPONSE_QUALITY, names)

    asked = EvalInput.model_validate(
        {"metric_name": "x", "invocations": [{"final_response": "Yes"}, {"final_response": None}]}
    )

    assert names["response_quality"](asked).per_invocation_scores == [0.5, 0.0]


@pytest.mark.parametrize("extension", ["js", "ts"])
def test_an_evaluator_in_javascript_needs_no_sdk(project, extension):
    program = project / "evaluators" / f"tool_check.{extension}"
    program.write_text(
        TOOL_CHECK.replace("let score =", "let score: number =")
        if extension == "ts"
        else TOOL_CHECK
    )
    config = configured(project, {"name": "tool_check", "type": "code", "path": str(program)})

    assert run(config, PATH=f"{find_node().parent}:/usr/bin:/bin")["tool_check"] == (
        "PASSED",
        1.0,
        None,
    )


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["my_evaluator"], {"my_evaluator.py", "evaluator.yaml"}),
        (["my_evaluator", "--runtime", "js"], {"my_evaluator.js", "evaluator.yaml"}),
        (["my_evaluator.ts"], {"my_evaluator.ts", "evaluator.yaml"}),
    ],
)
def test_init_makes_a_folder_whose_program_scores(project, words, files):
    done = agentevals("evaluator", "init", *words, cwd=project)

    assert done.returncode == 0, done.stderr
    assert files <= {path.name for path in (project / "my_evaluator").iterdir()}
    manifest = yaml.safe_load((project / "my_evaluator" / "evaluator.yaml").read_text())
    program = project / "my_evaluator" / manifest["entrypoint"]
    config = configured(project, {"name": "mine", "type": "code", "path": str(program)})
    assert run(config)["mine"] == ("PASSED", 1.0, None)


@pytest.mark.parametrize(
    ("kind", "defaults"),
    [
        ("code", {"threshold": 0.5, "timeout": 30, "config": {}, "executor": "local"}),
        (
            "remote",
            {
                "threshold": 0.5,
                "timeout": 30,
                "config": {},
                "executor": "local",
                "source": "github",
            },
        ),
        ("openai_eval", {"threshold": 0.5, "timeout": 120}),
    ],
)
def test_the_fields_have_the_defaults_that_are_documented(kind, defaults):
    fields = GRADERS[kind].model_fields

    assert {name: fields[name].default for name in defaults} == defaults


def test_the_input_of_the_first_protocol_version_is_still_read():
    told = EvalInput.model_validate(
        {
            "protocol_version": "1.0",
            "metric_name": "response_quality",
            "threshold": 0.7,
            "config": {"min_length": 20},
            "invocations": [
                {
                    "invocation_id": "inv-001",
                    "user_content": "What is 2+2?",
                    "final_response": "The answer is 4.",
                    "intermediate_steps": {
                        "tool_calls": [{"name": "calculator", "args": {"expression": "2+2"}}],
                        "tool_responses": [{"name": "calculator", "output": "4"}],
                    },
                }
            ],
            "expected_invocations": None,
        }
    )

    assert told.invocations[0].intermediate_steps.tool_responses[0].output == "4"
    assert told.expected_invocations is None


@pytest.mark.parametrize(
    ("status", "score", "outcome"),
    [
        (None, 0.5, "PASSED"),
        (None, 0.4, "FAILED"),
        ("PASSED", 0.1, "PASSED"),
        ("FAILED", 0.9, "FAILED"),
        ("NOT_EVALUATED", 0.9, "NOT_EVALUATED"),
    ],
)
def test_a_status_that_is_left_out_comes_from_score_and_threshold(project, status, score, outcome):
    answer = {"score": score, "status": status, "details": {"issues": ["inv-002: too short"]}}
    program = project / "evaluators" / "fixed.py"
    program.write_text(f"print({json.dumps(answer)!r})\n")
    config = configured(project, {"name": "fixed", "type": "code", "path": str(program)})

    assert run(config)["fixed"][0] == outcome


def test_a_major_version_that_the_sdk_does_not_know_is_warned_about(project):
    program = project / "evaluators" / "response_quality.py"
    program.write_text(RESPONSE_QUALITY)
    given = {"protocol_version": "2.0", "metric_name": "x", "invocations": [], "news": 1}

    done = subprocess.run(
        [sys.executable, str(program)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )

    assert json.loads(done.stdout)["score"] == 0.0
    assert "2.0" in done.stderr


def test_a_remote_evaluator_is_fetched_once_until_its_file_is_deleted(project):
    entry = {
        "name": "response_quality",
        "type": "remote",
        "source": "github",
        "ref": "evaluators/response_quality/response_quality.py",
        "threshold": 0.7,
    }
    config = configured(project, {"name": "tool_trajectory_avg_score", "type": "builtin"}, entry)
    place = "/your-org/your-evaluators-repo/main/evaluators/response_quality/response_quality.py"

    def answer(seen):
        return reply(200, RESPONSE_QUALITY.encode()) if seen.path == place else reply(404)

    with serve(answer) as server:
        variables = {
            "AGENTEVALS_RAW_URL": server.url,
            "AGENTEVALS_EVALUATOR_REPO": "your-org/your-evaluators-repo",
            "AGENTEVALS_EVALUATOR_BRANCH": "main",
            "HOME": str(project),
        }
        first, second = run(config, **variables), run(config, **variables)
        fetched = [seen.path for seen in server.seen].count(place)
        (cached,) = (project / ".cache" / "agentevals" / "evaluators").rglob("response_quality.py")
        cached.unlink()
        run(config, **variables)
        again = [seen.path for seen in server.seen].count(place)

    assert first == second
    assert first["response_quality"] == ("PASSED", 1.0, None)
    assert (fetched, again) == (1, 2)


def test_list_shows_all_sources_or_one():
    index = b"evaluators:\n- {name: response_quality, description: Long enough?, path: a/b.py}\n"
    with serve(lambda seen: reply(200, index)) as server:
        every, builtin, github = (
            agentevals("evaluator", "list", *words, AGENTEVALS_RAW_URL=server.url).stdout
            for words in ([], ["--source", "builtin"], ["--source", "github"])
        )

    assert "response_quality" in every
    assert "tool_trajectory_avg_score" in every
    assert "response_quality " not in builtin
    assert "tool_trajectory_avg_score" not in github


METRICS = [
    *("fuzzy_match", "bleu", "gleu", "meteor", "cosine", "rouge_l"),
    *(f"rouge_{n}" for n in range(1, 6)),
]


@pytest.mark.parametrize("metric", METRICS)
def test_every_text_similarity_runs_offline(project, metric):
    entry = {
        "name": "response_similarity",
        "type": "openai_eval",
        "threshold": 0.8,
        "grader": {"type": "text_similarity", "evaluation_metric": metric},
    }

    assert run(configured(project, entry))["response_similarity"] == ("PASSED", 1.0, None)


def test_a_label_comes_from_the_judge_and_needs_no_eval_set(project):
    config = project / "eval_config.yaml"
    entry = {
        "name": "quality_check",
        "type": "openai_eval",
        "grader": {
            "type": "label_model",
            "model": "gpt-4o-mini",
            "input": [
                {"role": "user", "content": "Rate this response: {{ item.actual_response }}"}
            ],
            "labels": ["good", "bad"],
            "passing_labels": ["good"],
        },
    }
    said = json.dumps({"reasoning": "short and right", "label": "good"})
    completion = {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
    with serve(lambda seen: reply(200, json.dumps(completion).encode())) as server:
        config.write_text(
            yaml.safe_dump({"evaluators": [entry], "judge": {"base_url": server.url}})
        )
        done = agentevals("run", PARIS, "-c", str(config), "-o", "json", HOME=str(project))

    assert outcomes(done)["quality_check"] == ("PASSED", 1.0, None)
    assert b"Rate this response: " in server.seen[0].body


GO = """
import shutil
from pathlib import Path

from agentevals import custom_evaluators
from agentevals.custom_evaluators import NodeRuntime, PythonRuntime, Runtime

class GoRuntime(Runtime):
    @property
    def extensions(self) -> tuple[str, ...]:
        return (".go",)

    def build_command(self, path: Path) -> list[str]:
        go = shutil.which("go")
        if not go:
            raise RuntimeError("Go not found on PATH")
        return [go, "run", str(path)]

custom_evaluators._RUNTIMES = [PythonRuntime(), NodeRuntime(), GoRuntime()]
"""


def test_a_language_is_added_by_a_runtime_in_the_list(project, monkeypatch):
    program = project / "evaluators" / "score.go"
    program.write_text("package main\n")
    config = configured(project, {"name": "go", "type": "code", "path": str(program)})

    outcome, _, error = run_with(GO, config, project)["go"]
    assert (outcome, error) == ("ERROR", "evaluator 'go': Go not found on PATH")

    (project / "bin").mkdir()
    go = project / "bin" / "go"
    go.write_text('#!/bin/sh\ncat > /dev/null\ntest "$1" = run && echo \'{"score": 0.75}\'\n')
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{go.parent}:/usr/bin:/bin")

    assert run_with(GO, config, project)["go"] == ("PASSED", 0.75, None)


DOCKER = """
from pathlib import Path

from agentevals.custom_evaluators import EvalInput, EvalResult, EvaluatorBackend
from agentevals.custom_evaluators import register_executor

class DockerBackend(EvaluatorBackend):
    def __init__(self, path: Path, timeout: int = 30):
        self._path = path
        self._timeout = timeout

    async def run(self, eval_input: EvalInput, metric_name: str) -> EvalResult:
        BODY

register_executor("docker", lambda path, timeout: DockerBackend(path, timeout))
"""


def test_an_executor_is_registered_by_its_name(project):
    program = project / "evaluators" / "untrusted.py"
    program.write_text("raise SystemExit(1)\n")
    entry = {"name": "untrusted", "type": "code", "path": str(program), "executor": "docker"}
    config = configured(project, entry)
    body = "return EvalResult(score=0.9 if metric_name == 'untrusted' else 0)"

    assert run_with(DOCKER.replace("BODY", body), config, project)["untrusted"] == (
        "PASSED",
        0.9,
        None,
    )


def test_an_executor_that_is_not_written_yet_says_so(project):
    entry = {"name": "untrusted", "type": "code", "path": "x.py", "executor": "docker"}

    outcome, _, error = run_with(
        DOCKER.replace("BODY", "..."), configured(project, entry), project
    )["untrusted"]

    assert outcome == "ERROR"
    assert "DockerBackend gave NoneType, not an EvalResult" in error


REGISTRY = """
from pathlib import Path

from agentevals.evaluator.sources import EvaluatorSource, EvaluatorInfo, register_source

class MyRegistrySource(EvaluatorSource):
    @property
    def source_name(self) -> str:
        return "my-registry"

    async def list_evaluators(self) -> list[EvaluatorInfo]: ...

    async def fetch_evaluator(self, ref: str, dest: Path) -> Path: BODY

register_source(MyRegistrySource())
"""
FROM_REGISTRY = {
    "name": "my_evaluator",
    "type": "remote",
    "source": "my-registry",
    "ref": "some/ref/path.py",
}


def test_a_registry_is_registered_by_its_name(project):
    body = "dest.write_text('print(\\'{\"score\": 1.0}\\')'); return dest"

    found = run_with(REGISTRY.replace("BODY", body), configured(project, FROM_REGISTRY), project)

    assert found["my_evaluator"] == ("PASSED", 1.0, None)


def test_a_registry_that_is_not_written_yet_says_so(project):
    stub = REGISTRY.replace("BODY", "...")
    config = configured(project, FROM_REGISTRY | {"ref": "not/there.py"})

    outcome, _, error = run_with(stub, config, project)["my_evaluator"]
    code = f"{stub}\nfrom agentevals.cli import main\nmain()"
    listed = subprocess.run(
        [sys.executable, "-c", code, "evaluator", "list", "-s", "my-registry"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert outcome == "ERROR"
    assert "source 'my-registry' gave no file for 'not/there.py'" in error
    assert listed.returncode == 2
    assert "source 'my-registry' gave NoneType, not a list of evaluators" in listed.stderr
