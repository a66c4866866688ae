"""A file name says its room, and a module is a thought of its own: exceptions may only shrink."""

from collections import Counter

from tests.house.imports import imported, modules, named

# Folders whose files are named after what a user types or another system has: a map says where.
PLUGINS = (
    "agentevals.action.baseline_sources",
    "agentevals.action.destinations",
    "agentevals.cli.commands",
    "agentevals.github.events",
    "agentevals.report.outputs",
    "agentevals.run.engines",
    "agentevals.traces.conventions",
    "agentevals.traces.loaders",
    "agentevals_evaluator_sdk.standins",
    "registry_tools.cli.commands",
    "registry_tools.cli.formats",
    "registry_tools.rules",
)
# Names that several rooms have. Only remove one.
SHARED = {"uipath_class"}  # the evaluator type, and the program that runs such a class
# How many modules of fewer lines than SHORT have one user, in their own package. Only lower it.
SHORT, MOST_SHORT = 60, 3


def test_no_two_rooms_have_a_file_of_one_name():
    names = Counter(
        path.stem
        for module, path in modules().items()
        if not path.stem.startswith("__") and module.rpartition(".")[0] not in PLUGINS
        if not module.startswith("agentevals_evaluator_sdk.standins.")
    )

    assert {name for name, count in names.items() if count > 1} == SHARED


def test_a_short_module_with_one_user_is_part_of_it():
    short = [module for module in modules() if is_part_of_its_user(module)]

    assert len(short) <= MOST_SHORT, "merge one of " + ", ".join(short)


def is_part_of_its_user(module):
    """Return whether a module is short, and imported by one other only, which lies beside it."""
    path = modules()[module]
    if path.stem.startswith("__") or len(path.read_text(encoding="utf-8").splitlines()) >= SHORT:
        return False
    by_statement = {user for user in modules() if module in imported(user)}
    by_text = {user for user in modules() if module in named(user)}
    home = module.rpartition(".")[0]
    beside = {user for user in by_statement if user in {home, f"{home}.{user.rpartition('.')[2]}"}}
    return not by_text and len(by_statement) == 1 and by_statement == beside
