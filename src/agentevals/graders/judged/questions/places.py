"""The places of an AgentV prompt, `{{ answer }}`, in every spelling of its releases."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from agentevals.graders import messages
from agentevals.graders.javascript import trim
from agentevals.graders.judged.questions.prompts import LONGEST_TRANSCRIPT, as_json, untrusted
from agentevals.model.cases import Case
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError
from agentevals.model.plugins import suggestion

_PLACE = re.compile(r"\{\{\s*([\w.\-]+)\s*\}\}")
_LONGEST = 5_000_000  # characters: far more than any judge reads
# what tells most about a call, in the order in which it is looked for
_TELLING = ("file_path", "path", "command", "skill", "query", "pattern", "url")
_NO_RUBRICS: Mapping[str, str] = MappingProxyType({})


class Place(NamedTuple):
    """What a prompt can show: its names, the text, and whether others than the user wrote it."""

    names: tuple[str, ...]
    text: Callable[[Case], str]
    material: bool = False


def names_in(template: str) -> list[str]:
    """The places of a prompt, in their order."""
    return _PLACE.findall(template)


def checked(template: str) -> str:
    """The prompt, or a ValueError that names the places nothing belongs in, and all there are."""
    unknown = [name for name in dict.fromkeys(names_in(template)) if name not in _BY_NAME]
    if unknown:
        told = ", ".join(f"'{{{{{name}}}}}'{_near(name)}" for name in unknown)
        msg = f"nothing is called {told} in a prompt; known: {', '.join(_LISTED)}"
        raise ValueError(msg)
    return template


def _near(name: str) -> str:
    near = suggestion(name, _LISTED)
    return near if "did you mean" in near else ""


def fill(template: str, case: Case, rubrics: Mapping[str, str] = _NO_RUBRICS) -> str:
    """The prompt of a case. What others wrote is marked as such, and not read as a prompt again."""
    texts = {name: _shown(name, case, rubrics) for name in _BY_NAME.keys() & names_in(template)}
    length = sum(len(texts.get(name, "")) for name in names_in(template))
    if length > _LONGEST:
        msg = f"with its places filled, the prompt comes to {length:,} characters; show less in it"
        raise EvaluatorError(msg)
    return _PLACE.sub(lambda found: texts.get(found[1], found[0]), template)


def shown(name: str, case: Case) -> str:
    """What stands in one place."""
    return _shown(name, case, _NO_RUBRICS)


def _shown(name: str, case: Case, rubrics: Mapping[str, str]) -> str:
    if name in rubrics:
        return rubrics[name]
    place = _BY_NAME[name]
    text = trim(place.text(case))
    if not place.material:
        return text
    return untrusted(place.names[0].upper(), text, LONGEST_TRANSCRIPT).removesuffix("\n")


def _question(case: Case) -> str:
    if case.task and case.task.question:
        return case.task.question
    return "\n\n".join(turn.user for turn in case.turns if turn.user)


def _reference(case: Case) -> str:
    """What the last of the expected messages says, or else what it calls."""
    if case.task and case.task.reference:
        return case.task.reference
    wanted = messages.wanted(case)
    last = wanted[-1] if wanted else {}
    said = last.get("content") or last.get("tool_calls") or ""
    return said if isinstance(said, str) else as_json(said, 2)


def _segments(case: Case) -> str:
    return as_json([part for said in messages.asked(case) for part in _parts(said)], 2)


def _parts(message: Mapping[str, Any]) -> Iterator[Any]:
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        yield {"type": "text", "value": part} if isinstance(part, str) else part


def _calls(case: Case) -> str:
    return "\n".join(f"- {call.name}: {_telling(call)}" for call in messages.tool_calls(case.turns))


def _telling(call: ToolCall) -> str:
    args = call.args or {}
    found = next((args[name] for name in _TELLING if isinstance(args.get(name), str)), None)
    return found if found is not None else as_json(args)


def _metadata(case: Case) -> dict[str, Any]:
    return case.task.metadata if case.task else {}


def _nothing(_: Case) -> str:
    return ""


_PLACES = (
    Place(("question", "input_text", "inputText"), _question, material=True),
    Place(("criteria", "expected_outcome", "expectedOutcome"), lambda case: case.criteria),
    Place(
        ("answer", "candidate_answer", "candidateAnswer", "output_text", "outputText"),
        lambda case: case.answer,
        material=True,
    ),
    Place(
        ("reference_answer", "referenceAnswer", "expected_output_text", "expectedOutputText"),
        _reference,
    ),
    Place(("input", "input_messages", "inputMessages"), _segments, material=True),
    Place(
        ("expected_output", "expectedOutput", "expected_messages", "expectedMessages"),
        lambda case: as_json(messages.wanted(case), 2),
    ),
    Place(
        ("output", "output_messages", "outputMessages"),
        lambda case: as_json(messages.of_agent(case.turns), 2),
        material=True,
    ),
    Place(("tool_calls", "toolCalls"), _calls, material=True),
    Place(("metadata", "metadata_json", "metadataJson"), lambda case: as_json(_metadata(case), 2)),
    Place(("note",), lambda case: str(_metadata(case).get("note", ""))),
    # no trace records which files an agent changed
    Place(("file_changes", "fileChanges"), _nothing),
    Place(("rubrics",), _nothing),
    Place(("rubrics_json", "rubricsJson"), lambda _: "[]"),
)
_BY_NAME = {name: place for place in _PLACES for name in place.names}
_LISTED = [name for name in _BY_NAME if name.islower()]  # the others are the same in camel case
