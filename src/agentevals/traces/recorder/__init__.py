"""Recording: a command runs, and what it sends over OpenTelemetry becomes trace files."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FrameType

from agentevals.model.errors import InputError
from agentevals.traces import loaders
from agentevals.traces import turns as conversations
from agentevals.traces.recorder.receiver import Receiver
from agentevals.traces.recorder.storage import Counts, Storage

_LOOKED_AT = 20  # files; the agent that sent one sent them all
_LARGEST = 16 * 2**20  # bytes of a file that is read only to give advice
_KILLED = 128  # what a shell adds to the number of the signal that ended a command
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_OPT_IN, _LATEST = "OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental"

# SDKs keep 128 of each and drop the rest, the oldest messages of a longer conversation first
_UNLIMITED = dict.fromkeys(
    (
        "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_SPAN_EVENT_COUNT_LIMIT",
        "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT",
    ),
    "100000",
)

# settings that would send some of the traces elsewhere, or send none
_IN_THE_WAY = {
    "OTEL_SDK_DISABLED",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    *(
        f"OTEL_EXPORTER_OTLP_{sort}{setting}"
        for sort in ("", "TRACES_", "LOGS_", "METRICS_")
        for setting in ("ENDPOINT", "PROTOCOL", "HEADERS", "CERTIFICATE", "INSECURE", "TIMEOUT")
    ),
}


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The result of a recorded command."""

    exit_code: int
    files: tuple[Path, ...]
    counts: Counts
    endpoint: str
    lacks_messages: bool


def record(words: Sequence[str], target: Path, environment: Mapping[str, str]) -> Recorded:
    """Run a command until it ends. Its traces lie in `target` afterwards, one file for each;
    a target that ends in `.jsonl` is one file for all of them.
    """
    with Storage(target) as storage:
        with Receiver(storage) as receiver:
            told = build_environment(environment, receiver.endpoint)
            exit_code = run_command(words, told)
        files = storage.finish()
        return Recorded(
            exit_code=exit_code,
            files=files,
            counts=storage.counts,
            endpoint=receiver.endpoint,
            lacks_messages=_lacks_messages(files),
        )


def _lacks_messages(files: Sequence[Path]) -> bool:
    """Return whether a model was called in these recordings, and no question or answer is there."""
    small = (file for file in files if file.stat().st_size <= _LARGEST)
    traces = loaders.load(list(islice(small, _LOOKED_AT))).traces
    turns = [turn for each in conversations.converse(traces) for turn in each.turns]
    has_messages = any(turn.user or turn.response or turn.messages for turn in turns)
    return any(turn.model_calls for turn in turns) and not has_messages


def build_environment(own: Mapping[str, str], endpoint: str) -> dict[str, str]:
    """Return the user's environment, with the OpenTelemetry of the command pointed at us."""
    told = {name: value for name, value in own.items() if name not in _IN_THE_WAY}
    told |= {
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        "TRACELOOP_BASE_URL": endpoint,
    }
    told = {"TRACELOOP_TRACE_CONTENT": "true", **_UNLIMITED, **told, **_capture_content(told)}
    for name in ("NO_PROXY", "no_proxy"):
        told[name] = ",".join(filter(None, (told.get(name), "127.0.0.1", "localhost")))
    return told


def _capture_content(own: Mapping[str, str]) -> dict[str, str]:
    """Return the two variables that make instrumentations keep messages. They are one pair.

    The newest instrumentations take the name of a place, some of them only with the opt-in. Older
    ones take nothing but `true`, and openai-v2 2.4 takes `true` only without the opt-in. What the
    user has set stays.
    """
    if own.get(CONTENT, "").lower() == "true":
        return {}
    opted = own.get(_OPT_IN, _LATEST)
    if opted and "gen_ai" not in opted:  # a list: what it has of other fields stays
        opted = f"{opted},{_LATEST}"
    content = "SPAN_AND_EVENT" if _LATEST in opted else "true"
    return {_OPT_IN: opted, CONTENT: own.get(CONTENT, content)}


def run_command(words: Sequence[str], told: Mapping[str, str]) -> int:
    """Run a command, and return its exit code as a shell would say it."""
    try:
        process = subprocess.Popen(list(words), env=told)  # noqa: S603 -- the user's own command
    except FileNotFoundError:
        msg = f"{words[0]}: no such program; give the command after '--', as it is typed"
        raise InputError(msg) from None
    except OSError as error:
        msg = f"{words[0]}: cannot be run: {error.strerror}"
        raise InputError(msg) from None
    with _forward_signals(process):
        code = process.wait()
    return _KILLED - code if code < 0 else code


@contextmanager
def _forward_signals(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    def forward(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    def interrupt(number: int, _frame: FrameType | None) -> None:
        # a terminal interrupts the command as well as us; nobody else does
        if not sys.stdin.isatty():
            process.send_signal(number)

    known = [getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)]
    before = {number: signal.signal(number, forward) for number in known}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
