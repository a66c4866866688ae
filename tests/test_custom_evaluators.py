import asyncio
import json
import shutil
import sys
from pathlib import Path

import pytest

from agentevals import custom_evaluators
from agentevals.custom_evaluators import (
    CustomEvaluatorRunner,
    EvaluatorBackend,
    NodeRuntime,
    Permissions,
    PythonRuntime,
    Runtime,
    SubprocessBackend,
    create_executor,
    get_runtimes,
    register_executor,
    supported_extensions,
)
from agentevals.model.cases import Status
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox.program_rights import Rights
from agentevals_evaluator_sdk import EvalInput, EvalResult

TURNS = (
    Turn(turn_id="1", user="hi", response="hello", tool_calls=(ToolCall(name="search"),)),
    Turn(turn_id="2", user="thanks"),
)


@pytest.fixture
def program(tmp_path):
    def write(text, name="ev.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def judge(path, timeout=20, permissions=None, **settings):
    runner = CustomEvaluatorRunner(SubprocessBackend(path, timeout), "ev", **settings)
    return runner.evaluate(TURNS, permissions=permissions)


ANSWERS = [
    ("""print('{"score": 1.0}\\n\\n')""", 1.0, None),
    ("""print('{"score": 1}')""", 1.0, None),
    ("""print('{"score": 0.1, "status": "PASSED"}')""", 0.1, Status.PASSED),
    ("""print('{"score": 1.0, "status": "FAILED"}')""", 1.0, Status.FAILED),
    ("""print('{"score": 0.0, "status": "NOT_EVALUATED"}')""", 0.0, Status.NOT_EVALUATED),
    ("""print('{"score": 0.5, "foo": 1, "explanation": "why"}')""", 0.5, None),
    ("""print('{"score": 0.5}')""", 0.5, None),
    ("""import sys; sys.stderr.write("warn\\n"); print('{"score": 0.9}')""", 0.9, None),
]


@pytest.mark.parametrize(("text", "score", "status"), ANSWERS)
def test_a_program_is_believed(program, text, score, status):
    grade = judge(program(text))

    assert (grade.score, grade.status) == (score, status)
    assert grade.isolation


FAILURES = [
    ('import sys; sys.stderr.write("boom detail\\n"); sys.exit(3)', "exited with code 3: boom"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "exited with code -11"),
    ("raise ValueError('boom')", "exited with code 1: Traceback"),
    (
        "import no_such_package",
        "List it in a requirements.txt beside the evaluator; for JavaScript, install it beside it",
    ),
    ('import sys; sys.stderr.write("nothing here")', "printed nothing on stdout: nothing here"),
    ("""print("log line"); print('{"score": 1.0}')""", "printed more than its result"),
    ('print("hello")', 'printed "hello", which is not JSON'),
    ("""print('{"score": true}')""", "gave the score true"),
    (
        """import sys; sys.stdout.buffer.write(b'{"score": 0.5, "details": {"a": "\\xff"}}')""",
        "printed bytes that are not UTF-8",
    ),
]


@pytest.mark.parametrize(("text", "said"), FAILURES)
def test_a_program_that_fails_is_an_error_that_names_it(program, text, said):
    with pytest.raises(EvaluatorError) as failed:
        judge(program(text))

    assert str(failed.value).startswith("evaluator 'ev' ")
    assert said in str(failed.value)


def test_a_long_stderr_is_shown_from_its_end(program):
    with pytest.raises(EvaluatorError) as failed:
        judge(program('import sys; sys.stderr.write("x" * 50_000 + "the end"); sys.exit(1)'))

    assert str(failed.value).endswith("the end")
    assert len(str(failed.value)) < 3000


def test_the_time_limit_holds_for_grandchildren_too(program):
    text = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
time.sleep(60)
"""
    with pytest.raises(EvaluatorError, match=r"^evaluator 'ev' .*0\.5 s"):
        judge(program(text), timeout=0.5, permissions=Permissions(rights=Rights(subprocess=True)))


def test_a_program_sees_no_secret_of_ours(program, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "s3cr3t")
    grade = judge(
        program("import json, os; print(json.dumps({'score': 1, 'details': dict(os.environ)}))")
    )

    assert "s3cr3t" not in json.dumps(grade.details)


def test_a_program_gets_the_settings_and_figures_of_its_evaluator(program):
    path = program(
        """
import json, sys
given = json.load(sys.stdin)
del given["invocations"][0]["intermediate_steps"]
print(json.dumps({"score": 1, "details": {"given": given}}))
"""
    )
    settings = {"threshold": 0.7, "config": {"a": 1}, "performance_metrics": {"tokens": 3}}

    given = judge(path, **settings).details["given"]

    assert (given["metric_name"], given["threshold"], given["config"]) == ("ev", 0.7, {"a": 1})
    assert [turn["performance_metrics"] for turn in given["invocations"]] == [{"tokens": 3}] * 2


SDK_EVALUATOR = """
from agentevals_evaluator_sdk import evaluator, EvalInput, EvalResult

@evaluator
def response_quality(input: EvalInput) -> EvalResult:
    print("judging", len(input.invocations))
    scores = [1.0 if turn.final_response else 0.0 for turn in input.invocations]
    return EvalResult(score=sum(scores) / len(scores), per_invocation_scores=scores)

if __name__ == "__main__":
    response_quality.run()
"""


def test_an_evaluator_written_with_the_sdk(program):
    grade = judge(program(SDK_EVALUATOR))

    assert (grade.score, grade.per_turn) == (0.5, (1.0, 0.0))


JAVASCRIPT = """
const input = JSON.parse(require("fs").readFileSync("/dev/stdin", "utf8"));

let score = 1.0;
for (const inv of input.invocations) {
  if (inv.intermediate_steps.tool_calls.length === 0) {
    score -= 0.5;
  }
}
console.log(JSON.stringify({ score: Math.max(0, score), per_invocation_scores: [] }));
"""


@pytest.mark.parametrize("name", ["ev.js", "ev.cjs", "EV.JS"])
def test_an_evaluator_in_javascript(program, name):
    assert judge(program(JAVASCRIPT, name)).score == 0.5


def test_an_evaluator_in_typescript(program):
    typed = JAVASCRIPT.replace("let score", "let score: number").replace(
        "const input", "const input: { invocations: any[] }"
    )

    assert judge(program(typed, "ev.ts")).score == 0.5


def test_an_evaluator_as_a_module_of_node(program):
    module = 'import { readFileSync } from "node:fs";\n' + JAVASCRIPT.replace(
        'require("fs").readFileSync', "readFileSync"
    )

    assert judge(program(module, "ev.mjs")).score == 0.5


def test_an_evaluator_of_any_kind_with_a_shebang(program):
    path = program("#!/bin/sh\ncat > /dev/null\necho '{\"score\": 0.25}'\n", "ev")
    path.chmod(0o755)

    assert judge(path).score == 0.25


def test_a_program_that_never_reads_its_input(program):
    assert judge(program("""print('{"score": 0.9}')""")).score == 0.9


def problems(path, executor="local"):
    return create_executor(executor, path).problems()


def test_what_is_wrong_with_a_path_is_found_without_running_it(program, tmp_path):
    assert problems(program("raise SystemExit(1)")) == []
    assert "does not exist" in problems(tmp_path / "nope.py")[0]
    assert "is a directory" in problems(tmp_path)[0]
    assert "no runtime for ev.rb (known: .cjs, .cts, .js" in problems(program("", "ev.rb"))[0]
    assert "chmod +x" in problems(program("#!/bin/sh", "ev.sh"))[0]


def test_a_missing_program_is_a_mistake_of_who_wrote_the_config(tmp_path):
    with pytest.raises(InputError, match=r"^evaluator 'ev': .*nope\.py does not exist"):
        judge(tmp_path / "nope.py")


def test_a_program_that_nothing_runs_is_a_mistake_of_who_wrote_the_config(program):
    with pytest.raises(InputError, match=r"^evaluator 'ev': no runtime for ev\.rb"):
        judge(program("", "ev.rb"))


class GoRuntime(Runtime):
    @property
    def extensions(self) -> tuple[str, ...]:
        return (".go",)

    def build_command(self, path: Path) -> list[str]:
        go = shutil.which("go")
        if not go:
            raise RuntimeError("Go not found on PATH")  # noqa: EM101, TRY003 -- as people write it
        return [go, "run", str(path)]


@pytest.fixture
def go_runtime():
    runtime = GoRuntime()
    custom_evaluators._RUNTIMES.append(runtime)
    yield runtime
    custom_evaluators._RUNTIMES.remove(runtime)


def test_a_language_is_added_with_one_class(go_runtime, program, tmp_path, monkeypatch):
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text('#!/bin/sh\necho "{\\"score\\": 0.75, \\"details\\": {\\"ran\\": \\"$*\\"}}"\n')
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{go.parent}:/usr/bin:/bin")
    path = program("package main", "ev.go")

    assert (go_runtime.name, go_runtime.is_available()) == ("Go", True)
    assert ".go" in supported_extensions()
    assert go_runtime in get_runtimes()
    assert judge(path).details == {"ran": f"run {path}"}


def test_what_a_language_misses_is_an_error_of_its_evaluator(go_runtime, program, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    path = program("package main", "ev.go")

    assert not go_runtime.is_available()
    assert problems(path) == ["Go not found on PATH"]
    with pytest.raises(EvaluatorError, match=r"^evaluator 'ev': Go not found on PATH$"):
        judge(path)


def test_runtimes_of_the_documents():
    assert PythonRuntime().build_command(Path("a.py")) == [sys.executable, "a.py"]
    assert PythonRuntime(Path("/x/python")).build_command(Path("a.py")) == ["/x/python", "a.py"]
    assert PythonRuntime().extensions == (".py",)
    assert {".js", ".ts"} <= set(NodeRuntime().extensions)


class Elsewhere(EvaluatorBackend):
    def __init__(self, path: Path, timeout: int = 30):
        self.path, self.timeout = path, timeout

    async def run(self, eval_input: EvalInput, metric_name: str) -> EvalResult:
        await asyncio.sleep(0)
        if eval_input.config.get("answer") == "dict":
            return {"score": 1}
        if eval_input.config.get("answer") == "raise":
            raise RuntimeError("no daemon")  # noqa: EM101, TRY003
        details = {"name": metric_name, "turns": len(eval_input.invocations), "at": self.timeout}
        return EvalResult(score=0.5, details=details)


@pytest.fixture
def elsewhere():
    register_executor("elsewhere", lambda path, timeout: Elsewhere(path, timeout))  # noqa: PLW0108
    yield
    del custom_evaluators._EXECUTOR_FACTORIES["elsewhere"]


def test_an_executor_is_added_with_one_class(elsewhere, tmp_path):
    backend = create_executor("elsewhere", tmp_path / "x.py", 7)

    grade = CustomEvaluatorRunner(backend, "ev").evaluate(TURNS)

    assert grade.details == {"name": "ev", "turns": 2, "at": 7}
    assert backend.problems() == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("dict", "evaluator 'ev': Elsewhere gave dict, not an EvalResult"),
        ("raise", "evaluator 'ev' could not be run by Elsewhere: no daemon"),
    ],
)
def test_an_executor_that_fails_is_an_error_of_the_evaluator(elsewhere, tmp_path, answer, said):
    backend = create_executor("elsewhere", tmp_path / "x.py")

    with pytest.raises(EvaluatorError, match=f"^{said}$"):
        CustomEvaluatorRunner(backend, "ev", config={"answer": answer}).evaluate(TURNS)


def test_an_unknown_executor_names_the_known_ones(tmp_path):
    with pytest.raises(InputError, match=r"unknown executor 'dokcer' [(]did you mean 'docker'"):
        create_executor("dokcer", tmp_path / "x.py")


def test_a_local_program_can_be_awaited_with_objects(program):
    backend = SubprocessBackend(program(SDK_EVALUATOR))
    message = EvalInput(metric_name="ev", invocations=[{"final_response": "x"}])

    result = asyncio.run(backend.run(message, "ev"))

    assert result == EvalResult(score=1.0, per_invocation_scores=[1.0])


def test_a_runner_can_be_awaited(program):
    runner = CustomEvaluatorRunner(SubprocessBackend(program(SDK_EVALUATOR)), "ev")

    assert asyncio.run(runner.evaluate_invocations(TURNS, None)).score == 0.5


def test_the_least_level_of_isolation_can_be_asked_for(program):
    backend = SubprocessBackend(program("""print('{"score": 1}')"""))
    runner = CustomEvaluatorRunner(backend, "ev")

    assert runner.evaluate(TURNS, permissions=Permissions(level="basic")).isolation
