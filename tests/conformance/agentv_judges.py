"""The judges that answered in the recordings: a server that says what each of them said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from agentevals.graders.grader import Services
from agentevals.judge import JudgeSettings, create_judge
from tests.servers import Seen, as_json, serve

_USUAL = "g_ok"  # whoever names no judge asked this one
_MARKED = re.compile(r"<<<[A-Z_]+ ([0-9a-f]{16})>>>\n(.*?)\n<<<END \1>>>", re.DOTALL)
_SECTION = re.compile(r"^\[\[ ## (\w+) ## \]\]\n", re.MULTILINE)


class Judges:
    """What graders ask, and what they have asked."""

    def __init__(self, url: str, seen: list[Seen], names: Mapping[str, str]) -> None:
        self._seen = seen
        self.settings: dict[str, Any] = {
            "model": _USUAL,
            "base_url": url,
            "cache": False,
            "targets": {name: {"model": name} for name in names},
        }
        self.services = Services(judge=create_judge(JudgeSettings(**self.settings)))

    def shown(self, recorded: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The last prompt, without the marks around material, told as the recording does."""
        prompts = [seen.document["messages"][1]["content"] for seen in self._seen]
        self._seen.clear()
        theirs = recorded[0].get("request") or {} if recorded else {}
        if not prompts or "user_prompt" not in theirs:
            return {}
        unmarked = _MARKED.sub(lambda marked: marked[2], prompts[0])
        return {"prompt": _told_alike(unmarked, theirs["user_prompt"])}


@contextmanager
def judges(said: Mapping[str, str]) -> Iterator[Judges]:
    """The recorded judges, by the names of their targets."""

    def answer(seen: Seen) -> Any:
        message = {"role": "assistant", "content": said[seen.document["model"]]}
        return as_json({"choices": [{"message": message, "finish_reason": "stop"}]})

    with serve(answer) as server:
        yield Judges(f"{server.url}/v1", server.seen, said)


def told(recorded: Any) -> Any:
    """A recorded prompt, as far as ours has to equal it."""
    return recorded if isinstance(recorded, str) else {"sections": recorded["sections"]}


def _told_alike(prompt: str, recorded: Any) -> Any:
    if isinstance(recorded, str):
        return prompt
    _, *parts = _SECTION.split(prompt)
    found = [{"name": n, "body": body} for n, body in zip(parts[::2], parts[1::2], strict=True)]
    # a recording leaves out how criteria were listed
    for ours, theirs in zip(found, recorded["sections"], strict=False):
        if theirs["body"].endswith("omitted>"):
            ours["body"] = theirs["body"]
    return {"sections": found}
