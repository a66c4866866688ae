"""The frozen runs of the command line: what is typed, in which folder, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.frozen import configs
from tests.frozen.inputs import DATA, WEATHER, expected, recordings, said
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
_CITIES = {
    "eval_set.json": expected("oslo", "paris", "quito", "rome"),
    "eval_config.yaml": configs.OFFLINE,
    "before/oslo.json": said("oslo", "geocode", "forecast"),
    "before/paris.json": said("paris", "geocode", "forecast"),
    "before/quito.json": said("quito", "forecast"),
    "before/rome.json": said("rome", "forecast", answer="No idea."),
    "traces/oslo.json": said("oslo", "geocode", "forecast"),
    "traces/paris.json": said("paris", "forecast", answer="It rains."),
    "traces/quito.json": said("quito", "geocode", "forecast"),
    "traces/rome.json": said("rome", "forecast", answer="No idea."),
}
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
        _CITIES,
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
        {**_CITIES, **configs.AGENTEVALS},
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
            **_CITIES,
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
            "eval_config.yaml": configs.OFFLINE,
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
            **_CITIES,
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
        {"traces/oslo.json": said("oslo", "geocode", "forecast"), **configs.PROGRAMS},
    ),
    Run(
        "judged",
        (
            "agentevals run traces -c judged.yaml -e eval_set.json --jobs 1 -o json",
            "agentevals run traces -c judged.yaml -e eval_set.json --jobs 1",
        ),
        {**configs.JUDGED, "eval_set.json": expected("oslo")},
        {"OPENAI_API_KEY": "sk-frozen"},
        model=True,
    ),
    Run(
        "judged-by-anthropic",
        ("agentevals run traces -c claude.yaml --jobs 1",),
        {**configs.JUDGED, "eval_set.json": expected("oslo")},
        {"ANTHROPIC_API_KEY": "sk-frozen"},
        model=True,
    ),
    Run(
        "judge-missing",
        (
            "agentevals run traces -c judged.yaml -e eval_set.json --jobs 1",
            "agentevals run traces -c judged.yaml -e nowhere.json",
        ),
        {**configs.JUDGED, "eval_set.json": expected("oslo")},
    ),
)

COMMANDS = (
    Run(
        "validate",
        (
            "agentevals validate eval_config.yaml",
            "agentevals validate eval_config.yaml EVAL.yaml wrong.yaml",
            "agentevals validate eval_config.yaml wrong.yaml --json",
            "agentevals validate --eval-set eval_set.json",
            "agentevals validate nowhere.yaml",
        ),
        {**_CITIES, **configs.AGENTV, "wrong.yaml": configs.WRONG},
    ),
    Run(
        "convert",
        (
            "agentevals convert EVAL.yaml -o converted",
            "agentevals convert converted/eval_config.yaml --to eval-file -o back.yaml",
            "agentevals convert eval_config.yaml -e eval_set.json -o weather.yaml",
            "agentevals convert EVAL.yaml -o converted",
        ),
        {**WEATHER, **configs.AGENTV},
    ),
    Run(
        "bless",
        (
            "agentevals bless traces -o blessed.json",
            "agentevals bless traces/paris.jsonl -o blessed.json --update",
            "agentevals bless traces -o blessed.json",
        ),
        WEATHER,
    ),
    Run("init", ("agentevals init", "agentevals init"), {"traces": Path("examples/traces")}),
    Run(
        "evaluator",
        (
            "agentevals evaluator list --help",
            "agentevals evaluator list",
            "agentevals evaluator init politeness",
            "agentevals evaluator init counter --runtime js",
            "agentevals evaluator config tool_trajectory_avg_score",
            "agentevals evaluator config token_usage_v1",
            "agentevals evaluator show politeness",
            "agentevals evaluator add shipped",
        ),
        github=True,
    ),
    Run(
        "remote",
        (
            "agentevals lock remote.yaml",
            "agentevals run traces -c remote.yaml --jobs 1",
            "agentevals run traces -c remote.yaml --jobs 1 --offline -o summary",
        ),
        {"traces/oslo.json": said("oslo", "geocode"), "remote.yaml": configs.REMOTE},
        github=True,
    ),
    Run(
        "record",
        (
            "agentevals record -o paris.jsonl -- PYTHON weather_agent/agent.py paris",
            "agentevals run paris.jsonl -c budgets.yaml -o summary",
            "agentevals record -o nothing.jsonl -- PYTHON -c pass",
        ),
        {**WEATHER, **recordings("nothing")},
    ),
    Run(
        "help",
        (
            "bin/agentevals --help",
            *(
                f"agentevals {command} --help"
                for command in (
                    "run",
                    "validate",
                    "convert",
                    "init",
                    "record",
                    "bless",
                    "evaluator",
                    "lock",
                    "registry",
                    "registry validate",
                    "registry index",
                    "sandbox",
                )
            ),
            "agentevals",
            "agentevals runn",
            "agentevals run --no-such-option",
        ),
    ),
)

_COMMIT = ("git add --all", "git commit --quiet --message x")
REGISTRY = (
    Run(
        "registry-validate",
        (
            "agentevals registry validate",
            *(f"agentevals registry validate -f {o}" for o in ("json", "markdown", "sarif")),
            "agentevals registry validate -f github --no-smoke --level complete",
            "agentevals registry why contains",
            "agentevals registry new kindness",
        ),
        {**configs.legacy(), **configs.BAD_ENTRIES},
    ),
    Run(
        "registry-index",
        (
            "git init --quiet --initial-branch main",
            *_COMMIT,
            "agentevals registry index",
            "agentevals registry index --check",
            *_COMMIT,
            "git rm --quiet -r evaluators/rude",
            configs.BETTER,
            *_COMMIT,
            "agentevals registry index --check",
            "agentevals registry diff --base main~1",
            "agentevals registry diff --base main~1 -f json",
            "agentevals registry verify",
            "agentevals registry why rude --base main",
        ),
        configs.REGISTRY,
    ),
)

RUNS = (*OUTPUTS, *TRACES, *DIALECTS, *VERDICTS, *COMMANDS, *REGISTRY)
