"""The places of an AgentV prompt, `{{ answer }}`, in every spelling of its releases."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from agentevals.graders import judged_messages
from agentevals.graders.javascript import trim
from agentevals.graders.llm.questions.judge_prompts import (
    LONGEST_TRANSCRIPT,
    NOT_RECORDED,
    mark_untrusted,
    to_json,
)
from agentevals.model.cases import Case
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.errors import EvaluatorError
from agentevals.model.plugins import suggestion

_PLACE = re.compile(r"\{\{\s*([\w.\-]+)\s*\}\}")
_LONGEST = 5_000_000  # characters: far more than any judge reads
# what tells most about a call, in the order in which it is looked for
_TELLING = ("file_path", "path", "command", "skill", "query", "pattern", "url")
_NO_RUBRICS: Mapping[str, str] = MappingProxyType({})


class Place(NamedTuple):
    """A placeholder of a prompt: its names, its text, and whether others than the user wrote it."""

    names: tuple[str, ...]
    text: Callable[[Case], str]
    material: bool = False
    shows: frozenset[Fact] = frozenset()


def list_names(template: str) -> list[str]:
    """The places of a prompt, in their order."""
    return _PLACE.findall(template)


def list_facts(template: str, case: Case) -> frozenset[Fact]:
    """Return the facts that a prompt shows of a case."""
    shown = (_BY_NAME[name].shows for name in list_names(template) if name in _BY_NAME)
    facts = frozenset[Fact]().union(*shown)
    # a task states its question itself
    return facts - {Fact.QUESTION} if case.task and case.task.input else facts


def check_names(template: str) -> str:
    """The prompt, or a ValueError that names the places nothing belongs in, and all there are."""
    unknown = [name for name in dict.fromkeys(list_names(template)) if name not in _BY_NAME]
    if unknown:
        told = ", ".join(f"'{{{{{name}}}}}'{_suggest(name)}" for name in unknown)
        msg = f"nothing is called {told} in a prompt; known: {', '.join(_LISTED)}"
        raise ValueError(msg)
    return template


def _suggest(name: str) -> str:
    near = suggestion(name, _LISTED)
    return near if "did you mean" in near else ""


def fill(template: str, case: Case, rubrics: Mapping[str, str] = _NO_RUBRICS) -> str:
    """The prompt of a case. What others wrote is marked as such, and not read as a prompt again."""
    texts = {
        name: _fill_place(name, case, rubrics) for name in _BY_NAME.keys() & list_names(template)
    }
    length = sum(len(texts.get(name, "")) for name in list_names(template))
    if length > _LONGEST:
        msg = f"with its places filled, the prompt comes to {length:,} characters; show less in it"
        raise EvaluatorError(msg)
    return _PLACE.sub(lambda found: texts.get(found[1], found[0]), template)


def read_place(name: str, case: Case) -> str:
    """Return the text of one placeholder."""
    return _fill_place(name, case, _NO_RUBRICS)


def _fill_place(name: str, case: Case, rubrics: Mapping[str, str]) -> str:
    if name in rubrics:
        return rubrics[name]
    place = _BY_NAME[name]
    text = trim(place.text(case))
    if not place.material:
        return text
    return mark_untrusted(place.names[0].upper(), text, LONGEST_TRANSCRIPT).removesuffix("\n")


def _read_reference(case: Case) -> str:
    """Read what the last expected message says, or else what it calls."""
    if case.task and case.task.reference:
        return case.task.reference
    wanted = judged_messages.list_expected_messages(case)
    last = wanted[-1] if wanted else {}
    said = last.get("content") or last.get("tool_calls") or ""
    return said if isinstance(said, str) else to_json(said, 2)


def _list_segments(case: Case) -> str:
    return to_json(
        [part for said in judged_messages.list_input_messages(case) for part in _list_parts(said)],
        2,
    )


def _list_parts(message: Mapping[str, Any]) -> Iterator[Any]:
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        yield {"type": "text", "value": part} if isinstance(part, str) else part


def _list_output(turn: Turn) -> Iterator[dict[str, Any]]:
    """Yield the messages of a turn. A missing answer of a tool is not shown as none."""
    unknown = turn.find_gap(Fact.TOOL_ANSWERS)
    for said in judged_messages.list_agent_messages((turn,)):
        calls = said.get("tool_calls")
        if unknown and isinstance(calls, list):
            yield {**said, "tool_calls": [_mark_output(call) for call in calls]}
        else:
            yield said


def _mark_output(call: dict[str, Any]) -> dict[str, Any]:
    return {**call, "output": NOT_RECORDED} if call.get("output") is None else call


def _list_calls(case: Case) -> str:
    return "\n".join(
        f"- {call.name}: {_find_telling(call)}"
        for call in judged_messages.list_tool_calls(case.turns)
    )


def _find_telling(call: ToolCall) -> str:
    args = call.args or {}
    found = next((args[name] for name in _TELLING if isinstance(args.get(name), str)), None)
    return found if found is not None else to_json(args)


def _read_metadata(case: Case) -> dict[str, Any]:
    return case.task.metadata if case.task else {}


def _show_nothing(_: Case) -> str:
    return ""


_PLACES = (
    Place(
        ("question", "input_text", "inputText"),
        judged_messages.read_question,
        material=True,
        shows=frozenset({Fact.QUESTION}),
    ),
    Place(("criteria", "expected_outcome", "expectedOutcome"), lambda case: case.criteria),
    Place(
        ("answer", "candidate_answer", "candidateAnswer", "output_text", "outputText"),
        lambda case: case.answer,
        material=True,
        shows=frozenset({Fact.ANSWER}),
    ),
    Place(
        ("reference_answer", "referenceAnswer", "expected_output_text", "expectedOutputText"),
        _read_reference,
    ),
    Place(
        ("input", "input_messages", "inputMessages"),
        _list_segments,
        material=True,
        shows=frozenset({Fact.QUESTION}),
    ),
    Place(
        ("expected_output", "expectedOutput", "expected_messages", "expectedMessages"),
        lambda case: to_json(judged_messages.list_expected_messages(case), 2),
    ),
    Place(
        ("output", "output_messages", "outputMessages"),
        lambda case: to_json([said for turn in case.turns for said in _list_output(turn)], 2),
        material=True,
        shows=frozenset({Fact.ANSWER, Fact.TOOL_CALLS, Fact.ARGUMENTS}),
    ),
    Place(
        ("tool_calls", "toolCalls"),
        _list_calls,
        material=True,
        shows=frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS}),
    ),
    Place(
        ("metadata", "metadata_json", "metadataJson"), lambda case: to_json(_read_metadata(case), 2)
    ),
    Place(("note",), lambda case: str(_read_metadata(case).get("note", ""))),
    # no trace records which files an agent changed
    Place(("file_changes", "fileChanges"), _show_nothing),
    Place(("rubrics",), _show_nothing),
    Place(("rubrics_json", "rubricsJson"), lambda _: "[]"),
)
_BY_NAME = {name: place for place in _PLACES for name in place.names}
_LISTED = [name for name in _BY_NAME if name.islower()]  # the others are the same in camel case
