"""`placeholder`: what a template wrote for somebody else to replace."""

from collections.abc import Iterator

from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="placeholder",
    severity=Severity.WARNING,
    title="A manifest has no texts of the template",
    why=(
        "`agentevals evaluator init` leaves an empty author, the account `ghost` "
        "and a sentence to replace. With these texts, nobody can prove that the "
        "evaluator is theirs, and users do not know what it scores. `--level "
        "complete` makes this an error."
    ),
    bad='author: ""\nmaintainers: [{login: ghost, id: 10137}]',
    good="author: Mona Lisa\nmaintainers: [{login: octocat, id: 583231}]",
)
SENTENCE = "replace this with what yours judges"
# the account of deleted users, and what our own manifests have until somebody owns the repository
NOBODY = {"ghost", "owner"}
NO_OWNER = 999_999_999_999
NO_NUMBERS = {10137, NO_OWNER}


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    if SENTENCE in entry.get_text("description"):
        message = "the description is that of the template"
        fix = "say in one sentence what a score of 1 means"
        yield entry.report(RULE, message, entry.locate("description"), fix=fix)
    if "author" in entry.values and not str(entry.values["author"] or "").strip():
        fix = "write your name, or that of your team"
        yield entry.report(RULE, "the author is empty", entry.locate("author"), fix=fix)
    for index, person in enumerate(entry.manifest.maintainers if entry.manifest else ()):
        if person.login.lower() in NOBODY or person.id in NO_NUMBERS:
            message = f"the maintainer {quote(person.login)} ({person.id}) is nobody"
            fix = "write your login, and what 'gh api users/LOGIN --jq .id' says"
            if person.id == NO_OWNER:
                fix = "run 'make owner OWNER=LOGIN ID=NUMBER' in a copy of ours; elsewhere " + fix
            yield entry.report(RULE, message, entry.locate("maintainers", index), fix=fix)
