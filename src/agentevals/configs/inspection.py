"""Find what keeps the evaluators of a config from running, at their places in it."""

from collections.abc import Callable, Iterable, Iterator

from agentevals.files.documents import Document
from agentevals.files.places import Key, quote
from agentevals.graders.grader import Grader
from agentevals.model.errors import Problem

Locate = Callable[[Document, str], tuple[Key, ...]]


def find_problems(
    graders: Iterable[Grader], document: Document, locate: Locate
) -> Iterator[Problem]:
    """Asks every evaluator; nothing is run."""
    for grader in graders:
        for message in grader.problems():
            about = f"evaluator {quote(grader.name)}: {message}"
            yield document.problem(about, locate(document, grader.name))
