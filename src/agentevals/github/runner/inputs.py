"""The action's inputs: their names, what they may be, and what they mean.

`action.yml` and the documentation are checked against the fields here. To add an input: add a
field with a description, and the same name, default and description to `action.yml`.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from agentevals.github.runner import input_texts
from agentevals.github.runner.input_texts import (
    LONGEST_SHOWN,
    TRUTH,
    AutoSwitch,
    Counted,
    Key,
    Lines,
    Listed,
    Matrix,
    Part,
    Switch,
    Truth,
    describe_choices,
    describe_errors,
)
from agentevals.github.runner.runner_secrets import collect_secrets, find_short_masks
from agentevals.judge.judge_settings import BaseURL, Provider, VariableName
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.plugins import suggestion
from agentevals.text.redaction import Redactor
from agentevals.text.terminal import plain

PLACE = "action inputs"
BASELINES = ("auto", "none", "merge-base", "artifact", "check")
# what GitHub works out before the container starts
COMPUTED = {"github-token": "${{ github.token }}", "matrix": "${{ toJSON(matrix) }}"}

_A_PATH = re.compile(r"[./]")


def _to_kebab(field: str) -> str:
    return field.replace("_", "-")


class Inputs(BaseModel):
    """All inputs that a workflow may set after `with:`."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        alias_generator=_to_kebab,
        populate_by_name=True,
    )

    command: Literal["evaluate", "publish", "registry-validate", "registry-index"] = Field(
        default="evaluate",
        description="The task: `evaluate` traces, `publish` the report of another run, "
        "`registry-validate` or `registry-index` a registry of evaluators",
    )
    config: Listed = Field(
        default=(),
        description="Eval configs: paths and globs, one per line or separated by commas; `!` "
        "before a pattern excludes its matches",
    )
    traces: Listed = Field(
        default=(), description="Trace files, folders and globs, written like `config`"
    )
    eval_set: str | None = Field(
        default=None,
        description="The eval set with the expectations (JSON, JSONL), instead of the one in a "
        "config",
    )
    baseline: str = Field(
        default="auto",
        description="The run to compare with: `auto` (the best source), `none`, `merge-base`, "
        "`artifact`, `check`, or the path of an earlier report",
    )
    fail_on: Literal["failed", "regressed", "any-flip", "error", "never"] = Field(
        default="failed",
        description="When the step fails. `failed`: a case or a limit fails. `regressed`: the run "
        "got worse by more than chance explains, or a limit is broken. `any-flip`: one case got "
        "worse, or a limit is broken. `error`: only an error. `never`: the step passes",
    )
    on_not_evaluated: Literal["fail", "warn"] | None = Field(
        default=None,
        description="Whether a missing score fails the run: `fail` or `warn`; by default the "
        "config decides",
    )
    comment: Literal["update", "recreate", "new", "hide", "off"] = Field(
        default="update",
        description="What to do with an earlier comment: `update` it, `recreate` it at the end, "
        "write a `new` one, or `hide` the old one; `off` writes no comment",
    )
    comment_key: Key | None = Field(
        default=None,
        description="A name for the comment, if several workflows write one; by default the name "
        "of the workflow",
    )
    check: AutoSwitch = Field(
        default="auto",
        description="Write a check run: `on`, `off`, or `auto` (if the token allows it)",
    )
    status: Switch = Field(
        default="off",
        description="Write a commit status, which can be a required check: `on` or `off`",
    )
    summary: Switch = Field(
        default="on", description=("Write the summary of the job: `on` or `off`")
    )
    annotations: Switch = Field(
        default="on", description=("Add annotations to the files of failed cases: `on` or `off`")
    )
    report_dir: str = Field(
        default="agentevals-report", description="The folder for report.json and the other files"
    )
    keep_traces: AutoSwitch = Field(
        default="auto",
        description="Keep recorded traces in the report folder: `on`, `off`, or `auto` (if the "
        "repository is not public). They contain conversations",
    )
    judge_model: str | None = Field(
        default=None, description="The model of the judge, instead of the one in a config"
    )
    judge_base_url: BaseURL | None = Field(
        default=None,
        description="The address of the judge's API; by default the address of the provider",
    )
    judge_provider: Provider | None = Field(
        default=None,
        description="The API of the judge: `openai` (and compatible servers) or `anthropic`",
    )
    judge_api_key_env: VariableName | None = Field(
        default=None,
        description="The name of the environment variable with the judge's key, never the key "
        "itself",
    )
    github_token: SecretStr | None = Field(
        default=None, description=("The token for GitHub's API; keep the default")
    )
    mask: Lines = Field(
        default=(),
        description="More texts to hide: one per line, or the name of a variable of the step that "
        "contains one",
    )
    dry_run: Truth = Field(
        default=False,
        description=("`true` prints every request that would change something, without sending it"),
    )
    jobs: Counted | None = Field(
        default=None, description=("The number of evaluators that run at a time")
    )
    cache: str = Field(
        default="",
        description="A folder for results of evaluators, which are then reused. Needs a secret in "
        "the variable `AGENTEVALS_RESULT_CACHE_KEY`; a pull request only reads it",
    )
    shard: Part | None = Field(
        default=None,
        description="The part of the conversations that this job evaluates, such as `1/4`; the "
        "job with `parts` combines them",
    )
    parts: Listed = Field(
        default=(),
        description="The files of jobs with `shard`, written like `config`: this job combines "
        "them, and evaluates nothing",
    )
    paths: Listed = Field(
        default=(),
        description="More files that make a change relevant, written like `config`; by default "
        "configs, their files, and traces",
    )
    upload_artifact: Literal["auto", "never"] = Field(
        default="auto",
        description="Upload the report folder as an artifact: `auto` (if the runner allows it) or "
        "`never`",
    )
    isolation: Literal["best", "basic", "partial", "strict"] | None = Field(
        default=None,
        description="The lowest isolation level of evaluators: `basic`, `partial`, `strict`, or "
        "`best` (the highest level of the machine)",
    )
    level: Literal["legacy", "complete"] = Field(
        default="legacy",
        description="The strictness of `registry-validate`: `legacy` (the six keys of "
        "agentevals-cli) or `complete` (all keys of a new entry)",
    )
    number: Counted | None = Field(
        default=None, description="The number of the pull request, for events without one"
    )
    working_directory: str = Field(
        default=".", description="The folder in the workspace from which relative paths start"
    )
    matrix: Matrix = Field(default="", description=("The job of a matrix; keep the default"))

    @field_validator("*", mode="before")
    @classmethod
    def _check_choice(cls, value: Any, info: ValidationInfo) -> Any:
        known = list_choices(info.field_name or "")
        is_switched = "on" in known and value in TRUTH  # the type reads it, which comes after
        if known and value not in known and not is_switched:
            raise ValueError(describe_choices(known, value))
        return value

    @field_validator("baseline")
    @classmethod
    def _check_baseline(cls, value: str) -> str:
        if value not in BASELINES and not _A_PATH.search(value):
            msg = f"{describe_choices(BASELINES, value)}; a path starts with ./"
            raise ValueError(msg)
        return value


