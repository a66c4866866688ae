"""Lists of evaluators as EVAL files write them: texts, templates, and types of one's own."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from agentevals.configs.config_entries import Entries, Found
from agentevals.configs.config_graders import clean_name, find_free_name, has_name
from agentevals.configs.dialects.agentv import agentv_folder, eval_file_variables
from agentevals.configs.dialects.agentv.eval_file_keys import (
    IDLE_IN_CALLS,
    IDLE_IN_EVALUATORS,
    LISTS,
    TEMPLATES,
)
from agentevals.configs.dialects.agentv.eval_file_parts import Sheet, find_upward
from agentevals.files.document_places import describe, quote
from agentevals.files.pydantic_mistakes import Where
from agentevals.graders import GRADERS
from agentevals.graders.grader import Grader
from agentevals.model.errors import ConfigError
from agentevals.model.results import Severity

_DEEPEST = 3  # templates in templates
_MOST = 200_000  # evaluators that come out of templates

JUDGE = "llm_judge"
_PROGRAM = "code_judge"
_RUBRIC = "rubric"
_TRAJECTORY = "tool_trajectory"
_TEMPLATE = "template"
_METRIC = "metric"  # what 5.x calls the name


class Listed(NamedTuple):
    """An evaluator, whether somebody gave it its name, and where it stands."""

    grader: Grader
    named: bool
    sheet: Sheet
    where: Where


class List(Entries):
    """Reads the lists of one file; collects what is wrong with them where all files do."""

    known_types = ("contains", "regex", "tool_trajectory", _PROGRAM, JUDGE, _RUBRIC)

    def __init__(
        self,
        sheet: Sheet,
        own: Mapping[str, Any],
        settings: Mapping[str, Any],
        template: str | None = None,
    ) -> None:
        super().__init__(sheet.document, sheet.paths, settings)
        self._sheet, self._own, self._for_builtins = sheet, own, settings
        self._template = sheet.shared.template if template is None else template
        self.problems = self._builder.problems = sheet.shared.problems
        self._builder.validate = sheet.shared.keys.validate
        self.findings = sheet.shared.findings
        self.sources = self._builder.sources = sheet.shared.sources

    def read(self, given: Any, where: Where, trail: tuple[Path, ...] = ()) -> Iterator[Listed]:
        """Yield the evaluators of one list, in its order; all its texts are one rubric."""
        if not isinstance(given, list):
            if given is not None:
                name = repr(where[-1]) if where else "this"
                self._refuse(f"{name} must be a list of evaluators, not {describe(given)}", where)
            return
        texts = [entry for entry in given if isinstance(entry, str)]
        for index, entry in enumerate(given):
            place = (*where, index)
            if isinstance(entry, str):
                if texts:
                    yield from self._read_one(_make_rubric(texts), place, named=False)
                texts = []
            elif isinstance(entry, dict) and "include" in entry:
                yield from self._include(entry, place, trail)
            else:
                yield from self._read_one(_name_by_metric(entry), place, named=has_name(entry))

    def read_rubrics(self, given: Any, where: Where) -> Iterator[Listed]:
        """Read the criteria that a test lists itself."""
        entry = {"name": _RUBRIC, "type": _RUBRIC, "rubrics": given}
        yield from self._read_one(entry, where, named=False)

    def text(self, given: str, where: Where) -> str:
        """Return a text, or what the file holds that it names."""
        return self._builder.read_text(given, where)

    def _read_one(self, entry: Any, where: Where, *, named: bool) -> Iterator[Listed]:
        grader = self.grader(entry, where)
        if grader is not None:
            yield Listed(_clean_grader_name(grader), named, self._sheet, where)

    def _include(
        self, entry: dict[str, Any], where: Where, trail: tuple[Path, ...]
    ) -> Iterator[Listed]:
        path = self._find_template(entry, where)
        if path is None:
            return
        if path in trail or len(trail) == _DEEPEST:
            what = "includes itself" if path in trail else f"is more than {_DEEPEST} includes deep"
            self._refuse(f"the template {quote(entry['include'])} {what}", where)
            return
        sheet = self._sheet.shared.open(path)
        if sheet is None:
            return
        value: Any = sheet.document.value
        place: Where = ()
        if isinstance(value, dict):
            key = next((key for key in LISTS if key in value), None)
            if key is None:
                sheet.refuse("a template is a list of evaluators, or has one in 'assert'", ())
                return
            value, place = value[key], (key,)
        reader = List(sheet, self._own, self._for_builtins, self._template)
        self._count(value, where)
        filled = eval_file_variables.fill_own(value, self._own, self._sheet.shared.room)
        yield from reader.read(filled, place, (*trail, path))

    def _count(self, included: Any, where: Where) -> None:
        """Templates that include each other a few times come to more than anybody can run."""
        shared = self._sheet.shared
        shared.included += len(included) if isinstance(included, list) else 1
        if shared.included > _MOST:
            message = f"templates come to more than {_MOST:,} evaluators; include fewer"
            raise ConfigError([self._sheet.document.problem(message, where)])

    def _find_template(self, entry: dict[str, Any], where: Where) -> Path | None:
        name, others = entry["include"], [key for key in entry if key != "include"]
        for key in others:
            message = f"{quote(key)} has no meaning beside 'include'"
            self._sheet.shared.keys.add(self._document, message, (*where, key))
        if not isinstance(name, str) or not name:
            self._refuse(f"'include' must name a template, not {describe(name)}", where)
            return None
        if name.startswith((".", "/")) or name.endswith((".yaml", ".yml")):
            wrong = len(self.problems)
            path = Path(self._sheet.paths.absolute(name, (*where, "include")))
            return path if len(self.problems) == wrong else None
        root = self._sheet.shared.root
        for suffix in ("yaml", "yml"):
            found = find_upward(self._sheet.folder, f".agentv/templates/{name}.{suffix}", root)
            if found:
                return found
        message = f"there is no template {quote(name)}; write it to the folder .agentv/templates"
        self._refuse(message, (*where, "include"))
        return None

    def _expand_short(self, entry: str, where: Where) -> dict[str, Any]:  # noqa: ARG002 -- the seam's
        return _make_rubric([entry])

    def _usual(self, kind: type[Grader], entry: dict[str, Any]) -> dict[str, Any]:
        template = self._template
        entry = self._read_newer(kind, entry)
        own = entry.keys() & {_TEMPLATE, *TEMPLATES}
        if kind.type == JUDGE and template is not None and not own:
            entry = {**entry, _TEMPLATE: template}
        if "min_score" in entry and "min_score" not in kind.model_fields:
            least = entry["min_score"]
            entry = {key: value for key, value in entry.items() if key != "min_score"}
            if entry.get("required"):
                entry["required"] = least
        return entry

    def _read_newer(self, kind: type[Grader], entry: dict[str, Any]) -> dict[str, Any]:
        """Read what 4.42 and 5.x write: an `id`, a `metric`, criteria as the `value`."""
        idle = (entry.keys() & IDLE_IN_EVALUATORS) - kind.model_fields.keys()
        self._sheet.shared.idle |= dict.fromkeys(sorted(idle))
        found = {key: value for key, value in entry.items() if key not in {*idle, _METRIC}}
        if kind.type == JUDGE and isinstance(found.get("value"), list):
            found["rubrics"] = found.pop("value")
        if kind.type == _RUBRIC and isinstance(found.get("criteria"), str):
            found["criteria"] = [found["criteria"]]
        if kind.type == _TRAJECTORY and isinstance(found.get("expected"), list):
            found["expected"] = [self._drop_idle(call) for call in found["expected"]]
        return found

    def _drop_idle(self, call: Any) -> Any:
        if not isinstance(call, dict) or call.keys().isdisjoint(IDLE_IN_CALLS):
            return call
        self._sheet.shared.idle |= {
            f"expected[].{key}": None for key in call if key in IDLE_IN_CALLS
        }
        return {key: value for key, value in call.items() if key not in IDLE_IN_CALLS}

    def _find_unlisted(self, given: str, entry: dict[str, Any], where: Where) -> Found | None:
        """A type of one's own is a program in `.agentv/assertions`."""
        if program := agentv_folder.find_program(self._sheet, given, (*where, "type")):
            starter, found = program
            self.sources.append(found)
            settings = {"command": [starter, str(found.absolute())]}
            return GRADERS[_PROGRAM], {"name": entry.get("name", given), **settings}
        return super()._find_unlisted(given, entry, where)


