"""`agentevals bless`: turn good recordings into expectations."""

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import msgspec
import typer

from agentevals.cli.redact_option import Redact, report_hidden
from agentevals.configs import eval_sets
from agentevals.configs.eval_sets import eval_set_writer
from agentevals.configs.eval_sets.config_search import CONFIG
from agentevals.files import documents
from agentevals.files.named_files import exists
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Conversation
from agentevals.model.errors import InputError
from agentevals.model.provenance import read_attempt
from agentevals.model.results import Finding, Severity
from agentevals.run import trace_arguments
from agentevals.text.json_text import readable
from agentevals.text.redaction import TokenMarker, redact_texts
from agentevals.text.terminal import plain
from agentevals.text.wording import plural
from agentevals.traces import loaders, turns
from agentevals.traces.diagnosis.missing_turns import explain
from agentevals.traces.recording_coverage import SPLIT, Requests, explain_worthless, list_missing

_SHOWN = 5  # recordings that one sentence names
_NAME = 80  # characters of a name in a sentence
# the facts that an eval set states
_STATED = {Fact.QUESTION, Fact.ANSWER, Fact.TOOL_CALLS, Fact.ARGUMENTS, Fact.TOOL_ANSWERS}


def bless(
    traces: Annotated[
        list[str], typer.Argument(metavar="TRACE...", help="Trace files, folders or quoted globs")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The eval set to write")] = Path(
        "eval_set.json"
    ),
    update: Annotated[
        bool,
        typer.Option("--update", help="Replace the blessed cases in an existing eval set"),
    ] = False,
    trace_format: Annotated[
        str | None,
        typer.Option(
            "-f", "--format", help="Read the traces in this format, instead of detecting it"
        ),
    ] = None,
    group_by: Annotated[
        str, typer.Option("--group-by", help="What is one case: conversation or trace")
    ] = "conversation",
    redact: Redact = True,
) -> None:
    """Write an eval set from good recordings, in the format of ADK.

    Read the recordings first, because everything in them becomes the expectation.

    Examples:

      agentevals bless traces/*.jsonl -o eval_set.json

      agentevals bless traces/refund.jsonl -o eval_set.json --update
    """
    older = _read_older(output, update=update)
    good = _load_good(traces, trace_format, group_by)
    good = _hide_tokens(good) if redact else good
    eval_set, written = eval_set_writer.write_eval_set(
        good, eval_set_id=output.name.partition(".")[0] or "eval_set", older=older
    )
    _write(output, readable(eval_set))
    names = ", ".join(plain(name, _NAME) for name in written)
    print(f"{plural(len(written), 'case')} written to {plain(str(output))}: {names}")
    _print(f"next: {_suggest_next(traces, output)}")


def _suggest_next(traces: Sequence[str], output: Path) -> str:
    """Return the command that judges by what was blessed, or that prepares it."""
    if not exists(Path(CONFIG)):
        return "agentevals init"
    named = " ".join(plain(quote(each)) for each in traces[:_SHOWN])
    rest = " …" if len(traces) > _SHOWN else ""
    return f"agentevals run {named}{rest} --config {CONFIG} --eval-set {plain(quote(str(output)))}"


def _hide_tokens(good: Sequence[Conversation]) -> list[Conversation]:
    marker = TokenMarker()
    hidden = [redact_texts(msgspec.structs.replace(each, spans=()), marker) for each in good]
    report_hidden(marker)
    return hidden


def _read_older(output: Path, *, update: bool) -> dict[str, Any] | None:
    if not exists(output):
        return None
    if not update:
        msg = f"{output}: is already there; give --update to replace only the blessed cases in it"
        raise InputError(msg)
    eval_sets.load(output)
    value = documents.read(output).value
    if not isinstance(value, dict) or "eval_cases" not in value:
        msg = f"{output}: --update needs an object with 'eval_cases'; write to another file with -o"
        raise InputError(msg)
    return value


