"""The entries that a change is about, from the point where it left the other branch."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from agentevals.files.git import Git
from agentevals.files.places import quote
from agentevals.model.errors import InputError
from registry_tools.manifests.registry import FOLDER, Registry

# a change of what checks, or of how it is called, is about every entry
_TOOLS = ("registry_tools/", "src/", ".github/", "scripts/")
_TOOL_FILES = {"action.yml", "pyproject.toml", "requirements.lock", "requirements-runtime.lock"}


def list_changed_paths(root: Path, ref: str) -> frozenset[str]:
    """Return what differs from the point where this branch left the other, relative to the root."""
    return frozenset(_ask_git(root, ref))


def find_affected(registry: Registry, paths: Collection[str]) -> frozenset[str] | None:
    """Return the names of the entries that these paths are about; None for all of them."""
    if any(path.startswith(_TOOLS) or path in _TOOL_FILES for path in paths):
        return None
    parts = (path.split("/") for path in paths)
    names = {part[1] for part in parts if part[0] == FOLDER and len(part) > 1}
    return frozenset(names | set(_find_mentions(registry, names)))


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
    found = git.answer(
        "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-only", "-z",
        "--ignore-submodules", since,
    )  # fmt: skip
    prefix = (git.answer("rev-parse", "--show-prefix") or b"").rstrip(b"\n")
    new = git.answer("ls-files", "--others", "--exclude-standard", "-z")
    if found is None or new is None:
        msg = f"git cannot compare with {quote(ref)}; look at git diff {since[:12]}"
        raise InputError(msg)
    for name in filter(None, found.split(b"\0")):
        # a tool of the repository lies above a registry that is one of its folders
        yield os.fsdecode(name.removeprefix(prefix) if name.startswith(prefix) else name)
    yield from (os.fsdecode(name) for name in new.split(b"\0") if name)


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
