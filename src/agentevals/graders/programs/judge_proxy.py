"""A loopback server through which a program may ask the judge of the run, so often and no more.

The program gets an address and a token that are good for one case; the key of the judge stays
with us. The routes are those of AgentV, `/info`, `/invoke` and `/invokeBatch`, and of OpenAI as far
as one question to a judge needs them.
"""

import hmac
import json
import os
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any

import msgspec

from agentevals.judge import Judge
from agentevals.model.cases import Grade
from agentevals.model.errors import AgentEvalsError, EvaluatorError, InputError, UnavailableError
from agentevals.sandbox import loopback_server
from agentevals.sandbox.loopback_server import LoopbackHandler

_LARGEST = 4 << 20  # of a question
_AT_A_TIME = 16
Body = dict[str, Any]


class _RefusedError(Exception):
    """A request that is not answered, and the status that says so."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class JudgeAccess:
    """The questions that one program may ask and has asked, and the first failure."""

    def __init__(self, judge: Judge, most: int) -> None:
        self.port = 0
        self.token = secrets.token_urlsafe(24)
        self._judge, self._most = judge, most
        self._lock = threading.Lock()
        self._calls = 0
        self._asked: Counter[tuple[str, ...]] = Counter()
        self._failure: AgentEvalsError | None = None

    @property
    def env(self) -> dict[str, str]:
        """The variables that clients of ours, AgentV's and OpenAI's read, with no other proxy."""
        passed_by = ",".join(filter(None, (os.environ.get("NO_PROXY"), "127.0.0.1")))
        address = f"http://127.0.0.1:{self.port}"
        return {
            "AGENTEVALS_JUDGE_URL": address,
            "AGENTEVALS_JUDGE_TOKEN": self.token,
            "AGENTV_TARGET_PROXY_URL": address,
            "AGENTV_TARGET_PROXY_TOKEN": self.token,
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": self.token,
            "NO_PROXY": passed_by,
            "no_proxy": passed_by,
        }

    def describe(self) -> Body:
        return {
            "targetName": self._name,
            "maxCalls": self._most,
            "callCount": self._calls,
            "availableTargets": [self._name],
        }

    @property
    def _name(self) -> str:
        return str(self._judge.usage().get("model") or "judge")

    def complete(self, asked: Any) -> Body:
        """One question, asked as of OpenAI. The model is the judge, whatever is wanted."""
        try:
            question, system = read_messages(asked)
        except ValueError as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error
        said = self._ask(self._judge, question, system)
        return write_completion(said, self._name, self._calls)

    def invoke(self, asked: Any) -> Body:
        """One question, one answer in words."""
        question = _read_text(asked, "question")
        if question is None:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "a 'question' with a text is missing")
        judge = self._choose_judge(_read_text(asked, "target"))
        system = _read_text(asked, "systemPrompt") or _read_text(asked, "system_prompt") or ""
        said = self._ask(judge, question, system)
        output = [{"role": "assistant", "content": said}]
        return {"output": output, "rawText": said, "tokenUsage": None}

    def _ask(self, judge: Judge, question: str, system: str) -> str:
        sample = self._count_question(question, system)
        try:
            return judge.say(question, system=system, sample=sample)
        except (EvaluatorError, InputError, UnavailableError) as error:
            self._failure = self._failure or error
            raise _RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from error

    def invoke_batch(self, asked: Any) -> Body:
        """Several questions, answered in their order."""
        requests = asked.get("requests") if isinstance(asked, dict) else None
        if not isinstance(requests, list) or not requests:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "'requests' with a list is missing")
        if self._calls + len(requests) > self._most:
            raise _RefusedError(HTTPStatus.TOO_MANY_REQUESTS, self._describe_limit())
        return {"responses": [self.invoke(request) for request in requests]}

    def check(self, name: str) -> None:
        """A judge that did not answer is an error, whatever the program made of it."""
        if self._failure:
            msg = f"evaluator {name!r}: the judge that it asked did not answer: {self._failure}"
            raise type(self._failure)(msg) from self._failure

    def add_usage(self, grade: Grade) -> Grade:
        """The grade, with how often the judge was asked for it."""
        used = {"call_count": self._calls, "max_calls": self._most}
        return msgspec.structs.replace(grade, details={**grade.details, "target_proxy": used})

    def _choose_judge(self, name: str | None) -> Judge:
        try:
            return self._judge.variant(target=name) if name else self._judge
        except InputError as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error

    def _count_question(self, *question: str) -> int:
        """Count a question, so that a cache does not answer the same one twice alike."""
        with self._lock:
            if self._calls >= self._most:
                raise _RefusedError(HTTPStatus.TOO_MANY_REQUESTS, self._describe_limit())
            self._calls += 1
            self._asked[question] += 1
            return self._asked[question] - 1

    def _describe_limit(self) -> str:
        return f"no more than {self._most} questions may be asked; see 'max_calls' of the evaluator"


@contextmanager
def serve(judge: Judge, most: int) -> Iterator[JudgeAccess]:
    """Serve one program, until the block ends."""
    access = JudgeAccess(judge, most)
    with loopback_server.serve(partial(_Handler, access), at_a_time=_AT_A_TIME) as port:
        access.port = port
        yield access


class _Handler(LoopbackHandler):
    def __init__(self, access: JudgeAccess, *connection: Any) -> None:
        self._access = access
        super().__init__(*connection)

    def do_GET(self) -> None:
        self._answer({"/info": lambda _: self._access.describe()})

    def do_POST(self) -> None:
        access = self._access
        routes = {"/invoke": access.invoke, "/invokeBatch": access.invoke_batch}
        self._answer({**routes, "/v1/chat/completions": access.complete})

    def _answer(self, routes: dict[str, Callable[[Any], Body]]) -> None:
        route = routes.get(self.path.partition("?")[0], _refuse_route)
        try:
            self._check_token()
            status, told = HTTPStatus.OK, route(self._read_document())
        except _RefusedError as refused:
            status, told = refused.status, {"error": str(refused)}
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _check_token(self) -> None:
        given = self.headers.get("authorization", "").encode(errors="replace")
        if not hmac.compare_digest(given, f"Bearer {self._access.token}".encode()):
            raise _RefusedError(HTTPStatus.UNAUTHORIZED, "the bearer token is missing or wrong")

    def _read_document(self) -> Any:
        if self.command == "GET":
            return None
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdigit() or len(length) > len(str(_LARGEST)):
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "give a 'content-length'")
        if int(length) > _LARGEST:
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the question is too long")
        try:
            return msgspec.json.decode(self.rfile.read(int(length)))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "the body is not JSON") from error


def _refuse_route(_: Any) -> Body:
    raise _RefusedError(
        HTTPStatus.NOT_FOUND, "ask /info, /invoke, /invokeBatch or /v1/chat/completions"
    )


def _read_text(asked: Any, key: str) -> str | None:
    value = asked.get(key) if isinstance(asked, dict) else None
    return value if isinstance(value, str) and value else None


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
