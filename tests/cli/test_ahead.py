import os
import subprocess
import sys

import pytest

from agentevals.cli import ahead

CLASSES = "evals/evaluators/custom/own.py"
EVAL_SET = "evals/eval_sets/set.json"


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("files", "words", "expected"),
    [
        ({CLASSES: "", EVAL_SET: "{}"}, ["run", "t.json", "--config", EVAL_SET], True),
        ({EVAL_SET: "{}"}, ["run", "t.json", "--config", EVAL_SET], False),
        ({"c.json": '{"custom_metrics": {}}'}, ["run", "t.json", "-c", "c.json"], True),
        ({"c.json": '{"customMetrics": {}}'}, ["run", "t.json", "--config=c.json"], True),
        ({"c.yaml": "path: own.py"}, ["run", "-c", "c.yaml", "t.json"], True),
        ({"c.yaml": "path: own.py"}, ["validate", "-c", "c.yaml"], False),
        ({"c.yaml": "path: own.py"}, ["run", "c.yaml"], False),
        ({"c.yaml": "type: contains"}, ["run", "-c", "c.yaml"], False),
        ({}, ["run", "-c", "nowhere.yaml"], False),
        ({}, ["run", "-c", "\0"], False),
        ({}, ["run", "-c", ""], False),
        ({}, ["run", "-c"], False),
        ({}, [], False),
    ],
)
def test_a_glance_at_the_config_tells_whether_programs_will_run(
    tmp_path, monkeypatch, files, words, expected
):
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)

    assert ahead.needs_programs(words) is expected


def test_a_pipe_is_left_to_who_reads_it(tmp_path):
    os.mkfifo(tmp_path / "c.yaml")

    assert ahead.needs_programs(["run", "-c", str(tmp_path / "c.yaml")]) is False


@pytest.mark.parametrize(("text", "begun"), [("path: own.py", True), ("type: contains", False)])
def test_nothing_is_imported_for_nothing(tmp_path, text, begun):
    write(tmp_path, {"c.yaml": text})
    program = (
        "import sys; from agentevals.cli import ahead; ahead.begin(sys.argv[1:]); "
        "print('agentevals.sandbox.isolation' in sys.modules)"
    )
    words = [sys.executable, "-c", program, "run", "-c", "c.yaml"]

    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout == f"{begun}\n"
