"""One step of a workflow, with all that a runner gives it: a checkout, an event, GitHub, inputs."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import yaml

from agentevals.action import main
from agentevals.github.events import EVENTS
from agentevals.github.runner import inputs
from tests.github.clocks import VirtualTime
from tests.stand_in import documents
from tests.stand_in.answers import uploads
from tests.support import DATA

REPOSITORY, FORK, NUMBER = "weather/agent", "somebody/agent", 12
# what stands for the head and the base in the recorded events
_HEADS, _BASES = ("1a" * 20, "4d" * 20), ("2b" * 20, "3c" * 20)
_GIT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TEMPLATE_DIR": "",  # two dozen files of examples in every repository
    **{f"GIT_{who}_NAME": "Alice" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "alice@example.com" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_DATE": "2026-03-01T10:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}
_ALICE = "Alice <alice@example.com> 1772359200 +0000"


def git(folder, *words, given=b"", raw=False):
    command = ["git", "-C", str(folder), *words]
    done = subprocess.run(command, input=given, capture_output=True, env=_GIT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout if raw else done.stdout.decode().strip()


# ---- what lies in the repository of an agent


def transcript(case, *calls, answer="It is sunny.", user="How is the weather?"):
    """One recorded conversation, as one line of JSON."""
    asked = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at, name in enumerate(calls)
    ]
    messages = [
        {"role": "user", "content": user},
        {"role": "assistant", "content": "", "tool_calls": asked},
        *({"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in asked),
        {"role": "assistant", "content": answer},
    ]
    return json.dumps({"id": f"t-{case}", "case_id": case, "messages": messages}) + "\n"


def eval_set(*cases, calls=("geocode", "forecast"), user="How is the weather?"):
    """What is expected of each case: the calls, in that order."""
    uses = [{"name": name, "args": {}} for name in calls]
    turn = {"user_content": {"parts": [{"text": user}]}, "intermediate_data": {"tool_uses": uses}}
    document = {
        "eval_set_id": "weather",
        "eval_cases": [{"eval_id": case, "conversation": [turn]} for case in cases],
    }
    return json.dumps(document, indent=1)


TRAJECTORY = {"name": "tool_trajectory_avg_score", "type": "builtin", "threshold": 1.0}


def config(*evaluators, **keys):
    """A config of its own, with the evaluators on lines of theirs."""
    document = {
        "traces": "traces/*",
        "eval_set": "eval_set.json",
        **keys,
        "evaluators": list(evaluators or (TRAJECTORY,)),
    }
    return yaml.safe_dump(document, sort_keys=False)


CITIES = ("oslo", "paris", "quito", "rome")


def agent(failing=(), cases=CITIES):
    """All files of an agent's repository. The `failing` cases forget to look for the place."""
    recorded = {
        f"traces/{case}.json": transcript(
            case, *(("forecast",) if case in failing else ("geocode", "forecast"))
        )
        for case in cases
    }
    return {
        "eval_config.yaml": config(),
        "eval_set.json": eval_set(*cases),
        **recorded,
    }


class Repository:
    """A real repository, where commits are made. Those on top of another are on no branch."""

    def __init__(self, folder):
        self.folder, self._last = folder, ""
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--initial-branch=main")
        with (folder / ".git/config").open("a") as config:
            config.write("[uploadpack]\n\tallowAnySHA1InWant = true\n")

    def commit(self, files, *, on="", message="A change"):
        """A commit with these files and no others. `on` is its parent, else the one before."""
        changes = [b"deleteall\n"]
        for name, content in files.items():
            mode = "120000" if isinstance(content, Path) else "100644"
            changes += [f"M {mode} inline {name}\n".encode(), _data(content)]
        parent = on or self._last
        whole = [
            b"commit refs/made/last\nmark :1\n",
            f"author {_ALICE}\ncommitter {_ALICE}\n".encode(),
            _data(f"{message}\n"),
            f"from {parent}\n".encode() if parent else b"",
            *changes,
            b"get-mark :1\n",
        ]
        words = ("fast-import", "--quiet", "--force", "--date-format=raw")
        self._last = git(self.folder, *words, given=b"".join(whole))
        return self._last

    def merge(self, tree, *parents):
        """A commit with the files of another one and these parents, as GitHub merges them."""
        named = [word for parent in parents for word in ("-p", parent)]
        return git(self.folder, "commit-tree", f"{tree}^{{tree}}", *named, "-m", "Merge")

    def move(self, branch, sha):
        """Let a branch end at a commit."""
        git(self.folder, "update-ref", f"refs/heads/{branch}", sha)

    def changed(self, base, head):
        """The files that differ, as GitHub lists them."""
        words = ("diff", "--name-status", "--no-renames", base, head)
        kinds = {"A": "added", "M": "modified", "D": "removed", "T": "changed"}
        lines = [line.split("\t") for line in git(self.folder, *words).splitlines()]
        api = "https://github.example/api"
        return [documents.changed_file(api, name, kinds[kind]) for kind, name in lines]

    def tarball(self, sha, top="agent"):
        """All files of a commit, as GitHub sends them."""
        words = ["archive", "--format=tar.gz", f"--prefix={top}-{sha[:7]}/", sha]
        return subprocess.run(
            ["git", "-C", str(self.folder), *words], capture_output=True, env=_GIT, check=True
        ).stdout


