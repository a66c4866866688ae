"""Find the secrets among the variables of a step: by their names, and by how random they look."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise, starmap
from pathlib import Path
from urllib.parse import unquote, urlsplit

from agentevals.files.git_process import Git, GitError, describe_foreign
from agentevals.github.runner.inputs import list_defaults

SHORTEST_NAMED = 8  # characters of a value whose variable says secret
SHORTEST_RANDOM = 16

_SAYS_SECRET = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|WEBHOOK|BEARER|"
    r"(?:^|[_.-])(?:AUTH|PASS|DSN|PAT|PWD|JWT|SIGNATURE|PRIVATE|SALT))S?(?=$|[_.\d-])",
    re.IGNORECASE,
)
# these say how or where a secret is kept, or are keys that open nothing
_DESCRIBES = re.compile(
    r"[_.-](?:ENV|NAME|TYPE|FILE|PATH|DIR|MODE|PROVIDER|ALG|ALGORITHM|DOMAIN|ENABLED|LIMIT|"
    r"COUNT|RATE|USER|USERNAME|SCANNING)$|(?:^|_)MAX_TOKENS?$|"
    r"(?:CACHE|CONCURRENCY|PRIMARY|FOREIGN|PARTITION|SORT|IDEMPOTENCY|PROJECT|ISSUE|PUBLIC)_KEY$",
    re.IGNORECASE,
)
# values that people read: those of the runner and of systemd, inputs, models, public digests
_READ = re.compile(
    r"^(?:GITHUB|RUNNER|ACTIONS)_|^INVOCATION_ID$|^MEMORY_PRESSURE_WRITE$|MODEL|"
    r"(?:^|_)(?:SHA\d*|COMMIT|REVISION|REF|DIGEST|HASH)$",
    re.IGNORECASE,
)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[-+.][A-Za-z0-9]{1,12})*|\d{4}-\d\d-\d\d", re.ASCII)
_HOST = re.compile(
    r"(?:[a-z0-9-]+\.)+(?:com|net|org|edu|gov|info|app|dev|cloud|internal|local|lan|corp|svc|test|"
    r"example|[a-z]{2})(?::\d+)?|localhost(?::\d+)?|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"(?:[a-z][\w-]*[/.]){0,3}(?:gpt|o\d|claude|gemini|gemma|(?:meta-)?llama|[a-z]+stral|mixtral|qwen|"
    r"deepseek|phi|command|grok|nova|titan|kimi|glm|sonar|text-embedding|whisper)-?\d*"
    r"[.-][a-z0-9.:-]{1,40}",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"[\w./:-]+@sha256:[0-9a-f]{64}", re.ASCII)
_FINGERPRINT = re.compile(r"GPG_KEY=[0-9A-F]{40}")  # images of Python have one
_SWITCH = re.compile(
    r"disabled|enabled|required|optional|default|production|development|staging|anonymous|"
    r"internal|external|automatic",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
# a part of a connection string, or of headers
_PART = re.compile(
    r"(?:^|[;,&?\s])[\w-]*(?:password|passwd|pwd|secret|token|key)\s?=\s?([^;,&\s]+)", re.IGNORECASE
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ONE_TEXT = re.compile(r"[!-~]+")
_RUN = re.compile(r"[A-Za-z0-9]{6,}")
_PATH = re.compile(
    r"(?:/|~/|\.{1,2}/|[A-Za-z]:[\\/]).*|[\w.-]+(?:/[\w.-]+)*\."
    r"(?:json|jsonl|ya?ml|toml|ini|cfg|conf|env|txt|pem|key|crt|cer|p12|pfx|py|js|ts|sh)",
    re.DOTALL,
)
_MIXED = 12  # letters and digits that tell a random value from a name
_CHANGES = 0.25  # changes between kinds of characters, for each of them
# a leaked value in a recording is no word of the repository
_RECORDED = re.compile(
    r"(?:^|[/_.-])(?:traces?|record\w*|sessions?|transcripts?|logs?|results?|reports?|spans?)(?=[/_.-])"
    r"|\.(?:jsonl|ndjson|gz|pb|log)$",
    re.IGNORECASE,
)


def find_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of variables that are secrets, without those that people need to read."""
    inputs = {f"INPUT_{name.upper()}" for name in list_defaults()}
    named: dict[str, None] = {}
    random: dict[str, None] = {}
    for name, value in chain.from_iterable(starmap(_list_values, environ.items())):
        named |= dict.fromkeys(_list_passwords(value))
        # the token among the inputs is known to whoever reads them
        is_input = name.replace("_", "-").replace("INPUT-", "INPUT_", 1) in inputs
        if is_input or _is_readable(name, value):
            continue
        if _is_named_secret(name, value):
            named[value] = None
        elif not _READ.search(name) and looks_random(value):
            random[value] = None
    words = filter(_WORD.fullmatch, named)
    tracked = _find_tracked(words, Path(environ.get("GITHUB_WORKSPACE") or "."))
    return tuple(dict.fromkeys(each for each in (*named, *random) if each not in tracked))


