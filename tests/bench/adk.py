"""The same agent, eval set and criteria: run and scored by `adk eval`, its recording by ours."""

import json
from pathlib import Path

from tests.bench import limits, peer
from tests.bench.measure import Measured, measure, measure_in_turns

REQUIREMENTS = ("google-adk[eval]==2.13.0",)
WANTED = 15.0

_AGENT = """\
from google.adk.agents.base_agent import BaseAgent
from google.adk.events.event import Event
from google.genai import types

ANSWERS = {"How warm is it?": "It is 21 degrees in Oslo.", "Thank you": "You are welcome."}


class Scripted(BaseAgent):
    async def _run_async_impl(self, ctx):
        asked = "".join(part.text or "" for part in ctx.user_content.parts)
        if "warm" in asked:
            call = types.FunctionCall(id="c1", name="weather", args={"city": "Oslo"})
            yield self._said(ctx, types.Part(function_call=call))
            back = types.FunctionResponse(id="c1", name="weather", response={"celsius": 21})
            yield self._said(ctx, types.Part(function_response=back))
        yield self._said(ctx, types.Part(text=ANSWERS[asked]))

    def _said(self, ctx, part):
        content = types.Content(role="model", parts=[part])
        return Event(invocation_id=ctx.invocation_id, author=self.name, content=content)


root_agent = Scripted(name="scripted")
"""
_METRIC = '''\
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def short_answers(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    """The share of answers of at most ten words."""
    results = []
    for actual in actual_invocations:
        text = "".join(part.text or "" for part in actual.final_response.parts)
        score = 1.0 if len(text.split()) <= 10 else 0.0
        status = EvalStatus.PASSED if score else EvalStatus.FAILED
        results.append(
            PerInvocationResult(actual_invocation=actual, score=score, eval_status=status)
        )
    mean = sum(result.score for result in results) / len(results)
    passed = mean >= eval_metric.criterion.threshold
    return EvaluationResult(
        overall_score=mean,
        overall_eval_status=EvalStatus.PASSED if passed else EvalStatus.FAILED,
        per_invocation_results=results,
    )
'''
_CONFIG = {
    "criteria": {
        "tool_trajectory_avg_score": 1.0,
        "response_match_score": 0.8,
        "short_answers": 1.0,
    },
    "custom_metrics": {
        "short_answers": {"code_config": {"name": "scripted.metrics.short_answers"}}
    },
}


def _turn(
    number: int, asked: str, answer: str, calls: list[dict[str, object]]
) -> dict[str, object]:
    return {
        "invocation_id": f"i{number}",
        "user_content": {"role": "user", "parts": [{"text": asked}]},
        "final_response": {"role": "model", "parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": calls},
    }


def project(folder: Path) -> None:
    """An agent that needs no model, a metric of its own, and what is expected of it."""
    agent = folder / "scripted"
    agent.mkdir()
    (agent / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (agent / "agent.py").write_text(_AGENT, encoding="utf-8")
    (agent / "metrics.py").write_text(_METRIC, encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(_CONFIG), encoding="utf-8")
    weather = [{"name": "weather", "args": {"city": "Oslo"}}]
    conversation = [
        _turn(1, "How warm is it?", "It is 21 degrees in Oslo.", weather),
        _turn(2, "Thank you", "You are welcome.", []),
    ]
    case = {
        "eval_id": "weather",
        "conversation": conversation,
        "session_input": {"app_name": "scripted", "user_id": "u", "state": {}},
    }
    eval_set = {"eval_set_id": "weather", "eval_cases": [case]}
    (folder / "weather.evalset.json").write_text(json.dumps(eval_set), encoding="utf-8")


def compare(folder: Path, ours: Path) -> list[Measured]:
    """Theirs, ours on what theirs left behind, and the start of an interpreter, in turns."""
    project(folder)
    adk = peer.installed("adk", REQUIREMENTS)
    words = ["eval", "scripted", "weather.evalset.json", "--config_file_path", "config.json"]
    # the agent's package has to be importable, which the command does not see to
    theirs = ["env", f"PYTHONPATH={folder}", adk, *words]
    measure(theirs, cwd=folder, repeat=1)
    results = sorted(folder.glob("scripted/.adk/eval_history/*.evalset_result.json"))
    config = ["--config", "config.json", "--eval-set", "weather.evalset.json"]
    commands = [theirs, [ours, "run", results[0], *config], limits.START.command]
    return measure_in_turns(commands, cwd=folder, rounds=5)


def size_megabytes() -> float:
    """What theirs takes on disk."""
    return peer.size_megabytes(peer.installed("adk", REQUIREMENTS).parents[1])
