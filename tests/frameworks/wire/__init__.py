"""The APIs of models that the scripted endpoint speaks: one module per provider's protocol."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SaidCall:
    """A call as the model asked for it."""

    name: str
    args: dict[str, Any]
    call_id: str

    @property
    def text(self) -> str:
        return json.dumps(self.args, ensure_ascii=False)


@dataclass(frozen=True)
class Said:
    """One answer of the model, before a protocol spells it."""

    number: int
    model: str
    text: str = ""
    calls: tuple[SaidCall, ...] = ()
    refuses: bool = False

    @property
    def tokens(self) -> tuple[int, int]:
        """Every answer has other counts, so that none is taken for another."""
        return 100 + self.number, 10 + self.number


@dataclass(frozen=True)
class Heard:
    """A request, read: the texts of its messages, the answers of tools by id, its tools.

    Who `writes_calls` asks for tools in the text of an answer.
    """

    model: str
    texts: tuple[str, ...]
    told: dict[str, Any]
    tools: tuple[str, ...]
    wants_object: bool
    streams: bool
    counts: bool = True
    writes_calls: bool = False


def flatten(value: Any) -> str:
    """Every text in a value, in order."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        value = list(value.values())
    return "\n".join(map(flatten, value)) if isinstance(value, list) else ""


def join(content: Any) -> str:
    """The text of a message: one, or that of its parts."""
    parts = content if isinstance(content, list) else [{"text": content}]
    return "".join(part.get("text") or "" for part in parts)


def halves(text: str) -> list[str]:
    """A text as a stream brings it: in two parts."""
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


def events(documents: list[dict[str, Any]], *, named: bool = False, end: str = "") -> bytes:
    """Server-sent events; `named` ones say their type in a line of their own."""
    lines = [
        (f"event: {each['type']}\n" if named else "")
        + f"data: {json.dumps(each, ensure_ascii=False)}\n\n"
        for each in documents
    ]
    return ("".join(lines) + end).encode()
