"""The generated tables of `docs/action.md`: `make docs` writes them anew."""

import pkgutil
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from agentevals import github
from agentevals.github.api_calls import Purpose
from agentevals.github.runner import inputs
from agentevals.github.runner.inputs import Inputs
from agentevals.github.runner.step_outputs import OUTPUTS
from agentevals.model import errors

PAGE = Path(__file__).parents[1] / "docs" / "action.md"
_BLOCK = re.compile(r"(?<=<!-- generated: )([a-z ]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def page() -> str:
    """The page with its tables as the code has them."""
    return _BLOCK.sub(_block, PAGE.read_text(encoding="utf-8"))


def _block(match: re.Match[str]) -> str:
    rows = "\n".join(TABLES[match.group(1)]())
    return f"{match.group(1)}{match.group(2)}{rows}\n"


def _inputs() -> Iterator[str]:
    yield from ("| input | default | meaning |", "|---|---|---|")
    fields = zip(inputs.list_defaults().items(), Inputs.model_fields.values(), strict=True)
    for (name, default), field in fields:
        shown = f"`{default}`" if default else ""
        yield f"| `{name}` | {shown} | {_cell(field.description or '')} |"


def _outputs() -> Iterator[str]:
    yield from ("| output | meaning |", "|---|---|")
    for name, meaning in OUTPUTS.items():
        yield f"| `{name}` | {_cell(meaning)} |"


def _exit_codes() -> Iterator[str]:
    yield from ("| exit code | meaning |", "|---|---|")
    for code, meaning in re.findall(r"^(\d+)  (.+)$", errors.__doc__ or "", re.MULTILINE):
        yield f"| {code} | {meaning} |"


def _permissions() -> Iterator[str]:
    """Every purpose that a request to GitHub is made for."""
    deeds: dict[str, list[str]] = {}
    for module in pkgutil.walk_packages(github.__path__, "agentevals.github."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Purpose) and value.needs:
                deeds.setdefault(value.needs, []).append(value.deed)
    yield from ("| permission | to |", "|---|---|")
    for needs in sorted(deeds):
        yield f"| `{needs}` | {', '.join(sorted(set(deeds[needs])))} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "inputs": _inputs,
    "outputs": _outputs,
    "exit codes": _exit_codes,
    "permissions": _permissions,
}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
