"""Where ours differs on purpose: which difference is explained by which numbered decision.

The numbers are those of `docs/compatibility.md`. A rule looks at one difference and at the two
runs, and explains only what its decision says, so that any other difference stays unexplained.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.conformance.rows import Difference, explains

if TYPE_CHECKING:
    from tests.conformance.agentevals import Recording, Run

Rule = Callable[[Difference, "Recording", "Run"], bool]

_NEWEST = "0.11.0"


def explain(difference: Difference, recording: "Recording", run: "Run") -> str:
    """The number of the decision that asks for this difference, or nothing."""
    return next((n for n, rule in _RULES if explains(rule, difference, recording, run)), "")


def _refused(d: Difference, rec: "Recording", run: "Run") -> bool:
    """What is wrong is said before anything runs, so that nothing else is printed."""
    problem = re.search(r":\d+:\d+: |--\w|must be", run.stderr)
    return run.exit_code == 2 and run.document is None and bool(problem)


def _not_evaluated_fails(d: Difference, rec: "Recording", run: "Run") -> bool:
    silent = (m for m in _metrics(run) if m["eval_status"] == "NOT_EVALUATED" and not m["error"])
    return d.where == "exit" and d.recorded == 0 and run.exit_code in {1, 2} and any(silent)


def _error_is_no_pass(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A judged metric without a judge is an error, where it was silently not evaluated."""
    unjudged = [m["metric_name"] for m in _metrics(run) if "judge" in (m["error"] or "")]
    exits = d.where == "exit" and d.recorded == 0 and run.exit_code in {1, 2}
    return bool(unjudged) and (exits or any(f"/metrics/{name}/" in d.where for name in unjudged))


