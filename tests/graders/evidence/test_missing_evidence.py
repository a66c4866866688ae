"""A recording that loses an attribute or a field passes and fails nothing that it did not before.

Every evaluator, and its opposite, judges every recording of the tests: first all of it, then
without one attribute after the other. Where what is left does not show a fact any more, the
evaluator that needs it says NOT_EVALUATED; a file that cannot be read is an error.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from agentevals.graders import GRADERS
from agentevals.graders.grader import Grader, Services
from agentevals.graders.grading import grade_case
from agentevals.graders.llm.questions.judge_prompts import NOT_RECORDED
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import Conversation
from agentevals.model.results import Blame
from tests.graders.evidence import recordings, settings
from tests.graders.evidence.recordings import Sample
from tests.graders.evidence.stub_judge import StubJudge


def measure(sample: Sample) -> int:
    return sample.path.stat().st_size


SAMPLES = recordings.list_samples()
# the smallest of each format and instrumentation; `make test-mutants` has the others
FIRST = list({one.kind: one for one in sorted(SAMPLES, key=measure, reverse=True)}.values())
# by format: the ends of places that say something by being absent, each with what it says
SAID_BY_ABSENCE = {
    "adk-evalset-result": {
        ".thought": "the part is said, and not only thought",
        ".intermediate_responses": "nothing was said on the way, which is none of the facts",
        ".intermediate_responses[0][1][0].text": "as above",
    },
    "agentv-results": {
        ".tool_calls": "a message with a text calls no tool",
        ".llm_call_count": "one request has used all the tokens",
        "row 1 .output": "the answer is in 'answer', and one request has used all the tokens",
    },
    "agentv-trace": {
        ".tool_calls": "a message with a text calls no tool",
        ".events": "the spans tell it, and more of the answers of tools than the messages do",
    },
    "agentv-transcript": {".tool_calls": "a message with a text calls no tool"},
    "claude-code": {
        ".isSidechain": "the line is of the main agent",
        ".parentUuid": "the line goes on with the one before it",
        ".parent_tool_use_id": "the line is of the main agent",
    },
    "codex": {
        ".total_token_usage.input_tokens": "the counts are other ones than before",
        ".total_token_usage.output_tokens": "the counts are other ones than before",
    },
    "copilot": {".parentToolCallId": "the event is of the main agent"},
    "langfuse": {".parentObservationId": "the observation is the outermost one"},
    "phoenix-spans": {".parent_id": "the span is the outermost one"},
    "uipath-trace": {
        ".span_type": "the span is the agent's, and not of what judges it",
        ".attributes.input": "the input of the outermost function is the question",
        ".execution.id": "the span is of no item of the eval set",
    },
}
OPEN = frozenset({Status.NOT_EVALUATED, Status.ERROR})


class Verdict(NamedTuple):
    status: Status
    prompts: tuple[str, ...] = ()


def judge(grader: Grader, case: Case) -> Verdict:
    if not case.turns:
        return Verdict(Status.ERROR)  # the run says so, and asks no evaluator
    stub = StubJudge()
    result = grade_case(grader, case, Services(judge=stub))
    assert result.blame is not Blame.BUG, result.error
    return Verdict(result.status, tuple(stub.prompts))


def describe_change(before: Verdict, now: Verdict, *, differ: bool) -> str:
    """Say what changed, unless the evaluator says that it cannot judge; `differ` is whether the
    recordings say different things of the agent."""
    if now.status in OPEN:
        return ""
    if now.status is not before.status:
        return f"{before.status} became {now.status}"
    new = [prompt for prompt in now.prompts if prompt not in before.prompts]
    if differ and any(NOT_RECORDED not in prompt for prompt in new):
        return "the judge was shown less, and not told"
    return ""


def list_facts(conversation: Conversation) -> list[object]:
    return [
        (turn.user, turn.response, [(c.name, c.args, c.response) for c in turn.tool_calls])
        for turn in conversation.turns
    ]


def pair(
    whole: Sequence[Conversation], now: Sequence[Conversation]
) -> Iterator[Conversation | None]:
    """Yield what is left of each conversation: by its names, or by its place."""
    names = {each.conversation_id: each for each in now} | {each.case_id: each for each in now}
    for at, each in enumerate(whole):
        by_name = names.get(each.case_id) if each.case_id else names.get(each.conversation_id)
        yield now[at] if len(whole) == len(now) else by_name


def list_changes(sample: Sample) -> Iterator[str]:
    whole = recordings.read(sample).conversations
    graders = [list(settings.list_graders(each)) if each.turns else [] for each in whole]
    before = [
        [judge(grader, settings.build_case(each)) for grader in own]
        for each, own in zip(whole, graders, strict=True)
    ]
    seen = set()
    said_by_absence = tuple(SAID_BY_ABSENCE.get(sample.trace_format, ()))
    for place, reading in recordings.lose_one(sample):
        if said_by_absence and place.endswith(said_by_absence):
            continue
        left = () if reading.is_refused else reading.conversations
        for at, now in enumerate(pair(whole, left)):
            key = (at, msgspec.json.encode(replace(now, sources=(), warnings=()))) if now else None
            if now is None or now == whole[at] or key in seen:
                continue
            seen.add(key)
            case = settings.build_case(whole[at], now)
            differ = list_facts(now) != list_facts(whole[at])
            for grader, verdict in zip(graders[at], before[at], strict=True):
                if said := describe_change(verdict, judge(grader, case), differ=differ):
                    yield f"{place}: {'not ' * grader.negate}{grader.name}: {said}"


@pytest.mark.parametrize("sample", FIRST, ids=lambda sample: sample.name)
def test_no_verdict_changes_for_want_of_evidence(sample: Sample):
    assert not list(list_changes(sample))


def test_every_type_of_evaluator_passes_and_fails_whole_recordings():
    """An evaluator that never decides could not change its mind either."""
    decided = {
        (grader.type, judge(grader, settings.build_case(each)).status)
        for sample in SAMPLES
        for each in recordings.read(sample).conversations
        if each.turns
        for grader in settings.list_graders(each)
    }

    for status in (Status.PASSED, Status.FAILED):
        named = {kind for kind, found in decided if found is status}
        assert named | settings.ELSEWHERE == set(GRADERS.ours)
