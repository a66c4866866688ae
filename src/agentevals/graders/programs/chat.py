"""The chat completions of OpenAI's API, as far as one question to a judge needs them."""

from typing import Any

Body = dict[str, Any]


def read_messages(asked: Any) -> tuple[str, str]:
    """Return the question and the system prompt of a request, or raise a ValueError."""
    messages = asked.get("messages") if isinstance(asked, dict) else None
    if not isinstance(messages, list) or not messages:
        msg = "'messages' with a list is missing"
        raise ValueError(msg)
    if asked.get("stream"):
        msg = "answers are not streamed here; ask without 'stream'"
        raise ValueError(msg)
    told = [(_read_role(one), _read_content(one)) for one in messages]
    system = "\n\n".join(text for role, text in told if role in {"system", "developer"})
    spoken = [(role, text) for role, text in told if role in {"user", "assistant", "tool"}]
    question = "\n\n".join(text if len(spoken) == 1 else f"{role}: {text}" for role, text in spoken)
    if not question.strip():
        msg = "a message of the user is missing"
        raise ValueError(msg)
    return question, system


def write_completion(said: str, model: str, number: int) -> Body:
    """Return an answer as a client of OpenAI's reads it. Tokens are counted by the run."""
    message = {"role": "assistant", "content": said, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


def _read_role(message: Any) -> str:
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) else ""


def _read_content(message: Any) -> str:
    """Return the text of a message: one text, or the texts among its parts."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))
