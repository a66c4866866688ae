"""What a code judge reads on stdin: every name that any release of AgentV has for each thing.

The texts of the user, the arguments of tools and what these returned keep their keys.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from agentevals.graders import messages
from agentevals.graders.programs.judges import spelling, summary
from agentevals.model.cases import Case, Status
from agentevals.model.results import Result
from agentevals.text.json_ import encode

Payload = dict[str, Any]

_PASSES, _IS_BORDERLINE = 0.8, 0.6

# each thing under all its names in snake case; the camel case of each is added
_QUESTION = ("question", "input_text")
_CRITERIA = ("criteria", "expected_outcome")
_ANSWER = ("answer", "candidate_answer", "output_text")
_REFERENCE = ("reference_answer", "expected_output_text")
_GIVEN = ("input", "input_messages")
_SAID = ("output", "messages", "output_messages")
_EXPECTED = ("expected_output", "expected_messages")
_GUIDELINES = ("guideline_files", "guideline_paths")
_OF_THE_RUN = ("token_usage", "cost_usd", "duration_ms", "start_time", "end_time")
_WHAT_WE_HAVE_NOT = ("file_changes", "workspace_path")


def of_case(case: Case, config: Mapping[str, Any]) -> Payload:
    """A case, with the judge's own settings. What is not known is null."""
    said = spelling.in_snake_case(messages.of_agent(case.turns))
    summed = summary.of_turns(case.turns, said)
    asked = messages.asked(case)
    task = case.task
    return {
        **_named(_QUESTION, _question(case)),
        **_named(_CRITERIA, case.criteria),
        **_named(_ANSWER, case.answer),
        **_named(_REFERENCE, (task.reference if task else "") or _reference(case)),
        **_messages(_GIVEN, asked),
        **_messages(_SAID, said),
        **_messages(_EXPECTED, messages.wanted(case)),
        **_named(("input_files",), task.input_files if task else ()),
        **_named(_GUIDELINES, task.guideline_files if task else ()),
        **_named(("input_segments",), _segments(asked)),
        **_summaries(summed, said),
        **_of_the_run(summed),
        **_named(_WHAT_WE_HAVE_NOT, None),
        "metadata": (task.metadata if task else None) or None,
        "config": dict(config) or None,
    }


def of_results(results: Mapping[str, Result]) -> Payload:
    """What the parts of a composite said, for a program that makes one score of them."""
    return {"results": {name: _result(result) for name, result in results.items()}}


def encoded(payload: Payload) -> bytes:
    """As it is written to the program."""
    return encode(payload)


def _named(names: Iterable[str], value: Any) -> Payload:
    return {key: value for name in names for key in (name, spelling.camel(name))}


def _messages(names: Iterable[str], given: list[dict[str, Any]]) -> Payload:
    """The keys inside are spelt as the key above them."""
    camel, snake = spelling.in_camel_case(given), spelling.in_snake_case(given)
    return {spelling.camel(name): camel for name in names} | dict.fromkeys(names, snake)


def _of_the_run(summed: dict[str, Any]) -> Payload:
    named = (_named((name,), summed[name]) for name in _OF_THE_RUN)
    return {key: value for pair in named for key, value in pair.items()}


def _summaries(summed: dict[str, Any], said: list[dict[str, Any]]) -> Payload:
    camel = spelling.respelt(summed, spelling.camel)
    return {
        "trace": summed | {"messages": said, "events": []},
        "trace_summary": summed,
        "traceSummary": camel,
        "candidate_trace_summary": camel,  # camel case inside, in the one release that had it
        "candidateTraceSummary": camel,
    }


def _question(case: Case) -> str:
    if case.task and case.task.question:
        return case.task.question
    return "\n\n".join(turn.user for turn in case.turns if turn.user)


def _reference(case: Case) -> str | None:
    """The answer that an eval set expects at the end."""
    return (case.expected[-1].response if case.expected else None) or None


def _segments(asked: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    texts = (message.get("content") for message in asked)
    return [{"type": "text", "value": text} for text in texts if isinstance(text, str)]


def _result(result: Result) -> dict[str, Any]:
    return {
        "score": result.score,
        "verdict": _verdict(result),
        "hits": result.hits,
        "misses": result.misses,
        "expectedAspectCount": max(1, len(result.hits) + len(result.misses)),
        **({"reasoning": result.reasoning} if result.reasoning else {}),
        **({"details": result.details} if result.details else {}),
        "evaluatorRawRequest": None,
    }


def _verdict(result: Result) -> str:
    if result.status in {Status.ERROR, Status.NOT_EVALUATED} or result.score is None:
        return "skip"
    if result.vetoes or result.score < _IS_BORDERLINE:
        return "fail"
    return "pass" if result.score >= _PASSES else "borderline"
