"""What a run of agentevals asks of others: a judge that says what it was told, and a repository.

`surroundings.json` beside the command of a recording holds the answers of the judge, one for each
time that a question is asked, and the files of the repository by their paths.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentevals.graders.llm.hallucinations_v1 import split_sentences
from tests.evaluator.conftest import Repository
from tests.servers import Reply, Seen, as_json, serve

FILE = "surroundings.json"
_SEGMENTING = "please segment the response into sentences"
_JUDGE = re.compile(r"/judge/(\d+)/v1/chat/completions")

Environment = dict[str, str]


def read(folder: Path) -> dict[str, Any]:
    """What was written beside a command; nothing if it asks nobody."""
    path = folder / FILE
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


@contextmanager
def surround(each: Sequence[Mapping[str, Any]]) -> Iterator[list[Environment]]:
    """Answer for each run; the variables say where. There are none for runs that ask nobody."""
    judges = [_Judge(given.get("judge") or ()) for given in each]
    files = {path: text.encode() for given in each for path, text in _list_files(given)}
    repository = Repository(files)

    def answer(seen: Seen) -> Reply:
        asked = _JUDGE.fullmatch(seen.path)
        return judges[int(asked[1])].answer(seen) if asked else repository(seen)

    with serve(answer) as server:
        yield [_describe(server.url, at) if given else {} for at, given in enumerate(each)]


def _list_files(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from (given.get("files") or {}).items()


def _describe(url: str, number: int) -> Environment:
    return {
        "OPENAI_BASE_URL": f"{url}/judge/{number}/v1",
        "OPENAI_API_KEY": "none",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "AGENTEVALS_API_URL": f"{url}/api",
        "AGENTEVALS_RAW_URL": f"{url}/raw",
        "AGENTEVALS_EVALUATOR_REPO": "o/r",
    }


class _Judge:
    """Gives its answers to each question in their order, and then again from the first."""

    def __init__(self, said: Sequence[str]) -> None:
        self._said = said
        self._asked: Counter[str] = Counter()

    def answer(self, seen: Seen) -> Reply:
        asked = json.dumps(seen.document["messages"], ensure_ascii=False)
        number = self._asked[asked]
        self._asked[asked] += 1
        said = self._said[number % len(self._said)] if self._said else "nothing"
        said = _segment(seen.document["messages"]) or said
        message = {"role": "assistant", "content": said}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        told = {"id": "c", "object": "chat.completion", "created": 1, "model": "judge"}
        return as_json(told | {"choices": choices})


def _segment(messages: Sequence[Mapping[str, Any]]) -> str:
    """The sentences of a response, if that is what was asked for."""
    asked = "\n".join(str(message["content"]) for message in messages)
    if _SEGMENTING not in asked:
        return ""
    response = asked.rpartition("**Response Begin**")[2].partition("**Response End**")[0]
    return "\n".join(f"<sentence>{one}</sentence>" for one in split_sentences(response)) or "none"
