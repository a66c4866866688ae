"""`python -m tests.vendors FOLDER`: write the table of docs/compatibility.md.

The folder holds a checkout, or a bare repository, of each vendor's repository by its name.
"""

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from agentevals.text.wording import NOTHING
from tests.vendors.checking import check_eval_set, mask
from tests.vendors.table import DECISIONS, VENDORS, Vendor
from tests.vendors.twins import Twins, judge

PAGE = Path(__file__).parents[2] / "docs/compatibility.md"
_BLOCK = re.compile(r"(<!-- vendors -->\n).*?(?=<!-- end -->)", re.DOTALL)
_SHOWN = 3  # reasons in a row
# what a config may name
_NEEDED = (".json", ".jsonl", ".yaml", ".yml", ".md", ".txt", ".py", ".ts", ".js", ".mjs", ".sh")


@dataclass(frozen=True)
class Checked:
    """One file: the reasons why it is refused, none if it is read."""

    path: str
    reasons: tuple[str, ...]
    twins: Twins = field(default_factory=Twins)

    @property
    def decision(self) -> str:
        """The decision that refuses it, if each of its reasons is one."""
        found = [_find_decision(reason) for reason in self.reasons]
        return found[0] if found and all(found) else ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="vendors", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="Write the table into the page")
    words = parser.parse_args()
    heads = ("files of", "release", "files", "read", "refused by a decision", "refused otherwise")
    rows = [f"| {' | '.join((*heads, 'results with a wrong twin', 'twins that fail'))} |"]
    rows.append("|---" * (len(heads) + 2) + "|")
    blind = 0
    for vendor in VENDORS:
        for release, tag in vendor.releases:
            checked = list(_check(vendor, words.folder / vendor.repository, tag))
            rows.append(_write_row(vendor, release, checked))
            print(rows[-1], flush=True)
            for each in checked:
                if each.reasons and not each.decision:
                    print(f"    {each.path}: {'; '.join(each.reasons[:_SHOWN])}")
                for name in each.twins.blind:
                    print(f"    {each.path}: {name} does not fail with a wrong expectation")
                blind += len(each.twins.blind)
    if words.write:
        table = "\n".join(rows)
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(_BLOCK.sub(lambda mark: f"{mark[1]}{table}\n", page), encoding="utf-8")
    return 1 if blind else 0


def _check(vendor: Vendor, repository: Path, tag: str) -> Iterator[Checked]:
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        _unpack(repository, tag, vendor.folder, place)
        paths = sorted(path for path in place.rglob("*") if path.is_file())
        brought = [path for path in paths if _is_brought(vendor, path.relative_to(place), path)]
        with ThreadPoolExecutor(max_workers=2) as pool:
            for path, reasons in zip(brought, pool.map(vendor.check, brought), strict=True):
                is_eval_set = vendor.check is check_eval_set
                twins = Twins() if reasons else judge(path, is_eval_set=is_eval_set)
                yield Checked(str(path.relative_to(place)), tuple(reasons), twins)


def _is_brought(vendor: Vendor, name: Path, path: Path) -> bool:
    return vendor.is_brought(f"/{name}", path.read_text(encoding="utf-8", errors="replace"))


def _unpack(repository: Path, tag: str, folder: str, target: Path) -> None:
    """Write what a tag has in a folder, but for large files that a mirror may lack."""
    git = ("git", "-C", str(repository))
    listed = _run(*git, "ls-tree", "-r", "--format=%(objectname) %(path)", tag, "--", folder)
    for line in listed.decode().splitlines():
        name, _, path = line.partition(" ")
        if not path.endswith(_NEEDED):
            continue
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_run(*git, "cat-file", "blob", name))
    _run("git", "init", "-q", str(target))


def _run(*words: str) -> bytes:
    return subprocess.run(words, check=True, capture_output=True).stdout


def _write_row(vendor: Vendor, release: str, checked: list[Checked]) -> str:
    read = sum(not each.reasons for each in checked)
    decided = Counter(each.decision for each in checked if each.decision)
    others = Counter(
        mask(each.reasons[0]) for each in checked if each.reasons and not each.decision
    )
    passed = sum(each.twins.passed for each in checked)
    cells = (
        vendor.system,
        release,
        str(len(checked)),
        str(read),
        ", ".join(f"{count} ({number})" for number, count in sorted(decided.items())),
        "; ".join(f"{count}: {reason}" for reason, count in others.most_common(_SHOWN)),
        str(passed or ""),
        str(passed - sum(len(each.twins.blind) for each in checked) if passed else ""),
    )
    return f"| {' | '.join(cell or NOTHING for cell in cells)} |"


def _find_decision(reason: str) -> str:
    return next((number for words, number in DECISIONS if re.search(words, reason)), "")


if __name__ == "__main__":
    sys.exit(main())
