"""Starts a container action with the mounts, the variables and the socket of GitHub's runner."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.container.engine import Engine

RUNNER = 1001  # whom the checkout belongs to on hosted machines
_FILES = {
    "GITHUB_OUTPUT": "set_output",
    "GITHUB_ENV": "set_env",
    "GITHUB_PATH": "add_path",
    "GITHUB_STATE": "save_state",
    "GITHUB_STEP_SUMMARY": "step_summary",
}
_DEFAULTS = {
    "HOME": "/github/home",
    "GITHUB_WORKSPACE": "/github/workspace",
    "GITHUB_EVENT_PATH": "/github/workflow/event.json",
    "GITHUB_REPOSITORY": "octo-org/weather-agent",
    "GITHUB_REPOSITORY_OWNER": "octo-org",
    "GITHUB_API_URL": "http://127.0.0.1:9",
    "GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/graphql",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_SHA": "0123456789abcdef0123456789abcdef01234567",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_REF_NAME": "main",
    "GITHUB_RUN_ID": "4001",
    "GITHUB_RUN_NUMBER": "17",
    "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_WORKFLOW": "evals",
    "GITHUB_WORKFLOW_REF": "octo-org/weather-agent/.github/workflows/evals.yml@refs/heads/main",
    "GITHUB_JOB": "evals",
    "GITHUB_ACTION": "__self",
    "GITHUB_ACTOR": "mona",
    "RUNNER_TEMP": "/github/runner_temp",
    "RUNNER_OS": "Linux",
    "RUNNER_ARCH": "X64",
    "RUNNER_NAME": "hosted",
    "ACTIONS_RUNTIME_TOKEN": "a-runtime-token",
    "GITHUB_ACTIONS": "true",
    "CI": "true",
}


@dataclass(frozen=True)
class Step:
    """What a step left behind."""

    exit_code: int
    log: str
    written: Mapping[str, str]  # the text of each command file, by its variable

    @property
    def summary(self) -> str:
        return self.written["GITHUB_STEP_SUMMARY"]

    @property
    def outputs(self) -> dict[str, str]:
        """What later steps can read: lines `name=value`, or a value between two delimiters."""
        lines = iter(self.written["GITHUB_OUTPUT"].splitlines())
        found: dict[str, str] = {}
        for line in lines:
            name, _, delimiter = line.partition("<<")
            if not delimiter or "=" in name:
                name, _, found_value = line.partition("=")
                found[name] = found_value
                continue
            found[name] = "\n".join(iter(lambda: next(lines), delimiter))
        return found


@dataclass(frozen=True)
class Runner:
    """A machine that runs steps: an engine, an image, a checkout and a folder for the rest."""

    engine: Engine
    image: str
    workspace: Path
    temp: Path
    env: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, **how: Any) -> Step:
        """One step, from the start of its container to what it left behind."""
        with self.started(*arguments, **how) as process:
            log, _ = process.communicate()
        return Step(process.returncode, log, self._written())

    def started(
        self,
        *arguments: str,
        inputs: Mapping[str, str] | None = None,
        event: Mapping[str, Any] | None = None,
        event_name: str = "push",
        options: Sequence[str] = ("--network", "none"),
    ) -> subprocess.Popen[str]:
        """A step that runs; both its streams are read as one, as the runner does."""
        variables = {
            **_DEFAULTS,
            **{name: f"/github/file_commands/{file}" for name, file in _FILES.items()},
            "GITHUB_EVENT_NAME": event_name,
            **{f"INPUT_{name.upper()}": value for name, value in (inputs or {}).items()},
            **self.env,
        }
        command = [
            *(self.engine.client, "run", "--rm", "--workdir", "/github/workspace"),
            *(word for name in variables for word in ("-e", name)),
            *(word for mount in self._mounts(event or {}) for word in ("-v", mount)),
            *(*options, self.image, *arguments),
        ]
        return subprocess.Popen(
            command,
            env={**self.engine.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def program(self, name: str, *arguments: str, **how: Any) -> Step:
        """The same container, with another program instead of its entry point."""
        options = how.pop("options", ("--network", "none"))
        return self.run(*arguments, options=("--entrypoint", name, *options), **how)

    def _mounts(self, event: Mapping[str, Any]) -> list[str]:
        folders = {
            "_github_home": "/github/home",
            "_github_workflow": "/github/workflow",
            "_runner_file_commands": "/github/file_commands",
            "_runner_temp": "/github/runner_temp",
        }
        for name in folders:
            (self.temp / name).mkdir(parents=True, exist_ok=True)
        for file in _FILES.values():
            (self.temp / "_runner_file_commands" / file).write_bytes(b"")
        (self.temp / "_github_workflow/event.json").write_text(json.dumps(event), encoding="utf-8")
        return [
            f"{self.engine.socket}:/var/run/docker.sock",
            *(f"{self.temp / name}:{inside}" for name, inside in folders.items()),
            f"{self.workspace}:/github/workspace",
        ]

    def _written(self) -> dict[str, str]:
        folder = self.temp / "_runner_file_commands"
        return {name: (folder / file).read_text("utf-8") for name, file in _FILES.items()}


def hand_over(folder: Path) -> None:
    """Give a checkout to the runner's user, as on a hosted machine, if we may."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, RUNNER, RUNNER, follow_symlinks=False)
