"""A badge for each row of `docs/frameworks.md`: `python -m tests.frameworks.badges FROM TO`.

It reads what the weekly run has found, and writes the branch that the page takes its badges from.
"""

import os
import sys
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from tests.frameworks.packages import read_name
from tests.frameworks.status import Status, StatusError, Verdict, read
from tests.frameworks.table import BY_NAME
from tests.owner import REPOSITORY, read_owner

BRANCH = "frameworks"
_LABEL = "weekly run"
_COLOURS = {Verdict.RIGHT: "#2da44e", Verdict.WRONG: "#cf222e", Verdict.NOT_MEASURED: "#cf222e"}
_WIDE, _ASIDE = 6.6, 10  # pixels of a character, and around a text
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{text}">
<title>{text}</title>
<rect width="{width}" height="20" rx="3" fill="#57606a"/>
<path fill="{colour}" d="M{left} 0h{right}v20h-{right}z"/>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="{aside}" y="14" textLength="{label_length}">{label}</text>
<text x="{start}" y="14" textLength="{message_length}">{message}</text>
</g>
</svg>
"""


def find_address(name: str) -> str:
    """The address of the badge of a row."""
    return f"https://raw.githubusercontent.com/{read_owner()}/{REPOSITORY}/{BRANCH}/{name}.svg"


def find_table() -> str:
    """The address of the page that tells of the last run."""
    return f"https://github.com/{read_owner()}/{REPOSITORY}/blob/{BRANCH}/README.md"


def draw(name: str, status: Status, date: str) -> str:
    """The badge of a row, as SVG."""
    version = status.versions.get(read_name(BY_NAME[name].packages[0]), "")
    message = " ".join(filter(None, (status.verdict, date, version)))
    label_length, message_length = round(_WIDE * len(_LABEL)), round(_WIDE * len(message))
    left, right = label_length + 2 * _ASIDE, message_length + 2 * _ASIDE
    return _SVG.format(
        width=left + right,
        text=escape(f"{_LABEL}: {message}"),
        colour=_COLOURS[status.verdict],
        left=left,
        right=right,
        aside=_ASIDE,
        start=left + _ASIDE,
        label=_LABEL,
        label_length=label_length,
        message=escape(message),
        message_length=message_length,
    )


def tell(found: dict[str, Status], date: str, run: str) -> str:
    """The page of the branch: every row, those that are not right first, and where the run is."""
    order = sorted(found, key=lambda name: found[name].verdict is Verdict.RIGHT)
    rows = [
        f"| {name} | {found[name].verdict} | "
        f"{', '.join(f'{package} {v}' for package, v in found[name].versions.items())} |"
        for name in order
    ]
    right = sum(status.verdict is Verdict.RIGHT for status in found.values())
    head = f"""\
# Frameworks on {date}

{right} of {len(found)} rows of `docs/frameworks.md` were read right. [The run]({run}) tells of each
row what was read wrong, or why it was not measured.

| row | verdict | versions |
|---|---|---|
"""
    return head + "\n".join(rows) + "\n"


def main(source: Path, target: Path) -> int:
    """Write every badge; 1 if there is no status to believe, so that no row was measured."""
    code = 0
    try:
        found = read(source, BY_NAME)
    except StatusError as error:
        print(f"::error::{error}")
        found, code = dict.fromkeys(BY_NAME, Status()), 1
    date = datetime.now(UTC).date().isoformat()
    target.mkdir(parents=True)
    for name, status in found.items():
        (target / f"{name}.svg").write_text(draw(name, status, date), encoding="utf-8")
    (target / "README.md").write_text(tell(found, date, os.environ["RUN"]), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
