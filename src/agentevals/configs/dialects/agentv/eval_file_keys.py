"""Every key of an EVAL file: those that are read, and those that only matter to who runs agents."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentevals.configs.config_gate import Gate
from agentevals.configs.plan import Texts
from agentevals.judge import JudgeSettings

# of several spellings, the one that wins stands first
TESTS = ("tests", "cases", "eval_cases", "evalcases")
LISTS = ("assertions", "assert", "evaluators")
TEMPLATES = ("evaluatorTemplate", "evaluator_template")

OF_RUNNING = frozenset(
    {
        *("afterAll", "agent", "aggregation", "beforeAll", "budget_usd", "cache", "command"),
        *("default_test", "depends_on", "env", "environment", "evaluator", "experiment", "graders"),
        *(
            "fail_on_error",
            "hooks",
            "isolation",
            "max_concurrency",
            "mode",
            "on_dependency_failure",
        ),
        *(
            "on_run_complete",
            "on_turn_failure",
            "preprocessors",
            "prompts",
            "provider",
            "providers",
        ),
        *("repeat", "requires", "retries", "target", "targets", "timeout", "timeout_seconds"),
        *("total_budget_usd", "trials", "window_size", "workers", "workspace"),
    }
)


# what AgentV reads or hands on, and judges nothing by
IDLE = frozenset({"defaults", "evaluate_options", "extensions", "governance", "reference_answer"})
# the same in an evaluator, and in a call that one expects
IDLE_IN_EVALUATORS = frozenset({"id"})
IDLE_IN_CALLS = frozenset({"input", "output"})
# what AgentV reads and judges by, and is not read here: these are never passed over
JUDGED_BY = frozenset(
    {
        *("assert_scoring_function", "derived_metrics", "options", "postprocess", "preprocessors"),
        *("provider", "provider_output", "scenarios", "transform"),
    }
)

Target = str | dict[str, Any] | None  # the name of one, or one that is written out
Score = Annotated[float | None, Field(ge=0, le=1)]


class Section(BaseModel):
    """A mapping of which each key is known."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Bounds(Gate):
    """The gate, and the scores from which on a test passes or is borderline."""

    pass_at: Score = None
    borderline_at: Score = None


class Execution(Section):
    """The keys of `execution` that are about scoring, except the evaluators."""

    target: Target = None
    grader_target: str | None = None
    judge_target: str | None = None
    threshold: Score = None
    skip_defaults: bool = False
    trials: Any = None


class Suite(Section):
    """The top level of a file, except its tests and evaluators."""

    name: str | None = None
    dataset: str | None = None
    suite: str | None = None
    target: Target = None
    input: Any = None
    input_files: Texts = []
    vars: dict[str, Any] = {}
    prompts: Any = None
    default_test: Any = None
    threshold: Score = None
    execution: Any = None
    # for people
    version: Any = None
    description: Any = None
    category: Any = None
    author: Any = None
    license: Any = None
    tags: Any = None
    metadata: Any = None
    # ours
    gate: Bounds = Bounds()
    judge: JudgeSettings | None = None
    traces: Texts = []
    trace_format: str | None = None
    output_format: str | None = None
    group_by: Literal["auto", "trace", "conversation"] | None = None
    pair: Literal["auto", "position"] | None = None
    jobs: int | None = Field(default=None, ge=1)


class Test(Section):
    """One test, without its evaluators."""

    __test__ = False  # pytest would take it for one of its own

    id: str = Field(min_length=1)
    criteria: str | None = None
    expected_outcome: str | None = None
    outcome: str | None = None
    input: Any = None
    input_messages: Any = None
    expected_output: Any = None
    expected_messages: Any = None
    input_files: Texts = []
    guideline_files: Texts = []
    turns: list[Any] = []
    metadata: dict[str, Any] = {}
    vars: dict[str, Any] = {}
    threshold: Score = None
    execution: Any = None
    # for people
    conversation_id: str | None = None
    name: Any = None
    note: Any = None
    description: Any = None
    category: Any = None
    dataset: Any = None
    tags: Any = None


# what a test says about itself that neither asks nor judges
LABELS = {
    *("metadata", "vars", "conversation_id", "name", "note", "description", "category"),
    *("dataset", "tags"),
}

SUITE_KEYS = (*TESTS, *LISTS, *TEMPLATES, *Suite.model_fields)
TEST_KEYS = (*LISTS, *TEMPLATES, "rubrics", *Test.model_fields)
EXECUTION_KEYS = (*LISTS, *TEMPLATES, *Execution.model_fields)
