import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agentevals.cli.commands.init import Surroundings, write_config
from agentevals.configs.dialects import compile_plan
from tests.support import agentevals

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def project(tmp_path):
    shutil.copytree(EXAMPLES / "traces", tmp_path / "traces")
    shutil.copy(EXAMPLES / "eval_set.json", tmp_path)
    return tmp_path


def test_what_it_writes_can_be_run_as_it_is(project):
    done = agentevals("init", cwd=project)

    assert done.returncode == 0, done.stderr
    assert "found 4 conversations in traces" in done.stdout
    assert "found 4 expected cases in eval_set.json" in done.stdout
    scored = agentevals("run", "--config", "eval_config.yaml", cwd=project)
    assert scored.stdout.startswith("FAIL  1 of 4 cases failed"), scored.stderr


def test_it_names_what_it_saw(project):
    agentevals("init", cwd=project)
    written = (project / "eval_config.yaml").read_text()

    assert "# tools: forecast, geocode, warn\n# models: scripted-1\n" in written


def test_without_expectations_it_says_how_to_get_some(project):
    (project / "eval_set.json").unlink()
    done = agentevals("init", cwd=project)

    assert "agentevals bless traces -o eval_set.json" in done.stdout
    scored = agentevals("run", "--config", "eval_config.yaml", cwd=project)
    assert scored.stdout.startswith("PASS  "), scored.stdout + scored.stderr


def test_without_traces_it_says_how_to_record_some(tmp_path):
    done = agentevals("init", cwd=tmp_path)

    assert done.returncode == 0
    assert "agentevals record -o traces/ -- COMMAND" in done.stdout
    assert compile_plan(tmp_path / "eval_config.yaml").graders


def test_it_lists_what_the_agent_is_made_of(project):
    for name in ("agent.py", "prompts/system.md", "src/tools/find.ts", "requirements.txt"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x")
    for name in ("tests/test_agent.py", "evaluators/mine.py", "README.md", ".env", "docs/a.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x")
    agentevals("init", cwd=project)
    written = yaml.safe_load((project / "eval_config.yaml").read_text())

    assert written["agent"] == ["agent.py", "prompts/", "requirements.txt", "src/"]
    assert compile_plan(project / "eval_config.yaml").agent.compute_digest()


def test_nothing_is_overwritten_without_being_asked(tmp_path):
    (tmp_path / "eval_config.yaml").write_text("mine")
    done = agentevals("init", cwd=tmp_path)

    assert done.returncode == 2
    assert "eval_config.yaml: already there; give --force to overwrite" in done.stderr
    assert not (tmp_path / ".github").exists()
    assert agentevals("init", "--force", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["nowhere.json", "x" * 300 + "nowhere.json"])
def test_a_path_that_is_not_there_is_said(tmp_path, name):
    done = agentevals("init", name, cwd=tmp_path)

    assert done.returncode == 2
    assert "nowhere.json: no such file or folder" in done.stderr
    assert not (tmp_path / "eval_config.yaml").exists()


def test_files_that_are_no_traces_and_no_eval_sets_are_left_alone(tmp_path):
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces/odd.json").write_text("{}")
    (tmp_path / "my_eval_set.json").write_text("[")
    done = agentevals("init", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "found" not in done.stdout


def read_workflow(folder):
    return yaml.safe_load((folder / ".github/workflows/agentevals.yml").read_text())


def test_the_workflow_is_one(project):
    done = agentevals("init", cwd=project)
    written = read_workflow(project)

    assert "it judges committed recordings; --record-in-ci writes one that records" in done.stdout
    assert list(written["jobs"]) == ["evaluate"]
    assert written["permissions"] == {}
    *_, step = written["jobs"]["evaluate"]["steps"]
    assert step["with"] == {"config": "eval_config.yaml"}


@pytest.mark.parametrize(("typed", "jobs"), [("y", ["record", "evaluate"]), ("", ["evaluate"])])
def test_a_terminal_is_asked_whether_to_record_in_ci(tmp_path, typed, jobs):
    ours, theirs = pty.openpty()
    os.write(ours, f"{typed}\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "agentevals", "init"],
        stdin=theirs,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    os.close(theirs)
    os.close(ours)

    assert "Shall the workflow record the agent" in done.stdout
    assert list(read_workflow(tmp_path)["jobs"]) == jobs


HOSTILE = (
    "a\nevaluators: []",
    "\x1b[31m",
    "x: y # z",
    "\u2028- {",
    "'\"",
    "%",
    "-",
    "*a",
    "&b",
    "true",
    "12",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_names_from_traces_and_paths_change_nothing(tmp_path, text):
    found = Surroundings(
        traces=[Path(text)],
        eval_set=Path("eval set.json"),
        conversations=1,
        tools={text},
        models={text},
        most_tokens=1_001,
    )
    written = yaml.safe_load(write_config(found))

    assert written["traces"] == [text]
    assert written["eval_set"] == "eval set.json"
    assert [entry["name"] for entry in written["evaluators"]] == [
        "tool_trajectory_avg_score",
        "response_match_score",
        "tool_call_count_v1",
        "token_usage_v1",
    ]
    assert written["evaluators"][3]["max"] == 1_600