def _load_good(
    traces: Sequence[str], trace_format: str | None, group_by: str
) -> list[Conversation]:
    """Recordings with turns; everything that keeps one from being blessed is said at once."""
    paths, missing = trace_arguments.expand(traces)
    recordings = loaders.load(paths, trace_format=trace_format)
    _refuse([*missing, *recordings.findings])
    found = list(_skip_attempts(turns.converse(recordings.traces, group_by=group_by)))
    silent = [c for c in found if not (c.turns or c.foreign or c.preparation)]
    if silent:
        msg = "\n".join(f"{_name(c)}: {c.error or 'no turns'}; nothing to bless" for c in silent)
        raise InputError(msg)
    talks = [conversation for conversation in found if conversation.turns]
    if not talks:
        reasons = {f"{why.reason}. {why.remedy}".strip() for why in map(explain, found)}
        msg = "the traces hold no turn of an agent; there is nothing to bless"
        raise InputError(": ".join([msg, *map(plain, sorted(reasons)[:1])]))
    good = _skip_worthless(talks)
    for conversation in good:
        _warn(conversation)
    for sentence in _describe_omitted(good):
        _print(sentence)
    for twins in eval_set_writer.find_twins(good):
        _print(
            f"{len(twins)} recordings begin with the same words, so that a run cannot "
            "tell them apart; put the requests of one turn under one span, or give each recording "
            f"the attribute 'agentevals.eval.case.id': {_list_names(twins)}"
        )
    return good


def _skip_attempts(found: Iterable[Conversation]) -> Iterator[Conversation]:
    """Yield what is no further attempt: what is expected of a case is one of them."""
    skipped = 0
    for conversation in found:
        if any(read_attempt(span.resource) > 1 for span in conversation.spans):
            skipped += 1
        else:
            yield conversation
    if skipped:
        _print(f"{plural(skipped, 'further attempt')} skipped; the first of each case is blessed")


def _describe_omitted(good: Sequence[Conversation]) -> Iterator[str]:
    for missing in list_missing(good, _STATED):
        where = f"{plural(missing.turns, 'turn')} of {_count(missing.conversations)}"
        why = f"{missing.gap.evidence}. {missing.gap.remedy}".strip()
        yield f"the eval set omits {missing.gap.subject} in {where}, because {plain(why)}"


def _skip_worthless(found: Sequence[Conversation]) -> list[Conversation]:
    """Return the recordings that show something to expect; refuse if there is none."""
    good: list[Conversation] = []
    worthless: dict[str, list[Conversation]] = {}
    alone, requests = len(found) == 1, Requests()
    for conversation in found:
        requests.add(conversation)
    for conversation in found:
        why = explain_worthless(conversation, alone=alone)
        why = SPLIT if requests.is_part(conversation) else why
        if why:
            worthless.setdefault(why, []).append(conversation)
        else:
            good.append(conversation)
    skipped = [
        f"{_list_names(each)}: nothing worth expecting was recorded in {_count(each)}: {plain(why)}"
        for why, each in worthless.items()
    ]
    if not good:
        raise InputError("\n".join(skipped))
    for sentence in skipped:
        _print(f"{sentence} (skipped)")
    return good


def _count(recordings: Collection[object]) -> str:
    return plural(len(recordings), "recording")


def _print(sentence: str) -> None:
    print(f"agentevals: {sentence}", file=sys.stderr)


def _refuse(findings: Sequence[Finding]) -> None:
    serious = [finding for finding in findings if finding.severity is Severity.ERROR]
    if serious:
        raise InputError("\n".join(map(str, serious)))
    for finding in findings:
        _print(plain(str(finding)))


def _warn(conversation: Conversation) -> None:
    """Warn about a recording that is a doubtful example."""
    calls = [call for turn in conversation.turns for call in turn.tool_calls]
    doubts = [f"the call of {plain(call.name, _NAME)} failed" for call in calls if call.failed]
    silent = [turn for turn in conversation.turns if turn.response is None]
    if any(not turn.find_gap(Fact.ANSWER) for turn in silent):
        doubts.append("a turn has no answer")
    for doubt in doubts:
        _print(f"{_name(conversation)}: {doubt}; is it good?")


def _list_names(conversations: Sequence[Conversation]) -> str:
    rest = len(conversations) - _SHOWN
    named = "; ".join(map(_name, conversations[:_SHOWN]))
    return f"{named} and {rest} more" if rest > 0 else named


def _name(conversation: Conversation) -> str:
    return ", ".join(
        plain(s, _NAME) for s in conversation.sources or (conversation.conversation_id,)
    )


def _write(output: Path, text: str) -> None:
    """All of it or nothing: an eval set that was there survives a full disk."""
    partial = output.with_name(f".{output.name}.partial")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(output)
    except OSError as error:
        msg = f"{output}: cannot be written: {error.strerror}"
        raise InputError(msg) from None
