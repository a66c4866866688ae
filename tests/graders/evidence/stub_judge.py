"""A judge that likes everything, and keeps what it was shown."""

import re
from typing import Any

from agentevals.judge import ONCE, Patience

_MARKS = re.compile(r"<<<[\w ]+ [0-9a-f]{16}>>>")  # a digest of what stands between them


class StubJudge:
    """Gives the first answer that fits the schema."""

    samples = 1

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def ask(
        self,
        prompt: str,
        *,
        schema: dict[str, Any],
        sample: int = 0,
        system: str = "",
        patience: Patience = ONCE,
    ) -> dict[str, Any]:
        self.say(prompt, system=system)
        answer: dict[str, Any] = _build_answer(schema)
        return answer

    def say(self, prompt: str, *, system: str = "", sample: int = 0) -> str:
        self.prompts.append(_MARKS.sub("", prompt + system))
        return "fine"

    def variant(self, **changes: Any) -> "StubJudge":
        return self

    def usage(self) -> dict[str, Any]:
        return {}


def _build_answer(schema: dict[str, Any]) -> Any:
    if "anyOf" in schema:
        return _build_answer(schema["anyOf"][0])
    if "properties" in schema:
        return {key: _build_answer(value) for key, value in schema["properties"].items()}
    if "items" in schema:
        return [_build_answer(schema["items"])]
    simple = {"integer": 1, "number": schema.get("maximum", 1), "boolean": True}
    return schema["enum"][0] if "enum" in schema else simple.get(schema.get("type", ""), "fine")
