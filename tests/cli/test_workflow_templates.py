"""What `init` guesses for the job that records, and the workflow that it becomes."""

import json
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from agentevals.cli.workflow_templates import Recording, guess_recording, write_recorded
from tests.support import EXAMPLES, agentevals

OPENAI = {"agent.py": "from openai import OpenAI\n", "requirements.txt": "openai\n"}
CLAUDE = {"main.py": "import anthropic\n", "pyproject.toml": "[project]\n"}
NODE = {
    "package.json": json.dumps({"scripts": {"start": "node a.js"}, "dependencies": {}}),
    "package-lock.json": "{}",
    "src/a.ts": "const key = process.env.MY_MODEL_API_KEY;\nprocess.env.SEARCH_API_TOKEN;\n",
}


@pytest.fixture
def guess(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def of(files, *commands, traces=()):
        for name, text in files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        return guess_recording(Path(), list(files), commands, [Path(one) for one in traces])

    return of


@pytest.mark.parametrize(
    ("files", "recording"),
    [
        (OPENAI, Recording()),
        (CLAUDE, Recording("python main.py", "pip install .", ("ANTHROPIC_API_KEY",))),
        (NODE, Recording("npm start", "npm ci", ("MY_MODEL_API_KEY", "SEARCH_API_TOKEN"))),
        ({}, Recording("python agent.py", "")),
    ],
    ids=["python", "a package", "node", "nothing"],
)
def test_files_suggest_the_command_the_packages_and_the_keys(guess, files, recording):
    assert guess(files) == recording


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ("python my_agent.py --all 'two words'", "python my_agent.py --all 'two words'"),
        ("/home/me/.venv/bin/python -m bot", "python -m bot"),
        ("/usr/bin/python3.11 agent.py --all", "python agent.py --all"),
        ("python {folder}/bot/main.py", "python bot/main.py"),
        ("python /elsewhere/agent.py", "python agent.py"),
        ("python agent.py 'a ${{ secrets.X }}'", "python agent.py"),
        ("python agent.py ***1a2b3c4d", "python agent.py"),
        ("python agent.py\n      - run: evil", "python agent.py"),
        ("python agent.py 'open", "python agent.py"),
        ("", "python agent.py"),
    ],
)
def test_what_has_recorded_before_is_used_if_another_machine_can_run_it(guess, before, command):
    assert guess(OPENAI, before.format(folder=Path.cwd())).command == command


@pytest.mark.parametrize(
    ("folder", "used"),
    [
        ("recordings", "recordings/"),
        ("a b", "traces/"),
        ("../up", "traces/"),
        ("file.json", "traces/"),
    ],
)
def test_the_folder_of_the_recordings_is_used_if_it_is_one(guess, folder, used):
    if not folder.endswith(".json"):
        Path(folder).mkdir()

    assert guess(OPENAI, traces=[folder]).folder == used
    assert f"path: {used}" in write_recorded(guess(OPENAI, traces=[folder]))


def test_init_writes_what_it_has_guessed(tmp_path):
    (tmp_path / "agent.py").write_bytes((EXAMPLES / "weather_agent/agent.py").read_bytes())
    for module in (EXAMPLES / "weather_agent").glob("*.py"):
        (tmp_path / module.name).write_bytes(module.read_bytes())
    agentevals("record", "-o", "traces/", "--", sys.executable, "agent.py", "paris", cwd=tmp_path)
    done = agentevals("init", "--record-in-ci", cwd=tmp_path)
    jobs = yaml.safe_load((tmp_path / ".github/workflows/agentevals.yml").read_text())["jobs"]

    [script] = [
        s["run"] for s in jobs["record"]["steps"] if "agentevals record" in s.get("run", "")
    ]
    assert shlex.split(script)[-3:] == ["python", "agent.py", "paris"]
    assert "it records with: python agent.py paris; check that command" in done.stdout
    assert "gh secret set OPENAI_API_KEY" in done.stdout
