"""The turns of ADK: what users and agents said, calls, events, and everything beside them."""

from collections.abc import Callable
from typing import Any

from pydantic.alias_generators import to_camel

from tests.differential.draw import Draw

Json = dict[str, Any]

_SPELLINGS = ("snake", "camel")
_BYTES = ("aGVsbG8=", "")
_TOOLS = ("get_weather", "search", "refund", "küche")
_AUTHORS = ("my_agent", "sub_agent")
_ARGS: tuple[Any, ...] = (
    None,
    {},
    {"city": "Paris"},
    {"city": "paris"},
    {"n": 1},
    {"n": 1.0},
    {"n": True},
    {"deep": {"list": [1, {"a": None}]}},
    {"list": [2, 1]},
)


class Turns:
    """Makes invocations, in one of the two spellings of their keys."""

    def __init__(self, draw: Draw, *, mark: str = "", kind: str = "") -> None:
        self.draw = draw
        self.kind = kind  # of the rubrics that the config asks about, if it does
        self.mark = mark  # of the case, in all its texts: by it a scripted judge knows the case
        self.spelling = draw.choose("spelling", _SPELLINGS)

    def text(self) -> str:
        said = self.draw.text()
        return f"{said} {self.mark}" if self.mark else said

    def spell(self, given: Json) -> Json:
        """Keys as they are written, without those whose value is Ellipsis."""
        kept = {key: value for key, value in given.items() if value is not ...}
        return {to_camel(k): v for k, v in kept.items()} if self.spelling == "camel" else kept

    def maybe(self, make: Callable[[], Any], part: float = 0.3) -> Any:
        """A value, sometimes null, often absent."""
        if not self.draw.chance(part):
            return ...
        return None if part < 1 and self.draw.chance(0.06) else make()

    def field(self, owner: str, name: str, make: Callable[[], Any], part: float = 0.3) -> Any:
        """An optional value that counts as reached."""
        made = self.maybe(make, part)
        if made is not ...:
            self.draw.reached[owner, name] += 1
        return made

    def invocation(self, number: int, *, expected: bool) -> Json:
        draw = self.draw

        def field(name: str, make: Callable[[], Any], part: float = 0.3) -> Any:
            return self.field("invocation", name, make, part)

        return self.spell(
            {
                "invocation_id": f"i{number}" if draw.chance(0.8) else ...,
                "user_content": self.content("user", odd=False),
                "final_response": field("final_response", lambda: self.content("model"), 0.9),
                "intermediate_data": field("intermediate_data", self.between, 0.96),
                "creation_timestamp": draw.choose("time", (0.0, 1.5, 1790000000.25))
                if draw.chance(0.5)
                else ...,
                "rubrics": field("rubrics", lambda: [self.rubric(f"t{number}")], 0.1)
                if expected
                else ...,
                "app_details": field("app_details", self.app_details, 0.2),
                "duration": field("duration", lambda: 2.5, 0.2),
                "model_duration": field("model_duration", lambda: 2.0, 0.1),
                "tool_duration": field("tool_duration", lambda: 0.25, 0.1),
            }
        )

    def content(self, role: str, *, odd: bool = True) -> Json:
        draw = self.draw
        parts = [self.spell({"text": self.text()})]
        if odd and draw.chance(0.35):
            parts += [self.part() for _ in range(draw.count(1, 2))]
        if odd and draw.chance(0.1):
            parts = draw.choose("no parts", ([], None))
        return self.spell({"role": role if draw.chance(0.8) else ..., "parts": parts})

    def part(self) -> Json:
        """A part of any kind, each of them as likely."""
        makers: dict[str, Callable[[], Any]] = {
            "text": self.text,
            "thought": self.thought,
            "function_call": self.call,
            "function_response": lambda: self.response(self.call()),
            "inline_data": lambda: {"data": "aGVsbG8=", "mime_type": "image/png"},
            "file_data": lambda: {"file_uri": "gs://b/f", "mime_type": "text/plain"},
            "video_metadata": lambda: {"start_offset": "1s"},
            "media_resolution": lambda: {"level": "MEDIA_RESOLUTION_LOW"},
            "executable_code": lambda: {"code": "print(1)", "language": "PYTHON"},
            "code_execution_result": lambda: {"outcome": "OUTCOME_OK", "output": "1"},
            "tool_call": lambda: {"id": "t1", "args": {"q": 1}},
            "tool_response": lambda: {"id": "t1", "response": {"r": 1}},
            "part_metadata": lambda: {"k": {"v": 1}},
            "audio_transcription": lambda: {"text": "heard"},
            "media_processing": lambda: "STATIC",
            "speech_metadata": lambda: {"speaker": "s"},
            "thought_signature": lambda: self.draw.choose("bytes", _BYTES),
        }
        kind = self.draw.choose("part", sorted(makers))
        made = makers[kind]()
        written = made if kind == "thought" else {kind: made}
        nulls = {"function_call": None} if self.draw.chance(0.2) else {}
        return self.spell(nulls | written)

    def thought(self) -> Json:
        return {"text": self.text(), "thought": True}

    def call(self, number: int = 0) -> Json:
        draw = self.draw
        args = draw.choose("args", _ARGS) if draw.chance(0.85) else ...
        draw.reached["call", "args"] += 1
        found = {
            "name": draw.choose("tool", _TOOLS),
            "args": args,
            "id": self.field("call", "id", lambda: f"c{number}", 0.7),
            "partial_args": self.field(
                "call", "partial_args", lambda: [self.spell({"json_path": "$.a"})], 0.05
            ),
            "will_continue": self.field("call", "will_continue", lambda: False, 0.05),
        }
        return self.spell(found)

    def response(self, call: Json) -> Json:
        draw = self.draw
        answers = ({"result": "sunny"}, {}, {"r": [1, None]}, None)
        return self.spell(
            {
                "name": call["name"],
                "id": call.get("id", ...),
                "response": draw.choose("response", answers),
                "scheduling": self.field("response", "scheduling", lambda: "SILENT", 0.05),
                "will_continue": self.field("response", "will_continue", lambda: True, 0.05),
                "parts": self.field("response", "parts", list, 0.05),
            }
        )

    def between(self) -> Json:
        """What happened between question and answer, written in one of the two ways."""
        calls = [self.call(number) for number in range(self.draw.count(0, 3))]
        answered = [call for call in calls if self.draw.chance(0.8)]
        if (
            self.draw.choose("between", ("IntermediateData", "InvocationEvents"))
            == "IntermediateData"
        ):
            said = [["sub_agent", [self.part()]]] if self.draw.chance(0.3) else ...
            return self.spell(
                {
                    "tool_uses": calls,
                    "tool_responses": [self.response(call) for call in answered],
                    "intermediate_responses": said,
                }
            )
        events = [self.event({"function_call": call}) for call in calls]
        events += [self.event({"function_response": self.response(c)}) for c in answered]
        if self.draw.chance(0.4):
            events.insert(0, self.event({"text": self.text()}))
        return self.spell({"invocation_events": events})

    def event(self, part: Json) -> Json:
        usage = {"prompt_token_count": 7, "candidates_token_count": 3, "total_token_count": 10}
        return self.spell(
            {
                "author": self.draw.choose("author", _AUTHORS),
                "content": {"role": "model", "parts": [self.spell(part)]},
                "usage_metadata": self.field("event", "usage_metadata", lambda: self.spell(usage)),
                "model_version": self.field("event", "model_version", lambda: "m-1", 0.1),
                "grounding_metadata": self.field(
                    "event",
                    "grounding_metadata",
                    lambda: self.spell({"web_search_queries": ["q"]}),
                    0.1,
                ),
            }
        )

    def rubric(self, name: str) -> Json:
        kinds = ("FINAL_RESPONSE_QUALITY", "TOOL_USE_QUALITY", "TRAJECTORY_QUALITY")
        return self.spell(
            {
                "rubric_id": name,
                "rubric_content": self.spell({"text_property": f"It holds for {name}."}),
                "description": self.field("rubric", "description", lambda: "why", 0.2),
                "type": (self.draw.chance(0.6) and self.kind)
                or self.draw.choose("rubric type", kinds),
            }
        )

    def app_details(self) -> Json:
        agent = {"name": "my_agent", "instructions": "Be kind.", "tool_declarations": []}
        return self.spell({"agent_details": {"my_agent": self.spell(agent)}})
