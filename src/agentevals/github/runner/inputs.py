"""The action's inputs: their names, what they may be, and what they mean.

`action.yml` and the documentation are checked against the fields here. To add an input: add a
field with a description, and the same name, default and description to `action.yml`.
"""

import re
from collections.abc import Iterator, Mapping
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
)
from agentevals.github.runner.secrets import collect_secrets, find_short_masks
from agentevals.judge.settings import BaseURL, Provider, VariableName
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
        description=(
            "The task: `evaluate` traces, `publish` the report of another run, "
            "`registry-validate` or `registry-index` a registry of evaluators"
        ),
    )
    config: Listed = Field(
        default=(),
        description="Eval configs: paths and globs, one per line or separated by commas; "
        "`!` in front of one excludes what it matches",
    )
    traces: Listed = Field(
        default=(), description="Trace files, folders and globs, written like `config`"
    )
    eval_set: str | None = Field(
        default=None,
        description="Expected values (JSON, JSONL), instead of those that a config names",
    )
    baseline: str = Field(
        default="auto",
        description=(
            "The run to compare with: `auto` (the best there is), `none`, "
            "`merge-base`, `artifact`, `check`, or the path of an earlier report"
        ),
    )
    fail_on: Literal["failed", "regressed", "any-flip", "error", "never"] = Field(
        default="failed",
        description=(
            "When the step fails. `failed`: a case or a gate fails. `regressed`: a "
            "drop that chance does not explain, or a broken limit. `any-flip`: any "
            "case that fell. `error`: only an error. `never`: nothing in the "
            "evaluation"
        ),
    )
    on_not_evaluated: Literal["fail", "warn"] | None = Field(
        default=None,
        description=(
            "The effect of a missing score on the gate, `fail` or `warn`; by "
            "default that of the config"
        ),
    )
    comment: Literal["update", "recreate", "new", "hide", "off"] = Field(
        default="update",
        description=(
            "How to write the comment again: `update` it, `recreate` it at the end, "
            "write a `new` one, or `hide` the old one first; `off` writes none"
        ),
    )
    comment_key: Key | None = Field(
        default=None,
        description=(
            "A name that tells comments of several workflows apart; by default the "
            "name of the workflow"
        ),
    )
    check: AutoSwitch = Field(
        default="auto",
        description="Write a check run: `on`, `off`, or `auto` (where it is allowed)",
    )
    status: Switch = Field(
        default="off",
        description="Write a commit status, which can be a required check: `on` or `off`",
    )
    summary: Switch = Field(
        default="on", description=("Write the summary of the job: `on` or `off`")
    )
    annotations: Switch = Field(
        default="on", description=("Annotate the files of what failed: `on` or `off`")
    )
    report_dir: str = Field(
        default="agentevals-report", description="Folder for report.json and the other files"
    )
    keep_traces: AutoSwitch = Field(
        default="auto",
        description=(
            "Keep traces that no commit has in the report folder: `on`, `off`, or "
            "`auto` (where the repository is not public). They hold conversations"
        ),
    )
    judge_model: str | None = Field(
        default=None, description="The model that judges, instead of the one in a config"
    )
    judge_base_url: BaseURL | None = Field(
        default=None,
        description="The address of the judge's API; by default that of the provider",
    )
    judge_provider: Provider | None = Field(
        default=None,
        description="The API of the judge: `openai` (and everything compatible) or `anthropic`",
    )
    judge_api_key_env: VariableName | None = Field(
        default=None,
        description="Name of the environment variable that holds the judge's key, "
        "never the key itself",
    )
    github_token: SecretStr | None = Field(
        default=None, description=("The token for GitHub's API; the default is right")
    )
    mask: Lines = Field(
        default=(),
        description=(
            "Texts to hide, beside the secrets that are found: one per line, or the "
            "name of a variable of the step that holds one"
        ),
    )
    dry_run: Truth = Field(
        default=False,
        description="`true` prints every request that would change something, and sends none",
    )
    jobs: Counted | None = Field(default=None, description=("How many evaluators run at a time"))
    cache: str = Field(
        default="",
        description="A folder for what evaluators answer, which are not run again for the same: "
        "needs a secret in the variable `AGENTEVALS_RESULT_CACHE_KEY`; a pull request only reads",
    )
    shard: Part | None = Field(
        default=None,
        description="The part of the conversations that this job evaluates, such as `1/4`, and "
        "keeps for the job that has `parts`",
    )
    parts: Listed = Field(
        default=(),
        description="What jobs with `shard` have kept, written like `config`: it is put together, "
        "and nothing is evaluated again",
    )
    paths: Listed = Field(
        default=(),
        description="Further files that make a change relevant, written like `config`; by default "
        "configs, what they name, and traces",
    )
    upload_artifact: Literal["auto", "never"] = Field(
        default="auto",
        description=(
            "Keep the report folder as an artifact: `auto` (where it is allowed) or `never`"
        ),
    )
    isolation: Literal["best", "basic", "partial", "strict"] | None = Field(
        default=None,
        description="The least isolation of evaluators: `basic`, `partial`, `strict`, "
        "or `best` (as far as the machine can)",
    )
    level: Literal["legacy", "complete"] = Field(
        default="legacy",
        description=(
            "The strictness of `registry-validate`: only the six keys of "
            "agentevals-cli (`legacy`), or everything that a new entry should have "
            "(`complete`)"
        ),
    )
    number: Counted | None = Field(
        default=None, description="The pull request, for events that know none"
    )
    working_directory: str = Field(
        default=".", description="Folder in the workspace that relative paths start from"
    )
    matrix: Matrix = Field(default="", description=("The job of a matrix; the default is right"))

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
        problems += _describe_errors(error)
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
        Inputs.model_validate({name: text})
    except ValidationError:
        return False
    return True


def find_warnings(environ: Mapping[str, str]) -> list[str]:
    """Return a sentence for each unknown input; the runner passes them on all the same."""
    known = list_defaults()
    unknown = input_texts.read(environ, known, COMPUTED).unknown
    return [
        f"{PLACE}: there is no input '{plain(name, LONGEST_SHOWN)}'{suggestion(name, list(known))}"
        for name in unknown
    ]


def _describe_errors(error: ValidationError) -> Iterator[str]:
    for details in error.errors(include_url=False, include_input=False):
        message = details["msg"].removeprefix("Value error, ")
        yield f"'{details['loc'][0]}': {message}"