def read_template(
    sheet: Sheet,
    record: Mapping[str, Any],
    where: Where,
    own: Mapping[str, Any],
    keys: Sequence[str] = TEMPLATES,
) -> str | None:
    """Return the template of the language models that judge: a text, or the file of one.

    It may stand in `execution` as well, where the specification has the evaluators.
    """
    inner = record.get("execution")
    holders = [(record, where), (inner, (*where, "execution"))]
    found = (
        (holder[key], (*way, key))
        for holder, way in holders
        if isinstance(holder, Mapping)
        for key in keys
        if key in holder
    )
    given, place = next(found, (None, where))
    if place == where:
        return None
    key = place[-1]
    if not isinstance(given, str) or not given.strip():
        sheet.refuse(f"{key!r} must be a text, not {describe(given)}", place)
        return None
    filled: str = eval_file_variables.fill_own(
        List(sheet, {}, {}).text(given, place), own, sheet.shared.room
    )
    try:
        GRADERS[JUDGE].model_validate({"name": key, "template": filled})
    except ValidationError as error:
        for one in error.errors():
            sheet.refuse(f"{key!r}: {one.get('ctx', {}).get('error', one['msg'])}", place)
        return None
    return filled


def _name_by_metric(entry: Any) -> Any:
    metric = entry.get(_METRIC) if isinstance(entry, dict) else None
    return {"name": metric} | entry if isinstance(metric, str) and metric else entry


