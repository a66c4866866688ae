"""`encoding`, `line-endings`, `yaml` and others: a manifest is read the same way by everybody.

The strict reader finds what breaks these rules, while it reads the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry


@dataclass(frozen=True)
class ReaderCheck:
    """Reports the problems of the strict reader about one rule."""

    RULE: Rule

    def check(self, entry: Entry, _: Registry) -> Iterator[Finding]:
        yield from entry.list_problems(self.RULE)


ENCODING = ReaderCheck(
    Rule(
        id="encoding",
        severity=Severity.ERROR,
        title="A manifest is UTF-8",
        why=(
            "If a text is not UTF-8, other machines show other letters or cannot read"
            " the file. A byte order mark is invisible, and some programs read it as "
            "part of the first key."
        ),
        bad="description: Caf\\xe9  # saved as Latin-1",
        good="description: Café  # saved as UTF-8",
        mends="removes a byte order mark",
    )
)
LINE_ENDINGS = ReaderCheck(
    Rule(
        id="line-endings",
        severity=Severity.ERROR,
        title="Lines of a manifest end with LF",
        why=(
            "We compare files by their hashes. Windows line endings change the hash, "
            "depending on how the file was checked out. So the index does not list "
            "such a manifest."
        ),
        bad="name: politeness\\r\\n",
        good="name: politeness\\n",
        mends="writes LF line ends",
    )
)
YAML = ReaderCheck(
    Rule(
        id="yaml",
        severity=Severity.ERROR,
        title="A manifest is one YAML document",
        why=(
            "Nobody can use a manifest that cannot be read. Some programs read only a"
            " part of a file with two documents, and others refuse it. Deep nesting "
            "makes some programs crash."
        ),
        bad="author: @octocat",
        good='author: "@octocat"',
    )
)
YAML_REFERENCES = ReaderCheck(
    Rule(
        id="yaml-references",
        severity=Severity.ERROR,
        title="No anchors, aliases, tags or merge keys",
        why=(
            "Aliases can make a few lines very large, a tag can ask for an object of "
            "a program, and YAML readers read merge keys differently. A manifest is "
            "short, so write it without them."
        ),
        bad="tags: &tags [text]\\nx-tags: *tags",
        good="tags: [text]",
    )
)
DUPLICATE_KEY = ReaderCheck(
    Rule(
        id="duplicate-key",
        severity=Severity.ERROR,
        title="Each key occurs once",
        why=(
            "Some YAML readers use the first value, some the last, and some refuse "
            "the file. The value that people reviewed must be the value that is used."
        ),
        bad="author: alice\\nauthor: mallory",
        good="author: alice",
    )
)
AMBIGUOUS_SCALAR = ReaderCheck(
    Rule(
        id="ambiguous-scalar",
        severity=Severity.ERROR,
        title="Values that YAML readers read differently are in quotes",
        why=(
            "Versions of YAML read `yes`, `on`, `010`, `1:30`, `1e3` and `2026-03-26`"
            " differently if they have no quotes. One program reads a boolean, a "
            "number or a date, and another reads a text."
        ),
        bad="name: yes",
        good='name: "yes"',
        mends="writes the quotes",
    )
)
