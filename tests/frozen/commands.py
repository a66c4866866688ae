"""The frozen runs of the other commands: what is typed, in which folder."""

from pathlib import Path

from tests.frozen import configs, registries
from tests.frozen.inputs import CITIES, WEATHER, recordings, said
from tests.frozen.runs import Run

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
        {**CITIES, **configs.AGENTV, "wrong.yaml": configs.WRONG},
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
        {"traces/oslo.json": said("oslo", "geocode"), "remote.yaml": registries.REMOTE},
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
        {**registries.legacy(), **registries.BAD_ENTRIES},
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
            registries.BETTER,
            *_COMMIT,
            "agentevals registry index --check",
            "agentevals registry diff --base main~1",
            "agentevals registry diff --base main~1 -f json",
            "agentevals registry verify",
            "agentevals registry why rude --base main",
        ),
        registries.REGISTRY,
    ),
)

RUNS = (*COMMANDS, *REGISTRY)
