"""`markdown`: a table for each evaluator, for the summary of a job."""

from collections.abc import Iterator

from registry_tools.cli.checked_change_page import Page
from registry_tools.manifests.registry_finding import Outcome


def render(outcome: Outcome) -> Iterator[str]:
    """Render the page of an outcome; the worst thing is in its first line."""
    return Page(outcome).render()
