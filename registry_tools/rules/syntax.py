"""`syntax`: programs can be read by their interpreter, and read what they are to judge."""

import ast
import json
import subprocess
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentevals.model.errors import BEGIN, Extent, Problem, point
from agentevals.model.results import Severity
from agentevals.sandbox.program_runtimes import find_node, node_version
from agentevals.text.terminal import plain
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule, make_note
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="syntax",
    severity=Severity.ERROR,
    title="Programs have no syntax errors, and read their input",
    why=(
        "A program with a syntax error fails for every user, and a program that "
        "does not read its input cannot score it. We only parse the program, and "
        "do not run it."
    ),
    bad="def politeness(input):\n    return EvalResult(score=1.0\n",
    good="@evaluator\ndef politeness(input: EvalInput) -> EvalResult:\n"
    "    return EvalResult(score=1.0)\n",
)
_LARGEST = 1 << 20
SCRIPTS = (".js", ".ts")
_UNREAD = (
    "the program never reads its input: no function has the decorator @evaluator, and nothing "
    "reads from stdin"
)
_DEEPEST = "the program is nested too deeply to be read"
_PATIENCE = 60  # seconds
_KNOWS_TYPES = (22, 13)
_PARSE = """
const vm = require("node:vm");
const { stripTypeScriptTypes } = require("node:module");
const place = (error) => {
  const lines = String(error.stack).split("\\n");
  const caret = lines.findIndex((line, at) => at < 20 && /^\\s*\\^+\\s*$/.test(line));
  const line = Number(/:(\\d+)$/.exec(lines[0])?.[1] ?? 1);
  return { line, column: caret < 0 ? 1 : lines[caret].indexOf("^") + 1, message: error.message };
};
const mistake = ({ name, text }) => {
  try {
    if (name.endsWith(".ts")) text = stripTypeScriptTypes(text);
  } catch (error) {
    return place(error);
  }
  let first;
  try {
    vm.compileFunction(text, [], { filename: "program" });
    return null;
  } catch (error) {
    first = place(error);
  }
  try {
    new vm.SourceTextModule(text, { identifier: "program" });
    return null;
  } catch (error) {
    const isModule = /import statement|'export'|import\\.meta|await is only/.test(first.message);
    return isModule ? { ...first, message: error.message } : first;
  }
};
let given = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => (given += part));
process.stdin.on("end", () => {
  process.stdout.write(JSON.stringify(JSON.parse(given).map(mistake)));
});
"""


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    for file in entry.files:
        if file.endswith(".py"):
            yield from _check_python(entry, file)
        elif file.endswith(SCRIPTS):
            yield from _check_script(entry, registry, file)


def _check_python(entry: Entry, file: str) -> Iterator[Finding]:
    try:
        content = entry.read_bytes(file, _LARGEST)
    except OSError:
        return  # what cannot be read is what the rule `files` is about
    problem = check_python(content, is_main=file == entry.get_text("entrypoint"))
    if problem:
        yield entry.report_in(file, RULE, problem.message, problem.at)


def _check_script(entry: Entry, registry: Registry, file: str) -> Iterator[Finding]:
    problems = _check_all_scripts(registry)
    if problems is None:
        message = "the syntax was not checked, because there is no Node here that can"
        yield make_note(entry.report_in(file, RULE, message))
        return
    problem = problems.get(f"{entry.folder}/{file}")
    if problem:
        yield entry.report_in(file, RULE, problem.message, problem.at)


@lru_cache(maxsize=1)
def _check_all_scripts(registry: Registry) -> dict[str, Problem] | None:
    """Starting Node takes longer than parsing, so it gets all programs at once."""
    return check_scripts(
        {
            f"{entry.folder}/{file}": entry.read_bytes(file, _LARGEST).decode(errors="replace")
            for entry in registry.chosen
            for file in entry.files
            if file.endswith(SCRIPTS)
        }
    )


def check_python(content: bytes, *, is_main: bool) -> Problem | None:
    """Return what is wrong with a Python program, with its place where it has one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old escapes, which is between it and its author
            tree = ast.parse(content)
    except SyntaxError as error:
        return Problem(message=f"not valid Python: {error.msg}", at=_locate(error))
    except ValueError:
        return Problem(message="not valid Python: there is a NUL in it")
    except (RecursionError, MemoryError):
        return Problem(message=_DEEPEST)
    if is_main and not _reads_input(tree):
        return Problem(message=_UNREAD, at=BEGIN)
    return None


def check_scripts(programs: dict[str, str]) -> dict[str, Problem] | None:
    """Return what is wrong with programs in JavaScript and TypeScript, by their paths.

    Node parses all of them in one go; None when there is no Node that can.
    """
    given = [{"name": name, "text": text} for name, text in programs.items()]
    answer = _run_node(json.dumps(given))
    if answer is None:
        return None
    answers = zip(programs, json.loads(answer), strict=True)
    return {name: _read_mistake(found) for name, found in answers if found}


def _locate(error: SyntaxError) -> Extent | None:
    if not error.lineno:
        return None
    line, column = error.lineno, max(error.offset or 1, 1)
    end_line = max(error.end_lineno or line, line)
    end_column = max(error.end_offset or column, 1)
    return Extent(
        line, column, end_line, end_column if end_line > line else max(end_column, column)
    )


def _reads_input(tree: ast.Module) -> bool:
    """Return whether it can: a program that has modules of its own may leave it to them."""
    functions = (
        one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    if any(_name_decorator(one) == "evaluator" for f in functions for one in f.decorator_list):
        return True
    return any(_may_read(node) for node in _walk(tree))


def _walk(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all nodes as `ast.walk` does, in no order."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        left.extend(ast.iter_child_nodes(node))
        yield node


def _may_read(node: ast.AST) -> bool:
    match node:
        case ast.Name(id="stdin" | "evaluator" | "input" | "fileinput"):
            return True
        case ast.Attribute(attr="stdin" | "evaluator" | "run" | "main"):
            return True
        case ast.Constant(value="/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | 0):
            return node.value != 0
        case ast.ImportFrom(level=level) if level:
            return True
        case ast.ImportFrom(names=names):
            return any(one.name in {"stdin", "main"} for one in names)
    return False


def _name_decorator(decorator: ast.expr) -> str:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    if isinstance(decorator, ast.Attribute):
        return decorator.attr
    return decorator.id if isinstance(decorator, ast.Name) else ""


def _read_mistake(found: dict[str, Any]) -> Problem:
    message = f"not valid: {plain(str(found['message']))}"
    return Problem(message=message, at=point(int(found["line"]), int(found["column"])))


def _run_node(programs: str) -> str | None:
    try:
        node = find_node()
        if node_version(node) < _KNOWS_TYPES:
            return None
        done = subprocess.run(  # noqa: S603 -- Node, with a program of ours
            [node, "--experimental-vm-modules", "--no-warnings", "-e", _PARSE],
            input=programs,
            capture_output=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            cwd=Path("/"),
            env={},
            check=True,
        )
    except (OSError, RuntimeError, subprocess.SubprocessError):
        return None
    return done.stdout
