"""The figures of the house, for each package and for all three: `python -m tests.house`.

They are printed for people to compare; `tests/house` asserts only those that have a limit.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from statistics import median, quantiles

from tests.house import words
from tests.house.imports import PACKAGES, ROOT, modules, parsed
from tests.house.test_layers import ORDERS, PROMISED
from tests.house.words import Function

_BROAD = {"Exception", "BaseException"}


def print_scoreboard() -> None:
    """Print a row for each figure and a column for each package."""
    columns = [[*PACKAGES], *([package] for package in PACKAGES)]
    tables = [dict(measure(packages)) for packages in columns]
    print_row("", ["together", *PACKAGES])
    for figure in tables[0]:
        print_row(figure, [table[figure] for table in tables])


def print_row(name: str, values: list[str]) -> None:
    """Print one line of the table."""
    print(f"{name:<34}" + "".join(f"{value:>26}" for value in values))


def measure(packages: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each figure of these packages with its value."""
    names = [name for name in modules() if name.partition(".")[0] in packages]
    texts = [modules()[name].read_text(encoding="utf-8") for name in names]
    lengths = [len(text.splitlines()) for text in texts]
    nodes = [node for name in names for node in ast.walk(parsed(name))]
    functions = [node for node in nodes if isinstance(node, Function)]
    lines = sum(lengths)
    yield "modules / lines", f"{len(names)} / {lines:,}"
    yield "lines of a module, med · p90 · max", spread(lengths)
    yield "lines of a function", spread([count_lines(one) for one in functions])
    yield "annotated", share(list(map(is_annotated, functions)))
    yield "comments per 100 lines", f"{100 * sum(map(count_comments, texts)) / lines:.1f}"
    yield "public with a docstring", share([has_docstring(n) for n in nodes if is_public(n)])
    yield "broad excepts", str(sum(map(is_broad, nodes)))
    yield "imports in functions", str(sum(map(count_inner_imports, functions)))
    yield "type: ignore", str(sum(text.count("# type: ignore") for text in texts))
    yield "lines of tests per line", f"{count_test_lines(packages) / lines:.2f}"
    yield "rooms / layers", " + ".join(filter(None, map(describe_layers, packages)))
    yield "named by no verb", str(count_exceptions(words.names_without_verb(), packages))
    yield (
        "docstrings without a subject",
        str(count_exceptions(words.docstrings_without_subject(), packages)),
    )


def spread(values: list[int]) -> str:
    """Return the median, the ninth tenth and the largest of some numbers."""
    return f"{median(values):.0f} · {quantiles(values, n=10)[-1]:.0f} · {max(values)}"


def share(answers: list[bool]) -> str:
    """Return how many of the answers are yes, in percent."""
    return f"{100 * sum(answers) / len(answers):.1f} %"


def count_lines(function: Function) -> int:
    """Return the lines of a function, without its decorators."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def is_annotated(function: Function) -> bool:
    """Return whether the result and every parameter but self and cls have a type."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    typed = (p.annotation or p.arg in {"self", "cls"} for p in parameters if p)
    return function.returns is not None and all(typed)


def count_comments(text: str) -> int:
    """Return how many comments a module has, without those that only tools read."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return sum(not comment.startswith(("# noqa", "# type:", "# fmt:")) for comment in comments)


def is_public(node: ast.AST) -> bool:
    """Return whether a node is a class or a function without an underscore."""
    return isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_")


def has_docstring(node: ast.AST) -> bool:
    """Return whether a class or a function has a docstring."""
    return isinstance(node, Function | ast.ClassDef) and bool(ast.get_docstring(node))


def is_broad(node: ast.AST) -> bool:
    """Return whether a node catches everything."""
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or (isinstance(node.type, ast.Name) and node.type.id in _BROAD)


def count_inner_imports(function: Function) -> int:
    """Return how many imports a function has."""
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(function))


def count_test_lines(packages: list[str]) -> int:
    """Return the lines of all tests, or of those that mirror one package."""
    homes = [ROOT / "tests"]
    if len(packages) == 1 and packages != ["agentevals"]:
        homes = [ROOT / "tests" / packages[0]]
    others = set() if len(packages) > 1 else PACKAGES.keys() - packages
    return sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for home in homes
        for path in home.rglob("*.py")
        if "data" not in path.parts and not others & set(path.parts)
    )


def describe_layers(package: str) -> str:
    """Return how many rooms a package has, without the paths that documents print, and layers."""
    layers = ORDERS.get(package, [])
    rooms = {room for layer in layers for room in layer} - PROMISED
    return f"{len(rooms)} / {len(layers)}" if layers else ""


def count_exceptions(places: Iterator[tuple[str, str]], packages: list[str]) -> int:
    """Return how many places are in these packages; all packages include the evaluators."""
    counted = {*packages, words.EVALUATORS} if len(packages) > 1 else {*packages}
    return sum(room.partition(".")[0] in counted for room, _ in places)
