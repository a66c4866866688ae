"""`python -P -m registry_tools.cli.workflow`: a step of a reusable workflow.

The tools are a checkout there and nothing is installed, so that no entry point names our steps.
"""

import sys

from agentevals.action.main import Steps, main
from agentevals.model.plugins import Table

STEPS: Steps = Table(
    "command",
    {
        "registry-validate": "registry_tools.cli.step:validate",
        "registry-index": "registry_tools.cli.step:index",
    },
)

if __name__ == "__main__":
    sys.exit(main(STEPS))
