"""`maintainers`: each person once, by the number that stays."""

from collections.abc import Iterator

from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="maintainers",
    severity=Severity.ERROR,
    title="A maintainer has one login and one number",
    why=(
        "Somebody else can take over a login, but not a number. So the number "
        "decides who may change an evaluator. `gh api users/LOGIN --jq .id` "
        "prints it."
    ),
    bad="maintainers:\n  - {login: octocat, id: 583231}\n  - {login: Octocat, id: 1}",
    good="maintainers:\n  - {login: octocat, id: 583231}",
)


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    people = entry.manifest.maintainers if entry.manifest else ()
    logins: set[str] = set()
    numbers: set[int] = set()
    for index, person in enumerate(people):
        at = entry.locate("maintainers", index)
        if person.login.lower() in logins or person.id in numbers:
            message = f"the maintainer {quote(person.login)} is here twice"
            yield entry.report(RULE, message, at, fix="remove one of them")
        logins.add(person.login.lower())
        numbers.add(person.id)
        other = registry.numbers.get(person.login.lower(), person.id)
        if other != person.id:
            message = f"elsewhere {quote(person.login)} has the number {other}, not {person.id}"
            fix = f"gh api users/{person.login} --jq .id"
            yield entry.report(RULE, message, entry.locate("maintainers", index, "id"), fix=fix)
