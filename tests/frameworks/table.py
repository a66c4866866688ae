"""The combinations of framework and instrumentation that are measured: one row for each.

To add one: write its agent, list it here, then run `make test-frameworks` with its name.
"""

from dataclasses import dataclass, field

from tests.frameworks.endpoint import Handover

_EXPORTER = "opentelemetry-exporter-otlp-proto-http==1.45.1"
_DISTRO = ("opentelemetry-distro==0.66b1", _EXPORTER)


@dataclass(frozen=True)
class Combination:
    """A framework, and what records it.

    `packages` are those that somebody installs, in these versions. Without a `setup` no line is
    added: the agent is started with `command` in front of it.
    """

    name: str
    framework: str
    instrumentation: str
    agent: str
    packages: tuple[str, ...]
    setup: str = ""
    command: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    handover: Handover | None = None
    leaves_out: tuple[str, ...] = ()
    note: str = ""


_START = "opentelemetry-instrument"
_ONE_SPAN = (
    "Nothing says which requests are one turn: put one span around your loop, as in "
    "[recording](recording.md)."
)

TABLE = (
    Combination(
        name="openai-otel",
        framework="OpenAI SDK, chat completions",
        instrumentation="OpenTelemetry",
        agent="openai_chat.py",
        packages=("openai==3.51.0", "opentelemetry-instrumentation-genai-openai==1.3b0", *_DISTRO),
        command=_START,
        note=_ONE_SPAN,
    ),
    Combination(
        name="openai-openllmetry",
        framework="OpenAI SDK, chat completions",
        instrumentation="OpenLLMetry",
        agent="openai_chat.py",
        packages=("openai==3.51.0", "opentelemetry-instrumentation-openai==0.62.4", *_DISTRO),
        command=_START,
        note=_ONE_SPAN,
    ),
)
BY_NAME = {each.name: each for each in TABLE}
