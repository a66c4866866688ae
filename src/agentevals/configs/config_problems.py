"""What keeps evaluators from judging: what is missing, and what shows once code is loaded."""

from collections.abc import Callable, Iterable, Iterator

from agentevals.configs.plan import flatten
from agentevals.files.document_places import quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import Where
from agentevals.graders.grader import Grader, Services
from agentevals.model.errors import Problem

Locate = Callable[[Document, str], Where]


def find_problems(
    graders: Iterable[Grader], document: Document, locate: Locate
) -> Iterator[Problem]:
    """Ask every evaluator; nothing is run."""
    for grader in graders:
        for message in grader.problems():
            about = f"evaluator {quote(grader.name)}: {message}"
            yield document.problem(about, locate(document, grader.name))


def inspect(
    graders: Iterable[Grader], document: Document, locate: Locate, services: Services
) -> Iterator[Problem]:
    """Load the code of every evaluator, and of those that it is made of, in the sandbox."""
    for outer in graders:
        for grader in flatten([outer]):
            for message in grader.inspect(services):
                yield document.problem(message, locate(document, outer.name))
