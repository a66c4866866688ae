"""The frozen runs of the command line: what is typed, in which folder, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.frozen import configs, programs
from tests.frozen.inputs import CITIES, DATA, OFFLINE, WEATHER, expected, recordings, said
from tests.frozen.place import Files


@dataclass(frozen=True)
class Run:
    """Commands in a folder that holds `files`; files among them are written in between.

    With a `model` a scripted judge answers, with `github` the registries are there.
    """

    name: str
    commands: tuple[str | Files, ...]
    files: Files = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    model: bool = False
    github: bool = False


_WEATHER = "agentevals run traces -c eval_config.yaml -e eval_set.json --jobs 1"
_PLAIN = "-c eval_config.yaml -e eval_set.json"

_FILES = "--output-file out/b.xml --output-file c.md --output-file report=e.json"

OUTPUTS = (
    Run("run-summary", (f"{_WEATHER} -o summary",), WEATHER),
    Run("run-markdown", (f"{_WEATHER} -o markdown",), WEATHER),
    Run("run-json", (f"{_WEATHER} -o json",), WEATHER),
    Run("run-junit", (f"{_WEATHER} -o junit",), WEATHER),
    Run(
        "run-baseline",
        (
            f"agentevals run before {_PLAIN} -o summary --output-file report=base.json",
            *(
                f"agentevals run traces {_PLAIN} --baseline base.json -o {output}"
                for output in ("table", "summary", "markdown", "json", "junit")
            ),
        ),
        CITIES,
    ),
    Run(
        "run-files",
        (f"{_WEATHER} -o table {_FILES}",),
        WEATHER,
    ),
)

_FORMATS = (
    "otlp-json",
    "spellings",
    "jaeger-json",
    "adk-evalset-result",
    "agentv-results",
    "agentv-trace",
    "agentv-transcript",
    "claude-code",
    "codex",
    "copilot",
    "uipath-output",
    "uipath-trace",
    "transcript",
)
TRACES = (
    *(
        Run(
            f"traces-{name}",
            ("agentevals run traces -c budgets.yaml -o report --allow-foreign --jobs 1",),
            recordings(name),
        )
        for name in _FORMATS
    ),
    Run(
        "traces-otlp-protobuf",
        ("agentevals run traces -c budgets.yaml -o report --jobs 1",),
        {**recordings("otlp-protobuf"), "traces/export.pb": configs.PROTOBUF},
    ),
    Run(
        "traces-unreadable",
        (
            "agentevals run traces -c budgets.yaml",
            "agentevals run traces -c budgets.yaml -f jaeger-json -o summary",
            "agentevals run nowhere -c budgets.yaml",
            "agentevals run traces -c budgets.yaml -f no-such-format",
        ),
        {
            **recordings("nothing"),
            "traces/broken.json": '{"resourceSpans": [',
            "traces/empty.json": "",
            "traces/good.json": said("good", "look"),
            "traces/list.json": "[1, 2]",
            "traces/notes.txt": "hello\n",
        },
    ),
    Run(
        "traces-conventions",
        ("agentevals run traces -c budgets.yaml -o report --allow-foreign --jobs 1",),
        {**recordings("nothing"), **configs.conventions()},
    ),
)

DIALECTS = (
    Run(
        "config-agentevals",
        ("agentevals run traces -c eval_config.yaml -o report", "agentevals run -c more.yaml"),
        {**CITIES, **configs.AGENTEVALS},
    ),
    Run(
        "config-agentv-yaml",
        ("agentevals run traces -c EVAL.yaml -o report", "agentevals run traces -c EVAL.yaml"),
        configs.AGENTV,
    ),
    Run(
        "config-agentv-jsonl",
        ("agentevals run traces -c EVAL.jsonl", "agentevals run traces -c EVAL.jsonl -o json"),
        configs.LINES,
    ),
    Run(
        "config-uipath",
        (
            "agentevals evaluator register shipped_items.py",
            "agentevals run traces --config evals/eval_sets/shop.json -o report",
            "agentevals run traces --config evals/eval_sets/shop.json",
        ),
        configs.UIPATH,
    ),
    Run(
        "config-adk",
        (
            "agentevals run traces -c my_agent/eval_config.json -e eval_set.json -o json",
            "agentevals run traces -c my_agent/eval_config.json -e eval_set.json",
        ),
        {
            **CITIES,
            "my_agent": DATA / "foreign/adk/my_agent",
        },
    ),
    *(
        Run(
            f"refused-{dialect}",
            (
                f"agentevals run -c {configs.refused(dialect)[-1]}",
                f"agentevals run -c {configs.refused(dialect)[0]} -o json",
                f"agentevals validate {' '.join(configs.refused(dialect))}",
                f"agentevals validate --json {' '.join(configs.refused(dialect))}",
            ),
            {".": DATA / "configs" / dialect / "refused"},
        )
        for dialect in ("agentevals", "agentv", "adk")
    ),
    Run(
        "refused-uipath",
        ("agentevals run traces -c evals/eval_sets/wrong.json",),
        {**configs.UIPATH, "evals/eval_sets/wrong.json": configs.WRONG_SET},
    ),
)

VERDICTS = (
    Run(
        "missing-and-foreign",
        (
            f"agentevals run traces {_PLAIN}",
            f"agentevals run traces {_PLAIN} --allow-missing --allow-foreign -o summary",
            f"agentevals run traces {_PLAIN} --pair position -o json",
        ),
        {
            "eval_config.yaml": OFFLINE,
            "eval_set.json": expected("oslo", "paris", "quito"),
            "traces/oslo.json": said("oslo", "geocode", "forecast"),
            "traces/tokyo.json": said("tokyo", "geocode", user="Where is it?"),
            "traces/web.json": configs.FOREIGN,
        },
    ),
    Run(
        "gates",
        tuple(f"agentevals run traces -c {n}.yaml" for n in configs.GATES),
        {
            **CITIES,
            **{f"{name}.yaml": text for name, text in configs.GATES.items()},
        },
    ),
    Run(
        "programs",
        (
            "agentevals run traces -c programs.yaml --jobs 1",
            "agentevals run traces -c programs.yaml --jobs 1 -o json",
            "agentevals run traces -c programs.yaml --jobs 1 -o junit",
        ),
        {"traces/oslo.json": said("oslo", "geocode", "forecast"), **programs.PROGRAMS},
    ),
    Run(
        "many-cases",
        (
            "agentevals run traces -c slow.yaml --jobs 2 -o summary",
            "agentevals run traces -c slow.yaml --jobs 1 -o junit",
        ),
        programs.MANY,
    ),
    Run(
        "judged",
        (
            "agentevals run traces -c judged.yaml -e eval_set.json --jobs 1 -o json",
            "agentevals run traces -c judged.yaml -e eval_set.json --jobs 1",
        ),
        {**programs.JUDGED, "eval_set.json": expected("oslo")},
        {"OPENAI_API_KEY": "sk-frozen"},
        model=True,
    ),
    Run(
        "judged-by-anthropic",
        ("agentevals run traces -c claude.yaml --jobs 1",),
        {**programs.JUDGED, "eval_set.json": expected("oslo")},
        {"ANTHROPIC_API_KEY": "sk-frozen"},
        model=True,
    ),
    Run(
        "judge-missing",
        (
            "agentevals run traces -c judged.yaml -e eval_set.json --jobs 1",
            "agentevals run traces -c judged.yaml -e nowhere.json",
        ),
        {**programs.JUDGED, "eval_set.json": expected("oslo")},
    ),
)

RUNS = (*OUTPUTS, *TRACES, *DIALECTS, *VERDICTS)
