"""The pages of the documentation as data: headings, links, sentences."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_NO_TEXT = re.compile(r"[#!|<]|\[!|[*-] |\d+\. ")  # headings, pictures, tables, lists
_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True)
class Page:
    """One file of Markdown, named by its path from the root of the repository."""

    name: str

    @cached_property
    def text(self) -> str:
        return (ROOT / self.name).read_text(encoding="utf-8")

    @cached_property
    def prose(self) -> str:
        """The text without its samples."""
        return _FENCE.sub("", self.text)

    @cached_property
    def title(self) -> str:
        return _HEADING.findall(self.prose)[0]

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The headings as GitHub and the site write them into addresses."""
        found: dict[str, int] = {}
        anchors = set()
        for heading in _HEADING.findall(self.prose):
            slug = slugify(heading)
            count = found[slug] = found.get(slug, -1) + 1
            anchors.add(f"{slug}-{count}" if count else slug)
        return frozenset(anchors)

    @cached_property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Other files of the repository that it leads to, each with an anchor or none."""
        found = []
        for address in _LINK.findall(_CODE.sub("", self.prose)):
            if re.match(r"[a-z]+:", address):
                continue
            path, _, anchor = address.partition("#")
            place = PurePosixPath(self.name).parent / path if path else PurePosixPath(self.name)
            found.append((_resolve(place), anchor))
        return tuple(found)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What is to be read in one breath: of paragraphs, items of lists and cells of tables."""
        return split_sentences(self.prose)

    @cached_property
    def first_sentence(self) -> str:
        """What it is about, for a list of pages."""
        paragraphs = re.split(r"\n\s*\n", self.prose)
        told = (one.strip() for one in paragraphs if not _NO_TEXT.match(one.strip()))
        text = next(filter(None, told), self.title)
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
        return re.split(r"(?<=[.!?:]) ", plain)[0]


def split_sentences(text: str) -> tuple[str, ...]:
    """Split paragraphs, items of lists and cells of tables; links are their words."""
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) ?)|\|", text)
    plain = [re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(part.split())) for part in parts]
    return tuple(one for text in plain for one in re.split(r"(?<=[.!?:;]) ", text) if one)


def slugify(heading: str) -> str:
    """`## The gate's end` is `the-gates-end`."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def _resolve(place: PurePosixPath) -> str:
    parts: list[str] = []
    for part in place.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def list_pages() -> tuple[Page, ...]:
    """All pages of the site."""
    return tuple(Page(str(path.relative_to(ROOT))) for path in sorted(DOCS.rglob("*.md")))


def list_others() -> tuple[Page, ...]:
    """The pages of the repository that are not of the site."""
    files = [*ROOT.glob("*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("evaluators/**/*.md")]
    return tuple(Page(str(path.relative_to(ROOT))) for path in sorted(files))
