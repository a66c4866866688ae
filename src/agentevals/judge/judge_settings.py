"""Settings of a judge: its address, its budget, and the cache of its answers."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

SAMPLES = 5

Provider = Literal["openai", "anthropic"]
USUAL_KEYS: dict[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}

_RETIRED_HOSTS = frozenset({"models.github.ai", "models.inference.ai.azure.com"})
_RETIRED = (
    "the GitHub Models endpoint was retired on 2026-07-30; "
    "use any OpenAI-compatible 'base_url', or a model of OpenAI or Anthropic"
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPENAI_MODEL = re.compile(r"(gpt-|chatgpt-|ft:gpt-|o\d)")
_PATHS = ("/chat/completions", "/messages")


def check_base_url(given: str) -> str:
    """Checked at load, so that no trace is read before a mistake here is said."""
    place = urlsplit(given)
    if place.hostname in _RETIRED_HOSTS:
        raise ValueError(_RETIRED)
    if place.scheme not in {"http", "https"} or not place.hostname:
        msg = "not a web address; give one that begins with https:// or http:// and a host"
        raise ValueError(msg)
    if place.username or place.password or place.query or place.fragment:
        msg = "holds more than host and path; give keys by the name of an environment variable"
        raise ValueError(msg)
    trimmed = given.rstrip("/")
    return next((trimmed.removesuffix(p) for p in _PATHS if trimmed.endswith(p)), trimmed)


def _check_variable_name(given: str) -> str:
    if not _VARIABLE.fullmatch(given):
        msg = "not the name of an environment variable; never write the key itself into a file"
        raise ValueError(msg)
    return given


def _refuse_retired(given: Any) -> Any:
    if isinstance(given, str) and re.fullmatch(r"(?i)github[-_ ]?(models)?", given):
        raise ValueError(_RETIRED)
    return given


GivenProvider = Annotated[Provider | None, BeforeValidator(_refuse_retired)]
BaseURL = Annotated[str, AfterValidator(check_base_url)]
VariableName = Annotated[str, AfterValidator(_check_variable_name)]


class _Section(BaseModel):
    # what somebody took for the name of a variable may be a key: no error repeats it
    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )


class JudgeBudget(_Section):
    """Limits on the cost of judging in one run; cached answers are not counted."""

    max_calls: int | None = Field(default=None, ge=0, description="Calls to the model")
    max_tokens: int | None = Field(default=None, ge=0, description="Tokens, in and out together")
    max_cost: float | None = Field(default=None, ge=0, description="Money, by 'prices'")


class Prices(_Section):
    """Prices of a million tokens, in any currency."""

    input: float = Field(ge=0, description="A million tokens of questions")
    output: float = Field(ge=0, description="A million tokens of answers")


class JudgeTarget(_Section):
    """A judge with a name of its own. What it leaves open is as in the 'judge:' block."""

    model: str | None = Field(default=None, min_length=1, description="The model that is asked")
    base_url: BaseURL | None = Field(default=None, description="Where the API is")
    api_key_env: VariableName | None = Field(
        default=None, description="Environment variable that holds the key for it"
    )
    provider: GivenProvider = Field(
        default=None, description="Which API is spoken; without 'base_url' at its own address"
    )
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="How varied answers are"
    )


class JudgeSettings(_Section):
    """The language model that grades what no formula can."""

    provider: GivenProvider = Field(
        default=None,
        description="Which API is spoken: `openai` (and everything compatible) or `anthropic`; "
        "taken from 'base_url' or 'model' where those make it clear",
    )
    model: str | None = Field(default=None, min_length=1, description="The model that is asked")
    base_url: BaseURL | None = Field(
        default=None, description="Where the API is; by default the provider's own address"
    )
    api_key_env: VariableName | None = Field(
        default=None,
        description="Environment variable that holds the key; by default OPENAI_API_KEY or "
        "ANTHROPIC_API_KEY, and only at the provider's own address",
    )
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="How varied answers are; by default the model's own"
    )
    max_tokens: int = Field(default=4096, ge=16, description="Tokens one answer may have")
    timeout: float = Field(default=60, gt=0, le=3600, description="Seconds one answer may take")
    retries: int = Field(
        default=4, ge=0, le=20, description="Further tries when the API is busy or unreachable"
    )
    samples: int = Field(
        default=SAMPLES, ge=1, le=50, description="Answers per question where a majority decides"
    )
    budget: JudgeBudget = Field(
        default_factory=JudgeBudget, description="What judging may cost in one run"
    )
    prices: Prices | None = Field(default=None, description="What a million tokens cost")
    targets: dict[str, JudgeTarget] = Field(
        default={}, description="Further judges by name, for evaluators that say `target: name`"
    )
    cache: bool = Field(default=True, description="Whether answers are kept on disk")
    cache_directory: Path | None = Field(
        default=None, description="Where; by default agentevals/judge in the user's cache folder"
    )

    @model_validator(mode="after")
    def _check_settings(self) -> "JudgeSettings":
        if self.budget.max_cost is not None and self.prices is None:
            msg = "'budget.max_cost' needs 'prices' (input and output, per million tokens)"
            raise ValueError(msg)
        judges = {f"target {name!r}: ": self.select_target(name) for name in self.targets}
        for where, settings in {"": self, **judges}.items():
            if settings.model is not None and settings.speaks is None:
                msg = f"{where}cannot tell who serves {settings.model!r}; give 'provider' or "
                raise ValueError(msg + "'base_url'")
        return self

    @property
    def speaks(self) -> Provider | None:
        """The provider that was given or that follows from the rest, None when neither is so."""
        if self.provider is not None:
            return self.provider
        if self.base_url is not None:
            host = urlsplit(self.base_url).hostname or ""
            return "anthropic" if f".{host}".endswith(".anthropic.com") else "openai"
        if self._model_prefix is not None:
            return self._model_prefix
        if self.model is not None and self.model.startswith("claude"):
            return "anthropic"
        return "openai" if _OPENAI_MODEL.match(self.model or "") else None

    def describe_unserved(self) -> str:
        """Return what to do about a model of which nobody knows where to ask it."""
        return (
            f"cannot tell who serves {self.model!r}; give --judge-provider or --judge-base-url, or "
            "add 'provider' or 'base_url' to the 'judge:' block of an eval_config.yaml"
        )

    @property
    def _model_prefix(self) -> Provider | None:
        """The provider before the name of the model, as LiteLLM and ADK write it."""
        if self.provider is not None or self.base_url is not None:
            return None  # there it is a part of the name, as OpenRouter has it
        return next((each for each in get_args(Provider) if self._begins_with(each)), None)

    def _begins_with(self, provider: str) -> bool:
        return self.model is not None and self.model.startswith(f"{provider}/")

    @property
    def served_model(self) -> str | None:
        """The name by which the provider knows the model."""
        prefix = self._model_prefix
        return self.model.removeprefix(f"{prefix}/") if self.model and prefix else self.model

    @property
    def key_variable(self) -> str:
        """The environment variable without which this judge does not answer; may be none."""
        usual = USUAL_KEYS.get(self.speaks or "", "") if self.base_url is None else ""
        return self.api_key_env or usual

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables that hold keys for this judge and those with names."""
        judges = (self, *map(self.select_target, self.targets))
        return tuple(dict.fromkeys(name for one in judges if (name := one.key_variable)))

    def select_target(self, target: str) -> "JudgeSettings":
        """The judge of that name, or a KeyError."""
        wanted = self.targets[target]
        elsewhere = wanted.provider not in {None, self.speaks} and wanted.base_url is None
        start = self.model_copy(update={"base_url": None, "api_key_env": None})
        changed = (start if elsewhere else self).change(
            model=wanted.model, base_url=wanted.base_url, api_key_env=wanted.api_key_env
        )
        provider = {"provider": wanted.provider or changed.provider}
        return changed.set_temperature(wanted.temperature).model_copy(update=provider)

    def set_temperature(self, given: float | None) -> "JudgeSettings":
        """These settings, with this temperature if one is given."""
        return self if given is None else self.model_copy(update={"temperature": given})

    def change(
        self,
        *,
        model: str | None = None,
        base_url: str | None = None,
        api_key_env: str | None = None,
    ) -> "JudgeSettings":
        """These settings with some replaced. A key never moves along to another address."""
        changes: dict[str, Any] = {"model": model or self.model}
        if base_url is not None and base_url != self.base_url:
            changes |= {"base_url": base_url, "provider": None, "api_key_env": None}
        changed = self.model_copy(update=changes)
        if changed.speaks != self.speaks and self.speaks is not None:
            changed = changed.model_copy(update={"api_key_env": None})
        if api_key_env is not None:
            changed = changed.model_copy(update={"api_key_env": api_key_env})
        return changed
