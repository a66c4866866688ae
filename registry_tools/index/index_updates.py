"""Updates of a published evaluator: their versions, and the rules that forbid some of them.

Each rule has a page of its own. Versions are ordered as semver orders them.
"""

from collections.abc import Iterator
from enum import IntEnum

from agentevals.evaluator.registry_index import IndexEntry
from agentevals.model.results import Severity
from registry_tools.manifests.registry_finding import Misfit, Rule
from registry_tools.manifests.registry_tombstones import Tombstones

SortKey = tuple[int, int, int, tuple[tuple[int, int, str], ...]]

_RELEASE = (2, 0, "")  # after everything that is before a release
VERSION = Rule(
    id="update-version",
    severity=Severity.ERROR,
    title="A change has a new version, and versions only rise",
    why=(
        "A user of `politeness@^1.2` gets the newest matching version, and a lock"
        " remembers it. So a published version never changes, and nobody can "
        "publish the same version again. Changes for users decide how much the "
        "number must rise: their configs, their scores, and the rights of the "
        "evaluator."
    ),
    bad="version: 1.0.0 # politeness.py changed",
    good="version: 1.1.0",
)
OWNER = Rule(
    id="update-owner",
    severity=Severity.ERROR,
    title="Changed maintainers need an approval",
    why=(
        "A popular evaluator runs on many machines. So a maintainer leaves only "
        "with a record in `evaluators/.tombstones.yaml`. A pull request can "
        "contain any record, so the record needs an approval. A maintainer of the"
        " evaluator on the base branch can approve, or a person with write "
        "permission for the repository. They approve as author of the pull "
        "request, or with a review of its newest commit. An existing record of "
        "the base branch needs no approval. The numbers decide, because somebody "
        "else can take over a login."
    ),
    bad="maintainers: # octocat was here\n  - {login: mallory, id: 666}",
    good="transferred:\n  politeness: {to: [666], reason: agreed in issue 5}",
)
REMOVED = Rule(
    id="update-removed",
    severity=Severity.ERROR,
    title="A removed evaluator has a record in `.tombstones.yaml`",
    why=(
        "Configs name the evaluator. The record gives users the reason and the "
        "replacement, and reserves the name. A new or removed record needs [an "
        "approval](update-owner.md)."
    ),
    bad="git rm -r evaluators/politeness",
    good="removed:\n  politeness: {reason: it never worked, replaced_by: kindness}",
)
GROWTH = Rule(
    id="update-growth",
    severity=Severity.WARNING,
    title="Added capabilities and maintainers are shown",
    why=(
        "Capabilities open the sandbox, maintainers can change the code, and a "
        "licence gives rights to others. Users agreed to the old state, so the "
        "reviewer must see the change."
    ),
    bad="capabilities:\n  network: [collect.example.com] # new",
    good="capabilities: {}",
)
BEHAVIOUR = Rule(
    id="update-behaviour",
    severity=Severity.WARNING,
    title="Changes for users are shown",
    why=(
        "We run the old and the new program on the old fixtures. A changed score "
        "moves the baselines of users, and a changed status can turn their builds"
        " red."
    ),
    bad="# was 1.0, is 0.5, and nobody knows",
    good="# was 1.0, is 0.5, and the version says so: 2.0.0",
)
GENERATED = Rule(
    id="update-generated",
    severity=Severity.ERROR,
    title="Only the publishing job writes the index",
    why=(
        "The publishing job compiles index.yaml, index.json, index/, e/ and "
        "head.json with its signature from the main branch. It would overwrite "
        "these files of a pull request, but until then clients would use them."
    ),
    bad="git add index.yaml",
    good="git checkout origin/main -- index.yaml",
)

UNLISTED = Rule(
    id="update-unlisted",
    severity=Severity.ERROR,
    title="A proposed entry can be in the index",
    why=(
        "If a manifest cannot be read, or a folder cannot be fetched, the entry "
        "is not in the index. An existing entry stays in its old state, so users "
        "do not get the change."
    ),
    bad="name: [politeness",
    good="name: politeness",
)

ALL = (VERSION, OWNER, REMOVED, GROWTH, BEHAVIOUR, GENERATED, UNLISTED)


class Step(IntEnum):
    """The size of a change for those who use it."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


def parse_version(version: str) -> SortKey:
    """Return the key to sort versions by; they have the shape that a manifest demands."""
    numbers, _, before = version.partition("-")
    major, minor, patch = map(int, numbers.split("."))
    parts = tuple(_parse_part(part) for part in before.split(".")) if before else (_RELEASE,)
    return major, minor, patch, parts


def _parse_part(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdigit() else (1, 0, part)


def measure_step(old: str, new: str) -> Step:
    """Return which number a newer version raises. Before 1.0.0 they all mean one less."""
    if parse_version(new) <= parse_version(old):
        return Step.NONE
    (major, minor, *_), before = parse_version(new), parse_version(old)
    if major != before[0]:
        return Step.MAJOR
    if minor != before[1]:
        return Step.MAJOR if major == 0 else Step.MINOR
    return Step.MINOR if major == 0 else Step.PATCH


def raise_version(version: str, by: Step) -> str:
    """Return the least version that a change of this size may have."""
    major, minor, patch, parts = parse_version(version)
    if parts != (_RELEASE,) and by <= Step.PATCH:
        return f"{major}.{minor}.{patch}"
    if by is Step.MAJOR:
        return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"
    if by is Step.MINOR and major:
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"


def find_misfits(old: IndexEntry, new: IndexEntry, tombstones: Tombstones) -> Iterator[Misfit]:
    """Yield why an update cannot be published, at the keys of the manifest to correct."""
    yield from _check_version(old, new)
    yield from _check_owners(old, new, tombstones)


def _check_version(old: IndexEntry, new: IndexEntry) -> Iterator[Misfit]:
    if not old.version:
        return
    said = f"{old.version} is published"
    if not new.version:
        message = f"the version is gone, and {said}"
    elif parse_version(new.version) < parse_version(old.version):
        message = f"the version {new.version} is lower than {old.version}, which is published"
    elif new.version == old.version and new.sha256 != old.sha256:
        message = f"files changed, and {said}: a published version never changes"
    else:
        return
    yield Misfit(message, ("version",), fix=suggest_version(old), rule=VERSION.id)


def suggest_version(old: IndexEntry, needed: Step = Step.PATCH) -> str:
    """Advise the least version that an update of this size may have."""
    return f'write version: "{raise_version(old.version, max(needed, Step.PATCH))}" or higher'


def _check_owners(old: IndexEntry, new: IndexEntry, tombstones: Tombstones) -> Iterator[Misfit]:
    ids = frozenset(one.id for one in new.maintainers)
    gone = [one for one in old.maintainers if one.id not in ids]
    if gone and not tombstones.allows(old.name, ids):
        names = ", ".join(f"{one.login} ({one.id})" for one in gone)
        message = f"{names} would no longer maintain it, and there is no record"
        fix = "record it under 'transferred' in evaluators/.tombstones.yaml"
        yield Misfit(message, ("maintainers",), fix=fix, rule=OWNER.id)
