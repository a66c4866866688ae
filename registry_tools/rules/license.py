"""`license`: an SPDX expression, so that programs know it too."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.validators import licenses

RULE = Rule(
    id="license",
    severity=Severity.ERROR,
    title="A licence is one that SPDX knows",
    why="Without a licence nobody may use the program. An identifier of SPDX is the same word for "
    "people and programs; several are joined by AND, OR and WITH.",
    bad="license: Apache 2.0",
    good="license: Apache-2.0",
    mends="writes the identifier of SPDX",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    text = entry.get_text("license")
    if not text:
        return
    message, meant = licenses.check_license(text)
    if message:
        at = entry.locate("license")
        edit = entry.make_edit(meant, "license") if meant else None
        fix = f"write {meant}" if meant else "choose one from spdx.org/licenses"
        yield entry.report(RULE, message, at, fix=fix, edit=edit)