def list_choices(field: str) -> tuple[str, ...]:
    """Return the words that an input may be, if there is a list of them."""
    annotation = Inputs.model_fields[field].annotation
    members = (annotation, *get_args(annotation))
    words = (word for member in members for word in get_args(member))
    return tuple(dict.fromkeys(word for word in words if isinstance(word, str)))


def list_defaults() -> dict[str, str]:
    """Return every input by its name, with its default as `action.yml` writes it."""
    return {_to_kebab(field): _format_default(field) for field in Inputs.model_fields}


def _format_default(field: str) -> str:
    value = Inputs.model_fields[field].default
    if isinstance(value, bool):
        return str(value).lower()
    return COMPUTED.get(_to_kebab(field)) or (value if isinstance(value, str) else "")


def read(environ: Mapping[str, str]) -> Inputs:
    """Return the inputs, or raise a ConfigError with all mistakes in them."""
    found = input_texts.read(environ, list_defaults(), COMPUTED)
    problems = [
        f"'{name}' and '{name.replace('-', '_')}' are both given and differ; give one of them"
        for name in found.conflicting
    ]
    problems += find_short_masks(environ)
    try:
        inputs = Inputs.model_validate(found.texts)
    except ValidationError as error:
        problems += describe_errors(error)
    if problems:
        token, variable = (found.texts.get(n, "") for n in ("github-token", "judge-api-key-env"))
        redacted = Redactor(collect_secrets(environ, token, [variable]))
        raise ConfigError(Problem(message=redacted(text), path=PLACE) for text in problems)
    return inputs


def read_valid(environ: Mapping[str, str]) -> Inputs:
    """Return the inputs without those that are wrong: enough to say so where people look.

    Nothing is written to where a wrong input may have forbidden it.
    """
    given = input_texts.read(environ, list_defaults(), COMPUTED).texts
    valid = {name: text for name, text in given.items() if _is_valid(name, text)}
    off = {name: "off" for name in given if name in _PAGES and name not in valid}
    try:
        return Inputs.model_validate(valid | off)
    except ValidationError:  # they do not go together
        return Inputs.model_validate(dict.fromkeys(_PAGES, "off"))


_PAGES = ("comment", "check", "status", "summary", "annotations")


def _is_valid(name: str, text: str) -> bool:
    try:
        return bool(Inputs.model_validate({name: text}))
    except ValidationError:
        return False


def find_warnings(environ: Mapping[str, str]) -> list[str]:
    """Return a sentence for each unknown input; the runner passes them on all the same."""
    known = list_defaults()
    unknown = input_texts.read(environ, known, COMPUTED).unknown
    return [
        f"{PLACE}: there is no input '{plain(name, LONGEST_SHOWN)}'{suggestion(name, list(known))}"
        for name in unknown
    ]
