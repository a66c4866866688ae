"""The workflows that `init` writes and docs/ci.md shows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from shlex import join, split

from agentevals.files import documents
from agentevals.files.agent_files import AgentFiles
from agentevals.model.errors import AgentEvalsError
from agentevals.model.project_links import NAME

_CHECKOUT = "actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2"
_UPLOAD = "actions/upload-artifact@b7c566a772e6b6bfb58ed0dc250532a479d7789f # v6.0.0"
_DOWNLOAD = "actions/download-artifact@37930b1c2abaa49bbe596cd826c3c89aef350131 # v7.0.0"

_HEAD = """\
name: agentevals
on:
  pull_request:
  push: {branches: [main]} # what pull requests are compared with
permissions: {}
jobs:
"""
_RECORD = f"""\
  record: # runs the code of the pull request, so it may only read
    runs-on: ubuntu-latest
    permissions: {{contents: read}}
    steps:
      - uses: {_CHECKOUT}
        with: {{persist-credentials: false}}
      - uses: {NAME}/setup@v1
@INSTALL@      - run: |
          rm -rf @FOLDER@
          agentevals record -o @FOLDER@ -- @COMMAND@
        env:
@KEYS@      - uses: {_UPLOAD}
        with: {{name: traces, path: @FOLDER@}}
"""
_NEEDS = """\
    needs: record
    if: ${{ !cancelled() }} # without recordings as well, and says so
"""
_FETCH = f"""\
      - run: rm -rf @FOLDER@
      - uses: {_DOWNLOAD}
        continue-on-error: true
        with: {{name: traces, path: @FOLDER@}}
"""
_EVALUATE = f"""\
  evaluate: # may write, so it runs nothing of the pull request
@NEEDS@    runs-on: ubuntu-latest
    permissions: {{contents: read, pull-requests: write, checks: write, actions: read}}
    steps:
      - uses: {_CHECKOUT}
        with: {{persist-credentials: false, fetch-depth: 0}}
@FETCH@      - uses: {NAME}@v1
        with: {{config: eval_config.yaml}}
"""

_COMMAND = "python agent.py"
_STARTS = ("agent.py", "main.py", "app.py", "my_agent.py", "run.py")
_INSTALLS = (
    ("requirements.txt", "pip install -r requirements.txt"),
    ("pyproject.toml", "pip install ."),
    ("package-lock.json", "npm ci"),
    ("package.json", "npm install"),
)
_KEY = re.compile(rb"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_API_(?:KEY|TOKEN)\b")
_KEYS = (  # a package of a vendor, as files of dependencies and imports name it, and its key
    (re.compile(rb"\banthropic\b"), "ANTHROPIC_API_KEY"),
    (re.compile(rb"\bgoogle[-.]genai\b|\bgoogle[-.]adk\b"), "GOOGLE_API_KEY"),
    (re.compile(rb"\bmistralai\b"), "MISTRAL_API_KEY"),
)
_PLAIN = frozenset("$`\\*\n")  # what a shell, an expression or a redaction would make of a command
_OPENAI = "OPENAI_API_KEY"
_PYTHON = re.compile(r"^python[\d.]+$")
_FOLDER = re.compile(r"[A-Za-z0-9_](?:/?[A-Za-z0-9_-]+)*")
_READ = 200_000  # characters of a file
_MOST = 5  # keys


@dataclass(frozen=True)
class Recording:
    """The command, the packages and the secrets of the job that records the agent."""

    command: str = _COMMAND
    install: str = "pip install -r requirements.txt"
    keys: tuple[str, ...] = (_OPENAI,)
    folder: str = "traces/"


def write_committed() -> str:
    """Return the workflow that judges the recordings that are committed."""
    return _HEAD + _fill(_EVALUATE, needs="", fetch="")


def write_recorded(recording: Recording) -> str:
    """Return the workflow whose first job records, and whose second job judges."""
    record = _fill(
        _RECORD,
        install=f"      - run: {recording.install}\n" if recording.install else "",
        command=recording.command,
        keys="".join(f"          {key}: ${{{{ secrets.{key} }}}}\n" for key in recording.keys),
    )
    return _HEAD + _fill(record + _EVALUATE, needs=_NEEDS, fetch=_FETCH, folder=recording.folder)


def _fill(template: str, **parts: str) -> str:
    for name, part in parts.items():
        template = template.replace(f"@{name.upper()}@", part)
    return template


def guess_recording(
    folder: Path, agent: Sequence[str], commands: Iterable[str], traces: Sequence[Path]
) -> Recording:
    """Return what the files of a folder suggest. `commands` have made the `traces`."""
    installs = (line for name, line in _INSTALLS if (folder / name).is_file())
    keys = dict.fromkeys(_find_keys(AgentFiles(folder, tuple(agent))))
    return Recording(
        command=next(_guess_commands(folder, agent, commands), _COMMAND),
        install=next(installs, ""),
        keys=tuple(keys)[:_MOST] or (_OPENAI,),
        folder=_choose_folder(traces),
    )


def _choose_folder(traces: Sequence[Path]) -> str:
    """Return the folder that holds the recordings, if it is one of this repository."""
    if len(traces) == 1 and traces[0].is_dir() and _FOLDER.fullmatch(traces[0].as_posix()):
        return f"{traces[0].as_posix()}/"
    return Recording.folder


def _guess_commands(folder: Path, agent: Sequence[str], commands: Iterable[str]) -> Iterator[str]:
    """Yield commands that may start the agent, the likeliest first."""
    yield from filter(None, (_carry_over(command, folder) for command in commands))
    yield from (f"python {name}" for name in _STARTS if name in agent)
    if _has_start(folder / "package.json"):
        yield "npm start"


def _carry_over(command: str, folder: Path) -> str:
    """Return a command as another machine can run it; empty if that may be another one."""
    try:
        words = split(command)
    except ValueError:
        return ""
    if not words or not command.isprintable() or not _PLAIN.isdisjoint(command):
        return ""
    start = f"{folder.absolute()}/"
    program, *rest = [word.removeprefix(start) for word in words]
    if PurePath(program).is_absolute():  # of an environment that is only here
        program = _PYTHON.sub("python", PurePath(program).name)
    is_here = not any(PurePath(word).is_absolute() for word in rest)
    return join([program, *rest]) if is_here else ""


def _has_start(package: Path) -> bool:
    try:
        value = documents.read(package).value if package.is_file() else None
    except AgentEvalsError:
        return False
    scripts = value.get("scripts") if isinstance(value, dict) else None
    return isinstance(scripts, dict) and "start" in scripts


def _find_keys(agent: AgentFiles) -> Iterator[str]:
    """Yield the variables with keys that the files name, or those of the vendors that they use."""
    texts = [path.read_bytes()[:_READ] for path in agent.list_files() if path.is_file()]
    named = [found.decode() for text in texts for found in _KEY.findall(text)]
    yield from named or (key for name, key in _KEYS if any(name.search(text) for text in texts))
