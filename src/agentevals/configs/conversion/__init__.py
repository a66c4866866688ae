"""A config in the words of another dialect: the files, and what those words cannot say."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from glob import escape
from os.path import relpath
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from agentevals.configs.config_graders import find_path_fields
from agentevals.configs.plan import Plan
from agentevals.files import documents
from agentevals.files.document_places import quote
from agentevals.files.project_paths import join_pattern
from agentevals.files.pydantic_settings import list_spellings
from agentevals.graders import BUILTINS
from agentevals.graders.grader import Grader
from agentevals.model.plugins import Table

# what both kinds of file say alike
_ALIKE = ("trace_format", "output_format", "group_by", "pair", "jobs")
_WIDTH = 100
_OWN_TYPES = "/.agentv/assertions/"


@dataclass(frozen=True, kw_only=True)
class Converted:
    """The files by their names, and a sentence for each thing that they do not say."""

    files: Mapping[str, str]
    lost: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A config that is right: its Plan, and how it is written."""

    plan: Plan
    path: Path
    folder: Path  # where the result will lie

    @property
    def written(self) -> Mapping[str, Any]:
        """Return the top level, as far as it is a mapping."""
        value = documents.read(self.path).value
        return value if isinstance(value, dict) else {}

    def alike(self) -> Iterator[tuple[str, Any]]:
        """Return the settings that stay as they are: the traces, the judge, how a run goes."""
        plan, written = self.plan, self.written
        if plan.traces:
            yield "traces", [self._relocate_pattern(trace) for trace in plan.traces]
        for key in _ALIKE:
            if written.get(key) is not None:
                yield key, written[key]
        if plan.judge:
            settings = plan.judge.model_dump(mode="json", exclude_unset=True)
            yield "judge", {key: value for key, value in settings.items() if value is not None}

    def list_agent(self) -> list[str]:
        """Return the patterns for the files of the agent, from the folder of the result."""
        agent = self.plan.agent
        if agent is None:
            return []
        split = [("!" * text.startswith("!"), text.removeprefix("!")) for text in agent.patterns]
        made = ((mark, join_pattern(agent.folder, text)) for mark, text in split)
        return [f"{mark}{self._relocate_pattern(pattern)}" for mark, pattern in made]

    def _relocate_pattern(self, pattern: str) -> str:
        """Return a pattern as the result will name it."""
        return Path(relpath(pattern, escape(str(self.folder.absolute())))).as_posix()

    def make_relative(self, path: Path) -> str:
        """Return a path as the result will name it."""
        return Path(relpath(path, self.folder.absolute())).as_posix()

    def write_entry(self, grader: Grader) -> dict[str, Any]:
        """Return an evaluator as it is written in any list."""
        kind = type(grader)
        builtin = grader.type in BUILTINS and grader.name == grader.type
        dumped = grader.model_dump(mode="json", exclude_unset=True)
        paths = find_path_fields(kind)
        entry: dict[str, Any] = {"name": grader.name, "type": "builtin" if builtin else grader.type}
        for name, value in dumped.items():
            given = getattr(grader, name)
            if name in paths and isinstance(given, Path):
                entry[name] = self.make_relative(given)
            elif isinstance(given, tuple) and given and isinstance(given[0], Grader):
                entry[name] = [self.write_entry(inner) for inner in given]
            elif name == "command" and isinstance(value, list):
                entry[name] = [
                    self._relocate_word(word, getattr(grader, "cwd", None)) for word in value
                ]
            elif name != "name":
                entry[name] = value
        passes = list_spellings("threshold", kind.model_fields["threshold"])[-1]
        if (grader.required or grader.threshold) < grader.threshold:
            entry[passes] = grader.threshold  # without it, the score that is required would do
        return entry

    def find_immovable_programs(self) -> Iterator[str]:
        """Programs whose words are looked up beside their config cannot move with it."""
        if self.folder.absolute().resolve() == self.path.absolute().parent.resolve():
            return
        for grader in self.plan.all_graders:
            if _names_program(grader):
                yield (
                    f"evaluator {quote(grader.name)}: what its command names lies in "
                    f"{self.path.parent}; write to that folder, or change the command"
                )

    def _relocate_word(self, word: Any, folder: Any) -> Any:
        """Return a word of a command; a program that was found by its place has a path."""
        found = isinstance(word, str) and _OWN_TYPES in word and isinstance(folder, Path)
        return Path(relpath(word, folder)).as_posix() if found else word


def _names_program(grader: Grader) -> bool:
    """Return whether it starts a program that its words, or those of its aggregator, name."""
    holder = getattr(grader, "aggregator", grader)
    beside = "beside" in type(grader).model_fields and getattr(holder, "command", None) is not None
    return beside or isinstance(getattr(grader, "prompt", None), BaseModel)


class _Dumper(yaml.SafeDumper):
    """Texts of several lines stand as they are."""


def _dump_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _dump_text)


def write_yaml(value: Mapping[str, Any]) -> str:
    """Return YAML as people write it."""
    plain = json.loads(json.dumps(value))  # what occurs twice is written twice
    text: str = yaml.dump(plain, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text


CONVERTERS: Table[Callable[[Source], Converted]] = Table(
    "kind of config",
    {
        "eval-config": "agentevals.configs.conversion.conversion_targets:write_eval_config",
        "eval-file": "agentevals.configs.conversion.conversion_targets:write_eval_file",
    },
)
