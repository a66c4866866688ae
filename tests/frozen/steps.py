"""Frozen steps of workflows: a repository, what happens to it, and what the action makes of it."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from tests import forked
from tests.frozen.github import commit, git, offer, reached
from tests.frozen.place import ROOT, Files, Place, snapshot, write
from tests.frozen.requests import shown
from tests.stand_in import documents
from tests.stand_in.answers import uploads
from tests.stand_in.server import StandIn

REPOSITORY, FORK, NUMBER = "weather/agent", "somebody/agent", 12
_RUN = 30433642
COMMUNITY = "community/evaluators"
# what stands for the head and the base in the recorded events
_HEADS, _BASES = ("1a" * 20, "4d" * 20), ("2b" * 20, "3c" * 20)
_KINDS = {"A": "added", "M": "modified", "D": "removed", "T": "changed"}


@dataclass(frozen=True)
class Step:
    """One event and what the workflow gives to the action. Without a `base`: the head before."""

    head: Files
    base: Files | None = None
    event: str = "pull_request"
    recorded: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    permissions: Mapping[str, str] = field(default_factory=dict)
    artifacts: bool = False


@dataclass(frozen=True)
class Workflow:
    """Steps one after the other; GitHub remembers what was said on the same pull request."""

    name: str
    steps: tuple[Step, ...]
    registry: Files = field(default_factory=dict)


def play(workflow: Workflow, place: Place) -> None:
    """Run every step, and keep all that came of it."""
    with reached(place) as stand_in:
        if workflow.registry:
            offer(place, stand_in, COMMUNITY, workflow.registry)
            place.environ["AGENTEVALS_EVALUATOR_REPO"] = COMMUNITY
            place.environ["AGENTEVALS_API_URL"] = stand_in.url
        _Played(place, stand_in).steps(workflow.steps)


class _Played:
    """A repository, the runner's files, and what has happened so far."""

    def __init__(self, place: Place, stand_in: StandIn) -> None:
        self._place, self._github = place, stand_in
        self._origin = place.folder / "origin"
        self._runner = place.folder / "runner"
        self._tip = ""
        self._number = 561
        self._repository = stand_in.world.repository(REPOSITORY)
        self._repository.id = 501
        stand_in.world.repository(FORK).id = 777
        self._origin.mkdir()
        self._runner.mkdir()
        git(place, self._origin, "init", "--quiet", "--initial-branch=main")

    def steps(self, steps: tuple[Step, ...]) -> None:
        for number, step in enumerate(steps, start=1):
            self._number += 1
            self._play(step, f"step-{number}/" if len(steps) > 1 else "")
            if step.event == "push":
                self._ended()

    def _play(self, step: Step, under: str) -> None:
        base = self._commit(step.base, self._tip) if step.base is not None else self._tip
        head = self._commit(step.head, base)
        self._tip = head if step.event == "push" else base
        self._checkout(head)
        number = self._event(step, base, head)
        self._known(step, number, base, head)
        environ = self._environ(step, head)
        for name in ("output", "summary", "env", "path"):
            (self._runner / name).write_text("")
        before, begun = snapshot(self._place.folder), len(self._github.exchanges)
        stored = len(self._github.stored)
        project = self._place.project
        done = forked.run("agentevals.action", [], cwd=project, env=environ, isolated=True)
        keep = self._place.keep
        keep(f"{under}stdout.txt", done.stdout)
        keep(f"{under}stderr.txt", done.stderr)
        keep(f"{under}result.txt", f"{done.returncode}\n")
        exchanges = [*self._github.exchanges[begun:], *self._github.stored[stored:]]
        keep(f"{under}requests.json", shown(exchange.request for exchange in exchanges))
        self._place.keep_files(before, f"{under}files")

    def _ended(self) -> None:
        """The run is over: GitHub lists it, with the artifacts that it has kept."""
        world = self._github.world
        number = _RUN + self._number
        facts = {"workflow": "evals.yml", "sha": self._tip, "head_repository": REPOSITORY}
        run = world.run(REPOSITORY, id=number, **facts)
        for name, upload in world.uploads.items():
            world.artifact(run, name, upload.content or b"")
        world.uploads.clear()

    def _commit(self, files: Files, on: str) -> str:
        if on:
            git(self._place, self._origin, "checkout", "--quiet", "--force", "--detach", on)
        git(self._place, self._origin, "rm", "-rfq", "--ignore-unmatch", ".")
        write(self._origin, files)
        return commit(self._place, self._origin)

    def _known(self, step: Step, number: int, base: str, head: str) -> None:
        """What GitHub knows of both commits, and of the pull request between them."""
        git(self._place, self._origin, "update-ref", "refs/heads/main", self._tip)
        for sha in {base, head} - {""}:
            words = ("archive", "--format=tar.gz", f"--prefix=agent-{sha[:7]}/", sha)
            self._repository.tarballs[sha] = git(self._place, self._origin, *words)
        self._github.permissions = dict(step.permissions)
        if step.event == "push":
            return
        self._repository.merge_bases[f"{base}...{head}"] = base
        changed = git(
            self._place, self._origin, "diff", "--name-status", "--no-renames", base, head
        )
        lines = [line.split("\t") for line in changed.decode().splitlines()]
        api = "https://github.example/api"
        self._github.world.pull(
            number,
            REPOSITORY,
            head_sha=head,
            base_sha=base,
            head_ref="units",
            head_repository=FORK if "fork" in step.recorded else REPOSITORY,
            files=[documents.changed_file(api, name, _KINDS[kind]) for kind, name in lines],
        )

    def _checkout(self, head: str) -> None:
        project = self._place.project
        shutil.rmtree(project)
        git(self._place, self._place.folder, "clone", "--quiet", str(self._origin), str(project))
        git(self._place, project, "checkout", "--quiet", "--force", "--detach", head)

    def _event(self, step: Step, base: str, head: str) -> int:
        """Write the recorded event, with these commits; returns the number of its pull request."""
        text = (ROOT / f"tests/data/events/{step.recorded or step.event}.json").read_text()
        for known, sha in ((_HEADS, head), (_BASES, base)):
            for placeholder in known if sha else ():
                text = text.replace(placeholder, sha)
        event: dict[str, Any] = json.loads(text)
        (self._runner / "event.json").write_text(json.dumps(event))
        number: int = event.get("number", NUMBER)
        return number

    def _environ(self, step: Step, head: str) -> dict[str, str]:
        push = step.event == "push"
        return {
            **self._place.environ,
            **_inputs({"github-token": self._github.token, **step.inputs}),
            **(_service(self._github) if step.artifacts else {}),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self._place.project),
            "RUNNER_TEMP": str(self._runner / "temp"),
            "GITHUB_OUTPUT": str(self._runner / "output"),
            "GITHUB_STEP_SUMMARY": str(self._runner / "summary"),
            "GITHUB_ENV": str(self._runner / "env"),
            "GITHUB_PATH": str(self._runner / "path"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(_RUN + self._number),
            "GITHUB_RUN_NUMBER": str(self._number),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_WORKFLOW": "agentevals",
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/evals.yml@refs/heads/main",
            "GITHUB_JOB": "evals",
            "GITHUB_ACTOR": "alice",
            "GITHUB_EVENT_NAME": step.event,
            "GITHUB_EVENT_PATH": str(self._runner / "event.json"),
            "GITHUB_SHA": head,
            "GITHUB_REF": "refs/heads/main" if push else f"refs/pull/{NUMBER}/merge",
        }


def _service(stand_in: StandIn) -> dict[str, str]:
    """The runner's own service for artifacts."""
    url = f"{stand_in.root}/"
    return {"ACTIONS_RUNTIME_TOKEN": uploads.runtime_token(), "ACTIONS_RESULTS_URL": url}


def _inputs(given: Mapping[str, str]) -> dict[str, str]:
    """Every input of the action as the runner sets it: its default where nothing else is given."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    texts = {name: known.get("default", "") for name, known in action["inputs"].items()}
    texts |= {"matrix": "null"} | dict(given)
    return {f"INPUT_{name.upper()}": text for name, text in texts.items()}
