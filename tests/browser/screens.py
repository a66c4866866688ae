"""`docs/images/report*.png`: the page of a run of the examples; `make pictures` draws it."""

import shutil
import tempfile
from pathlib import Path

from tests.browser.devtools import start
from tests.support import DOCS, EXAMPLES, agentevals

PICTURES = {"report": "", "report-case": "#/0/phoenix"}  # by the part of the page that they show
WIDTH, HEIGHT = 1_100, 860


def write_page(folder: Path) -> Path:
    """The page of the examples, of which one case fails on purpose."""
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    words = ("-c", "eval_config.yaml", "-e", "eval_set.json", "--output-file", "report.html")
    agentevals("run", "traces", *words, cwd=folder)
    return folder / "report.html"


def draw(folder: Path) -> None:
    """All pictures, light and dark."""
    with tempfile.TemporaryDirectory() as scratch, start() as tab:
        page = write_page(Path(scratch))
        for theme in ("light", "dark"):
            tab.emulate(theme=theme)
            for name, route in PICTURES.items():
                tab.open(page, width=WIDTH, height=HEIGHT)
                tab.evaluate(f"location.hash = {route!r}")
                tab.wait(f"location.hash === {route!r}")
                tab.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go)))")
                tab.screenshot(folder / f"{name}-{theme}.png")


if __name__ == "__main__":
    draw(DOCS / "images")
