"""The combinations of framework and instrumentation that are measured: one row for each.

To add one: write its agent, list it here, then run `make test-frameworks` with its name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tests.frameworks.endpoint import Handover
from tests.frameworks.packages import keep_major, raise_version, read_name
from tests.frameworks.script import REQUEST, SCENARIOS

_EXPORTER = "opentelemetry-exporter-otlp-proto-http==1.45.1"
_DISTRO = ("opentelemetry-distro==0.66b1", _EXPORTER)

# ADK wants an older SDK
_DISTRO_OF_ADK = (
    "opentelemetry-distro==0.65b0",
    "opentelemetry-exporter-otlp-proto-http==1.44.0",
)


@dataclass(frozen=True)
class Combination:
    """A framework, and what records it.

    `packages` are those that somebody installs, in these versions. Without a `setup` no line is
    added: the agent is started with `command` in front of it. A framework `fails` where it raises
    what a user gets to see, and has no means for the scenarios that the row `leaves_out`. Packages
    that nobody names are those of the day `as_of`. The row is about one major version of those
    that it `holds`. Where a program `keeps` its sessions in files of its own, below the home
    folder, those are read, and nothing is recorded. The agent starts the `servers`
    beside it. Where spans are `scattered`, each is in a trace of its own, and no turn is whole.
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
    fails: tuple[str, ...] = ()
    note: str = ""
    as_of: str = ""
    keeps: str = ""
    holds: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    scattered: bool = False

    def list_newest(self) -> tuple[str, ...]:
        """The packages in their newest releases that belong to this row."""
        return tuple(
            keep_major(package) if read_name(package) in self.holds else raise_version(package)
            for package in self.packages
        )


_START = "opentelemetry-instrument"
_ONE_SPAN = (
    "The recording does not show which requests belong to one turn. Put one span around your loop, "
    "as in [recording](recording.md#if-something-is-missing)."
)

_TO_SERVER = (
    "Start the server with `opentelemetry-instrument` too, and give it the environment of your "
    "agent."
)
_ALL_BUT_HANDOVER = tuple(each.name for each in SCENARIOS if each.name != "handover")
_ADK_A2A = "google-adk[a2a]==2.13.0"
_IN_TRACE = (
    "Your agent needs no change. To make its turns one conversation, set "
    '`trace_attributes={"session.id": …}`.'
)
_ASKS = Handover("ask_returns", {"request": REQUEST}, asks=True)
_ANTHROPIC = "anthropic==2.10.0"
_LANGCHAIN = ("langchain==1.4.7", "langgraph==1.2.22", "langchain-openai==1.7.0")
_AGENTS = "openai-agents==0.24.0"
_PYDANTIC = "pydantic-ai-slim[openai]==2.68.0"

_NODE = "@opentelemetry/sdk-node@0.301.0"


_LANGCHAIN_JS = (
    "langchain@1.5.14",
    "@langchain/core@1.2.13",
    "@langchain/langgraph@1.4.18",
    "@langchain/langgraph-sdk@1.12.0",
    "@langchain/openai@1.6.0",
)
_CLAUDE, _CLAUDE_JS = "claude-agent-sdk==0.2.184", "@anthropic-ai/claude-agent-sdk@0.3.328"
_CLAUDE_TELEMETRY = {
    "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
    "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
    "OTEL_LOG_USER_PROMPTS": "1",
    "OTEL_LOG_TOOL_DETAILS": "1",
    "OTEL_LOG_TOOL_CONTENT": "1",
}
_ASKS_CLAUDE = Handover(
    "Agent",
    {
        "description": "a refund",
        "prompt": REQUEST,
        "subagent_type": "returns",
        "run_in_background": False,
    },
    asks=True,
)


def _ai_sdk(
    major: int, release: str, openai: str, setup: str = "node.mjs", *more: str, legacy: str = ""
) -> Combination:
    return Combination(
        name=f"ai-sdk-{major}{legacy}",
        framework=f"AI SDK {major}",
        instrumentation="its legacy telemetry" if legacy else "its own telemetry",
        agent="ai_sdk.mjs",
        packages=(f"ai@{release}", f"@ai-sdk/openai@{openai}", _NODE, *more),
        setup=setup,
        handover=_ASKS,
        fails=("failing",) if major == _RAISING else (),
        note="" if major >= _REGISTERED else _ENABLED + _OF_ONE,
        holds=("ai", "@ai-sdk/openai", "@ai-sdk/otel"),
    )


_NODE_SDKS = {
    "openai": ("openai_chat.mjs", "openai@7.55.0"),
    "anthropic": ("anthropic_messages.mjs", "@anthropic-ai/sdk@1.10.0"),
}
_PREFIXES = {
    "OpenInference": "@arizeai/openinference-instrumentation",
    "OpenLLMetry": "@traceloop/instrumentation",
}


def _node_loop(provider: str, framework: str, instrumentation: str, release: str) -> Combination:
    agent, package = _NODE_SDKS[provider]
    recorded = f"{_PREFIXES[instrumentation]}-{provider}@{release}"
    return Combination(
        name=f"{provider}-js-{instrumentation.lower()}",
        framework=framework,
        instrumentation=instrumentation,
        agent=agent,
        packages=(package, recorded, _NODE),
        setup=f"{provider}_{instrumentation.lower()}.mjs",
        note=_ONE_SPAN,
    )


