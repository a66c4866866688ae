"""`agentevals record` around frameworks as they are installed, and a model that is scripted."""

import json
from pathlib import Path

import pytest

from agentevals.sandbox import program_environments
from tests.servers import as_json, reply, serve
from tests.support import agentevals

AGENTS = Path(__file__).parent / "agents"
EXPORTER = "opentelemetry-exporter-otlp-proto-http"
INSTALLED = {
    "google-adk 2.13": ("adk_agent.py", "google-adk==2.13.0", EXPORTER),
    "strands-agents 1.62": ("strands_agent.py", "strands-agents[otel,openai]==1.62.0"),
    # wrapt, openai and util-genai are those that the instrumentation can be imported with
    "openai-v2 2.4": (
        "openai_agent.py", "opentelemetry-instrumentation-openai-v2==2.4b0", EXPORTER,
        "wrapt<2", "openai<3", "opentelemetry-util-genai==0.4b0",
    ),
}  # fmt: skip
CALL = {"name": "find_order", "arguments": '{"order_id": 7}'}
ANSWER = "Order 7 has been shipped."


def gemini(asked):
    answered = "functionResponse" in asked["contents"][-1]["parts"][-1]
    call = {"functionCall": {"id": "c1", "name": CALL["name"], "args": {"order_id": 7}}}
    parts = [{"text": ANSWER} if answered else call]
    return as_json(
        {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    )


def openai(asked):
    answered = asked["messages"][-1]["role"] == "tool"
    call = {"index": 0, "id": "c1", "type": "function", "function": CALL}
    said = {"content": ANSWER} if answered else {"tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "stop" if answered else "tool_calls"}
    head = {"id": "r1", "created": 1, "model": "scripted-1"}
    message = {"role": "assistant", **said}
    if not asked.get("stream"):
        return as_json(
            {**head, "object": "chat.completion", "choices": [{**choice, "message": message}]}
        )
    chunk = {**head, "object": "chat.completion.chunk", "choices": [{**choice, "delta": message}]}
    body = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
    return reply(200, body, {"content-type": "text/event-stream"})


def answer(seen):
    asked = seen.document
    return gemini(asked) if "contents" in asked else openai(asked)


@pytest.fixture(scope="module", params=INSTALLED)
def recording(request, tmp_path_factory):
    """A folder with the traces of an agent, and the eval set that they were blessed into."""
    agent, *requirements = INSTALLED[request.param]
    folder = tmp_path_factory.mktemp("recording")
    (folder / "requirements.txt").write_text("\n".join(requirements))
    python = program_environments.prepare(folder / "requirements.txt").python
    with serve(answer) as model:
        done = agentevals(
            *("record", "-o", "traces", "--", str(python), str(AGENTS / agent)),
            cwd=folder,
            GOOGLE_GEMINI_BASE_URL=model.url,
            GOOGLE_API_KEY="x",
            OPENAI_BASE_URL=f"{model.url}/v1",
        )
    assert done.stdout.strip() == ANSWER, done.stderr
    assert "no question, answer or tool call is missing" in done.stderr
    blessed = agentevals("bless", "traces", cwd=folder)
    assert blessed.returncode == 0, blessed.stderr
    return folder


def test_question_arguments_and_answers_are_recorded(recording):
    [case] = json.loads((recording / "eval_set.json").read_text())["eval_cases"]
    [turn] = case["conversation"]
    [call] = turn["intermediate_data"]["tool_uses"]
    assert turn["user_content"]["parts"] == [{"text": "Where is order 7?"}]
    assert (call["name"], call["args"]) == ("find_order", {"order_id": 7})
    assert "shipped" in json.dumps(turn["intermediate_data"]["tool_responses"])
    assert "".join(part["text"] for part in turn["final_response"]["parts"]).strip() == ANSWER


def test_the_recording_passes_and_an_argument_that_differs_does_not(recording):
    expected = (recording / "eval_set.json").read_text()
    (recording / "other.json").write_text(expected.replace('"order_id": 7', '"order_id": 8'))

    runs = [
        agentevals("run", "traces", "--eval-set", name, cwd=recording).returncode
        for name in ("eval_set.json", "other.json")
    ]

    assert runs == [0, 1]
