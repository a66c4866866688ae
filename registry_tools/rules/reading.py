"""`encoding`, `line-endings`, `yaml` and others: a manifest is read the same way by everybody.

The strict reader finds what breaks these rules, while it reads the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry


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
        why="Another machine shows other letters for text that is not UTF-8, or cannot read the "
        "file. A byte order mark is an invisible character; some programs take it for part of the "
        "first key.",
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
        why="Files are compared by their hashes. With the line ends of Windows the same file has "
        "another hash, depending on how it was checked out. So no index lists such a manifest.",
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
        why="A file that cannot be read describes nothing. Some programs read only a part of a "
        "file with two documents, and others refuse it. Deep nesting makes some of them crash.",
        bad="author: @octocat",
        good='author: "@octocat"',
    )
)
YAML_REFERENCES = ReaderCheck(
    Rule(
        id="yaml-references",
        severity=Severity.ERROR,
        title="No anchors, aliases, tags or merge keys",
        why="A few lines of aliases stand for gigabytes, a tag can ask for an object of a program, "
        "and readers disagree on merge keys. A manifest is short enough to be written out.",
        bad="tags: &tags [text]\\nx-tags: *tags",
        good="tags: [text]",
    )
)
DUPLICATE_KEY = ReaderCheck(
    Rule(
        id="duplicate-key",
        severity=Severity.ERROR,
        title="No key is there twice",
        why="Some readers of YAML take the first, some the last, some refuse the file. What people "
        "saw in the review must be what is used.",
        bad="author: alice\\nauthor: mallory",
        good="author: alice",
    )
)
AMBIGUOUS_SCALAR = ReaderCheck(
    Rule(
        id="ambiguous-scalar",
        severity=Severity.ERROR,
        title="Words that readers disagree on are in quotes",
        why="Without quotes, versions of YAML disagree on `yes`, `on`, `010`, `1:30`, `1e3` and "
        "`2026-03-26`. One program reads a truth value, a number or a day, and another reads text.",
        bad="name: yes",
        good='name: "yes"',
        mends="writes the quotes",
    )
)
