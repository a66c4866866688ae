"""The answer is SQL that SQLite understands."""

import re
import sqlite3

from pydantic import BaseModel, Field, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})[\w-]*\n(?P<inside>.*?)\n?(?P=fence)", re.DOTALL)
# what SQLite says of names that it cannot know without a schema
UNKNOWN = re.compile(r"no such (?:table|column|function|view|index|trigger|collation|module)")
READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
READS = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:select|with|values)\b", re.IGNORECASE | re.DOTALL
)
# what the words of a statement are not looked for in
QUOTED = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/", re.DOTALL
)
VERB = re.compile(r"[()]|\b(?:select|values|insert|update|delete|replace)\b", re.IGNORECASE)
MOST_STEPS = 100_000  # of SQLite, for a schema
LONGEST = 100_000  # characters


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    schema_: str = Field(default="", alias="schema")
    read_only: bool = False
    one_statement: bool = False
    fenced: bool = False


@evaluator
def valid_sql(given: EvalInput) -> EvalResult:
    """The share of answers that are SQL and nothing else. Nothing of an answer is executed."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    try:
        open_database(settings).close()
    except sqlite3.Error as error:
        return not_evaluated(f"config.schema: {error}")
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


def open_database(settings: Settings) -> sqlite3.Connection:
    """A database in memory that has the tables of the schema."""
    database = sqlite3.connect(":memory:")
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.set_progress_handler(lambda: 1, MOST_STEPS)
    database.executescript(settings.schema_)
    return database


def find_mistake(answer: str, settings: Settings) -> str:
    """Return what is wrong with an answer; "" for nothing."""
    text = unwrap(answer, settings)
    if len(text) > LONGEST:
        return f"it has more than {LONGEST:,} characters"
    if "\0" in text:
        return "it has a NUL"
    statements = split(text)
    if not statements:
        return "there is no statement"
    if settings.one_statement and len(statements) > 1:
        return f"there are {len(statements)} statements"
    database = open_database(settings)
    try:
        return next(filter(None, (explain(database, one, settings) for one in statements)), "")
    finally:
        database.close()


def split(text: str) -> list[str]:
    """The statements, each without its semicolon."""
    found, rest = [], ""
    for part in re.split(r"(?<=;)", text):
        rest += part
        if sqlite3.complete_statement(rest):
            found.append(rest)
            rest = ""
    bare = re.compile(r"(?:\s|;|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
    return [one for one in (*found, rest) if not bare.fullmatch(one)]


def explain(database: sqlite3.Connection, statement: str, settings: Settings) -> str:
    """Let SQLite translate a statement without executing it, and return its complaint."""
    refused = []

    def authorize(action: int, *_: object) -> int:
        if settings.read_only and action not in READING:
            refused.append(action)
        return sqlite3.SQLITE_OK

    database.set_authorizer(authorize)
    try:
        database.execute(f"EXPLAIN {statement}").close()
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        if settings.schema_ or not UNKNOWN.match(str(error)):
            return str(error)
    if settings.read_only and (refused or not is_reading(statement)):
        return "it does not only read"
    return ""


def is_reading(statement: str) -> bool:
    """Tell whether a statement only reads; after WITH, the first verb outside of brackets says."""
    depth = 0
    for found in VERB.finditer(QUOTED.sub(" ", statement)):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth and found[0] != ")":
            reads = found[0].casefold() in {"select", "values"}
            return reads and READS.match(statement) is not None
    return False


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
    valid_sql.run()
