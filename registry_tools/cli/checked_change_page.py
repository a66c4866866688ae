"""The page of a checked change, for the summary of a job and the comment on a pull request."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from agentevals.model.outcome import Place
from agentevals.model.results import Severity
from agentevals.model.review import Scene
from agentevals.report.pages import page_links
from agentevals.text import markdown
from agentevals.text.wording import plural
from registry_tools.cli.formats import summarise
from registry_tools.index import index_updates
from registry_tools.manifests.registry_finding import Finding, Outcome, Update

MOST = 500  # rows; what is more nobody reads here
_SIGNS = {Severity.ERROR: "❌ error", Severity.WARNING: "⚠️ warning", Severity.NOTE: "note"}
_MOST_UPDATES = 50
_RUN = "run "  # what advice begins with where all the rest is a command
_NOWHERE = Scene()
_OF_USERS = (index_updates.BEHAVIOUR.id, index_updates.GROWTH.id)


@dataclass(frozen=True)
class Page:
    """An outcome as Markdown. With a scene, places are links; `base` is the branch to merge into.

    The worst thing is in the first line.
    """

    outcome: Outcome
    scene: Scene = _NOWHERE
    base: str = ""
    most: int = MOST

    def render(self) -> Iterator[str]:
        outcome = self.outcome
        verdict = "can be accepted" if outcome.ok else "has to be changed"
        yield f"### {'✅' if outcome.ok else '❌'} Registry: {verdict}\n\n{summarise(outcome)}\n"
        yield from self._list_findings()
        yield from self._list_updates()
        if self.base:
            yield "\n#### What happens next\n\n"
            yield from (f"{sentence}\n" for sentence in self._advise())

    def _list_findings(self) -> Iterator[str]:
        mine = [one for one in self.outcome.findings if one.rule not in _OF_USERS]
        for name, findings in groupby(islice(mine, self.most), key=lambda finding: finding.entry):
            yield f"\n#### {markdown.text(name) or 'The registry'}\n\n"
            yield "| Where | What | Rule |\n|---|---|---|\n"
            yield from map(self._write_row, findings)
        if len(mine) > self.most:
            yield f"\n{plural(len(mine) - self.most, 'more finding')} are in the log.\n"

    def _write_row(self, finding: Finding) -> str:
        fix = f" → {_write_fix(finding.fix)}" if finding.fix else ""
        said = f"{_SIGNS[finding.severity]}: {markdown.text(finding.message)}{fix}"
        where = page_links.to_file(Place(finding.path, finding.line), self.scene)
        return f"| {where or markdown.code(finding.place)} | {said} | `{finding.rule}` |\n"

    def _list_updates(self) -> Iterator[str]:
        """List what changes for those who use the evaluators."""
        told = [one for one in self.outcome.findings if one.rule in _OF_USERS]
        if not told and not self.outcome.updates:
            return
        yield "\n#### What changes for users\n\n"
        names = dict.fromkeys(one.name for one in self.outcome.updates[:_MOST_UPDATES])
        steps = {one.name: _describe_step(one) for one in self.outcome.updates}
        for name in dict.fromkeys([*names, *(one.entry for one in told[: self.most])]):
            yield f"* **{markdown.text(name) or 'All'}**{steps.get(name, '')}\n"
            for one in told[: self.most]:
                if one.entry == name:
                    yield f"  * {_SIGNS[one.severity]}: {markdown.text(one.message)}\n"
        if len(self.outcome.updates) > _MOST_UPDATES:
            yield f"* and {len(self.outcome.updates) - _MOST_UPDATES:,} more\n"

    def _advise(self) -> Iterator[str]:
        if not self.outcome.ok:
            command = f"agentevals registry validate --changed-since origin/{self.base}"
            yield "1. Correct each ❌ error, and push again: this text is then written anew."
            yield f"2. To check it before you push, run {markdown.code(command)}."
            return
        if self.outcome.count(Severity.WARNING):
            yield "* A maintainer reads the warnings: they are decisions that no check can make."
        branch = markdown.code(self.base)
        if self.outcome.updates:
            yield f"* After the merge into {branch}, the next index has these changes."
            yield "* Locked configs keep what they have until `agentevals lock --update`."
        else:
            yield f"* After the merge into {branch}, the index stays as it is."


def _write_fix(fix: str) -> str:
    """Return what to do; a command is code, letter by letter, so that it can be copied."""
    if fix.startswith(_RUN):
        return f"{_RUN}{markdown.code(fix.removeprefix(_RUN))}"
    return markdown.text(fix)


def _describe_step(update: Update) -> str:
    before, after = (_name_version(one) for one in (update.before, update.after))
    if update.before is None:
        return f" is new: {after}"
    if update.after is None:
        return f" {before} is not listed any more"
    return f": {before}, changed" if before == after else f": {before} → {after}"


def _name_version(version: str | None) -> str:
    return markdown.code(version) if version else "without a version"
