"""What a check of a registry came to: all that outputs see."""

from agentevals.model.noun import Noun
from agentevals.model.results import Severity
from registry_tools.manifests.finding import Finding


class Outcome(Noun, frozen=True, omit_defaults=False):
    """The findings in the order of the files; `checked` are names, `fixed` edits that were made."""

    checked: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    fixed: int = 0

    def count(self, severity: Severity) -> int:
        """How many findings are of one severity."""
        return sum(1 for finding in self.findings if finding.severity is severity)

    @property
    def ok(self) -> bool:
        """Whether nothing has to be changed."""
        return not self.count(Severity.ERROR)

    @property
    def fixable(self) -> int:
        """How many findings `--fix` would put right."""
        return sum(1 for finding in self.findings if finding.edit is not None)