def _data(content):
    """What a file holds, or where a symbolic link leads to, as `git fast-import` reads it."""
    data = content if isinstance(content, bytes) else str(content).encode()
    return b"data %d\n%b\n" % (len(data), data)


def write(folder, files):
    """Texts and bytes under their paths; a Path is what a symbolic link leads to."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            path.symlink_to(content)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


# ---- what a runner does with it


@dataclass(frozen=True)
class Outcome:
    """What the step left behind."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str
    folder: Path
    text: str

    @property
    def report(self):
        """The content of `report.json`, as it was then."""
        return json.loads(self.text)

    @property
    def against(self):
        """What the first config was compared with."""
        return self.report["sections"][0]["against"]

    @property
    def commands(self):
        """What the runner was told, in order: `warning: …`, without properties."""
        told = [text.removeprefix("::").partition("::") for text in self.log.splitlines()]
        return [
            f"{name.partition(' ')[0]}: {_unescaped(message)}"
            for name, found, message in told
            if found
        ]

    def said(self, kind):
        """The messages of one kind of command, such as `warning`."""
        start = f"{kind}: "
        return [text.removeprefix(start) for text in self.commands if text.startswith(start)]


def _unescaped(text):
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, char)
    return text


@dataclass
class Job:
    """One step. Everything of it lies below `folder`; `environ` is what the container gets."""

    folder: Path
    github: object
    environ: dict[str, str] = field(default_factory=dict)
    time: VirtualTime = field(default_factory=VirtualTime)
    base: str = ""
    head: str = ""
    records: bool = False  # whether a step has recorded the traces of the checkout anew

    def __post_init__(self):
        for name in ("home", "temp", "files"):
            (self.folder / name).mkdir(parents=True)
        self.world = self.github.world
        self.place = self.world.repository(REPOSITORY)
        self.place.id = 501
        self.place.roles["bob"] = "write"  # who comments in the recorded events
        self.world.repository(FORK).id = 777
        self.origin = Repository(self.folder / "origin")
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir()
        self.environ |= self._runner() | {
            f"INPUT_{name.upper()}": "null" if name == "matrix" else default
            for name, default in inputs.list_defaults().items()
        }
        self.given(github_token=self.github.token)

    def _runner(self):
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_OUTPUT": str(self.folder / "files" / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "files" / "summary"),
            "GITHUB_ENV": str(self.folder / "files" / "env"),
            "GITHUB_PATH": str(self.folder / "files" / "path"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": "30433642",
            "GITHUB_RUN_NUMBER": "562",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_WORKFLOW": "agentevals",
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/agentevals.yml@refs/heads/main",
            "GITHUB_JOB": "evals",
            "GITHUB_ACTOR": "alice",
            **self.github.environ,
        }

    def given(self, **named):
        """Inputs, as the workflow gives them: `fail_on="never"`."""
        for name, value in named.items():
            self.environ[f"INPUT_{name.replace('_', '-').upper()}"] = value
        return self

    def on(self, recorded, head="", base="", **changed):
        """The event as it was recorded, about these commits. `changed` are members of it."""
        text = (DATA / "events" / f"{recorded}.json").read_text()
        for known, sha in ((_HEADS, head), (_BASES, base)):
            for placeholder in known if sha else ():
                text = text.replace(placeholder, sha)
        path = self.folder / "files" / "event.json"
        path.write_text(json.dumps(json.loads(text) | changed))
        named = [name for name in EVENTS.ours if recorded.startswith(name)]
        self.environ |= {
            "GITHUB_EVENT_NAME": max(named, key=len, default=recorded),
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_SHA": head,
        }
        return self

    def checkout(self, sha, *, shallow=False):
        """As `actions/checkout` leaves it; shallow is its default."""
        shutil.rmtree(self.workspace)
        self.workspace.mkdir()
        depth = ["--depth=1"] if shallow else []
        git(self.workspace, "init", "--quiet", "--initial-branch=main")
        others = [] if shallow else ["+refs/heads/*:refs/remotes/origin/*"]
        place = f"file://{self.origin.folder}"
        git(self.workspace, "fetch", "--quiet", "--no-tags", *depth, place, sha, *others)
        git(self.workspace, "checkout", "--quiet", "--force", "--detach", sha)
        for trace in self.workspace.rglob("traces/*") if self.records else ():
            trace.write_bytes(trace.read_bytes() + b"\n")
        return self

    def pull_request(self, base, head, *, recorded="pull_request", shallow=False):
        """A pull request of two trees of files: committed, pushed, known to GitHub, checked out."""
        self.base = self.origin.commit(base)
        self.head = self.origin.commit(head, on=self.base)
        self.origin.move("main", self.base)
        self.origin.move("units", self.head)
        self.on(recorded, self.head, self.base)
        event = json.loads(Path(self.environ["GITHUB_EVENT_PATH"]).read_text())
        number = event.get("number") or event.get("issue", {}).get("number") or NUMBER
        fork = FORK if f'"{FORK}"' in json.dumps(event) else REPOSITORY
        self.known(number, head_repository=fork)
        return self.checkout(self.head, shallow=shallow)

    def pushed(self, files, *, shallow=False):
        """A push to main, on top of the one before; the next pull request starts from it."""
        before, self.base = self.base, self.origin.commit(files, on=self.base)
        self.origin.move("main", self.base)
        self.place.tarballs[self.base] = self.origin.tarball(self.base)
        self.environ["GITHUB_REF"] = "refs/heads/main"
        return self.on("push", self.base, before).checkout(self.base, shallow=shallow)

    def proposed(self, files, *, shallow=False, **changed):
        """A pull request with these files, from the commit that was pushed last."""
        self.head = self.origin.commit(files, on=self.base)
        self.origin.move("units", self.head)
        self.environ["GITHUB_REF"] = f"refs/pull/{NUMBER}/merge"
        self.on("pull_request", self.head, self.base, **changed).known(head_repository=REPOSITORY)
        return self.checkout(self.head, shallow=shallow)

    def ended(self, **facts):
        """The run at hand is over: GitHub lists it, with the artifacts that it has kept."""
        number = int(self.environ["GITHUB_RUN_ID"])
        self.environ["GITHUB_RUN_ID"] = str(number + 1)
        known = {
            "id": number,
            "workflow": "agentevals.yml",
            "sha": self.base,
            "head_repository": REPOSITORY,
        }
        run = self.world.run(REPOSITORY, **known | facts)
        for name, upload in self.world.uploads.items():
            self.world.artifact(run, name, upload.content)
        self.world.uploads.clear()
        return run

    def known(self, number=NUMBER, **facts):
        """What GitHub knows about it."""
        self.place.merge_bases[f"{self.base}...{self.head}"] = self.base
        for sha in (self.base, self.head):
            self.place.tarballs[sha] = self.origin.tarball(sha)
        facts = {
            "head_sha": self.head,
            "base_sha": self.base,
            "head_ref": "units",
            "files": self.origin.changed(self.base, self.head),
            **facts,
        }
        self.pull = self.world.pull(number, REPOSITORY, **facts)
        return self

    def keeping_artifacts(self):
        """With the runner's service for artifacts."""
        self.environ["ACTIONS_RUNTIME_TOKEN"] = uploads.runtime_token()
        self.environ["ACTIONS_RESULTS_URL"] = f"{self.github.root}/"
        return self

    def run(self):
        """The front door, in this process, where time passes only when somebody waits."""
        self.cleared()
        stream = StringIO()
        code = main.run(self.environ, stream, self.time.clock)
        return self.outcome(code, stream.getvalue())

    def run_alone(self, **options):
        """The front door as the container opens it: a process of its own, in the workspace."""
        with self.started(**options) as process:
            log, _ = process.communicate()
        return self.outcome(process.returncode, log)

    def started(self, *wrapper, **options):
        """The same process, which still runs. A `wrapper` is a command that starts it."""
        self.cleared()
        return subprocess.Popen(
            [*wrapper, sys.executable, "-I", "-m", "agentevals.action"],
            cwd=self.workspace,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            **options,
        )

    @property
    def comments(self):
        """The bodies of all comments on the pull request."""
        return [comment.body for comment in self.place.comments_on(self.pull.number)]

    def cleared(self):
        """The files of the runner as a step finds them."""
        for name in ("output", "summary", "env", "path"):
            (self.folder / "files" / name).write_text("")

    def outcome(self, code, log):
        """What a run has left behind, with what only its end tells."""
        outputs = _outputs((self.folder / "files" / "output").read_text())
        folder = self.workspace / outputs.get("report", "agentevals-report")
        report = folder / "report.json"
        return Outcome(
            code=code,
            log=log,
            outputs=outputs,
            summary=(self.folder / "files" / "summary").read_text(),
            folder=folder,
            text=report.read_text() if report.is_file() else "",
        )


def _outputs(text):
    """As the runner reads them: `name<<DELIMITER`, lines, `DELIMITER`."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        name, _, delimiter = line.partition("<<")
        if delimiter:
            value = []
            for inner in lines:
                if inner == delimiter:
                    break
                value.append(inner)
            found[name] = "\n".join(value)
    return found