def _make_rubric(texts: list[str]) -> dict[str, Any]:
    return {"name": "rubrics", "type": _RUBRIC, "rubrics": texts}


def _clean_grader_name(grader: Grader) -> Grader:
    plain = clean_name(grader.name)
    return grader if plain == grader.name else grader.model_copy(update={"name": plain})


def name_uniquely(found: list[Listed], taken: set[str]) -> tuple[Grader, ...]:
    """Return the evaluators with names that differ; note where people gave one twice."""
    graders = []
    for listed in found:
        name = find_free_name(listed.grader.name, taken)
        if name == listed.grader.name:
            graders.append(listed.grader)
            continue
        if listed.named and listed.sheet.shared.once(f"name {listed.grader.name}"):
            message = f"the name {quote(listed.grader.name)} is taken; this is {quote(name)}"
            listed.sheet.note("same-name", message, listed.where, Severity.NOTE)
        graders.append(listed.grader.model_copy(update={"name": name}))
    return tuple(graders)


def choose_list(record: Mapping[str, Any], sheet: Sheet, where: Where) -> tuple[Any, Where]:
    """Return the list of evaluators that counts where there may be several, and its place."""
    execution = record.get("execution")
    inner = execution if isinstance(execution, dict) else {}
    first, second, last = LISTS
    found = [
        (holder[key], (*where, *way, key))
        for holder, way, keys in (
            (record, (), (first, second)),
            (inner, ("execution",), (first, second, last)),
            (record, (), (last,)),
        )
        for key in keys
        if holder.get(key) is not None
    ]
    for _, place in found[1:]:
        if sheet.shared.once(f"list {place[-1]}"):
            message = f"not read: {quote(found[0][1][-1])} is here as well, and that one counts"
            sheet.note("second-list", message, place, Severity.WARNING)
    return found[0] if found else (None, where)
