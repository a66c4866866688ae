"""Questions to a model, the forms of request that servers accept, and what comes back.

What a judge said is untrusted: it is fitted to the schema, clipped, and made printable.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from agentevals.judge import JudgeAnswerError
from agentevals.model.errors import UnavailableError
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    import jsonschema
else:
    jsonschema = Lazy("jsonschema")

Utterance = tuple[Literal["user", "assistant"], str]

LONGEST_ANSWER = 200_000
_LONGEST_TEXT, _LONGEST_REASON, _LONGEST_COMPLAINT = 4_000, 200, 300


@dataclass(frozen=True, kw_only=True)
class Question:
    """A conversation with a model that is to end in a JSON object; without a schema, in a text."""

    model: str
    said: tuple[Utterance, ...]
    schema: dict[str, Any] | None
    max_tokens: int
    temperature: float | None = None
    system: str = ""

    def add_objection(self, answer: str, objection: str) -> "Question":
        """Ask again after an answer that could not be used."""
        # an empty message is refused by some servers
        return replace(
            self, said=(*self.said, ("assistant", answer or "(nothing)"), ("user", objection))
        )

    def put_schema_in_text(self) -> "Question":
        """The question for a server that cannot be told a schema in any other way."""
        if self.schema is None:
            return self
        schema = msgspec.json.encode(self.schema).decode()
        form = f"\n\nAnswer with one JSON object and nothing else. It fits this schema:\n{schema}"
        if self.system:
            return replace(self, system=self.system + form)
        (role, text), *rest = self.said
        return replace(self, said=((role, text + form), *rest))

    @property
    def length(self) -> int:
        """Bytes of everything that is said."""
        return sum(
            len(text.encode(errors="replace"))
            for text in (self.system, *(text for _, text in self.said))
        )


@dataclass(frozen=True, kw_only=True)
class Manner:
    """The form of request that a server accepts, learned from its refusals."""

    structure: str
    tokens_key: str = "max_tokens"
    temperature: bool = True

    def simplify(self, complaint: str, structures: tuple[str, ...]) -> "Manner | None":
        """Return the next form to try after a refusal, None when none is left."""
        if "max_completion_tokens" in complaint and self.tokens_key == "max_tokens":
            return replace(self, tokens_key="max_completion_tokens")
        if "temperature" in complaint and self.temperature:
            return replace(self, temperature=False)
        simpler = structures[structures.index(self.structure) + 1 :]
        return replace(self, structure=simpler[0]) if simpler else None


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The reply of a model: a text that should be JSON, or why there is none."""

    text: str = ""
    refusal: str = ""
    cut_off: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None


def decode(body: bytes, shape: type[Any], what: str) -> Any:
    """A server's answer in the shape its API promises."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        msg = f"what came back is not {what}; check 'base_url' and 'provider'"
        raise UnavailableError(msg) from None


def read_answer(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The object in the text, or JudgeAnswerError with what is wrong, in words for a model too.

    A code fence or a few words around the object do no harm.
    """
    check_length(text)
    first, last = text.find("{"), text.rfind("}")
    try:
        answer = msgspec.json.decode(text[first : last + 1] if 0 <= first < last else text)
    except (msgspec.DecodeError, RecursionError):
        msg = "the answer is not one JSON object"
        raise JudgeAnswerError(msg) from None
    return check_schema(answer, schema)


def check_length(text: str) -> str:
    """The text, if it is of a length that somebody can have meant."""
    if len(text) > LONGEST_ANSWER:
        msg = f"the answer is longer than {LONGEST_ANSWER} characters"
        raise JudgeAnswerError(msg)
    return text


def check_schema(answer: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """The answer, if it is what was asked for."""
    found = jsonschema.Draft202012Validator(schema).iter_errors(answer)
    error = jsonschema.exceptions.best_match(found)
    if error is not None or not isinstance(answer, dict):
        reason = error.message if error else "not an object"
        place = f" at {error.json_path}" if error and error.absolute_path else ""
        msg = (
            f"the answer does not fit the schema{place}: {make_printable(reason, _LONGEST_REASON)}"
        )
        raise JudgeAnswerError(msg)
    return {key: _clip(value) for key, value in answer.items()}


def read_error(body: bytes, *, key: str) -> str:
    """The sentence in a server's error document, or whatever else came. The key stays hidden."""
    try:
        document: Any = msgspec.json.decode(body)
        error = document["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError, IndexError):
        text = body.decode(errors="replace")
    return make_printable(text.replace(key, "…") if key else text, _LONGEST_COMPLAINT)


def make_printable(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Without what could steer a terminal, and of bounded length."""
    clipped = text if len(text) <= longest else text[:longest] + "…"
    return "".join(c if c.isprintable() or c == "\n" else " " for c in clipped)


def _clip(value: Any) -> Any:
    if isinstance(value, str):
        return make_printable(value)
    if isinstance(value, list):
        return [_clip(item) for item in value]
    if isinstance(value, dict):
        return {key: _clip(item) for key, item in value.items()}
    return value
