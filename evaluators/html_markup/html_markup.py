"""The answer is HTML without mistakes that browsers have to guess about."""

import re
from html.parser import HTMLParser
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})[\w-]*\n(?P<inside>.*?)\n?(?P=fence)", re.DOTALL)
VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
    "track", "wbr",
}  # fmt: skip
# tags that another tag, or the end of what is around them, closes
OPTIONAL = {
    "li", "dt", "dd", "p", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot",
    "colgroup", "caption", "rt", "rp", "html", "head", "body",
}  # fmt: skip
CLOSES = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "option": {"option"},
    "optgroup": {"option", "optgroup"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "thead": {"caption", "colgroup"},
    "tbody": {"thead", "tbody", "tr", "td", "th", "caption", "colgroup"},
    "tfoot": {"thead", "tbody", "tr", "td", "th"},
    "body": {"head"},
}
BLOCKS = {
    "address", "article", "aside", "blockquote", "details", "div", "dl", "fieldset",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main",
    "nav", "ol", "p", "pre", "section", "table", "ul",
}  # fmt: skip
STARTS = re.compile(r"<[a-zA-Z!]")
ALONE = {"a", "button", "form", "label"}  # never within another of the same kind
LONGEST = 2_000_000  # characters


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    document: bool = False
    fenced: bool = False


@evaluator
def html_markup(given: EvalInput) -> EvalResult:
    """The share of answers in which every tag is closed in its place."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    answers = [turn.final_response for turn in given.invocations]
    found = [None if answer is None else find_mistake(answer, settings) for answer in answers]
    scores = [None if mistake is None else float(not mistake) for mistake in found]
    issues = [f"turn {at}: {mistake}" for at, mistake in enumerate(found, start=1) if mistake]
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated("there is no answer")
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def unwrap(answer: str, settings: Settings) -> str:
    """Return what is in the only block of code, where that is accepted."""
    fenced = FENCED.fullmatch(answer.strip()) if settings.fenced else None
    return fenced["inside"] if fenced else answer


def find_mistake(answer: str, settings: Settings) -> str:
    """Return the first mistake of an answer; "" for none."""
    text = unwrap(answer, settings).strip()
    if len(text) > LONGEST:
        return f"it has more than {LONGEST:,} characters"
    if not STARTS.match(text):
        return "there is text before it"
    reader = Reader()
    reader.feed(text)
    reader.finish()
    if reader.mistakes:
        return reader.mistakes[0]
    if reader.has_text_behind:
        return "there is text behind it"
    if settings.document and not (reader.has_doctype and "title" in reader.seen):
        return "a document needs <!DOCTYPE html> and a <title>"
    return "" if reader.seen else "there is no tag"


class Open(NamedTuple):
    """A tag that is not closed yet."""

    tag: str
    line: int


class Reader(HTMLParser):
    """Keeps the open tags, and what is wrong with them."""

    def __init__(self) -> None:
        super().__init__()
        self.mistakes: list[str] = []
        self.seen: set[str] = set()
        self.has_doctype = self.has_text_behind = False
        self._open: list[Open] = []
        self._ids: set[str] = set()

    def handle_decl(self, decl: str) -> None:
        self.has_doctype |= decl.casefold().split() == ["doctype", "html"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self._check_attributes(tag, attrs)
        self._close_for(tag)
        if tag in ALONE and any(one.tag == tag for one in self._open):
            self._blame(f"<{tag}> within <{tag}>")
        if tag not in VOID:
            self._open.append(Open(tag, self.getpos()[0]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self._check_attributes(tag, attrs)
        foreign = any(one.tag in {"svg", "math"} for one in self._open) or "-" in tag
        if tag not in VOID and not foreign:
            self._open.append(Open(tag, self.getpos()[0]))  # browsers pass over the slash

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open[-1].tag != tag and self._open[-1].tag in OPTIONAL:
            self._open.pop()
        if tag in VOID or not self._open or self._open[-1].tag != tag:
            before = f" while <{self._open[-1].tag}> is open" if self._open else ""
            self._blame(f"</{tag}>{before}")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self.has_text_behind |= bool(data.strip()) and not self._open

    def finish(self) -> None:
        """Note what is left open, and a tag or comment that never ends."""
        if self.rawdata.strip():
            self._blame("a tag or a comment never ends")
        self.close()
        for one in self._open:
            if one.tag not in OPTIONAL:
                self.mistakes.append(f"line {one.line}: <{one.tag}> is not closed")

    def _close_for(self, tag: str) -> None:
        if tag in BLOCKS and self._open and self._open[-1].tag == "p":
            self._open.pop()
        while self._open and self._open[-1].tag in CLOSES.get(tag, ()):
            self._open.pop()

    def _check_attributes(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self._blame(f"<{tag}> has an attribute twice")
        if any(set(name) & set("<\"'") for name in names):
            self._blame(f"<{tag}> is not closed")
        for name, value in attrs:
            if name == "id" and value in self._ids:
                self._blame(f"the id {value!r} is there twice")
            elif name == "id" and value:
                self._ids.add(value)

    def _blame(self, message: str) -> None:
        self.mistakes.append(f"line {self.getpos()[0]}: {message}")


def not_evaluated(reason: str) -> EvalResult:
    """Nothing was judged, and why."""
    status = EvalStatus.NOT_EVALUATED
    return EvalResult(score=0.0, status=status, details={"reason": reason})


def complaint(error: ValidationError) -> str:
    """Everything that is wrong with the config, in one line."""
    return "; ".join(
        ".".join(["config", *map(str, each["loc"])])
        + f": {each['msg'].removeprefix('Value error, ')}"
        for each in error.errors()
    )


if __name__ == "__main__":
    html_markup.run()
