"""What would keep the evaluators of a config from running, at their places in it."""

from collections.abc import Callable, Iterable, Iterator

from agentevals.documents import Document
from agentevals.documents.places import Key, quoted
from agentevals.errors import Problem
from agentevals.grading import Grader

Locate = Callable[[Document, str], tuple[Key, ...]]


def problems(graders: Iterable[Grader], document: Document, locate: Locate) -> Iterator[Problem]:
    """Asks every evaluator; nothing is run."""
    for grader in graders:
        for message in grader.problems():
            about = f"evaluator {quoted(grader.name)}: {message}"
            yield document.problem(about, locate(document, grader.name))
