"""`agentevals init`: write a config and a workflow for the traces that lie here."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from agentevals.cli import workflow_templates
from agentevals.cli.workflow_templates import Recording
from agentevals.configs.eval_sets.config_search import CONFIG, find_eval_set, find_files
from agentevals.files import atomic_files
from agentevals.files.agent_files import find_agent_files
from agentevals.files.named_files import exists
from agentevals.model.conversations import Conversation
from agentevals.model.errors import InputError
from agentevals.model.project_links import NAME, PLACEHOLDER
from agentevals.model.provenance import read_provenance
from agentevals.text.terminal import plain
from agentevals.text.wording import plural
from agentevals.traces import loaders, turn_performance
from agentevals.traces import turns as conversations

WORKFLOW = ".github/workflows/agentevals.yml"

_SPARE = 1.5  # of what was used; a budget without room fails for nothing
_ROUND = 100
_NAMED = 12  # tools or models that a comment lists
_USUAL_CALLS = 10

_QUESTION = (
    "Shall the workflow record the agent, with the model's key as a secret? "
    "Without it, you commit recordings"
)
_FOLDERS = ("traces", "*/traces")


@dataclass
class Surroundings:
    """The recordings and eval sets that a config can use."""

    traces: list[Path] = field(default_factory=list)
    eval_set: Path | None = None
    cases: int = 0
    conversations: int = 0
    tools: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    most_tokens: int = 0
    most_tool_calls: int = 0
    agent: list[str] = field(default_factory=list)
    commands: dict[str, None] = field(default_factory=dict)  # that have made the recordings


def init(
    traces: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="TRACE...", help="Trace files or folders, instead of folders named 'traces'"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files")] = False,
    record_in_ci: Annotated[
        bool | None,
        typer.Option(
            "--record-in-ci/--no-record-in-ci",
            help=(
                "Write a workflow that records the agent, with the key of the model as "
                "a secret; a terminal asks"
            ),
        ),
    ] = None,
) -> None:
    """Write a config and a GitHub workflow for the traces and eval sets in this folder.

    Examples:

      agentevals init

      agentevals init --record-in-ci

      agentevals init recordings/*.json
    """
    files = [Path(CONFIG), Path(WORKFLOW)]
    there = [str(file) for file in files if file.exists()]
    if there and not force:
        msg = f"{' and '.join(there)}: already there; give --force to overwrite"
        raise InputError(msg)
    found = look(_require_existing(traces or ()), Path())
    recording = _choose_recording(found, record_in_ci)
    workflow = (
        workflow_templates.write_recorded(recording)
        if recording
        else workflow_templates.write_committed()
    )
    for file, text in zip(files, (write_config(found), workflow), strict=True):
        atomic_files.write_text(file, text)
    print("\n".join(_describe(found, recording)))


def _choose_recording(found: Surroundings, wanted: bool | None) -> Recording | None:
    """Return what the workflow records; None if it judges what is committed."""
    if wanted is None and sys.stdin.isatty():
        wanted = typer.confirm(_QUESTION, default=False)
    if not wanted:
        return None
    recording = workflow_templates.guess_recording(
        Path(), found.agent, found.commands, found.traces
    )
    found.traces = [Path(recording.folder)] if found.traces else []
    return recording


def _require_existing(named: Sequence[Path]) -> list[Path]:
    for path in named:
        if not exists(path):
            msg = f"{path}: no such file or folder"
            raise InputError(msg)
    return list(named)


def write_config(found: Surroundings) -> str:
    """A config that compiles, with evaluators that can be run on what was found."""
    return "\n".join([*_write_head(found), "evaluators:", *_write_evaluators(found)]) + "\n"


def _write_head(found: Surroundings) -> Iterator[str]:
    if found.conversations:
        yield f"# {plural(found.conversations, 'recorded conversation')} looked at"
        yield f"# tools: {_join_names(found.tools)}"
        yield f"# models: {_join_names(found.models)}"
    traces = [str(path) for path in found.traces] or ["traces/"]
    yield f"traces: [{', '.join(map(json.dumps, traces))}]"
    yield "# What your agent is made of: a recording is fresh only while these files stay the same."
    if found.agent:
        yield f"agent: [{', '.join(map(json.dumps, found.agent))}]"
    else:
        yield '# agent: ["agent.py", "prompts/"]'
    if found.eval_set:
        yield f"eval_set: {json.dumps(str(found.eval_set))}"
    yield ""


def _write_evaluators(found: Surroundings) -> Iterator[str]:
    if found.eval_set:
        yield from _write_entry(
            "tool_trajectory_avg_score", "the expected tools, with these arguments"
        )
        yield "    threshold: 1.0"
        yield from _write_entry("response_match_score", "the expected answers, in similar words")
        yield "    threshold: 0.6"
    else:
        yield "  # What is expected: agentevals bless TRACE... -o eval_set.json, then add"
        yield "  #   eval_set: eval_set.json"
        yield "  # above, and the evaluators tool_trajectory_avg_score and response_match_score."
    yield from _write_entry("tool_call_count_v1", "no more tool calls than this in a conversation")
    calls = int(found.most_tool_calls * _SPARE) + 1 if found.conversations else _USUAL_CALLS
    yield f"    max: {calls}"
    if found.most_tokens:
        yield from _write_entry("token_usage_v1", f"{found.most_tokens:,} were the most so far")
        yield f"    max: {-int(-found.most_tokens * _SPARE // _ROUND) * _ROUND}"
    yield "  # Your own, in any language: agentevals evaluator init my_evaluator, then"
    yield "  # - name: my_evaluator"
    yield "  #   type: code"
    yield "  #   path: ./my_evaluator/my_evaluator.py"


def _write_entry(name: str, meaning: str) -> Iterator[str]:
    yield f"  - name: {name} # {meaning}"
    yield "    type: builtin"


def _join_names(names: set[str]) -> str:
    """A comment is one line, whatever a trace calls its tools."""
    shown = ", ".join(plain(name, 60) for name in sorted(names)[:_NAMED]) or "none"
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown


def _describe(found: Surroundings, recording: Recording | None) -> Iterator[str]:
    if found.traces:
        conversations = plural(found.conversations, "conversation")
        yield f"found {conversations} in {', '.join(plain(str(path)) for path in found.traces)}"
    if found.eval_set:
        yield f"found {plural(found.cases, 'expected case')} in {plain(str(found.eval_set))}"
    owner = f"; fill in {PLACEHOLDER} there" if NAME.startswith(f"{PLACEHOLDER}/") else ""
    yield f"wrote {CONFIG} and {WORKFLOW}{owner}"
    if recording:
        keys = " and ".join(recording.keys)
        command = plain(recording.command)
        yield f"it records with: {command}; check that command, and its secret {keys}"
    else:
        yield "it judges committed recordings; --record-in-ci writes one that records as well"
    yield ""
    yield "next:"
    for key in recording.keys if recording else ():
        yield f"  gh secret set {key}   the key of the model, for the job that records"
    if not found.traces:
        yield "  agentevals record -o traces/ -- COMMAND   record your agent"
    elif not found.eval_set:
        good = plain(quote(str(found.traces[0])))
        yield f"  agentevals bless {good} -o eval_set.json   expect what went well"
    yield f"  agentevals run --config {CONFIG}"


def look(named: Sequence[Path], folder: Path) -> Surroundings:
    """The named traces, or those of the usual folders; and the first eval set that can be read."""
    found = Surroundings()
    for path in named or list(find_files(folder, _FOLDERS)):
        _add_traces(path, found)
    found.agent = list(find_agent_files(folder))
    expected = find_eval_set(folder)
    if expected:
        found.eval_set, found.cases = expected.path, len(expected.cases)
    return found


def _add_traces(path: Path, found: Surroundings) -> None:
    recordings = loaders.load([path])
    useful = False
    for conversation in conversations.converse(recordings.traces, group_by="conversation"):
        if not conversation.turns:
            continue
        useful = True
        measured = turn_performance.measure(conversation.turns)
        found.conversations += 1
        found.commands.update(dict.fromkeys(_find_commands(conversation)))
        found.tools.update(measured["tool_names"])
        found.models.update(measured["models"])
        found.most_tokens = max(found.most_tokens, measured["tokens"]["total"])
        found.most_tool_calls = max(found.most_tool_calls, measured["counts"]["tool_calls"])
    if useful:
        found.traces.append(path)


def _find_commands(conversation: Conversation) -> Iterator[str]:
    known = read_provenance(
        {id(span.resource): span.resource for span in conversation.spans}.values()
    )
    if known and known.command:
        yield known.command
