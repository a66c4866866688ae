"""The entries that a change is about, from the point where it left the other branch.

git is not asked which files of the working tree changed: it would start the filters that a config
of the checkout names. Their ids are computed here.
"""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from agentevals.files.document_places import quote
from agentevals.files.git_process import Git, compute_id
from agentevals.model.errors import InputError
from registry_tools.manifests import registry_tombstones
from registry_tools.manifests.registry_folder import FOLDER, Registry
from registry_tools.manifests.registry_tombstones import FILE as DECISIONS

# a change of what checks, or of how it is called, is about every entry
_TOOLS = ("registry_tools/", "src/", ".github/", "scripts/")
_TOOL_FILES = {"action.yml", "pyproject.toml", "requirements.lock", "requirements-runtime.lock"}
_LINK, _SUBMODULE = "120000", "160000"
_WITHOUT_LINKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def list_changed_paths(root: Path, ref: str) -> frozenset[str]:
    """Return what differs from the point where this branch left the other, relative to the root."""
    return frozenset(_ask_git(root, ref))


def narrow(registry: Registry, ref: str) -> Registry:
    """Return the registry with what differs from the point where this branch left the other."""
    paths = list_changed_paths(registry.root, ref)
    return replace(
        registry,
        changed=paths,
        touched=_find_touched(registry, paths),
        changed_tools=any(path.startswith(_TOOLS) or path in _TOOL_FILES for path in paths),
    )


def _find_touched(registry: Registry, paths: Collection[str]) -> frozenset[str]:
    """Return the names of the entries that these paths are about."""
    parts = (path.split("/") for path in paths)
    names = {part[1] for part in parts if part[0] == FOLDER and len(part) > 1}
    buried = (
        registry_tombstones.read_folder(registry).decisions.removed if DECISIONS in paths else ()
    )
    return frozenset({*names, *buried, *_find_mentions(registry, names)})


def _find_mentions(registry: Registry, names: set[str]) -> Iterator[str]:
    """Entries that say something about another that has changed, or that is gone."""
    for entry in registry.entries:
        if entry.manifest and {entry.manifest.replaced_by, *entry.manifest.aliases} & names:
            yield entry.name


def _ask_git(root: Path, ref: str) -> Iterator[str]:
    """Relative to the root, both names of what was renamed, and what git does not know yet."""
    git = Git(root)
    base = git.answer("merge-base", "--end-of-options", ref, "HEAD")
    if base is None:
        raise InputError(_explain(root, ref))
    since = base.decode("ascii", "replace").strip()
    prefix = os.fsdecode(git.ask("rev-parse", "--show-prefix")).removesuffix("\n")
    for name in list_differing(root, since):
        # a tool of the repository lies above a registry that is one of its folders
        yield name.removeprefix(prefix)
    new = git.ask("ls-files", "--others", "--exclude-standard", "-z")
    yield from (os.fsdecode(name) for name in new.split(b"\0") if name)


def list_differing(root: Path, commit: str, *below: str) -> list[str]:
    """List the files that git knows and that differ from a commit, by their names in it.

    Files that the index does not have are missing. The commit of a submodule is ignored.
    """
    top = Path(os.fsdecode(Git(root).ask("rev-parse", "--show-toplevel")).removesuffix("\n"))
    listed = Git(top).ask("ls-tree", "-r", "-z", "--full-tree", commit, "--", *below)
    before = {
        name: (mode, "" if mode == _SUBMODULE else oid) for (mode, _, oid), name in _parse(listed)
    }
    listed = Git(top).ask("ls-files", "-t", "-s", "-z", "--", *below)
    after = {
        name: _hash_file(top / name, mode, oid, skipped=tag == "S")
        for (tag, mode, oid, _), name in _parse(listed)
    }
    return [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def _parse(listed: bytes) -> Iterator[tuple[list[str], str]]:
    """Yield the words before each name, and the name."""
    for line in filter(None, listed.split(b"\0")):
        words, _, name = line.partition(b"\t")
        yield words.decode("ascii").split(), os.fsdecode(name)


def _hash_file(path: Path, mode: str, known: str, *, skipped: bool) -> tuple[str, str] | None:
    """Return the mode and the id of a file; None where it is missing, or of another kind.

    A sparse checkout skips files: they are as the index has them.
    """
    if mode == _SUBMODULE:
        return mode, ""
    try:
        status = path.lstat()
        if mode == _LINK:
            target = os.fsencode(path.readlink())
            return mode, compute_id(BytesIO(target), len(target), known)
        if not stat.S_ISREG(status.st_mode):
            return None
        with os.fdopen(os.open(path, _WITHOUT_LINKS), "rb") as file:
            return mode, compute_id(file, status.st_size, known)
    except OSError:
        return (mode, known) if skipped else None


def _explain(root: Path, ref: str) -> str:
    git = Git(root)
    if git.answer("rev-parse", "--git-dir") is None:
        return f"{root}: --changed-since needs a git repository"
    if (
        git.answer("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        is None
    ):
        return f"git knows no {quote(ref)} here; fetch it, or name another branch or commit"
    shallow = git.answer("rev-parse", "--is-shallow-repository")
    if shallow and shallow.strip() == b"true":
        return f"the history is cut off before {quote(ref)}; check out with fetch-depth: 0"
    return f"{quote(ref)} and HEAD have nothing in common; name a branch that they left"
