"""Layers hold for every import: import-linter checks the statements, this checks the texts too."""

import tomllib
from fnmatch import fnmatch

import pytest

from tests.house.imports import ROOT, imported, modules, named

_SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
ORDERS = {
    contract["containers"][0]: [layer.split(" | ") for layer in contract["layers"]]
    for contract in _SETTINGS["contracts"]
    if contract["type"] == "layers" and "containers" in contract
}
IGNORED = [
    tuple(line.split(" -> "))
    for contract in _SETTINGS["contracts"]
    if "containers" in contract
    for line in contract.get("ignore_imports", ())
]
MOST_ROOMS, MOST_LAYERS = 14, 12
# the paths that documents print, and what Python itself looks for
PROMISED = {"action", "custom_evaluators", "evaluator", "__main__"}


def room(package, module):
    head, _, rest = module.partition(".")
    return rest.partition(".")[0] if head == package else ""


def levels(package):
    return {name: at for at, layer in enumerate(ORDERS[package]) for name in layer}


def test_the_map_of_the_house_fits_in_a_head():
    rooms = {room("agentevals", module) for module in modules()} - {""} - PROMISED

    assert len(rooms) <= MOST_ROOMS
    assert len(ORDERS["agentevals"]) <= MOST_LAYERS


@pytest.mark.parametrize("package", ORDERS)
@pytest.mark.parametrize("how", [imported, named], ids=["by statement", "by text"])
def test_imports_lead_downwards_only(package, how):
    level = levels(package)
    upwards = [
        f"{module} -> {target}"
        for module in modules()
        for target in how(module)
        if (here := room(package, module)) in level
        and (there := room(package, target)) in level
        and here != there
        and level[here] >= level[there]
        and not any(fnmatch(module, a) and fnmatch(target, b) for a, b in IGNORED)
    ]

    assert upwards == []


def test_agentevals_knows_no_registry_tools():
    known = [
        f"{module} -> {target}"
        for module in modules()
        if module.startswith("agentevals.")
        for target in imported(module) | named(module)
        if target.partition(".")[0] == "registry_tools"
    ]

    assert known == []