def _outcome_of_error(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Whose doing an error is decides the exit code: 2 the user's, 3 something outside."""
    return d.where == "exit" and d.recorded == 1 and run.exit_code in {2, 3}


def _others_are_kept(d: Difference, rec: "Recording", run: "Run") -> bool:
    """One bad evaluator, file or line cost everything; now it costs itself."""
    lost = rec.document is not None and rec.document.get("traces") == []
    return lost and d.where in {"traces", "errors"} and bool((run.document or {}).get("traces"))


def _missing_fails(d: Difference, rec: "Recording", run: "Run") -> bool:
    rules = {finding["rule"] for finding in _findings(run) if finding["severity"] == "error"}
    known = {"missing-case", "missing-turn", "nothing-answered"}
    return d.where == "exit" and d.recorded == 0 and bool(rules & known)


def _not_recorded(d: Difference, rec: "Recording", run: "Run") -> bool:
    """What was not recorded is unknown: no evaluator passes or fails on it."""
    words = re.compile(r"(was|were) not recorded: ")
    reasons = {m["metric_name"]: (m.get("details") or {}).get("reason", "") for m in _metrics(run)}
    silent = [name for name, reason in reasons.items() if words.search(reason)]
    return any(f"/metrics/{name}/" in d.where for name in silent)


def _never_a_guess(d: Difference, rec: "Recording", run: "Run") -> bool:
    """An older release compared with the first case when none fitted."""
    rules = {finding["rule"] for finding in _findings(run)}
    guess = rec.release != _NEWEST and "nothing-answered" in rules
    return guess and d.where.startswith("traces/0/metrics/")


def _old_spelling(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Plain strings and `metrics:` are accepted, where they were refused or evaluated nothing."""
    written = re.search(r"^metrics:|^\s*- [\w.]+\s*$", rec.config, re.MULTILINE)
    accepted = {f["rule"] for f in _findings(run)} & {"deprecated"}
    return bool(written and accepted) and d.where != "stderr"


def _strict_score(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A score is a JSON number: not a bool, not a string."""
    said = re.compile(r"gave the score .* a number from 0 to 1")
    refused = [m["metric_name"] for m in _metrics(run) if said.search(m["error"] or "")]
    return any(f"/metrics/{name}/" in d.where for name in refused)


def _old_protocol(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Protocol 1.0 wrote what a tool answered as Python does; 1.1 writes it as JSON."""
    output = re.search(r"^stdin/.*/tool_responses/\d+/output$", d.where)
    return rec.release != _NEWEST and bool(output)


def _json_lines(d: Difference, rec: "Recording", run: "Run") -> bool:
    eval_set = dict(pairwise(rec.words)).get("-e", "")
    return eval_set.endswith(".jsonl") and run.document is not None


def _read_and_joined(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Tool calls in messages, choices as JSON text, a trace over several files: read, joined."""
    about = (
        r"(openai_style_messages|span_event_legacy_messages|split_across_files|same_file_twice)$"
    )
    return bool(re.search(about, rec.name)) and d.where != "stderr"


def _evals_api(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Computed here; the hosted API only when it is asked for."""
    return "openai_eval" in f"{rec.name} {rec.config}" and d.where != "stderr"


def _executor_applies(d: Difference, rec: "Recording", run: "Run") -> bool:
    """An executor that is not there is an error, with a requirements.txt too."""
    said = (m["metric_name"] for m in _metrics(run) if "executor" in (m["error"] or ""))
    places = [f"/metrics/{name}/" for name in said]
    return any(d.where == "exit" or place in d.where for place in places)


def _typescript(d: Difference, rec: "Recording", run: "Run") -> bool:
    return rec.name.endswith("code_ts_node20_fails") and run.exit_code == 0


def _superseded(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Older releases read, grouped and paired traces in other ways; ours are those of 0.11.

    A score, or a status, that both sides have must still be the same.
    """
    judged = re.search(r"/metrics/[^/]+/(score|eval_status|per_invocation_scores/\d+)$", d.where)
    both = None not in (d.recorded, d.ours) and "NOT_EVALUATED" not in (d.recorded, d.ours)
    named = any("agentevals.eval.case.id" in p.read_text() for p in rec.folder.glob("trace*.json*"))
    return rec.release != _NEWEST and d.where != "stderr" and (named or not (judged and both))


def _where_it_is(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A path is read against the file that names it."""
    return rec.name.startswith("96_paths/config_in_subdir")


def _clean_environment(d: Difference, rec: "Recording", run: "Run") -> bool:
    """An evaluator sees no variable of ours, and works in a folder of its own."""
    places = {"tok", "cwd", "exe", "path"}
    return "env_and_cwd" in rec.name and d.where.rsplit("/", 1)[-1] in places


def _own_environment(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Where an evaluator's own environment lies is ours to choose."""
    return d.recorded == "<path>" and d.where.endswith("/exe")


def _output_cap(d: Difference, rec: "Recording", run: "Run") -> bool:
    """What a program prints is capped while it is read."""
    capped = [m["metric_name"] for m in _metrics(run) if "printed more than" in (m["error"] or "")]
    return any(d.where == "exit" or f"/metrics/{name}/" in d.where for name in capped)


def _golden_tools(d: Difference, rec: "Recording", run: "Run") -> bool:
    """Expected tool calls written as events reach custom evaluators too."""
    tools = re.search(r"stdin/expected_invocations/\d+/intermediate_steps/", d.where)
    return "invocation_events" in rec.name and bool(tools)


def _fraction(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A time limit may be a fraction of a second."""
    return bool(re.search(r"timeout: \d+\.\d", rec.config)) and d.where != "stderr"


def _folder(d: Difference, rec: "Recording", run: "Run") -> bool:
    """A folder stands for the trace files in it."""
    return rec.name.endswith("directory_as_trace") and bool((run.document or {}).get("traces"))


def _metrics(run: "Run") -> Iterator[dict[str, Any]]:
    for trace in (run.document or {}).get("traces", ()):
        yield from trace["metrics"]


def _findings(run: "Run") -> list[dict[str, Any]]:
    return list((run.document or {}).get("findings", ()))


_RULES: tuple[tuple[str, Rule], ...] = (
    ("1.1", _refused),
    ("1.2", _where_it_is),
    ("2.3", _old_spelling),
    ("2.6", _evals_api),
    ("2.7", _executor_applies),
    ("1.11", _not_recorded),
    ("1.3", _error_is_no_pass),
    ("1.6", _others_are_kept),
    ("1.7", _missing_fails),
    ("1.4", _not_evaluated_fails),
    ("1.5", _outcome_of_error),
    ("1.7", _never_a_guess),
    ("2.1", _old_protocol),
    ("2.2", _strict_score),
    ("2.4", _json_lines),
    ("2.5", _read_and_joined),
    ("2.8", _typescript),
    ("2.10", _superseded),
    ("7.1", _clean_environment),
    ("7.2", _own_environment),
    ("7.3", _output_cap),
    ("7.4", _golden_tools),
    ("7.5", _folder),
    ("7.6", _fraction),
)
