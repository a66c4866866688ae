"""`report.html`: the review as one file for a browser, which needs no network and no other file.

The page is built from `web/` into `page.html`. Here it gets its data: what stands at its top, then
the cases in blocks. A block has a line for each case, and its details compressed.
"""

from collections.abc import Iterator
from importlib.resources import files

from agentevals.model.review import Review
from agentevals.report.outputs.html import blocks, embedding, top

FILE = "report.html"

_TOP, _CASES = "<!--top-->", "<!--cases-->"  # where the data goes


def render(review: Review) -> Iterator[str]:
    """One block at a time: the cases of a run may lie on disk."""
    page = (files(__name__) / "page.html").read_text(encoding="utf-8")
    before, rest = page.split(_TOP)
    script, after = rest.split(_CASES)
    yield before
    yield embedding.embed("top", embedding.write(top.describe(review)))
    yield script
    yield from blocks.write_blocks(review)
    yield after
