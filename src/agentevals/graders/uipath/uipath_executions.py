"""A case as the execution that classes for UiPath read, and where such classes lie."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentevals.files.project_paths import holds_projects
from agentevals.model.cases import Case
from agentevals.model.conversations import Span, ToolCall, Turn

_CUSTOM = "custom"
_LAYOUTS = {(name, "evaluators", _CUSTOM) for name in ("evals", "evaluations")}
_REPOSITORY = ".git"
_TOOL_NAME = "tool.name"


def describe_execution(
    case: Case, inputs: dict[str, Any] | None, behavior: str, simulation: str
) -> dict[str, Any]:
    """Describe a case as `AgentExecution` takes it."""
    output = _parse_object(case.answer)
    return {
        "agent_input": _read_input(case) if inputs is None else inputs,
        "agent_output": case.answer if output is None else output,
        "agent_trace": list(_describe_spans(case)),
        "expected_agent_behavior": behavior,
        "simulation_instructions": simulation,
    }


def _read_input(case: Case) -> dict[str, Any]:
    said = case.turns[0].user if case.turns else ""
    found = _parse_object(said)
    return {"input": said} if found is None else found


def _parse_object(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _describe_spans(case: Case) -> Iterator[dict[str, Any]]:
    """List the spans in the order in which they ended, as UiPath's runtime hands them over.

    Where no span says `tool.name`, the calls that the conversation tells of say it instead.
    """
    recorded = sorted(case.conversation.spans, key=lambda span: span.end_ns)
    yield from map(_describe_span, recorded)
    if not any(span.attributes.get(_TOOL_NAME) for span in recorded):
        for at, turn in enumerate(case.turns):
            ordered = sorted(turn.tool_calls, key=lambda call: call.end_ns if call.timed else 0)
            for number, call in enumerate(ordered):
                yield _describe_call(call, turn, f"{at}-{number}")


def _describe_span(span: Span) -> dict[str, Any]:
    return {
        "name": span.name,
        "span_id": span.span_id,
        "parent_id": span.parent_id,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "attributes": span.attributes,
        "resource": span.resource,
        "failed": span.failed,
        "status_message": span.status_message,
        "events": [
            {"name": event.name, "time_ns": event.time_ns, "attributes": event.attributes}
            for event in span.events
        ],
    }


def _describe_call(call: ToolCall, turn: Turn, place: str) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        _TOOL_NAME: call.name,
        "openinference.span.kind": "TOOL",
        "input.mime_type": "application/json",
        "input.value": json.dumps(call.args or {}, ensure_ascii=False, default=str),
    }
    if call.call_id:
        attributes["tool.id"] = call.call_id
    if call.answered:
        attributes["output.value"] = _write_response(call.response)
    return {
        "name": call.name,
        "span_id": f"tool-{place}",
        "parent_id": turn.span_id,
        "start_ns": call.start_ns or turn.start_ns,
        "end_ns": call.end_ns or turn.end_ns,
        "attributes": attributes,
        "resource": {},
        "failed": call.failed,
        "status_message": call.error,
        "events": [],
    }


def _write_response(response: Any) -> str:
    """As the helpers read it: of an object only `content` counts, so an object has to be one."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict) and "content" not in response:
        response = {"content": json.dumps(response, ensure_ascii=False, default=str)}
    return json.dumps(response, ensure_ascii=False, default=str)


def find_project(path: Path) -> Path:
    """The folder that holds `evals/evaluators/custom`, within the repository; else the file's own.

    All of it may be read by the class, so that it must not be a folder above the project.
    """
    here = path.parent
    layout = here.parent.parent
    if (layout.name, here.parent.name, here.name) not in _LAYOUTS:
        return here
    if (layout / _REPOSITORY).exists() or holds_projects(layout.parent.resolve()):
        return layout
    return layout.parent


def list_roots(path: Path) -> list[Path]:
    """List the folders that are searched for imports of the class's file, in this order."""
    here = path.parent
    return list(
        dict.fromkeys((here, *((here.parent,) if here.name == _CUSTOM else ()), find_project(path)))
    )


def find_problems(path: Path) -> list[str]:
    """Report a missing file."""
    if path.is_file():
        return []
    what = "is a directory" if path.is_dir() else "does not exist"
    return [f"{path} {what}; give the path of the Python file that has the class"]
