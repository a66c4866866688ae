"""Updates of a published evaluator: the ones that are forbidden, and why."""

from collections.abc import Iterator

from agentevals.evaluator.index import IndexEntry
from registry_tools.index.tombstones import Tombstones
from registry_tools.manifests.finding import Misfit
from registry_tools.manifests.validators.versions import Step, parse_version, raise_version


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
        message = f"files changed, and {said}: what is published does not change any more"
    else:
        return
    yield Misfit(message, ("version",), fix=_suggest_version(old), rule="update-version")


def _suggest_version(old: IndexEntry) -> str:
    return f'write version: "{raise_version(old.version, Step.PATCH)}" or higher'


def _check_owners(old: IndexEntry, new: IndexEntry, tombstones: Tombstones) -> Iterator[Misfit]:
    ids = frozenset(one.id for one in new.maintainers)
    gone = [one for one in old.maintainers if one.id not in ids]
    if gone and not tombstones.allows(old.name, ids):
        names = ", ".join(f"{one.login} ({one.id})" for one in gone)
        message = f"{names} would not maintain it any more, and no tombstone says why"
        fix = "record it under 'transferred' in evaluators/.tombstones.yaml"
        yield Misfit(message, ("maintainers",), fix=fix, rule="update-owner")
