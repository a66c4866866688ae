"""The vendors' repositories: which files in them somebody would bring, and in which releases."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.vendors.checking import check_config, check_eval_set


@dataclass(frozen=True)
class Vendor:
    """A repository by its folder name, and the releases that are looked at, newest last.

    `files` matches what somebody would bring, below `folder`. A release has the name that people
    know it by, and that of its tag.
    """

    system: str
    repository: str
    folder: str
    files: str
    releases: tuple[tuple[str, str], ...]
    check: Callable[..., list[str]]

    def is_brought(self, path: str, text: str) -> bool:
        """Whether a file is one that somebody would bring."""
        return bool(re.search(self.files, path)) and (
            not path.endswith((".yaml", ".yml"))
            or bool(re.search(r"^(tests|eval_?cases):", text, re.MULTILINE))
        )


VENDORS = (
    Vendor(
        system="agentevals",
        repository="agentevals",
        folder="samples",
        files=r"/eval_?set[^/]*\.json$",
        releases=(("0.7.3", "v0.7.3"), ("newest", "HEAD")),
        check=check_eval_set,
    ),
    Vendor(
        system="AgentV",
        repository="agentv",
        folder="examples",
        files=r"^(?!.*/\.agentv/).*\.ya?ml$",  # that folder has settings of AgentV
        releases=(
            ("2.6.1", "v2.6.1"),
            ("3.1.0", "v3.1.0"),
            ("4.42.4", "v4.42.4"),
            ("5.3.1-next.1", "v5.3.1-next.1"),
        ),
        check=check_config,
    ),
    Vendor(
        system="UiPath",
        repository="uipath-python",
        folder="packages/uipath/samples",
        files=r"/(eval-sets|eval_sets)/[^/]*\.json$",
        releases=(("newest", "HEAD"),),
        check=check_config,
    ),
    Vendor(
        system="ADK",
        repository="adk-python",
        folder="tests/integration/fixture",
        files=r"\.(test|evalset)\.json$",
        releases=(("1.0.0", "v1.0.0"), ("newest", "HEAD")),
        check=check_eval_set,
    ),
    Vendor(
        system="ADK, its configs",
        repository="adk-python",
        folder="tests/integration/fixture",
        files=r"/test_config\.json$",
        releases=(("newest", "HEAD"),),
        check=check_config,
    ),
    Vendor(
        system="ADK samples",
        repository="adk-samples",
        folder="python/agents",
        files=r"\.(test|evalset)\.json$",
        releases=(("newest", "HEAD"),),
        check=check_eval_set,
    ),
)

# decisions that refuse what a vendor takes: what the message says, and the number
DECISIONS = (
    (r"no evaluator|without an evaluator|has no 'evaluators'|names no evaluator", "3.11"),
    (r"\$\{\{|placeholder|unknown place", "3.16"),
    (r"of provider '[^']*', which cannot judge here", "6"),  # a judge is a model behind an API
)
