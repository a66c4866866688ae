"""Outputs of agents, what is expected of them, and paths that lead into them."""

from typing import Any

from tests.differential.draw import Draw

_KEYS = ("result", "status", "items", "tags", "total", "Größe", "a.b", "content")
_DEPTH = 3


def draw_value(draw: Draw, depth: int = _DEPTH) -> Any:
    """Any value of JSON."""
    kinds = ("text", "number", "truth", "nothing", "list", "object")
    kind = draw.choose("value", kinds if depth else kinds[:4])
    if kind == "text":
        return draw.text()
    if kind == "number":
        return draw.number()
    if kind == "truth":
        return draw.chance(0.5)
    if kind == "list":
        return [draw_value(draw, depth - 1) for _ in range(draw.count(0, 3))]
    return draw_object(draw, depth - 1) if kind == "object" else None


def draw_object(draw: Draw, depth: int = _DEPTH) -> dict[str, Any]:
    """An object of up to four members."""
    return {key: draw_value(draw, depth) for key in draw.several(_KEYS, 0, 4)}


def draw_output(draw: Draw) -> Any:
    """The return value of an agent: mostly an object, otherwise whatever a function returns."""
    return draw_object(draw) if draw.chance(0.75) else draw_value(draw)


def resemble(draw: Draw, value: Any) -> Any:
    """The same value, or one that differs a little somewhere."""
    if draw.chance(0.45):
        return value
    if isinstance(value, dict) and value:
        return _resemble_object(draw, value)
    if isinstance(value, list) and value:
        at = draw.count(0, len(value) - 1)
        kept = [*value[:at], resemble(draw, value[at]), *value[at + 1 :]]
        return draw.choose("list", (kept, value[:at], [*value, 1]))
    return _change(draw, value)


def _change(draw: Draw, value: Any) -> Any:
    """Another value than this one, which has no parts."""
    if isinstance(value, str):
        return draw.choose("text", (value.upper(), value + "x", value[1:], value + "\n"))
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, dict | list):
        return {"more": 1} if isinstance(value, dict) else [1]
    return value * draw.choose("number", (1.0, 1.1, -1, 3))


def _resemble_object(draw: Draw, value: dict[str, Any]) -> dict[str, Any]:
    key = draw.choose("key", sorted(value))
    rest = {name: inner for name, inner in value.items() if name != key}
    return {
        "changed": {**value, key: resemble(draw, value[key])},
        "less": rest,
        "more": {**value, "more": draw.text()},
        "reordered": dict(reversed(value.items())),
    }[draw.choose("object", ("changed", "less", "more", "reordered"))]


def draw_path(draw: Draw, value: Any) -> str:
    """A path that leads into a value, or nowhere."""
    found = list(_list_paths(value, ""))
    if not found or draw.chance(0.15):
        return str(draw.choose("path", ("nowhere", "status.code", "items[7].name", "a.b", "*")))
    return str(draw.choose("path", found))


def _list_paths(value: Any, before: str) -> list[str]:
    """The paths of everything in a value."""
    inner: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inner = [(f"{before}.{key}" if before else key, each) for key, each in value.items()]
    elif isinstance(value, list) and before:
        inner = [(f"{before}[{at}]", each) for at, each in enumerate(value)]
    return [path for name, each in inner for path in (name, *_list_paths(each, name))]
