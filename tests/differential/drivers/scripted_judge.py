"""A judge for ADK that says what it was told to say: the model `scripted-…`.

Each conversation has a sequence of answers for each model; `case-N` in a question tells which.
The last answer of a sequence is given again and again.
"""

import re
from collections import Counter

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

_SCRIPTS: dict[str, list[str]] = {}
_ASKED: Counter[str] = Counter()
_SEGMENTING = "please segment the response into sentences"


def begin(scripts: dict[str, list[str]]) -> None:
    """Every sequence from its start. Their keys are `MODEL case-N`."""
    _SCRIPTS.clear()
    _SCRIPTS.update(scripts)
    _ASKED.clear()


class BusyError(Exception):
    """What a model says that was asked too often."""


class ScriptedLlm(BaseLlm):
    """Stands in for a model."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["scripted-.*"]

    async def generate_content_async(self, llm_request, stream=False):
        asked = "\n".join(
            part.text or "" for content in llm_request.contents for part in content.parts or ()
        )
        said = _answer(self.model, asked)
        if said == "429":
            raise BusyError
        if said == "None":
            yield LlmResponse(content=None)
        else:
            part = types.Part(text=said)
            yield LlmResponse(content=types.Content(role="model", parts=[part]))


def _answer(model: str, asked: str) -> str:
    if _SEGMENTING in asked:
        return "\n".join(f"<sentence>{one}</sentence>" for one in _split(asked))
    cases = re.findall(r"case-\d+", asked)
    key = f"{model} {cases[-1] if cases else ''}"
    script = _SCRIPTS.get(key) or ["nothing to say"]
    number = _ASKED[key]
    _ASKED[key] += 1
    return script[min(number, len(script) - 1)]


def _split(asked: str) -> list[str]:
    """The lines and sentences of the response that the question ends with."""
    response = asked.rpartition("**Response Begin**")[2].partition("**Response End**")[0]
    found = re.split(r"(?<=[.!?…])\s+|\n+", response)
    return [one for one in found if any(letter.isalnum() for letter in one)]


LLMRegistry.register(ScriptedLlm)