_RAISING = 4  # a tool that fails ends everything
_REGISTERED = 7  # from here on, telemetry is on where an integration is registered
_OF_ONE = " With `metadata: { sessionId }` beside it, the turns are one conversation."
_ENABLED = (
    "Every call of the SDK needs `experimental_telemetry: { isEnabled: true, functionId: name }`, "
    "where `name` is that of the agent."
)

NEWEST = (
    _ai_sdk(7, "7.0.173", "4.0.118", "ai_sdk_7.mjs", "@ai-sdk/otel@1.0.173"),
    _ai_sdk(
        7, "7.0.173", "4.0.118", "ai_sdk_7_legacy.mjs", "@ai-sdk/otel@1.0.173", legacy="-legacy"
    ),
    _ai_sdk(6, "6.0.326", "3.0.141"),
    _ai_sdk(5, "5.0.277", "2.0.131"),
    _ai_sdk(4, "4.3.19", "1.3.24"),
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
    Combination(
        name="anthropic-otel",
        framework="Anthropic SDK",
        instrumentation="OpenTelemetry",
        agent="anthropic_messages.py",
        packages=(_ANTHROPIC, "opentelemetry-instrumentation-genai-anthropic==1.3b0", *_DISTRO),
        command=_START,
        note=_ONE_SPAN,
    ),
    Combination(
        name="anthropic-openllmetry",
        framework="Anthropic SDK",
        instrumentation="OpenLLMetry",
        agent="anthropic_messages.py",
        packages=(_ANTHROPIC, "opentelemetry-instrumentation-anthropic==0.62.4", *_DISTRO),
        command=_START,
        note=_ONE_SPAN,
    ),
    Combination(
        name="langchain-openinference",
        framework="LangChain and LangGraph",
        instrumentation="OpenInference",
        agent="langchain_agent.py",
        packages=(*_LANGCHAIN, "openinference-instrumentation-langchain==0.1.80", *_DISTRO),
        command=_START,
        handover=_ASKS,
    ),
    Combination(
        name="langchain-openllmetry",
        framework="LangChain and LangGraph",
        instrumentation="OpenLLMetry",
        agent="langchain_agent.py",
        packages=(*_LANGCHAIN, "opentelemetry-instrumentation-langchain==0.62.4", *_DISTRO),
        command=_START,
        handover=_ASKS,
    ),
    Combination(
        name="langchain-langsmith",
        framework="LangChain and LangGraph",
        instrumentation="LangSmith",
        agent="langchain_agent.py",
        packages=(*_LANGCHAIN, "langsmith[otel]==0.14.17", *_DISTRO),
        command=_START,
        environment={
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_OTEL_ENABLED": "true",
            "LANGSMITH_OTEL_ONLY": "true",
        },
        handover=_ASKS,
    ),
    Combination(
        name="langchain-otel",
        framework="LangChain and LangGraph",
        instrumentation="OpenTelemetry",
        agent="langchain_agent.py",
        packages=(*_LANGCHAIN, "opentelemetry-instrumentation-genai-langchain==1.3b0", *_DISTRO),
        command=_START,
        handover=_ASKS,
    ),
    Combination(
        name="openai-agents-openinference",
        framework="OpenAI Agents SDK",
        instrumentation="OpenInference",
        agent="openai_agents.py",
        packages=(_AGENTS, "openinference-instrumentation-openai-agents==2.6.0", *_DISTRO),
        command=_START,
        handover=Handover("transfer_to_returns", {}),
        fails=("refusal",),
    ),
    Combination(
        name="openai-agents-openllmetry",
        framework="OpenAI Agents SDK",
        instrumentation="OpenLLMetry",
        agent="openai_agents.py",
        packages=(_AGENTS, "opentelemetry-instrumentation-openai-agents==0.62.4", *_DISTRO),
        command=_START,
        handover=Handover("transfer_to_returns", {}),
        fails=("refusal",),
    ),
    Combination(
        name="openai-agents-otel",
        framework="OpenAI Agents SDK",
        instrumentation="OpenTelemetry",
        agent="openai_agents.py",
        packages=(
            _AGENTS,
            "opentelemetry-instrumentation-genai-openai-agents==1.3b0",
            "opentelemetry-instrumentation-genai-openai==1.3b0",
            *_DISTRO,
        ),
        command=_START,
        handover=Handover("transfer_to_returns", {}),
        fails=("refusal",),
    ),
    Combination(
        name="openai-agents-js-openinference",
        framework="OpenAI Agents SDK for JavaScript",
        instrumentation="OpenInference",
        agent="openai_agents.mjs",
        packages=(
            "@openai/agents@0.20.0",
            "@arizeai/openinference-instrumentation-openai-agents@0.2.15",
            _NODE,
            "zod@4.6.7",
        ),
        setup="openai_agents.mjs",
        handover=Handover("transfer_to_returns", {}),
        fails=("refusal",),
    ),
    Combination(
        name="pydantic-ai",
        framework="Pydantic AI",
        instrumentation="its own telemetry",
        agent="pydantic_agent.py",
        packages=(_PYDANTIC, *_DISTRO),
        command=_START,
        setup="pydantic_ai.py",
        fails=("refusal",),
        handover=_ASKS,
    ),
    Combination(
        name="pydantic-ai-logfire",
        framework="Pydantic AI",
        instrumentation="Logfire",
        agent="pydantic_agent.py",
        packages=(_PYDANTIC, "logfire==5.0.0"),
        setup="logfire.py",
        fails=("refusal",),
        handover=_ASKS,
    ),
    Combination(
        name="strands",
        framework="Strands Agents",
        instrumentation="its own telemetry",
        agent="strands_agent.py",
        packages=("strands-agents[otel,openai]==1.62.0", *_DISTRO),
        command=_START,
        handover=_ASKS,
        note=_IN_TRACE,
    ),
    Combination(
        name="strands-events",
        framework="Strands Agents",
        instrumentation="its own telemetry, as events",
        agent="strands_agent.py",
        packages=("strands-agents[otel,openai]==1.62.0", *_DISTRO),
        command=_START,
        environment={"OTEL_SEMCONV_STABILITY_OPT_IN": ""},
        handover=_ASKS,
        note=_IN_TRACE,
    ),
    Combination(
        name="adk",
        framework="Google ADK",
        instrumentation="its own telemetry",
        agent="adk_agent.py",
        packages=("google-adk==2.13.0", *_DISTRO_OF_ADK),
        command=_START,
        handover=Handover("transfer_to_agent", {"agent_name": "returns"}),
    ),
    Combination(
        name="crewai-openinference",
        fails=("refusal",),
        framework="CrewAI",
        instrumentation="OpenInference",
        agent="crewai_agent.py",
        packages=(
            "crewai==1.15.30",
            "openinference-instrumentation-crewai==1.1.21",
            "openinference-instrumentation-openai==0.1.66",
            *_DISTRO,
        ),
        command=_START,
    ),
    Combination(
        name="llama-index-openinference",
        framework="LlamaIndex",
        instrumentation="OpenInference",
        agent="llama_index_agent.py",
        packages=(
            "llama-index-core==0.14.25",
            "llama-index-llms-openai==0.8.3",
            "openinference-instrumentation-llama-index==4.6.1",
            *_DISTRO,
        ),
        command=_START,
        setup="llama_index.py",
        handover=Handover("handoff", {"to_agent": "returns", "reason": "a refund"}),
        leaves_out=("structured",),
    ),
    Combination(
        name="langchain-langfuse",
        framework="LangChain and LangGraph",
        instrumentation="Langfuse",
        agent="langchain_agent.py",
        packages=(*_LANGCHAIN, "langfuse==5.0.4", *_DISTRO),
        command=_START,
        setup="langfuse.py",
        environment={
            "LANGFUSE_PUBLIC_KEY": "x",
            "LANGFUSE_SECRET_KEY": "x",
            "LANGFUSE_BASE_URL": "http://127.0.0.1:9",
        },
        handover=_ASKS,
        note='Give the callbacks to your agent: `agent.invoke(…, {"callbacks": CALLBACKS})`.',
    ),
    Combination(
        name="smolagents-openinference",
        framework="smolagents",
        instrumentation="OpenInference",
        agent="smolagents_agent.py",
        packages=(
            "smolagents[openai]==1.26.0",
            "openinference-instrumentation-smolagents==0.1.43",
            *_DISTRO,
        ),
        command=_START,
        handover=Handover("returns", {"task": REQUEST, "additional_args": {}}, asks=True),
        leaves_out=("structured", "stream"),
    ),
    Combination(
        name="google-genai-otel",
        framework="Google GenAI SDK",
        instrumentation="OpenTelemetry",
        agent="google_genai.py",
        packages=(
            "google-genai==2.34.0",
            "opentelemetry-instrumentation-google-genai==1.3b0",
            *_DISTRO,
        ),
        command=_START,
        leaves_out=("structured",),
        note=_ONE_SPAN,
    ),
    Combination(
        name="agno-openinference",
        framework="Agno",
        instrumentation="OpenInference",
        agent="agno_agent.py",
        packages=(
            "agno==3.1.10",
            "openai==3.51.0",
            "openinference-instrumentation-agno==1.0.15",
            *_DISTRO,
        ),
        command=_START,
        handover=_ASKS,
    ),
    Combination(
        name="semantic-kernel",
        framework="Semantic Kernel",
        instrumentation="its own telemetry",
        agent="semantic_kernel_agent.py",
        packages=("semantic-kernel==1.45.0", *_DISTRO),
        command=_START,
        handover=Handover("agents-returns", {"messages": REQUEST}, asks=True),
        note=(
            "Give the question as the first argument: `agent.get_response(question)`. The argument "
            "`messages=question` is not recorded. Record log records as well, as "
            "[below](#semantic-kernel-logs). Without them, text beside a call and the answer are "
            "one text, so the answer of a turn with tools is unknown."
        ),
    ),
    Combination(
        name="semantic-kernel-logs",
        framework="Semantic Kernel",
        instrumentation="its own telemetry, with its log records",
        agent="semantic_kernel_agent.py",
        packages=("semantic-kernel==1.45.0", *_DISTRO),
        command=_START,
        setup="semantic_kernel_logs.py",
        environment={"OTEL_PYTHON_LOGGING_AUTO_INSTRUMENTATION_ENABLED": "true"},
        handover=Handover("agents-returns", {"messages": REQUEST}, asks=True),
    ),
    Combination(
        name="langchain-mlflow",
        framework="LangChain and LangGraph",
        instrumentation="MLflow",
        agent="langchain_agent.py",
        packages=(*_LANGCHAIN, "mlflow==3.17.2", _EXPORTER),
        setup="mlflow_langchain.py",
        handover=_ASKS,
    ),
    Combination(
        name="openai-mlflow",
        framework="OpenAI SDK, chat completions",
        instrumentation="MLflow",
        agent="openai_chat.py",
        packages=("openai==3.51.0", "mlflow==3.17.2", _EXPORTER),
        setup="mlflow_openai.py",
        note="Put one span around your loop: `with recording.start_turn():`.",
    ),
    Combination(
        name="haystack-openinference",
        framework="Haystack",
        instrumentation="OpenInference",
        agent="haystack_agent.py",
        packages=("haystack-ai==3.4.0", "openinference-instrumentation-haystack==0.1.46", *_DISTRO),
        setup="haystack_openinference.py",
        handover=_ASKS,
        leaves_out=("refusal",),
    ),
    Combination(
        name="haystack",
        framework="Haystack",
        instrumentation="its own telemetry",
        agent="haystack_agent.py",
        packages=("haystack-ai==3.4.0", "opentelemetry-haystack==2.0.0", *_DISTRO),
        command=_START,
        setup="haystack.py",
        handover=_ASKS,
        leaves_out=("refusal",),
    ),
    Combination(
        name="llama-index-openllmetry",
        framework="LlamaIndex",
        instrumentation="OpenLLMetry",
        agent="llama_index_agent.py",
        packages=(
            "llama-index-core==0.14.25",
            "llama-index-llms-openai==0.8.3",
            "opentelemetry-instrumentation-llamaindex==0.62.4",
            "opentelemetry-instrumentation-openai==0.62.4",
            *_DISTRO,
        ),
        command=_START,
        setup="llama_index_openllmetry.py",
        handover=Handover("handoff", {"to_agent": "returns", "reason": "a refund"}),
        leaves_out=("structured",),
    ),
    Combination(
        name="dspy-openinference",
        framework="DSPy",
        instrumentation="OpenInference",
        agent="dspy_agent.py",
        packages=(
            "dspy==3.4.1",
            "openinference-instrumentation-dspy==0.1.48",
            *_DISTRO,
        ),
        command=_START,
        handover=_ASKS,
        leaves_out=("parallel", "stream", "structured", "refusal"),
    ),
    Combination(
        name="autogen",
        framework="AutoGen",
        instrumentation="its own telemetry, and OpenInference's of OpenAI",
        agent="autogen_agent.py",
        packages=(
            "autogen-agentchat==0.7.5",
            "autogen-ext[openai]==0.7.5",
            "openinference-instrumentation-openai==0.1.66",
            *_DISTRO,
        ),
        command=_START,
        handover=_ASKS,
        leaves_out=("structured",),
        note="Your agent needs no change. Each agent of a team has its own trace, so the question "
        "and the answer of the team are unknown. To record them, let one agent lead, with the "
        "others as its tools.",
    ),
    Combination(
        name="litellm-openinference",
        framework="LiteLLM",
        instrumentation="OpenInference",
        agent="litellm_loop.py",
        packages=(
            "litellm==1.106.2",
            "mcp==2.3.0",
            "openinference-instrumentation-litellm==0.1.51",
            *_DISTRO,
        ),
        command=_START,
        note=_ONE_SPAN,
    ),
    Combination(
        name="openai-openinference",
        framework="OpenAI SDK, chat completions",
        instrumentation="OpenInference",
        agent="openai_chat.py",
        packages=("openai==3.51.0", "openinference-instrumentation-openai==0.1.66", *_DISTRO),
        command=_START,
        note=_ONE_SPAN,
    ),
    Combination(
        name="anthropic-openinference",
        framework="Anthropic SDK",
        instrumentation="OpenInference",
        agent="anthropic_messages.py",
        packages=(_ANTHROPIC, "openinference-instrumentation-anthropic==3.1.0", *_DISTRO),
        command=_START,
        note=_ONE_SPAN,
    ),
    Combination(
        name="google-genai-openinference",
        framework="Google GenAI SDK",
        instrumentation="OpenInference",
        agent="google_genai.py",
        packages=(
            "google-genai==2.34.0",
            "openinference-instrumentation-google-genai==1.4.14",
            *_DISTRO,
        ),
        command=_START,
        leaves_out=("structured",),
        note=_ONE_SPAN,
    ),
    Combination(
        name="crewai-openllmetry",
        framework="CrewAI",
        instrumentation="OpenLLMetry",
        agent="crewai_agent.py",
        packages=(
            "crewai==1.15.30",
            "opentelemetry-instrumentation-crewai==0.62.4",
            "opentelemetry-instrumentation-openai==0.62.4",
            *_DISTRO,
        ),
        command=_START,
        fails=("refusal",),
    ),
    Combination(
        name="agent-framework",
        framework="Microsoft Agent Framework",
        instrumentation="its own telemetry",
        agent="agent_framework_agent.py",
        packages=("agent-framework-core==1.23.0", "agent-framework-openai==1.17.0", *_DISTRO),
        setup="agent_framework.py",
        handover=_ASKS,
    ),
    _node_loop("openai", "OpenAI SDK for JavaScript, chat completions", "OpenInference", "4.2.7"),
    _node_loop("openai", "OpenAI SDK for JavaScript, chat completions", "OpenLLMetry", "0.27.0"),
    _node_loop("anthropic", "Anthropic SDK for JavaScript", "OpenInference", "0.2.8"),
    replace(
        _node_loop("anthropic", "Anthropic SDK for JavaScript", "OpenLLMetry", "0.27.0"),
        packages=("@anthropic-ai/sdk@0.69.0", "@traceloop/instrumentation-anthropic@0.27.0", _NODE),
        holds=("@anthropic-ai/sdk",),
        note=f"{_ONE_SPAN} The instrumentation raises an error under release 1 of the SDK.",
    ),
    Combination(
        name="openai-js-otel",
        framework="OpenAI SDK for JavaScript, chat completions",
        instrumentation="OpenTelemetry",
        agent="openai_chat.mjs",
        packages=("openai@6.9.1", "@opentelemetry/instrumentation-openai@0.22.0", _NODE),
        setup="openai_otel.mjs",
        environment={
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
            "NODE_OPTIONS": "--import ./recording.mjs --experimental-loader "
            "@opentelemetry/instrumentation/hook.mjs",
        },
        holds=("openai",),
        note=f"{_ONE_SPAN} The instrumentation knows no later release of the SDK than 6.",
    ),
    Combination(
        name="mastra",
        framework="Mastra",
        instrumentation="its own telemetry",
        agent="mastra_agent.mjs",
        packages=(
            "@mastra/core@1.71.0",
            "@mastra/observability@1.17.9",
            "@mastra/otel-exporter@1.4.0",
            "@opentelemetry/exporter-trace-otlp-proto@0.301.0",
            "@ai-sdk/openai@4.0.118",
            "zod@4.6.7",
        ),
        setup="mastra.mjs",
        handover=_ASKS,
        note=(
            "Register your agent: `const mastra = new Mastra({ agents: { helper }, ...SETTINGS });`"
            ', with `import { SETTINGS } from "./recording.mjs";`. Then ask '
            '`mastra.getAgent("helper")`, because an agent that is not registered records nothing. '
            "End with `await mastra.shutdown();`, which sends the last spans."
        ),
    ),
    Combination(
        name="claude-agent-openinference",
        framework="Claude Agent SDK",
        instrumentation="OpenInference",
        agent="claude_agent.py",
        packages=(_CLAUDE, "openinference-instrumentation-claude-agent-sdk==0.1.22", *_DISTRO),
        command=_START,
        handover=_ASKS_CLAUDE,
        fails=("refusal",),
    ),
    Combination(
        name="claude-agent-telemetry",
        framework="Claude Agent SDK",
        instrumentation="the telemetry of Claude Code",
        agent="claude_agent.py",
        packages=(_CLAUDE,),
        environment=_CLAUDE_TELEMETRY,
        handover=_ASKS_CLAUDE,
        fails=("refusal",),
    ),
    Combination(
        name="claude-agent-session",
        framework="Claude Agent SDK",
        instrumentation="the sessions that Claude Code keeps",
        agent="claude_agent.py",
        packages=(_CLAUDE,),
        keeps=".claude/projects/*/*.jsonl",
        handover=replace(_ASKS_CLAUDE, apart=True),
        fails=("refusal",),
        note="The log of a subagent is a separate file, which is not part of the turn.",
    ),
    Combination(
        name="claude-agent-js-telemetry",
        framework="Claude Agent SDK for TypeScript",
        instrumentation="the telemetry of Claude Code",
        agent="claude_agent.mjs",
        packages=(_CLAUDE_JS, "zod@4.6.7"),
        environment=_CLAUDE_TELEMETRY,
        handover=_ASKS_CLAUDE,
        fails=("refusal",),
    ),
    Combination(
        name="claude-agent-js-session",
        framework="Claude Agent SDK for TypeScript",
        instrumentation="the sessions that Claude Code keeps",
        agent="claude_agent.mjs",
        packages=(_CLAUDE_JS, "zod@4.6.7"),
        keeps=".claude/projects/*/*.jsonl",
        handover=replace(_ASKS_CLAUDE, apart=True),
        fails=("refusal",),
        note="The log of a subagent is a separate file, which is not part of the turn.",
    ),
    Combination(
        name="langchain-js-openinference",
        framework="LangChain and LangGraph for JavaScript",
        instrumentation="OpenInference",
        agent="langchain_agent.mjs",
        packages=(
            *_LANGCHAIN_JS,
            "@arizeai/openinference-instrumentation-langchain@4.1.1",
            _NODE,
            "zod@4.6.7",
        ),
        setup="langchain_openinference.mjs",
        handover=_ASKS,
    ),
    Combination(
        name="langchain-js-openllmetry",
        framework="LangChain and LangGraph for JavaScript",
        instrumentation="OpenLLMetry",
        agent="langchain_agent.mjs",
        packages=(
            *_LANGCHAIN_JS,
            "@traceloop/instrumentation-langchain@0.27.0",
            _NODE,
            "zod@4.6.7",
        ),
        setup="langchain_openllmetry.mjs",
        handover=_ASKS,
        scattered=True,
        note="Each span is in a trace of its own, so the recording does not show the turns. "
        "Instrument with OpenInference instead: see [langchain-js-openinference]"
        "(#langchain-js-openinference).",
    ),
    Combination(
        name="openai-agents-mcp",
        framework="OpenAI Agents SDK, tools over MCP",
        instrumentation="OpenInference, and the MCP SDK in both processes",
        agent="openai_agents_mcp.py",
        packages=(
            _AGENTS,
            "mcp==2.3.0",
            "openinference-instrumentation-openai-agents==2.6.0",
            "openinference-instrumentation-mcp==2.0.13",
            *_DISTRO,
        ),
        command=_START,
        servers=("mcp_server.py",),
        leaves_out=("structured",),
        fails=("refusal",),
        note=_TO_SERVER,
    ),
    Combination(
        name="openai-agents-mcp-apart",
        framework="OpenAI Agents SDK, tools over MCP",
        instrumentation="OpenInference, with the server in traces of its own",
        agent="openai_agents_mcp.py",
        packages=(
            _AGENTS,
            "mcp==2.3.0",
            "openinference-instrumentation-openai-agents==2.6.0",
            *_DISTRO,
        ),
        command=_START,
        environment={"OTEL_PROPAGATORS": "none"},
        servers=("mcp_server.py",),
        leaves_out=("structured",),
        fails=("refusal",),
        note=_TO_SERVER,
    ),
    Combination(
        name="langchain-mcp",
        framework="LangChain and LangGraph, tools over MCP",
        instrumentation="OpenLLMetry in both processes",
        agent="langchain_mcp.py",
        packages=(
            *_LANGCHAIN,
            "langchain-mcp-adapters==0.3.2",
            "opentelemetry-instrumentation-langchain==0.62.4",
            "opentelemetry-instrumentation-mcp==0.62.4",
            *_DISTRO,
        ),
        command=_START,
        servers=("mcp_server.py",),
        leaves_out=("structured",),
        note=_TO_SERVER,
    ),
    Combination(
        name="pydantic-ai-mcp",
        framework="Pydantic AI, tools over MCP",
        instrumentation="its own telemetry, and FastMCP's in both processes",
        agent="pydantic_mcp.py",
        packages=("pydantic-ai-slim[openai,mcp]==2.68.0", "fastmcp==4.1.0", *_DISTRO),
        command=_START,
        setup="pydantic_ai.py",
        servers=("mcp_server.py",),
        leaves_out=("structured",),
        fails=("refusal",),
        note=_TO_SERVER,
    ),
    Combination(
        name="openai-mcp",
        framework="OpenAI SDK, tools over MCP",
        instrumentation="OpenTelemetry, and the MCP SDK in both processes",
        agent="openai_chat_mcp.py",
        packages=(
            "openai==3.51.0",
            "mcp==2.3.0",
            "opentelemetry-instrumentation-genai-openai==1.3b0",
            *_DISTRO,
        ),
        command=_START,
        servers=("mcp_server.py",),
        leaves_out=("structured", "stream"),
        note=_ONE_SPAN,
    ),
    Combination(
        name="adk-a2a",
        framework="Google ADK, an agent over A2A",
        instrumentation="its own telemetry and the A2A SDK's, with OpenTelemetry's of HTTP",
        agent="adk_a2a.py",
        packages=(
            _ADK_A2A,
            "opentelemetry-instrumentation-httpx==0.65b0",
            "opentelemetry-instrumentation-starlette==0.65b0",
            *_DISTRO_OF_ADK,
        ),
        command=_START,
        servers=("adk_a2a_server.py",),
        handover=Handover("returns", {"request": REQUEST}, asks=True),
        leaves_out=_ALL_BUT_HANDOVER,
        note=_TO_SERVER,
    ),
    Combination(
        name="adk-a2a-apart",
        framework="Google ADK, an agent over A2A",
        instrumentation="its own telemetry and the A2A SDK's, each process in traces of its own",
        agent="adk_a2a.py",
        packages=(_ADK_A2A, *_DISTRO_OF_ADK),
        command=_START,
        servers=("adk_a2a_server.py",),
        handover=Handover("returns", {"request": REQUEST}, asks=True, alone=True),
        leaves_out=_ALL_BUT_HANDOVER,
        note=_TO_SERVER,
    ),
    Combination(
        name="strands-a2a",
        framework="Strands Agents, an agent over A2A",
        instrumentation="its own telemetry and the A2A SDK's, with OpenTelemetry's of HTTP",
        agent="strands_a2a.py",
        packages=(
            "strands-agents[otel,openai,a2a]==1.62.0",
            "opentelemetry-instrumentation-httpx==0.66b1",
            "opentelemetry-instrumentation-starlette==0.66b1",
            *_DISTRO,
        ),
        command=_START,
        servers=("strands_a2a_server.py",),
        handover=_ASKS,
        leaves_out=_ALL_BUT_HANDOVER,
        note=_TO_SERVER,
    ),
)
_TASK = Handover(
    "Task",
    {"description": "a refund", "prompt": REQUEST, "subagent_type": "returns"},
    asks=True,
)
_THEN = "2025-11-19"
_EXPORTER_OF_THEN = "opentelemetry-exporter-otlp-proto-http==1.38.0"
_DISTRO_OF_THEN = ("opentelemetry-distro==0.59b0", _EXPORTER_OF_THEN)
_NODE_OF_THEN = "@opentelemetry/sdk-node@0.202.0"
_LANGCHAIN_OF_THEN = ("langchain==1.0.8", "langgraph==1.0.3", "langchain-openai==1.0.3")
# the packages of the same rows a year before
_BEFORE = {
    "openai-otel": ("openai==2.8.1", "opentelemetry-instrumentation-openai-v2==2.1b0"),
    "openai-openllmetry": ("openai==2.8.1", "opentelemetry-instrumentation-openai==0.48.1"),
    "anthropic-openllmetry": (
        "anthropic==0.74.1",
        "opentelemetry-instrumentation-anthropic==0.48.1",
    ),
    "langchain-openinference": (
        *_LANGCHAIN_OF_THEN,
        "openinference-instrumentation-langchain==0.1.55",
    ),
    "langchain-openllmetry": (
        *_LANGCHAIN_OF_THEN,
        "opentelemetry-instrumentation-langchain==0.48.1",
    ),
    "langchain-langsmith": (*_LANGCHAIN_OF_THEN, "langsmith[otel]==0.4.43"),
    "openai-agents-openinference": (
        "openai-agents==0.6.0",
        "openinference-instrumentation-openai-agents==1.3.1",
    ),
    "pydantic-ai": ("pydantic-ai-slim[openai]==1.20.0",),
    "pydantic-ai-logfire": ("pydantic-ai-slim[openai]==1.20.0", "logfire==4.15.0"),
    "strands": ("strands-agents[otel,openai]==1.17.0",),
    "strands-events": ("strands-agents[otel,openai]==1.17.0",),
    "adk": (
        "google-adk==1.18.0",
        "opentelemetry-distro==0.58b0",
        "opentelemetry-exporter-otlp-proto-http==1.37.0",
    ),
    "crewai-openinference": (
        "crewai==1.5.0",
        "openinference-instrumentation-crewai==0.1.16",
        "openinference-instrumentation-openai==0.1.40",
    ),
    "semantic-kernel": ("semantic-kernel==1.38.0",),
    "semantic-kernel-logs": ("semantic-kernel==1.38.0",),
    "langchain-mlflow": (*_LANGCHAIN_OF_THEN, "mlflow==3.6.0", _EXPORTER_OF_THEN),
    "openai-mlflow": ("openai==2.8.1", "mlflow==3.6.0", _EXPORTER_OF_THEN),
    "haystack-openinference": (
        "haystack-ai==2.20.0",
        "openinference-instrumentation-haystack==0.1.28",
        *_DISTRO_OF_THEN,
    ),
    "haystack": ("haystack-ai==2.20.0",),
    "dspy-openinference": ("dspy==3.0.4", "openinference-instrumentation-dspy==0.1.30"),
    "llama-index-openinference": (
        "llama-index-core==0.14.8",
        "llama-index-llms-openai==0.6.9",
        "openinference-instrumentation-llama-index==4.3.9",
    ),
    "openai-agents-openllmetry": (
        "openai-agents==0.6.0",
        "opentelemetry-instrumentation-openai-agents==0.48.1",
        "traceloop-sdk==0.48.1",
    ),
    "openai-agents-otel": (
        "openai-agents==0.6.0",
        "opentelemetry-instrumentation-openai-agents-v2==0.1.0",
    ),
    "langchain-langfuse": (*_LANGCHAIN_OF_THEN, "langfuse==3.10.1"),
    "google-genai-otel": (
        "google-genai==1.51.0",
        "opentelemetry-instrumentation-google-genai==0.4b0",
    ),
    "google-genai-openinference": (
        "google-genai==1.51.0",
        "openinference-instrumentation-google-genai==0.1.8",
    ),
    "agno-openinference": (
        "agno==2.2.13",
        "openai==2.8.1",
        "openinference-instrumentation-agno==0.1.23",
    ),
    "autogen": (
        "autogen-agentchat==0.7.5",
        "autogen-ext[openai]==0.7.5",
        "openinference-instrumentation-openai==0.1.40",
    ),
    "litellm-openinference": (
        "litellm==1.80.0",
        "openinference-instrumentation-litellm==0.1.28",
    ),
    "openai-openinference": ("openai==2.8.1", "openinference-instrumentation-openai==0.1.40"),
    "claude-agent-session": ("claude-agent-sdk==0.1.8",),
    "claude-agent-js-session": ("@anthropic-ai/claude-agent-sdk@0.1.44", "zod@3.25.39"),
    "ai-sdk-5": ("ai@5.0.94", "@ai-sdk/openai@2.0.67", _NODE_OF_THEN),
    "langchain-js-openinference": (
        "@langchain/core@0.3.78",
        "@langchain/langgraph@0.4.9",
        "@langchain/openai@0.6.14",
        "@arizeai/openinference-instrumentation-langchain@2.0.0",
        _NODE_OF_THEN,
        "zod@3.25.39",
    ),
    "openai-js-openllmetry": (
        "openai@4.96.2",
        "@traceloop/instrumentation-openai@0.11.3",
        _NODE_OF_THEN,
    ),
    "anthropic-js-openllmetry": (
        "@anthropic-ai/sdk@0.69.0",
        "@traceloop/instrumentation-anthropic@0.11.1",
        _NODE_OF_THEN,
    ),
    "mastra": (
        "@mastra/core@0.10.6",
        "@ai-sdk/openai@1.3.24",
        _NODE_OF_THEN,
        "zod@3.25.39",
    ),
    "anthropic-openinference": (
        "anthropic==0.74.1",
        "openinference-instrumentation-anthropic==0.1.20",
    ),
    "agent-framework": ("agent-framework-core==1.0.0b251114", *_DISTRO_OF_THEN),
    "crewai-openllmetry": (
        "crewai==1.5.0",
        "opentelemetry-instrumentation-crewai==0.48.1",
        "opentelemetry-instrumentation-openai==0.48.1",
    ),
}


