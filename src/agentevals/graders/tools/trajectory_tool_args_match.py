"""`trajectory:tool-args-match`: a tool was called with certain arguments."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from agentevals.graders import javascript
from agentevals.graders.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.tools.sequences.arguments import contains_args, drop_keys
from agentevals.graders.tools.sequences.matching import Name, NamedMatcher, fits_pattern
from agentevals.graders.tools.sequences.steps import list_calls, name_calls
from agentevals.model.cases import Case, Grade
from agentevals.text.json_ import encode

_SHOWN = 200  # characters of arguments in a sentence

Names = Annotated[
    tuple[Name, ...],
    BeforeValidator(
        lambda given: [given] if isinstance(given, str) else given,
        json_schema_input_type=Name | list[Name],
    ),
]


class ArgumentMatch(NamedMatcher):
    """A tool, and the arguments that one of its calls must have."""

    args: dict[str, Any] = Field(
        validation_alias=AliasChoices("args", "arguments"), description="The expected arguments"
    )
    mode: Literal["partial", "exact"] = Field(
        default="partial",
        description="`partial`: the call may have others, at any depth; `exact`: these alone",
    )
    defaults: dict[str, Any] = Field(
        default={}, description="Arguments that do not count in a call where they have this value"
    )
    ignore: Names = Field(
        default=(), description="Arguments that do not count; `*` and `?` stand for others"
    )

    def agrees(self, args: dict[str, Any]) -> bool:
        """Whether a call has the expected arguments, without those that do not count."""
        found = drop_keys(args, self._find_ignored(args))
        found = drop_keys(found, self._find_defaults(found))
        wanted = drop_keys(self.args, self._find_ignored(self.args))
        if self.mode == "exact":
            return javascript.is_same(found, wanted)
        return contains_args(found, wanted)

    def _find_ignored(self, args: dict[str, Any]) -> Iterator[str]:
        for key in args:
            if any(
                key == one or (("*" in one or "?" in one) and fits_pattern(one, key))
                for one in self.ignore
            ):
                yield key

    def _find_defaults(self, args: dict[str, Any]) -> Iterator[str]:
        for key, value in self.defaults.items():
            if key in args and javascript.is_same(args[key], value):
                yield key


class ToolArgsMatch(Assertion):
    """1 where one call of the tool has the expected arguments, otherwise 0."""

    type = "trajectory_tool_args_match"

    value: ArgumentMatch = Field(description="The tool and its arguments")

    def grade(self, case: Case, services: Services) -> Grade:
        wanted, calls = self.value, list_calls(case)
        meant = [call for call in calls if wanted.means((call.name,))]
        known = [call.args for call in meant if isinstance(call.args, dict)]
        found = next((args for args in known if wanted.agrees(args)), None)
        if not meant:
            miss = f"{wanted.label} was not called. Tools called: {name_calls(calls)}"
        elif not known:
            miss = f"{wanted.label} was called, but its arguments were not recorded"
        else:
            seen = ", ".join(map(_shorten_args, known))
            miss = (
                f"{wanted.label} was not called with {_shorten_args(wanted.args)}, but with {seen}"
            )
        return grade_binary(
            met=found is not None,
            hit=f"{wanted.label} was called with {_shorten_args(found)}",
            miss=miss,
        )


def _shorten_args(args: Any) -> str:
    text = encode(args).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
