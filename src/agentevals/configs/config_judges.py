"""The judges that a plan asks: who asks them, on which hosts, and with which keys."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agentevals.configs.plan import Plan
from agentevals.files import documents
from agentevals.files.document_places import Key, quote
from agentevals.files.documents import Document
from agentevals.graders.grader import Grader
from agentevals.judge import NO_JUDGE, JudgeSettings
from agentevals.judge.judge_apis import APIS
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.results import Finding, Severity

# the settings of an evaluator by those of a judge
SETTINGS = {"model": "judge_model", "base_url": "judge_base_url", "api_key_env": "credential_ref"}
_ADDRESSES = ("base_url", SETTINGS["base_url"])
_VARIABLES = "OPENAI_BASE_URL or ANTHROPIC_BASE_URL"
_TARGETS = "targets.yaml"  # where AgentV keeps its judges

Where = tuple[Key, ...]


@dataclass(frozen=True)
class Asked:
    """A judge, and who asks it. `origin` is its scheme and host, `variable` is that of its key."""

    who: str
    settings: JudgeSettings
    origin: str

    @property
    def variable(self) -> str:
        return self.settings.key_variable

    @property
    def at_home(self) -> bool:
        """True at the address of its provider, which no config has named."""
        return self.settings.base_url is None or self.origin == _find_home(self.settings)

    @property
    def is_plain(self) -> bool:
        """True at an address of a config that is neither encrypted nor on this machine."""
        place = urlsplit(self.settings.base_url or "https:")
        return place.scheme != "https" and not _is_loopback(place.hostname or "")


def find_missing(plan: Plan, path: Path) -> Iterator[Finding]:
    """Yield a warning where evaluators ask a judge that the config does not say enough of."""
    yield from _find_unserved(plan, path)
    none = JudgeSettings()
    asking = [g.name for g in plan.all_graders if g.judged and _find_own(g, none) in (None, none)]
    if asking and plan.judge is None:
        more = f" and {len(asking) - 1} more" if len(asking) > 1 else ""
        message = f"evaluator {quote(asking[0])}{more}: {NO_JUDGE}"
        yield Finding(severity=Severity.WARNING, rule="no-judge", message=message, path=str(path))


def _find_unserved(plan: Plan, path: Path) -> Iterator[Finding]:
    run = plan.judge or JudgeSettings()
    for grader in plan.all_graders:
        own = _find_own(grader, run) if grader.judged else None
        if own is not None and own.model and own.speaks is None:
            message = f"evaluator {quote(grader.name)}: {own.describe_unserved()}"
            yield Finding(
                severity=Severity.WARNING, rule="no-judge", message=message, path=str(path)
            )


def list_judges(plan: Plan, environ: Mapping[str, str]) -> Iterator[Asked]:
    """Yield each judge once, with the first who asks it."""
    run = plan.judge or JudgeSettings()
    listed = {"the judge": run} if plan.judge else {}
    listed |= {f"judge {name!r}": run.select_target(name) for name in run.targets}
    for grader in plan.all_graders:
        settings = _find_own(grader, run)
        if settings:
            listed[f"evaluator {grader.name!r}"] = settings
    first = {settings.model_dump_json(): who for who, settings in reversed(listed.items())}
    for who, settings in listed.items():
        if settings.speaks and who in first.values():
            place = APIS[settings.speaks].place
            address = settings.base_url or environ.get(place, "").strip() or _find_home(settings)
            yield Asked(who, settings, _find_origin(address))


def find_place(plan: Plan, config: Path, keys: Iterable[str], value: str) -> tuple[Document, Where]:
    """Return the document and the place of a judge's setting, or else the begin of the config."""
    wanted = {key.replace("_", "") for key in keys}
    targets = [path for path in plan.sources if path.name == _TARGETS]
    for path in (config, *targets):
        document = documents.read(path)
        for where, text in _walk(document.value):
            # a target spells its keys in other ways: `api_key: ${{ NAME }}`
            named = path in targets or str(where[-1]).replace("_", "").lower() in wanted
            if named and value in text:
                return document, where
    return documents.read(config), ()


def check_encryption(plan: Plan, config: Path | None, environ: Mapping[str, str]) -> None:
    """Refuse a config that would send a key over plain http to another machine."""
    asked = (one for one in list_judges(plan, environ) if one.is_plain and one.variable)
    problems = [refuse_plain(plan, config, one, _VARIABLES) for one in asked if config]
    if problems:
        raise ConfigError(problems)


def refuse_plain(plan: Plan, config: Path, asked: Asked, remedy: str) -> Problem:
    """Refuse to ask a judge over plain http at an address of a config."""
    sent = f"the key in {asked.variable}" if asked.variable else "what the agent said"
    message = (
        f"{asked.who}: {sent} would go to {asked.origin} without encryption. "
        f"Write https://, or give the address in {remedy}"
    )
    document, where = find_place(plan, config, _ADDRESSES, asked.origin)
    return document.problem(message, where)


def _find_own(grader: Grader, run: JudgeSettings) -> JudgeSettings | None:
    """Return the judge that an evaluator asks, if it says so itself."""
    if getattr(grader, "backend", "") == "api":
        return JudgeSettings(provider="openai")
    criterion = getattr(getattr(grader, "grader", None), "model", None)
    if criterion:
        return run.change(model=criterion)
    target = getattr(grader, "target", None)
    if not hasattr(grader, SETTINGS["api_key_env"]) or (target and target not in run.targets):
        return None
    own = {key: getattr(grader, name) for key, name in SETTINGS.items()}
    return (run.select_target(target) if target else run).change(**own)


def _walk(value: Any) -> Iterator[tuple[Where, str]]:
    """Yield the texts of a document, from top to bottom."""
    left: list[tuple[Where, Any]] = [((), value)]
    while left:
        where, item = left.pop()
        if isinstance(item, str) and where:
            yield where, item
        inner: Iterable[tuple[Key, Any]] = ()
        if isinstance(item, dict):
            inner = item.items()
        elif isinstance(item, list):
            inner = enumerate(item)
        left += reversed([((*where, key), one) for key, one in inner])


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _find_origin(url: str) -> str:
    place = urlsplit(url)
    return f"{place.scheme}://{place.netloc.rpartition('@')[2]}"


def _find_home(settings: JudgeSettings) -> str:
    return _find_origin(APIS[settings.speaks].home) if settings.speaks else ""
