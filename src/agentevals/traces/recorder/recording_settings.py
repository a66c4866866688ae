"""The settings of a recorded command: where it sends its traces, and whether with messages."""

from collections.abc import Iterable, Iterator, Mapping

from agentevals.text.wording import join_names
from agentevals.traces.instrumentations import CONTENT, LATEST, OPT_IN, SETTINGS, Instrumentation

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

_PROMPT = {"OTEL_BSP_SCHEDULE_DELAY": "500"}  # milliseconds, of 5,000 by default

# settings that would send some of the traces elsewhere, or send none
_IN_THE_WAY = {
    "OTEL_SDK_DISABLED",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    "MLFLOW_ENABLE_OTLP_EXPORTER",
    "MLFLOW_TRACE_SAMPLING_RATIO",
    *(
        f"OTEL_EXPORTER_OTLP_{sort}{setting}"
        for sort in ("", "TRACES_", "LOGS_", "METRICS_")
        for setting in ("ENDPOINT", "PROTOCOL", "HEADERS", "CERTIFICATE", "INSECURE", "TIMEOUT")
    ),
}

_OFF = {"", "0", "false", "no", "off", "no_content"}
_ON = {"1", "true", "yes", "on"}
_SWITCHES = SETTINGS.keys() - {OPT_IN}
_HIDING = ("OPENINFERENCE_HIDE_", "LANGSMITH_HIDE_")
_AS_EVENTS = _ON | {"event_only"}  # values that make instrumentations send log records
_EXPORTER = (
    "start it with 'opentelemetry-instrument', or give it a LoggerProvider with an OTLP exporter"
)


def build_environment(
    own: Mapping[str, str], endpoint: str, *, prompt: bool = False
) -> dict[str, str]:
    """Return the user's environment, with the OpenTelemetry of the command pointed at us.

    A `prompt` one sends spans soon after they have ended.
    """
    told = {name: value for name, value in own.items() if name not in _IN_THE_WAY}
    told |= {
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        # MLflow 3.6 takes the address above as it is, without a path
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{endpoint}/v1/traces",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": f"{endpoint}/v1/metrics",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        "TRACELOOP_BASE_URL": endpoint,
    }
    pair = _capture_content(told)
    of_one = {name: SETTINGS[name] for name in SETTINGS.keys() - {CONTENT, OPT_IN}}
    usual = {**of_one, **_UNLIMITED, **(_PROMPT if prompt else {})}
    told = {**usual, **told, **pair}
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
    opted = own.get(OPT_IN, LATEST)
    if opted and "gen_ai" not in opted:  # a list: what it has of other fields stays
        opted = f"{opted},{LATEST}"
    content = "SPAN_AND_EVENT" if LATEST in opted else "true"
    return {OPT_IN: opted, CONTENT: own.get(CONTENT, content)}


def describe_settings(
    used: Iterable[Instrumentation], own: Mapping[str, str], told: Mapping[str, str]
) -> Iterator[str]:
    """Yield what was set, for each instrumentation in use, and what stayed as the user has it."""
    for each in used:
        values = {name: told[name] for name in each.settings if name in told}
        made = [f"{name}={value}" for name, value in values.items() if own.get(name) != value]
        kept = [f"{name}={value}" for name, value in values.items() if own.get(name) == value]
        said = []
        if made:
            said.append(f"'record' has set {join_names(made)}")
        if kept:
            said.append(f"{join_names(kept)} stayed as you have set it")
        if said:
            yield f"{each.title}: {'; '.join(said)}"


def explain_refusal(
    remedy: str,
    own: Mapping[str, str],
    told: Mapping[str, str],
    *,
    has_messages: bool,
    has_logs: bool,
) -> str:
    """Explain which setting kept messages out; `remedy` names the settings that count.

    Empty if no setting explains it.
    """
    refusing = [f"{name} is {own[name]!r}" for name in _find_refusing(remedy, own)]
    if refusing:
        them = "it" if len(refusing) == 1 else "them"
        return (
            f"{' and '.join(refusing)} in your environment, which keeps messages out. Unset "
            f"{them}, and record again"
        )
    if has_messages:
        return _explain_opt_in(remedy, own, told)
    return (
        _explain_place(told.get(CONTENT, ""), own, has_logs=has_logs) if CONTENT in remedy else ""
    )


def _explain_opt_in(remedy: str, own: Mapping[str, str], told: Mapping[str, str]) -> str:
    if OPT_IN not in remedy or LATEST in told.get(OPT_IN, ""):
        return ""
    name = OPT_IN if OPT_IN in own else CONTENT
    return (
        f"{name} is {own.get(name)!r} in your environment, so 'record' did not set "
        f"{OPT_IN}={LATEST}. Unset {name}, and record again"
    )


def _explain_place(value: str, own: Mapping[str, str], *, has_logs: bool) -> str:
    """Explain where an instrumentation was to put messages, and that they are not there."""
    if value.lower() in _AS_EVENTS:
        return _explain_events(value, own, has_logs=has_logs)
    lost = "" if has_logs else f"; they send messages as log records, so {_EXPORTER}"
    return (
        f"{CONTENT}={value} is set, and the agent has not followed it. Older instrumentations "
        f"follow only 'true': set {CONTENT}=true, and record again{lost}. Else look for settings "
        "about messages or content in the agent's own code"
    )


def _find_refusing(remedy: str, own: Mapping[str, str]) -> Iterator[str]:
    for name, value in own.items():
        if name in _SWITCHES and name in remedy and value.strip().lower() in _OFF:
            yield name
        family = next((start for start in _HIDING if name.startswith(start)), "")
        if family and family in remedy and value.strip().lower() in _ON:
            yield name


def _explain_events(value: str, own: Mapping[str, str], *, has_logs: bool) -> str:
    """Explain why messages that are sent as log records are not there."""
    if has_logs:
        return (
            f"{CONTENT} is {value!r}, and the log records that arrived hold no messages. Unset it "
            f"and {OPT_IN}, so that 'record' sets the newest values, and record again"
        )
    unset = f"Unset {CONTENT}, or " if CONTENT in own else ""
    then = f"{unset}{_EXPORTER}, and record again"
    return (
        f"with {CONTENT}={value} instrumentations send messages as log records, and the agent has "
        f"no exporter for them. {then[0].upper()}{then[1:]}"
    )