def _list_values(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the variable, and the members of the object that it holds as JSON."""
    yield name, value.strip()
    if not value.strip().startswith("{"):
        return
    try:
        members = json.loads(value)
    except (ValueError, RecursionError):
        return
    for key, member in members.items():
        if isinstance(member, str):
            yield key, member.strip()


def looks_random(value: str) -> bool:
    """Return whether a text changes between kinds of characters as no name does."""
    if len(value) < SHORTEST_RANDOM or not _ONE_TEXT.fullmatch(value):
        return False
    if _UUID.fullmatch(value):
        return True
    runs = _RUN.findall(value)
    length = sum(map(len, runs))
    changes = sum(_changes(*pair) for run in runs for pair in pairwise(run))
    return length >= _MIXED and changes >= _CHANGES * length


def _changes(before: str, after: str) -> bool:
    """Return whether the kind changes; a capital letter begins a word."""
    return before.isdigit() != after.isdigit() or (before.islower() and after.isupper())


def _is_named_secret(name: str, value: str) -> bool:
    says = _SAYS_SECRET.search(name) and not _DESCRIBES.search(name)
    return bool(says) and len(value) >= SHORTEST_NAMED


def _is_readable(name: str, value: str) -> bool:
    """Return whether people need to read a value, whatever the name of its variable says."""
    if "WEBHOOK" in name.upper():  # whoever knows the address may use it
        return False
    return _is_public(value) or bool(_FINGERPRINT.fullmatch(f"{name}={value}"))


def _is_public(value: str) -> bool:
    """Return whether the value is a path, a version, a host, a model, an image or a switch."""
    if any(pattern.fullmatch(value) for pattern in (_VERSION, _HOST, _MODEL, _IMAGE, _SWITCH)):
        return True
    if _PATH.fullmatch(value):
        return not any(map(_looks_made, re.split(r"[/\\:;]", value)))
    return _is_plain_address(value)


def _is_plain_address(value: str) -> bool:
    """Return whether this is an address that holds neither user, query nor random part."""
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    if not (parts.scheme and parts.netloc) or "@" in parts.netloc or parts.query or parts.fragment:
        return False
    return not any(map(_looks_made, parts.path.split("/")))


def _looks_made(part: str) -> bool:
    """Return whether a part of a path looks random, or mixes capitals and digits as none does."""
    kinds = (str.isupper, str.islower, str.isdigit)
    mixed = all(any(map(kind, part)) for kind in kinds) and part.isalnum()
    return looks_random(part) or (mixed and len(part) >= SHORTEST_RANDOM)


def _list_passwords(value: str) -> Iterator[str]:
    """Yield passwords in an address or a connection string, as written and as they are meant."""
    try:
        password = urlsplit(value).password or ""
    except ValueError:
        password = ""
    for text in (password, unquote(password), *_PART.findall(value)):
        if len(text) >= SHORTEST_NAMED and not _is_public(text):
            yield text


def _find_tracked(words: Iterable[str], folder: Path) -> set[str]:
    """Return those words that tracked files of the repository contain; recordings do not count."""
    given = "\n".join(words).encode()
    if not given:
        return set()
    search = ("grep", "--cached", "-I", "-o", "-w", "-F", "-z", "--no-color", "-f", "-")
    try:
        output = Git(folder, describe_foreign(folder)).ask(*search, given=given)
    except GitError:  # no repository, or none of the words
        return set()
    lines = (line.partition("\0") for line in output.decode("utf-8", "replace").split("\n"))
    return {word for path, _, word in lines if not _RECORDED.search(path)}
