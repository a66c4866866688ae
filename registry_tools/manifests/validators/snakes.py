"""What is wrong with a Python program, found by parsing it and never by running it."""

import ast
import warnings
from collections.abc import Iterator

from agentevals.model.errors import BEGIN, Extent

_UNREAD = (
    "the program never reads its input: no function has the decorator @evaluator, and nothing "
    "reads from stdin"
)
_DEEPEST = "the program is nested too deeply to be read"


def mistake(content: bytes, *, is_main: bool) -> tuple[str, Extent | None]:
    """What is wrong, and where; an empty text when nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old escapes, which is between it and its author
            tree = ast.parse(content)
    except SyntaxError as error:
        return f"not valid Python: {error.msg}", _place(error)
    except ValueError:
        return "not valid Python: there is a NUL in it", None
    except (RecursionError, MemoryError):
        return _DEEPEST, None
    if is_main and not _reads_input(tree):
        return _UNREAD, BEGIN
    return "", None


def _place(error: SyntaxError) -> Extent | None:
    if not error.lineno:
        return None
    line, column = error.lineno, max(error.offset or 1, 1)
    end_line = max(error.end_lineno or line, line)
    end_column = max(error.end_offset or column, 1)
    return Extent(
        line, column, end_line, end_column if end_line > line else max(end_column, column)
    )


def _reads_input(tree: ast.Module) -> bool:
    """Whether it can: a program that has modules of its own may leave it to them."""
    functions = (
        one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    if any(_name(one) == "evaluator" for f in functions for one in f.decorator_list):
        return True
    return any(_may_read(node) for node in _nodes(tree))


def _nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """As `ast.walk`, in no order."""
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


def _name(decorator: ast.expr) -> str:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    if isinstance(decorator, ast.Attribute):
        return decorator.attr
    return decorator.id if isinstance(decorator, ast.Name) else ""
