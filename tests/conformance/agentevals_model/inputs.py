"""What a command was given: its options, the cases of its eval set, and the turns of its traces."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.agentevals_model.recorded import Span, list_texts, read_spans
from tests.conformance.agentevals_model.turns import Turn, join_rounds, list_turns

_CASE, _SESSION = "agentevals.eval.case.id", "agentevals.session_name"
_LONG = {"-t": "--threshold", "-m": "--metric", "-e": "--eval-set", "-f": "--format"}
_LONG |= {"-c": "--config", "-o": "--output"}
_KEYS = ("gen_ai.conversation.id", "session.id")


@dataclass(frozen=True)
class Group:
    """The turns that are evaluated as one."""

    trace_id: str
    turns: list[Turn]
    case_ids: tuple[str, ...]  # that its spans name

    @property
    def question(self) -> str:
        """What the user said first."""
        heard = self.turns[0].models[0].heard if self.turns and self.turns[0].models else []
        asked = ["".join(list_texts(one)) for one in heard if one.get("role") == "user"]
        return asked[0] if asked else ""


@dataclass(frozen=True)
class Inputs:
    """What a command was given."""

    folder: Path
    words: Sequence[str]
    release: str = "0.11.0"

    @cached_property
    def options(self) -> dict[str, str]:
        return dict(pairwise(self.words))

    @cached_property
    def named(self) -> list[str]:
        """The builtins that options name."""
        return [value for word, value in pairwise(self.words) if word == "-m"]

    @cached_property
    def long_options(self) -> set[str]:
        """The options that were given, as they are written out."""
        return {_LONG.get(word, word) for word in self.words if word.startswith("-")}

    @cached_property
    def cases(self) -> list[dict[str, Any]]:
        """The cases of the eval set, with the keys in snake case, where it can be read."""
        path = self.folder / self.options.get("-e", self.config.get("eval_set", "-"))
        try:
            lines = [path.read_text(encoding="utf-8")]
            lines = lines[0].splitlines() if path.suffix == ".jsonl" else lines
            sets = [json.loads(line) for line in lines]
        except (OSError, ValueError):
            return []
        cases = [_spell_snake(case) for one in sets for case in one.get("eval_cases", [one])]
        return [case for at, case in enumerate(cases) if case not in cases[:at]]

    @cached_property
    def config(self) -> dict[str, Any]:
        """The config, if it is an object."""
        try:
            text = (self.folder / self.options.get("-c", "-")).read_text(encoding="utf-8")
            found = yaml.safe_load(text)
        except (OSError, ValueError, yaml.YAMLError):
            return {}
        return found if isinstance(found, dict) else {}

    @cached_property
    def spans(self) -> list[Span]:
        """All spans, in the order of time; none where a format is not read here."""
        names = [word for word in self.words[1:] if word.endswith((".json", ".jsonl"))]
        options = {self.options.get(key) for key in ("-e", "-c")}
        found = [s for n in names if n not in options for s in read_spans(self.folder / n)]
        once = {(span.trace, span.id): span for span in found}
        return sorted(once.values(), key=lambda span: (span.start, span.id))

    @property
    def has_joined(self) -> bool:
        """Whether several files hold spans of the same trace."""
        names = [word for word in self.words[1:] if word.endswith(".json")]
        traces = [{span.trace for span in read_spans(self.folder / name)} for name in names]
        return sum(map(len, traces)) > len(set().union(*traces))

    @cached_property
    def groups(self) -> list[Group]:
        """The conversations, in the order of their first spans."""
        traces: dict[str, list[Span]] = {}
        for span in self.spans:
            traces.setdefault(span.trace, []).append(span)
        together: dict[str, list[list[Span]]] = {}
        for name, spans in traces.items():
            key = _find_key(spans) if self._joins else None
            together.setdefault(key or name, []).append(spans)
        return [_build_group(each) for each in together.values()]

    @property
    def _joins(self) -> bool:
        chosen = self.options.get("--group-by", "auto")
        named = any(_SESSION in span.resource for span in self.spans)
        several = any(len(case.get("conversation") or ()) > 1 for case in self.cases)
        return chosen == "conversation" or (chosen == "auto" and (named or several))

    def find_turn(self, identity: str) -> Turn | None:
        """The turn with this id of an invocation."""
        turns = (turn for group in self.groups for turn in group.turns)
        return next((turn for turn in turns if turn.id == identity), None)


def read_text(content: dict[str, Any] | None) -> str:
    """The text of a content, as ADK writes it."""
    parts = (content or {}).get("parts") or ()
    return "\n".join(part["text"] for part in parts if part.get("text"))


def _find_key(spans: Sequence[Span]) -> str | None:
    sessions = (span.resource[_SESSION] for span in spans if _SESSION in span.resource)
    own = (
        told[key]
        for key in _KEYS
        for about in ([span.attributes for span in spans], [span.resource for span in spans])
        for told in about
        if key in told
    )
    return next(sessions, None) or next(own, None)


def _build_group(traces: Sequence[Sequence[Span]]) -> Group:
    turns = [turn for spans in traces for turn in list_turns(spans)]
    turns.sort(key=lambda turn: (turn.spans[0].start, turn.id))
    turns = join_rounds(turns)
    told = (s.attributes[_CASE] for spans in traces for s in spans if _CASE in s.attributes)
    first = min(traces, key=lambda spans: spans[0].start)
    return Group(first[0].trace, turns, tuple(dict.fromkeys(told)))


def _spell_snake(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            _snake(key): inner if key in ("args", "response") else _spell_snake(inner)
            for key, inner in value.items()
        }
    return [_spell_snake(inner) for inner in value] if isinstance(value, list) else value


def _snake(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
