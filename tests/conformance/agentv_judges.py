"""The judges that answered in the recordings: a server that says what each of them said."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from agentevals.graders.grader import Services
from agentevals.judge import JudgeSettings, create_judge
from tests.servers import Reply, Seen, as_json, reply, serve

_USUAL = "g_ok"  # whoever names no judge asked this one
_MARKED = re.compile(r"<<<[A-Z_]+ ([0-9a-f]{16})>>>\n(.*?)\n<<<END \1>>>", re.DOTALL)


class Judges:
    """What graders ask, and what they have asked."""

    def __init__(self, url: str, seen: list[Seen], said: Mapping[str, str]) -> None:
        self._seen = seen
        self.said = said
        self.settings: dict[str, Any] = {
            "model": _USUAL,
            "base_url": url,
            "cache": False,
            "targets": {name: {"model": name} for name in said},
        }
        self.services = Services(judge=create_judge(JudgeSettings(**self.settings)))

    def take_prompt(self) -> str:
        """The first prompt since it was last asked for one, without the marks around material."""
        prompts = [seen.document["messages"][1]["content"] for seen in self._seen]
        self._seen.clear()
        return _MARKED.sub(lambda marked: marked[2], prompts[0]) if prompts else ""


@contextmanager
def judges(said: Mapping[str, str]) -> Iterator[Judges]:
    """The recorded judges, by the names of their targets."""

    with serve(partial(answer, said)) as server:
        yield Judges(f"{server.url}/v1", server.seen, said)


def answer(said: Mapping[str, str], seen: Seen) -> Reply:
    """What the judge of a request says, at once or as a stream, as the request asks for it."""
    asked = seen.document
    message = {"role": "assistant", "content": said[asked["model"]]}
    if not asked.get("stream"):
        return as_json({"choices": [{"message": message, "finish_reason": "stop"}]})
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
    choices = ({"delta": message, "finish_reason": None}, {"delta": {}, "finish_reason": "stop"})
    events = [json.dumps({**chunk, "choices": [{"index": 0, **one}]}) for one in choices]
    body = "".join(f"data: {event}\n\n" for event in (*events, "[DONE]"))
    return reply(200, body.encode(), {"content-type": "text/event-stream"})
