"""What a code judge reads on stdin: every name that any release of AgentV has for each thing.

The texts of the user, the arguments of tools and what these returned keep their keys.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from agentevals.graders import messages
from agentevals.graders.programs.judges import spelling, summary
from agentevals.model.cases import Case, Status
from agentevals.model.results import Result

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


def build_payload(case: Case, config: Mapping[str, Any]) -> Payload:
    """A case, with the judge's own settings. What is not known is null."""
    said = spelling.to_snake_case(messages.list_agent_messages(case.turns))
    summed = summary.summarise(case.turns, said)
    asked = messages.list_input_messages(case)
    task = case.task
    return {
        **_spell_names(_QUESTION, _read_question(case)),
        **_spell_names(_CRITERIA, case.criteria),
        **_spell_names(_ANSWER, case.answer),
        **_spell_names(_REFERENCE, (task.reference if task else "") or _read_reference(case)),
        **_spell_messages(_GIVEN, asked),
        **_spell_messages(_SAID, said),
        **_spell_messages(_EXPECTED, messages.list_expected_messages(case)),
        **_spell_names(("input_files",), task.input_files if task else ()),
        **_spell_names(_GUIDELINES, task.guideline_files if task else ()),
        **_spell_names(("input_segments",), _list_segments(asked)),
        **_describe_summaries(summed, said),
        **_describe_run(summed),
        **_spell_names(_WHAT_WE_HAVE_NOT, None),
        "metadata": (task.metadata if task else None) or None,
        "config": dict(config) or None,
    }


def build_results(results: Mapping[str, Result]) -> Payload:
    """What the parts of a composite said, for a program that makes one score of them."""
    return {"results": {name: _describe_result(result) for name, result in results.items()}}


def _spell_names(names: Iterable[str], value: Any) -> Payload:
    return {key: value for name in names for key in (name, spelling.to_camel(name))}


def _spell_messages(names: Iterable[str], given: list[dict[str, Any]]) -> Payload:
    """The keys inside are spelt as the key above them."""
    camel, snake = spelling.to_camel_case(given), spelling.to_snake_case(given)
    return {spelling.to_camel(name): camel for name in names} | dict.fromkeys(names, snake)


def _describe_run(summed: dict[str, Any]) -> Payload:
    named = (_spell_names((name,), summed[name]) for name in _OF_THE_RUN)
    return {key: value for pair in named for key, value in pair.items()}


def _describe_summaries(summed: dict[str, Any], said: list[dict[str, Any]]) -> Payload:
    camel = spelling.spell_keys(summed, spelling.to_camel)
    return {
        "trace": summed | {"messages": said, "events": []},
        "trace_summary": summed,
        "traceSummary": camel,
        "candidate_trace_summary": camel,  # camel case inside, in the one release that had it
        "candidateTraceSummary": camel,
    }


def _read_question(case: Case) -> str:
    if case.task and case.task.question:
        return case.task.question
    return "\n\n".join(turn.user for turn in case.turns if turn.user)


def _read_reference(case: Case) -> str | None:
    """The answer that an eval set expects at the end."""
    return (case.expected[-1].response if case.expected else None) or None


def _list_segments(asked: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    texts = (message.get("content") for message in asked)
    return [{"type": "text", "value": text} for text in texts if isinstance(text, str)]


def _describe_result(result: Result) -> dict[str, Any]:
    return {
        "score": result.score,
        "verdict": _decide_verdict(result),
        "hits": result.hits,
        "misses": result.misses,
        "expectedAspectCount": max(1, len(result.hits) + len(result.misses)),
        **({"reasoning": result.reasoning} if result.reasoning else {}),
        **({"details": result.details} if result.details else {}),
        "evaluatorRawRequest": None,
    }


def _decide_verdict(result: Result) -> str:
    if result.status in {Status.ERROR, Status.NOT_EVALUATED} or result.score is None:
        return "skip"
    if result.vetoes or result.score < _IS_BORDERLINE:
        return "fail"
    return "pass" if result.score >= _PASSES else "borderline"
