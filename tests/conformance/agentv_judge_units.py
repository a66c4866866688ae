"""Recorded sequences of answers of one judge: how often it was asked, and what came of it."""

from typing import Any

from agentevals.graders.grader import Services
from agentevals.graders.llm.llm_judge import LLMJudge
from agentevals.judge import JudgeSettings
from agentevals.judge.model_judge import ModelJudge
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation, Turn
from tests.conformance.reading import graded, of_release
from tests.conformance.rows import Row, differences
from tests.servers import Reply, Script, as_json, serve

_RELEASE = "agentv-4.42.4"  # the first with a call that repairs an answer
_CASE = Case(conversation=Conversation(conversation_id="c", turns=(Turn(user="q", response="a"),)))
_GRADER = LLMJudge(name="lj")

Recorded = dict[str, Any]


def sequence(name: str, case: Recorded) -> Row:
    """How often a judge was asked, and what came of it."""
    recorded = of_release(case["expected"], _RELEASE)
    found = _outcome(case["input"].get("responses", []))
    explained, unexplained = [], []
    for difference in differences(_told(recorded), found):
        if found["error"] and recorded.get("verdict") in {"skip", "fail"}:
            explained.append(("3.12", difference))
        else:
            unexplained.append(difference)
    return Row(name, tuple(explained), tuple(unexplained))


def _told(recorded: Recorded) -> Recorded:
    if "throws" in recorded:
        return {"score": None}
    asserted = recorded["assertions"]
    return {
        "score": recorded["score"],
        "hits": [one["text"] for one in asserted if one["passed"]],
        "misses": [one["text"] for one in asserted if not one["passed"]],
        "calls": recorded["provider_calls"],
    }


def _outcome(responses: list[str]) -> Recorded:
    if not responses:
        return _shown(Services(), 0)
    with serve(Script(*map(_reply, responses))) as server:
        settings = JudgeSettings(model="m", base_url=server.url, cache=False, retries=2)
        judge = ModelJudge(settings, environ={}, sleep=lambda _: None)
        found = _shown(Services(judge=judge), 0)
        return found | {"calls": len(server.seen)}


def _shown(services: Services, calls: int) -> Recorded:
    result = graded(_GRADER, _CASE, services)
    return {
        "score": result.score,
        "hits": list(result.hits),
        "misses": list(result.misses),
        "error": result.error,
        "calls": calls,
    }


def _reply(said: str) -> Reply:
    if said.startswith("<throws"):
        return as_json({"error": {"message": "net"}}, 503)
    message = {"role": "assistant", "content": said}
    return as_json({"choices": [{"message": message, "finish_reason": "stop"}]})
