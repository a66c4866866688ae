"""Servers that speak the judges' APIs, for tests."""

import json

from agentevals.judge import JudgeSettings
from agentevals.judge.model_judge import ModelJudge
from tests.servers import as_json

SCHEMA = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "verdict": {"type": "string", "enum": ["yes", "no"]},
    },
    "required": ["reasoning", "verdict"],
    "additionalProperties": False,
}
YES = {"reasoning": "because", "verdict": "yes"}


def completion(content, *, finish="stop", refusal=None, tokens=(100, 20)):
    """A chat completion; objects are sent as JSON text."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    message = {"role": "assistant", "content": text, "refusal": refusal}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]} if tokens else None
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return as_json({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})


def message(*blocks, stop="tool_use", tokens=(100, 20)):
    """A message of the Messages API."""
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    body = {"id": "m", "type": "message", "content": list(blocks), "stop_reason": stop}
    return as_json(body | {"usage": usage})


def tool_use(answer):
    return {"type": "tool_use", "id": "t", "name": "answer", "input": answer}


def refusal(text, status=400):
    return as_json({"error": {"message": text, "type": "invalid_request_error"}}, status)


def judge_at(server, *, environ=None, sleep=lambda _: None, redact=str, **settings):
    """A judge that asks this server and keeps nothing, unless told otherwise."""
    given = {
        "model": "judge-1",
        "base_url": f"{server.url}/v1",
        "cache": False,
        "retries": 2,
        **settings,
    }
    return ModelJudge(JudgeSettings(**given), environ=environ or {}, sleep=sleep, redact=redact)