_ENDED = "Claude Code stopped at once with the variables of the telemetry"
_FIRST_OF_2026 = "its first release is from 2026"
# why there is no row for the packages of a year before
NOT_BEFORE = {
    "anthropic-otel": _FIRST_OF_2026,
    "llama-index-openllmetry": "all runs of a program are nested in one trace",
    "langchain-otel": _FIRST_OF_2026,
    "ai-sdk-6": _FIRST_OF_2026,
    "ai-sdk-7": _FIRST_OF_2026,
    "ai-sdk-7-legacy": _FIRST_OF_2026,
    "ai-sdk-4": "its newest release is older than a year",
    "openai-agents-js-openinference": _FIRST_OF_2026,
    "openai-js-openinference": _FIRST_OF_2026,
    "openai-js-otel": _FIRST_OF_2026,
    "anthropic-js-openinference": _FIRST_OF_2026,
    "claude-agent-telemetry": _ENDED,
    "claude-agent-js-telemetry": _ENDED,
    "smolagents-openinference": "it raises an error when a model of OpenAI asks for a tool",
}


def _list_before() -> Iterator[Combination]:
    for each in NEWEST:
        if packages := _BEFORE.get(each.name):
            has_own = any("distro" in package for package in packages)
            distro = _DISTRO_OF_THEN if each.command and not has_own else ()
            yield replace(
                each,
                name=f"{each.name}-2025",
                packages=(*packages, *distro),
                as_of=_THEN,
                **_CHANGES.get(each.name, {}),
            )


