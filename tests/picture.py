"""`docs/images/run.svg`: what `agentevals run` shows of the examples, in colours.

`python -m tests.picture` draws it anew.
"""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "run.svg"
WIDTH = 104


def draw() -> str:
    """The output as SVG, in whatever monospaced font the reader has."""
    traces = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("examples/traces/*.jsonl"))
    words = ["--config", "examples/eval_config.yaml", "--eval-set", "examples/eval_set.json"]
    shown = subprocess.run(
        [sys.executable, "-m", "agentevals", "run", *traces, *words],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)},
        check=False,  # one of them fails on purpose
    )
    typed = f"$ agentevals run examples/traces/*.jsonl {' '.join(words)}\n\n"
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print(Text.from_ansi(typed + shown.stdout.strip()))
    svg = console.export_svg(title="agentevals run", theme=DIMMED_MONOKAI, unique_id="run")
    svg = re.sub(r"<!-- Generated.*?-->", "", svg)
    without_fonts = re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)
    return without_fonts.replace("Fira Code, monospace", "ui-monospace, monospace")


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
