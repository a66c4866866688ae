"""The drawings of `docs/understand`: boxes in a grid, with arrows between them.

`python -m tests.site.drawings` draws them anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "images" / "drawings"
WIDTH, HEIGHT, ACROSS, DOWN, EDGE = 164, 62, 56, 46, 14

# A viewer without colours of its own shows the light ones; a dark page the others.
STYLE = """
  rect { fill: #f6f8fa; stroke: #57606a; }
  rect.good { fill: #dafbe1; stroke: #1a7f37; }
  rect.bad { fill: #ffebe9; stroke: #cf222e; }
  rect.open { fill: none; stroke-dasharray: 4 3; }
  text { fill: #1f2328; font: 14px system-ui, sans-serif; text-anchor: middle; }
  text.small { fill: #57606a; font-size: 12px; }
  path { fill: none; stroke: #57606a; stroke-width: 1.5; }
  marker path { fill: #57606a; stroke: none; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #161b22; stroke: #8b949e; }
    rect.good { fill: #12261e; stroke: #3fb950; }
    rect.bad { fill: #25171c; stroke: #f85149; }
    rect.open { fill: none; }
    text { fill: #e6edf3; }
    text.small { fill: #8b949e; }
    path { stroke: #8b949e; }
    marker path { fill: #8b949e; }
  }
"""
TIP = """<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" orient="auto">
  <path d="M0 0L8 4L0 8Z"/>
</marker>"""
Place = tuple[int, int]  # column, row


@dataclass(frozen=True)
class Box:
    """A text of one or two lines; the second one is small. `kind` is a class of the style."""

    title: str
    note: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Drawing:
    """What it shows, for those who cannot see it; boxes by their place; arrows with a word.

    In a `tree` arrows leave a box at its lower edge, otherwise at its right one.
    """

    about: str
    boxes: dict[Place, Box]
    arrows: tuple[tuple[Place, Place, str], ...]
    tree: bool = False


def line(*boxes: Box, about: str) -> Drawing:
    """One row of boxes, each with an arrow to the next."""
    arrows = tuple(((n, 0), (m, 0), "") for n, m in pairwise(range(len(boxes))))
    return Drawing(about, {(n, 0): box for n, box in enumerate(boxes)}, arrows)


DRAWINGS = {
    "overview": Drawing(
        "A trace is read into turns, turns and an expectation make a case, evaluators score the"
        " case, and the gate makes a verdict of the scores and of the baseline.",
        {
            (0, 0): Box("Trace", "what the agent left"),
            (1, 0): Box("Turns", "question, calls, answer"),
            (2, 0): Box("Case", "recorded and expected"),
            (3, 0): Box("Scores", "one per evaluator"),
            (4, 0): Box("Verdict", "may it be merged?", "good"),
            (2, 1): Box("Eval set", "the expectations"),
            (4, 1): Box("Baseline", "the run before"),
            (3, 1): Box("Gate", "limits, accepted"),
        },
        (
            ((0, 0), (1, 0), ""),
            ((1, 0), (2, 0), ""),
            ((2, 0), (3, 0), ""),
            ((3, 0), (4, 0), ""),
            ((2, 1), (2, 0), "pairing"),
            ((4, 1), (4, 0), ""),
            ((3, 1), (4, 0), ""),
        ),
    ),
    "trace": Drawing(
        "A span of the agent has below it a request to the model, the call of a tool and a second"
        " request to the model.",
        {
            (1, 0): Box("invoke_agent", "the whole run"),
            (0, 1): Box("chat", "the model wants a tool"),
            (1, 1): Box("execute_tool", "find_order(7)"),
            (2, 1): Box("chat", "the model answers"),
        },
        (
            ((1, 0), (0, 1), ""),
            ((1, 0), (1, 1), ""),
            ((1, 0), (2, 1), ""),
        ),
        tree=True,
    ),
    "turn": line(
        Box("Question", "Where is order 7?"),
        Box("Tool call", "find_order(number: 7)"),
        Box("Tool answer", "on its way"),
        Box("Answer", "Order 7 is on its way."),
        about="A turn is a question, the tool calls with their answers, and the answer.",
    ),
    "case": Drawing(
        "The expectation of an eval set and the recording of a trace are paired to one case, which"
        " passes or fails.",
        {
            (0, 0): Box("Expected", "from the eval set"),
            (0, 1): Box("Recorded", "from the traces"),
            (1, 0): Box("Case", "late-refund"),
            (2, 0): Box("Passed", "every evaluator", "good"),
            (2, 1): Box("Failed", "one of them", "bad"),
        },
        (
            ((0, 0), (1, 0), ""),
            ((0, 1), (1, 0), ""),
            ((1, 0), (2, 0), ""),
            ((1, 0), (2, 1), ""),
        ),
    ),
    "evaluator": line(
        Box("Case", "recorded and expected"),
        Box("Evaluator", "tool_trajectory_avg_score"),
        Box("Score", "0.67"),
        Box("Threshold", "1.0"),
        Box("Failed", "with the reason", "bad"),
        about="An evaluator gives a case a score, and the threshold decides whether it passed.",
    ),
    "gate": Drawing(
        "Results, limits and the list of accepted failures go into the gate, which gives one"
        " verdict.",
        {
            (0, 0): Box("Results", "passed, failed, errors"),
            (0, 1): Box("Limits", "at_least, max_drop"),
            (0, 2): Box("accept", "known failures"),
            (1, 1): Box("Gate"),
            (2, 0): Box("Ready to merge", "exit code 0", "good"),
            (2, 1): Box("Not ready", "exit code 1", "bad"),
            (2, 2): Box("Not evaluated", "no evidence", "open"),
        },
        tuple(((0, row), (1, 1), "") for row in range(3))
        + tuple(((1, 1), (2, row), "") for row in range(3)),
    ),
    "baseline": Drawing(
        "The baseline is the merge base, scored now; otherwise the report of the base branch;"
        " otherwise its check run.",
        {
            (0, 0): Box("Merge base", "scored now"),
            (1, 0): Box("Artifact", "report of the base branch"),
            (2, 0): Box("Check run", "of the base commit"),
            (3, 0): Box("No baseline", "the comment says why", "open"),
        },
        tuple(((n, 0), (n + 1, 0), "else") for n in range(3)),
    ),
    "freshness": Drawing(
        "The digest of the agent's files in the recording is compared with the digest of the files"
        " now.",
        {
            (0, 0): Box("Recording", "digest 3f9a…"),
            (0, 1): Box("Files now", "digest of agent"),
            (1, 0): Box("Same?"),
            (2, 0): Box("Fresh", "the recording counts", "good"),
            (2, 1): Box("Stale", "record again", "bad"),
        },
        (
            ((0, 0), (1, 0), ""),
            ((0, 1), (1, 0), ""),
            ((1, 0), (2, 0), "yes"),
            ((1, 0), (2, 1), "no"),
        ),
    ),
    "evidence": Drawing(
        "A fact that was recorded is judged; a fact that was withheld or is unknown is not"
        " evaluated.",
        {
            (0, 0): Box("Recorded", "a span shows it"),
            (0, 1): Box("Withheld", "a placeholder"),
            (0, 2): Box("Unknown", "nothing shows it"),
            (1, 0): Box("Judged", "passed or failed", "good"),
            (1, 1): Box("Not evaluated", "with what to set", "open"),
        },
        (
            ((0, 0), (1, 0), ""),
            ((0, 1), (1, 1), ""),
            ((0, 2), (1, 1), ""),
        ),
    ),
    "pairing": Drawing(
        "A recording finds its case by an ID, else by the first message, else because there is"
        " only one; otherwise it has none.",
        {
            (0, 0): Box("Case ID", "eval.case.id"),
            (1, 0): Box("First message", "the same words"),
            (2, 0): Box("Only one", "of each"),
            (3, 0): Box("No case", "reported, never guessed", "open"),
        },
        tuple(((n, 0), (n + 1, 0), "else") for n in range(3)),
    ),
}


def draw(drawing: Drawing) -> str:
    """The drawing as SVG, in the colours of the page that shows it."""
    columns = 1 + max(column for column, _ in drawing.boxes)
    rows = 1 + max(row for _, row in drawing.boxes)
    width = 2 * EDGE + columns * WIDTH + (columns - 1) * ACROSS
    height = 2 * EDGE + rows * HEIGHT + (rows - 1) * DOWN
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    about = f'role="img" aria-label="{escape(drawing.about)}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {about}>',
            f"<style>{STYLE}</style>",
            TIP,
            *(part for place, box in drawing.boxes.items() for part in _draw_box(place, box)),
            *(part for arrow in drawing.arrows for part in _draw_arrow(*arrow, tree=drawing.tree)),
            "</svg>\n",
        ]
    )


def _draw_box(place: Place, box: Box) -> Iterator[str]:
    x, y = _corner(place)
    middle = x + WIDTH / 2
    yield f'<rect class="{box.kind}" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
    yield f'<text x="{middle}" y="{y + (27 if box.note else 36)}">{escape(box.title)}</text>'
    if box.note:
        yield f'<text class="small" x="{middle}" y="{y + 46}">{escape(box.note)}</text>'


def _draw_arrow(start: Place, end: Place, word: str, *, tree: bool) -> Iterator[str]:
    (x1, y1), (x2, y2) = _corner(start), _corner(end)
    if tree or start[0] == end[0]:
        x1, x2 = x1 + WIDTH / 2, x2 + WIDTH / 2
        y1, y2 = (y1, y2 + HEIGHT) if start[1] > end[1] else (y1 + HEIGHT, y2)
    else:
        x1, y1, y2 = x1 + WIDTH, y1 + HEIGHT / 2, y2 + HEIGHT / 2
    yield f'<path marker-end="url(#tip)" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'
    if word:  # above an arrow to the right, beside any other
        aside = 0 if y1 == y2 else 30
        yield (
            f'<text class="small" x="{(x1 + x2) / 2 + aside:g}"'
            f' y="{(y1 + y2) / 2 + (4 if aside else -7):g}">{word}</text>'
        )


def _corner(place: Place) -> Place:
    column, row = place
    return EDGE + column * (WIDTH + ACROSS), EDGE + row * (HEIGHT + DOWN)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, drawing in DRAWINGS.items():
        (FOLDER / f"{name}.svg").write_text(draw(drawing), encoding="utf-8")
