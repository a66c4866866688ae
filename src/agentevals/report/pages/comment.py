"""The comment on a pull request, where one review has it for itself."""

from agentevals.model.review import Review
from agentevals.report.pages import line, links, sticky
from agentevals.report.pages.stages import COMMENT
from agentevals.text import markdown


def render(review: Review, limit: int = COMMENT) -> str:
    """The same text that `sticky.merge` writes where nobody else has written yet."""
    return sticky.merge(None, review, limit).body


def explain_superseded(review: Review) -> str:
    """What an older run says in its own summary, since the comment is not its any more."""
    scene = review.scene
    run = links.to_run("This run", scene.run_url, scene) or "This run"
    said = markdown.text(line.make_headline(review).sentence)
    return (
        f"> [!NOTE]\n> {run} was overtaken by a newer one, which has the comment. It says: {said}\n"
    )
