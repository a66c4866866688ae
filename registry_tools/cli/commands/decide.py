"""`agentevals registry yank`, `remove`, `restore`, `transfer`, `rename`: decisions, recorded."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from agentevals.evaluator.evaluator_manifest import FILE as MANIFEST
from agentevals.files import atomic_files
from agentevals.files.document_places import quote
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from registry_tools.cli import Root, print_line
from registry_tools.cli.decision_writing import Desk, find_decision, list_versions
from registry_tools.manifests import changed_entries
from registry_tools.manifests.registry_folder import FOLDER
from registry_tools.manifests.registry_tombstones import FILE, REMOVED, YANKED

Name = Annotated[str, typer.Argument(help="The name of an evaluator")]
Reason = Annotated[str, typer.Option(help="The reason, for users of the evaluator")]
_COMMIT = f"commit {FILE} with a pull request"


def yank(
    name: Name,
    version: Annotated[str, typer.Argument(help="The version to withdraw")],
    reason: Reason,
    root: Root = Path(),
) -> None:
    """Withdraw a published version: it is never selected again, and its number stays reserved.

    Examples:

      agentevals registry yank politeness 1.0.0 --reason "it crashed on empty answers"

    Exit codes: 0 recorded; 2 there is no such version, or it is already withdrawn.
    """
    desk = Desk(root)
    known = list(list_versions(desk.get_entry(name)))
    if not known:
        msg = f"{quote(name)} has no version that could be withdrawn; remove it, or give it one"
        raise InputError(msg)
    if version not in known:
        msg = f"{quote(name)} never had a version {quote(version)}{suggestion(version, known)}"
        raise InputError(msg)
    if said := desk.decisions.yanked.get(name, {}).get(version):
        msg = f"{name} {version} is withdrawn already: {said}"
        raise InputError(msg)
    desk.record((YANKED, name, version), reason)
    print_line(f"{name} {version} is withdrawn; {_COMMIT}")


def remove(
    name: Name,
    reason: Reason,
    replaced_by: Annotated[str, typer.Option(help="The evaluator to use instead")] = "",
    root: Root = Path(),
) -> None:
    """Remove an evaluator from the index; its name stays reserved.

    The command deletes the folder if git has all its files; otherwise delete it yourself.

    Examples:

      agentevals registry remove rude --reason "it never worked" --replaced-by politeness

    Exit codes: 0 recorded; 2 there is no such evaluator, or it is already removed.
    """
    desk = Desk(root)
    desk.refuse_unknown(name)
    _refuse_removed(desk, name)
    if replaced_by:
        _check_replacement(desk, name, replaced_by)
    desk.record((REMOVED, name), _describe_removal(reason, replaced_by))
    gone = _delete_folder(desk, name)
    also = f"{FOLDER}/{name} is deleted" if gone else f"delete {FOLDER}/{name} yourself"
    print_line(f"{name} is removed, {also}; {_COMMIT}")


def restore(
    name: Name,
    version: Annotated[
        str, typer.Argument(help="The withdrawn version; without it, restore a removed evaluator")
    ] = "",
    root: Root = Path(),
) -> None:
    """Undo a withdrawal or a removal.

    Examples:

      agentevals registry restore politeness 1.0.0

      agentevals registry restore rude

    Exit codes: 0 undone; 2 there is no such record.
    """
    desk = Desk(root)
    desk.take_back(find_decision(desk, name, version))
    if version or name in desk.here.by_name:
        print_line(f"{f'{name} {version}'.strip()} is restored; {_COMMIT}")
    else:
        print_line(f"{name} is restored; bring {FOLDER}/{name} back from git, and {_COMMIT}")


def transfer(
    name: Name,
    to: Annotated[list[int], typer.Option(help="The numeric GitHub ID of a new maintainer")],
    reason: Reason,
    root: Root = Path(),
) -> None:
    """Change the maintainers of an evaluator.

    Examples:

      agentevals registry transfer politeness --to 583231 --reason "its author asked for it"

    Exit codes: 0 recorded; 2 there is no such evaluator, or they already maintain it.
    """
    desk = Desk(root)
    ids = list(dict.fromkeys(to))
    if {one.id for one in desk.get_entry(name).maintainers} == set(ids):
        msg = f"{quote(name)} is maintained by them already"
        raise InputError(msg)
    desk.record(("transferred", name), {"to": ids, "reason": reason})
    print_line(f"{name} is handed over; name them in its {MANIFEST}, too, and {_COMMIT}")


def rename(
    old: Annotated[str, typer.Argument(help="The old name")],
    new: Annotated[str, typer.Argument(help="The new name")],
    reason: Reason = "renamed",
    root: Root = Path(),
) -> None:
    """Rename an evaluator: move its folder, and redirect the old name.

    If you already moved the folder, the command writes only the record.

    Examples:

      agentevals registry rename politness politeness

    Exit codes: 0 recorded; 2 the old name is unknown, or the new name is in use.
    """
    desk = Desk(root)
    desk.refuse_unknown(old)
    _refuse_removed(desk, old)
    folders = desk.here.by_name
    if old in folders:
        _refuse_taken(desk, old, new)
    else:
        _check_replacement(desk, old, new)
    desk.record((REMOVED, old), _describe_removal(reason, new))
    if old in folders:
        _move(desk, old, new)
    print_line(f"{old} is {new} from now on; {_COMMIT}, with the folder")


def _describe_removal(reason: str, replaced_by: str) -> dict[str, str]:
    return {"reason": reason, **({"replaced_by": replaced_by} if replaced_by else {})}


def _refuse_removed(desk: Desk, name: str) -> None:
    if said := desk.decisions.removed.get(name):
        msg = f"{quote(name)} was removed already: {said.reason}"
        raise InputError(msg)


def _check_replacement(desk: Desk, name: str, other: str) -> None:
    """Refuse a replacement that is the evaluator itself, or that is not there."""
    if other == name:
        msg = f"{quote(name)} cannot replace itself"
        raise InputError(msg)
    if other not in desk.here.by_name:
        names = [one for one in desk.here.by_name if one != name]
        msg = f"there is no evaluator {quote(other)} here{suggestion(other, names)}"
        raise InputError(msg)


def _refuse_taken(desk: Desk, old: str, new: str) -> None:
    holders = [name for name, _ in desk.here.find_holders(new) if name != old]
    if new == old or holders or new in desk.decisions.removed or desk.was_there(new):
        msg = f"{quote(new)} is taken, or was; choose another name"
        raise InputError(msg)


def _delete_folder(desk: Desk, name: str) -> bool:
    """Delete a folder if git has everything in it; nothing else could bring it back."""
    entry = desk.here.by_name.get(name)
    if entry is None:
        return True
    try:
        narrowed = changed_entries.list_changed_paths(desk.here.root, "HEAD")
    except InputError:  # no repository
        return False
    if any(path.startswith(f"{FOLDER}/{name}/") for path in narrowed):
        return False
    shutil.rmtree(entry.home)
    return True


def _move(desk: Desk, old: str, new: str) -> None:
    entry = desk.here.by_name[old]
    at = entry.document.locate(("name",))
    text = entry.document.text
    if entry.get_text("name") == old:
        text = f"{text[: at.start]}{new}{text[at.end :]}"
    home = entry.home.with_name(new)
    entry.home.rename(home)
    atomic_files.write(home / MANIFEST, text.encode(), mode=0o644)
