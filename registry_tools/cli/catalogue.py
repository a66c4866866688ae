"""The rules that a finding may name, for pages and tools that show more than a name."""

from registry_tools.manifests.finding import Rule
from registry_tools.review import update_rules
from registry_tools.rules import RULES
from registry_tools.smoke import rules as smoke


def list_rules() -> list[Rule]:
    """Return the rules of the table, then those of smoke runs and of updates."""
    return [*(RULES[name].RULE for name in RULES.ours), *smoke.RULES, *update_rules.ALL]
