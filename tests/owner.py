"""Who owns this copy of the repository: `python -m tests.owner NAME` writes it wherever it is.

The setting is `Repository` of `[project.urls]` in pyproject.toml.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "OWNER"  # until somebody is the owner
REPOSITORY = "agentevals-action"
ACCOUNT = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}")
ADDRESS = re.compile(rf"(?<![\w.-])([A-Za-z0-9-]+)/{REPOSITORY}(?![\w-])")
PAGES = re.compile(rf"([A-Za-z0-9-]+)(?=\.github\.io/{REPOSITORY}(?![\w-]))")
_CODE_OWNERS = ".github/CODEOWNERS"
# who answers for our evaluators; the number is nobody's until somebody gives theirs
MAINTAINER = re.compile(r"^maintainers: \[\{login: ([\w-]+), id: (\d+)\}\]$", re.MULTILINE)
NO_NUMBER = 999_999_999_999
# what is only true while nobody is the owner
_WORDS = rf"Replace\s`{PLACEHOLDER}`\sby\sthe\saccount\s[^.]+\."
_SENTENCE = re.compile(rf"[ ]{_WORDS}(?=\n)|{_WORDS}[ \n]")


def read_owner(root: Path = ROOT) -> str:
    """Return the owner that is set."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(settings["project"]["urls"]["Repository"]).split("/")[-2]


def list_files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the text files of the repository."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    for path in sorted({root / name for name in listed.split("\0") if name}):
        if path.is_file() and not path.is_symlink() and b"\0" not in path.read_bytes():
            yield path


def write_owner(owner: str, root: Path = ROOT, number: int = NO_NUMBER) -> list[Path]:
    """Replace the owner that is set, and return the files that name it."""
    before = read_owner(root)
    changed = []
    for path in list_files(root):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        new = ADDRESS.sub(
            lambda found: found[0].replace(before, owner, 1) if found[1] == before else found[0],
            _SENTENCE.sub("", text) if path.suffix == ".md" else text,
        )
        new = PAGES.sub(lambda found: owner if found[1] == before else found[1], new)
        if path.name == "evaluator.yaml" and path.parents[1] == root / "evaluators":
            new = MAINTAINER.sub(f"maintainers: [{{login: {owner}, id: {number}}}]", new)
        if path == root / _CODE_OWNERS:
            new = new.replace(f"@{before}", f"@{owner}")
        if new != text:
            path.write_text(new, encoding="utf-8", errors="surrogateescape", newline="")
            changed.append(path)
    return changed


def main() -> int:
    owner = sys.argv[1] if len(sys.argv) > 1 else ""
    if not ACCOUNT.fullmatch(owner):
        print(f"{owner!r} is no account of GitHub; give its name", file=sys.stderr)
        return 2
    given = sys.argv[2] if len(sys.argv) > 2 else ""
    ask = f"gh api users/{owner} --jq .id"
    if given and not given.isdigit():
        print(f"{given!r} is no number; give what {ask!r} says", file=sys.stderr)
        return 2
    changed = write_owner(owner, number=int(given or NO_NUMBER))
    if not given:
        print(f"our evaluators need the number too: make owner OWNER={owner} ID=$({ask})")
    print(f"{len(changed)} files name {owner} now; run 'make generated' and the tests")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
