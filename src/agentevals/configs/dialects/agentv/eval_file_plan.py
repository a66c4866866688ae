"""An EVAL file becomes a Plan."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec

from agentevals.configs import config_gate
from agentevals.configs.dialects import agentv
from agentevals.configs.dialects.agentv import (
    agentv_folder,
    eval_file_evaluators,
    eval_file_keys,
    eval_file_variables,
)
from agentevals.configs.dialects.agentv.eval_file_defaults import Defaults, read_defaults
from agentevals.configs.dialects.agentv.eval_file_evaluators import List, Listed
from agentevals.configs.dialects.agentv.eval_file_keys import Execution, Suite
from agentevals.configs.dialects.agentv.eval_file_parts import Item, Shared, Sheet, read_items
from agentevals.configs.dialects.agentv.eval_file_tests import Cases
from agentevals.configs.ignored_config_keys import IgnoredKeys
from agentevals.configs.plan import Overrides, Plan
from agentevals.files.documents import Document
from agentevals.graders.grader import Grader
from agentevals.model.errors import ConfigError, InputError
from agentevals.model.plugins import suggestion
from agentevals.model.policy import Policy
from agentevals.traces.loaders import LOADERS

_PASS_AT, _BORDERLINE_AT = 0.8, 0.6
_AT_K = "pass_at_k"


def plan(document: Document, overrides: Overrides) -> Plan:
    """Compile the file; the command line wins."""
    overrides.check()
    if overrides.eval_set is not None:
        msg = "--eval-set: an EVAL file has its own tests; remove the option"
        raise InputError(msg)
    reader = _Reader(document, overrides)
    made = reader.plan()
    if problems := reader.shared.keys.join(reader.shared.problems):
        raise ConfigError(problems)
    return made


class _Reader:
    def __init__(self, document: Document, overrides: Overrides) -> None:
        self._overrides = overrides
        holder = agentv.find_settings(document, overrides.root)
        self.shared = Shared(
            root=overrides.root, keys=IgnoredKeys(holder, eval_file_keys.JUDGED_BY)
        )
        self._main = self.shared.take(document)
        self._sheet = self._open_sidecar() or self._main
        lines = self._sheet is self._main and document.lines
        written = {} if lines else self._sheet.document.value
        self._written = written if isinstance(written, dict) else {}

    def plan(self) -> Plan:
        sheet, written = self._sheet, self._written
        suite = sheet.part(Suite, written, (), eval_file_keys.SUITE_KEYS) or Suite()
        inner = written.get("execution") or {}
        execution = sheet.part(Execution, inner, ("execution",), eval_file_keys.EXECUTION_KEYS)
        execution = execution or Execution()
        defaults = read_defaults(sheet, suite)
        self.shared.template = eval_file_evaluators.read_template(
            self._sheet, written, (), suite.vars
        )
        if self.shared.template is None:
            self.shared.template = defaults.read_template()
        wrong = len(self.shared.problems)
        own = self._graders(suite, defaults)
        settings = self._overrides.builtin_settings
        merged = self._overrides.merge_graders(own) if own or self._overrides.metrics else own
        judged = bool(merged) or len(self.shared.problems) > wrong
        cases = Cases(
            shared=self.shared,
            suite=suite,
            defaults=defaults,
            threshold=self._overrides.threshold,
            names=frozenset(grader.name for grader in merged),
            settings=settings,
            judged=judged,
        )
        expectations = cases.read(self._items())
        title = self._main.document.path.name
        traces = [sheet.paths.pattern(t, ("traces", i)) for i, t in enumerate(suite.traces)]
        made = Plan(
            title=title,
            graders=tuple(merged),
            expectations=tuple(expectations),
            eval_set_id=suite.dataset or suite.suite or suite.name or title.split(".")[0],
            policy=self._policy(suite, execution, defaults),
            trace_format=self._trace_format(suite),
            output_format=suite.output_format,
            group_by=self._overrides.group_by or suite.group_by,
            pair=self._overrides.pair or suite.pair or "auto",
            jobs=suite.jobs,
            traces=tuple(traces),
        )
        self._look_at_gate(suite, made)
        judge = agentv_folder.find_judge(sheet, suite, execution, made)
        return replace(
            made,
            judge=self._overrides.change_judge(judge),
            findings=self.shared.list_findings(),
            sources=tuple(dict.fromkeys(path.absolute() for path in self.shared.sources)),
        )

    def _open_sidecar(self) -> Sheet | None:
        path = agentv.find_sidecar(self._main.document, self._overrides.root)
        return self.shared.open(path) if path else None

    def _items(self) -> Iterator[Item]:
        if self._main.document.lines:
            return read_items(self._main, self._main.document.value, ())
        there = [key for key in eval_file_keys.TESTS if key in self._written]
        if not there:
            self._main.refuse("'tests' is missing: a list of tests, or the path of one", ())
            return iter(())
        for other in there[1:]:
            self._main.refuse(f"{there[0]!r} and {other!r} mean the same; keep one", (other,))
        given = self._written[there[0]]
        if given in (None, [], {}):
            self._main.refuse(f"{there[0]!r} holds no test; write some", (there[0],))
            return iter(())
        return read_items(self._main, given, (there[0],))

    def _graders(self, suite: Suite, defaults: Defaults) -> list[Grader]:
        settings = self._overrides.builtin_settings
        found: list[Listed] = []
        for record, sheet, where in (
            (self._written, self._sheet, ()),
            (defaults.written, defaults.sheet, defaults.where),
        ):
            given, place = eval_file_evaluators.choose_list(record, sheet, where)
            filled = eval_file_variables.fill_own(given, suite.vars, self.shared.room)
            found += List(sheet, suite.vars, settings).read(filled, place)
        return list(eval_file_evaluators.name_uniquely(found, set()))

    def _policy(self, suite: Suite, execution: Execution, defaults: Defaults) -> Policy:
        policy = self._overrides.change_policy(suite.gate)
        theirs = (execution.threshold, defaults.test.threshold, suite.threshold)
        given = (self._overrides.threshold, suite.gate.pass_at, *theirs, _PASS_AT)
        pass_at = next(one for one in given if one is not None)
        least = suite.gate.borderline_at
        borderline = min(_BORDERLINE_AT if least is None else least, pass_at)
        if "attempts" not in suite.gate.model_fields_set and _passes_at_any(execution.trials):
            policy = msgspec.structs.replace(policy, attempts="any")
        return msgspec.structs.replace(policy, pass_at=pass_at, borderline_at=borderline)

    def _trace_format(self, suite: Suite) -> str | None:
        given = self._overrides.trace_format or suite.trace_format
        if given in {None, "auto"}:
            return None
        if given not in LOADERS:
            known = suggestion(str(given), list(LOADERS))
            message = f"'trace_format': unknown format {given!r}{known}"
            self._sheet.refuse(message, ("trace_format",))
        return given

    def _look_at_gate(self, suite: Suite, made: Plan) -> None:
        if not self.shared.problems:
            names = [grader.name for grader in made.outer_graders]
            self.shared.problems += config_gate.check_names(suite.gate, names, self._sheet.document)
        tests = [test.case_id for test in made.expectations or ()]
        self.shared.findings += config_gate.check_cases(suite.gate, tests, self._sheet.document)


def _passes_at_any(trials: object) -> bool:
    """Return whether one of several trials is enough, which is AgentV's own default."""
    if not isinstance(trials, Mapping):
        return False
    count = trials.get("count")
    return isinstance(count, int) and count > 1 and trials.get("strategy", _AT_K) == _AT_K
