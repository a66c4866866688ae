"""Scoring inside the image: offline, read-only, in every language, beside hostile files."""

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from tests.container.runner import RUNNER, Runner, hand_over
from tests.graders.text.recorded_similarities import RECORDED

SCORED = ("run", "traces", "-c", "eval_config.yaml", "-e", "eval_set.json")
IMPOSTORS = (
    *("agentevals/__init__.py", "json.py", "msgspec/__init__.py", "pydantic/__init__.py"),
    *("requests.py", "sitecustomize.py", "usercustomize.py", "yaml.py"),
)
WHO_CAME = "open('/github/workspace/imported', 'a').write(__name__ + '\\n')\n"
WHEEL = "tiny-1.0-py3-none-any.whl"
TYPED = """\
import { readFileSync } from "node:fs";
interface Input { invocations: { final_response: string }[] }
const input: Input = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ score: input.invocations.length > 0 ? 1.0 : 0.0 }));
"""
SIMILAR = """\
evaluators:
  - {name: near, type: similar, value: The weather in Paris is sunny, threshold: 0.6}
"""
COMPARED = """\
import json, sys
from agentevals.graders.text.similar import compute_cosines
print(json.dumps([compute_cosines(one, (other,))[0] for one, other in json.loads(sys.argv[1])]))
"""
WITH_A_PACKAGE = """\
import json, sys, tiny
json.load(sys.stdin)
print(json.dumps({"score": tiny.SCORE}))
"""


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--network", "none"], id="without a network"),
        pytest.param(
            ["--network", "none", "--read-only", "--tmpfs", "/tmp"], id="with a read-only root"
        ),
    ],
)
def test_the_examples_are_scored(runner: Runner, options):
    step = runner.program("agentevals", *SCORED, options=options)

    assert step.exit_code == 1, step.log
    assert "strict (own user, landlock" in step.log
    assert "ERROR" not in step.log


@pytest.mark.parametrize("name", ["check.py", "check.js", "check.mjs", "check.ts", "check.mts"])
def test_evaluators_of_every_language_run(runner: Runner, name):
    python = 'import json, sys\njson.load(sys.stdin)\nprint(json.dumps({"score": 1.0}))\n'
    script = "console.log(JSON.stringify({score: 1}));\n"
    text = {".py": python, ".ts": TYPED, ".mts": TYPED}.get(Path(name).suffix, script)
    (runner.workspace / "evaluators" / name).write_text(text)
    result = _only_result(runner, name)

    assert (result["score"], result["error"]) == (1.0, "")


def test_an_evaluator_gets_the_packages_that_it_requires(runner: Runner):
    evaluators = runner.workspace / "evaluators"
    (evaluators / "check.py").write_text(WITH_A_PACKAGE)
    (evaluators / "requirements.txt").write_text(f"/github/workspace/evaluators/{WHEEL}\n")
    (evaluators / WHEEL).write_bytes(_wheel())
    hand_over(evaluators)
    offline = ("--env", "AGENTEVALS_OFFLINE=1", "--network", "none")
    result = _only_result(runner, "check.py", options=offline)

    assert (result["score"], result["error"]) == (0.75, "")


def test_no_file_of_the_checkout_is_imported(runner: Runner):
    for name in IMPOSTORS:
        file = runner.workspace / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(WHO_CAME)
    hand_over(runner.workspace)
    inherited = {"PYTHONPATH": "/github/workspace", "PYTHONSTARTUP": "/github/workspace/yaml.py"}
    isolated = Runner(
        runner.engine, runner.image, runner.workspace, runner.temp, {**runner.env, **inherited}
    )
    step = isolated.program("python3", "-I", "-m", "agentevals", *SCORED)

    assert step.exit_code == 1, step.log
    assert not (runner.workspace / "imported").exists()


def test_a_checkout_that_is_imported_would_be_noticed(runner: Runner):
    (runner.workspace / "yaml.py").write_text(WHO_CAME)
    runner.program("python3", "-c", "import yaml")

    assert (runner.workspace / "imported").read_text() == "yaml\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a checkout to somebody else")
def test_the_checkout_belongs_to_somebody_else(runner: Runner):
    owner = runner.program("stat", "-c", "%u", "/github/workspace/traces/paris.jsonl")

    assert owner.log.strip() == str(RUNNER)


def test_texts_are_compared_as_the_package_of_the_vectors_does_it(runner: Runner):
    pairs = [(one, other) for one, other, _ in RECORDED]
    said = runner.program("python3", "-I", "-c", COMPARED, json.dumps(pairs))

    assert json.loads(said.log) == pytest.approx([cosine for *_, cosine in RECORDED], abs=1e-4)


def test_an_answer_is_similar_to_a_text(runner: Runner):
    (runner.workspace / "only.yaml").write_text(SIMILAR)
    result = _result(runner)

    assert (result["type"], result["error"]) == ("similar", "")
    assert result["score"] > 0.5


def _only_result(runner: Runner, evaluator: str, **how) -> dict:
    """The result of that evaluator for the first trace."""
    config = f"evaluators:\n  - {{name: check, type: code, path: ./evaluators/{evaluator}}}\n"
    (runner.workspace / "only.yaml").write_text(config)
    return _result(runner, **how)


def _result(runner: Runner, **how) -> dict:
    step = runner.program(
        "agentevals", "run", "traces/paris.jsonl", "-c", "only.yaml",
        "--output-file", "report=out.json", **how,
    )  # fmt: skip
    report = json.loads((runner.workspace / "out.json").read_text())
    assert report["cases"], step.log

    return report["cases"][0]["results"][0]


def _wheel() -> bytes:
    """A package of one constant, as small as a wheel can be."""
    files = {
        "tiny.py": "SCORE = 0.75\n",
        "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        "tiny-1.0.dist-info/RECORD": "",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return buffer.getvalue()