# what was different a year before
_CHANGES: dict[str, dict[str, Any]] = {
    "anthropic-js-openllmetry": {"note": _ONE_SPAN},
    "mastra": {
        "setup": "mastra_telemetry.mjs",
        "note": (
            "Register your agent: `const mastra = new Mastra({ agents: { helper }, ...SETTINGS });`"
            ', with `import { SETTINGS } from "./recording.mjs";`. Ask the registered one, '
            '`mastra.getAgent("helper")`: an agent of its own records nothing.'
        ),
        "leaves_out": ("structured",),
        "fails": ("failing",),
    },
    "haystack": {"setup": ""},
    "agent-framework": {
        "agent": "agent_framework_beta.py",
        "setup": "",
        "command": _START,
        "environment": {"ENABLE_OTEL": "true", "ENABLE_SENSITIVE_DATA": "true"},
    },
    "anthropic-openllmetry": {"leaves_out": ("structured",)},
    "claude-agent-session": {"handover": replace(_TASK, apart=True)},
    "claude-agent-telemetry": {"handover": _TASK},
    "langchain-js-openinference": {"agent": "langchain_beta.mjs", "leaves_out": ("structured",)},
    "claude-agent-js-telemetry": {"handover": _TASK, "leaves_out": ("structured",)},
    "claude-agent-js-session": {
        "handover": replace(_TASK, apart=True),
        "leaves_out": ("structured",),
    },
    "openai-agents-openllmetry": {
        "environment": {"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "openai"},
    },
    "anthropic-openinference": {
        "leaves_out": ("structured", "stream"),
        "note": f"{_ONE_SPAN} `client.messages.stream` raises an error under that release.",
    },
    "openai-otel": {"environment": {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}},
}
_PAST = tuple(_list_before())
_EVENTS = {
    "name": "pydantic-ai-events-2025",
    "instrumentation": "its own telemetry, as version 1 of its settings has it",
    "setup": "pydantic_ai_events.py",
}
TABLE = (
    *NEWEST,
    *_PAST,
    *(replace(each, **_EVENTS) for each in _PAST if each.name == "pydantic-ai-2025"),
)
BY_NAME = {each.name: each for each in TABLE}
