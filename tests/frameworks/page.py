"""`docs/frameworks.md`, generated from the table and its samples: `make docs` writes it anew."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote

from agentevals.model.conversations import Span
from agentevals.traces import instrumentations, loaders
from agentevals.traces.diagnosis import trace_recorders
from tests.frameworks import badges, samples
from tests.frameworks.comparison import AGENT, CALLER, FAILURE, MEMBERS, TEXTS
from tests.frameworks.script import BY_NAME as SCENARIOS
from tests.frameworks.table import NOT_BEFORE, TABLE, Combination
from tests.owner import REPOSITORY, read_owner

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"
_SETUPS = Path(__file__).parent / "setups"
# those of one framework together, as they first come in the table
_FRAMEWORKS = list(dict.fromkeys(each.framework for each in TABLE))
_ROWS = sorted(TABLE, key=lambda each: _FRAMEWORKS.index(each.framework))
_FACTS = {
    "question": "question",
    "answer": "answer",
    "tool calls": "tool calls",
    "arguments": "arguments",
    "tool answers": "tool answers",
    "tokens": "tokens",
    AGENT: "agent",
    CALLER: "second agent",
    FAILURE: "failures",
    TEXTS: "other texts",
    MEMBERS: "conversation",
}
_HEAD = """\
# Frameworks

[![frameworks]({workflow}/badge.svg)]({workflow})

Find your agent framework, and see what to install, how to start the agent, and which facts
`agentevals record` gets from it.

## From an agent to a verdict

1. Install the command, with [uv](https://docs.astral.sh/uv/) or [in another way](install.md):

```sh
uv tool install git+https://github.com/{owner}/{repository}
```

2. Find the row of your framework below, and follow its section. The section lists the packages to
install beside your agent, the lines to add, and the command that records. `agent.py` and
`agent.mjs` stand for your program, which asks its questions and ends. You need Python 3.11 or Node
22, or newer.

3. Make an eval set of the recordings, and evaluate them:

```sh
agentevals bless traces/ -o eval_set.json    # the recordings become the expectations
agentevals init                              # writes eval_config.yaml: evaluators, thresholds
agentevals run --config eval_config.yaml     # exit code 0: passed, 1: failed
```

4. After a change, record again with `-o changed/` instead of `-o traces/`, and evaluate the new
recordings: `agentevals run changed/ --config eval_config.yaml`. In one folder, two recordings of
the same case would count as two attempts.

## What was measured

| in the table | meaning |
|---|---|
| ✓ | recorded, and we read it correctly |
| 8/9 | eight of nine scenarios show it |
| ✗ | never recorded: evaluators that need it give no score |
| empty | not measured |
| *second agent* | the recording shows which of two agents made each call |
| *other texts* | what a model says beside its calls |
| *conversation* | an ID shows which turns belong together; without it, each turn stands alone |

"""
_MEASURING = """
## How we measured

Each row is one of our agents, with the real packages. A script replaces the model, and knows every
text, call and token. We compare the whole reading with the script, in these scenarios:
{scenarios}. We also measured releases that are one year old.

The workflow `frameworks` repeats all rows with the newest releases every week. The badge of a row
is *right*, with the version of the framework, or red: the recording was read wrong, or the row
could not be measured. It links to [the table of that run]({last}), with all versions and reasons.
The badge at the top is red if one row is red.

`make docs` generates this page from `tests/frameworks/table.py` and the recordings of
`make test-frameworks`.
"""
_OTHERS = """
## Your framework is not in the table?

`agentevals doctor traces/` names the instrumentation of any recording with its version. It shows
what is missing, and whether we measured this instrumentation. If a recording is read wrong, write a
sample of it:

```sh
agentevals doctor --sample sample.jsonl traces/
```

The sample has the spans with every text replaced: equal texts become equal words. Names of
attributes, keys and instrumentations stay. Read through the sample, and attach it to an issue.

What to read next: [recording](recording.md), [recording in CI](ci.md).
"""


def render() -> str:
    """The whole page."""
    address = f"https://github.com/{read_owner()}/{REPOSITORY}/actions/workflows/frameworks.yml"
    head = _HEAD.format(workflow=address, owner=read_owner(), repository=REPOSITORY)
    how = _MEASURING.format(scenarios=_name_titles(SCENARIOS), last=badges.find_table())
    return (
        "\n".join([head.rstrip("\n"), "", *_table(), *_sections(), _OTHERS.strip(), how.rstrip()])
        + "\n"
    )


def _table() -> Iterator[str]:
    yield f"| framework | recorded by | {' | '.join(_FACTS.values())} | measured | weekly run |"
    yield f"|---|---|{'---|' * len(_FACTS)}---|---|"
    for each in _ROWS:
        missing = samples.load(each.name, "missing")
        cells = [_mark(fact, missing) for fact in _FACTS]
        date = samples.load(each.name, "measured")["date"]
        then = f", of {each.as_of}" if each.as_of else ""
        link = f"[{each.framework}{then}](#{each.name})"
        badge = f"[![{each.name}]({badges.find_address(each.name)})]({badges.find_table()})"
        yield f"| {link} | {each.instrumentation} | {' | '.join(cells)} | {date} | {badge} |"


def _mark(fact: str, missing: dict[str, list[str]]) -> str:
    able = [name for name in missing if name in _WITH.get(fact, missing)]
    if not able:
        return ""
    shown = sum(fact not in missing[name] for name in able)
    if shown == len(able):
        return "✓"
    return f"{shown}/{len(able)}" if shown else "✗"


OWN_SCOPE = "bakery"  # of the span that our agents put around a loop
# the only scenarios that have it
_WITH = {FAILURE: ("failing",), CALLER: ("handover",), MEMBERS: ("turns",), TEXTS: ("parallel",)}


def _sections() -> Iterator[str]:
    for each in _ROWS:
        yield from ("", f"## {each.name}", "")
        then = f", with the packages of {each.as_of}" if each.as_of else ""
        yield f"{each.framework}, recorded by {each.instrumentation}{then}. Measured with:"
        yield ""
        yield from _instructions(each)
        yield from _missing(each)
    yield ""


def _instructions(each: Combination) -> Iterator[str]:
    is_node = each.agent.endswith(".mjs")
    names = " ".join(json.dumps(p) if "[" in p else p for p in each.packages)
    installer = "npm install" if is_node else "pip install"
    if each.as_of:
        installer = f"npm install --before={each.as_of}" if is_node else ""
        installer = installer or f"uv pip install --exclude-newer {each.as_of}"
    yield from ("```sh", f"{installer} {names}")
    sets = "".join(f"{key}={quote(value)} " for key, value in each.environment.items())
    program = "node agent.mjs" if is_node else "python agent.py"
    start = f"{each.command} {program}" if each.command else program
    if each.keeps:
        yield from (f"{sets}{start}", f"agentevals doctor ~/{each.keeps}", "```", "")
    else:
        yield from (f"{sets}agentevals record -o traces/ -- {start}", "```", "")
    if not each.setup:
        yield each.note or "Your agent needs no change."
        return
    name = "recording.mjs" if is_node else "recording.py"
    line = 'import "./recording.mjs";' if is_node else "import recording"
    yield from (f"Put `{name}` beside your agent, and begin the agent with `{line}`:", "")
    yield from (("```js", f"// {name}") if is_node else ("```python", f"# {name}"))
    yield (_SETUPS / each.setup).read_text(encoding="utf-8").rstrip("\n")
    yield "```"
    if each.note:
        yield from ("", each.note)


def _missing(each: Combination) -> Iterator[str]:
    missing = samples.load(each.name, "missing")
    never = [f for f in _FACTS if _mark(f, missing) == "✗"]
    yield ""
    settings = _name_settings(each)
    if settings:
        yield f"- `record` sets, unless you did: {settings}"
    said = [f"never recorded: {', '.join(never)}"] if never else []
    for fact in _FACTS:
        lacking = [name for name, facts in missing.items() if fact in facts]
        if lacking and fact not in never:
            said.append(f"{fact}: not recorded in {_name_titles(lacking)}")
    said = said or ["all facts are recorded"]
    if each.fails:
        said.append(f"the framework raises an error at {_name_titles(each.fails)}")
    left = [name for name in SCENARIOS if name not in missing]
    if left:
        said.append(f"not measured: {_name_titles(left)}")
    if each.name in NOT_BEFORE:
        said.append(f"releases of a year ago: not measured, because {NOT_BEFORE[each.name]}")
    yield from (f"- {line}" for line in said)


def _name_titles(names: Iterable[str]) -> str:
    return "; ".join(SCENARIOS[name].title for name in names)


def list_scopes() -> str:
    """The versions of each instrumentation that were measured, as `doctor` reads them."""
    found: dict[str, set[str]] = {}
    for each in TABLE:
        for path in (samples.FOLDER / each.name).glob(f"*{samples.ENDING}"):
            for span in _read_spans(path):
                if span.scope != OWN_SCOPE:
                    found.setdefault(span.scope, set()).add(span.scope_version)
    return json.dumps({name: sorted(found[name]) for name in sorted(found)}, indent=1) + "\n"


def _read_spans(path: Path) -> Iterator[Span]:
    for trace in loaders.load([path]).traces:
        yield from trace.spans


def _name_settings(each: Combination) -> str:
    """The variables that `record` sets for it."""
    recorded = (samples.FOLDER / each.name).glob(f"*{samples.ENDING}")
    first = min(recorded, key=lambda path: (not path.name.startswith("tool."), path.name))
    used = filter(None, map(instrumentations.identify, _read_spans(first)))
    named = {f"`{name}={value}`" for use in used for name, value in use.settings.items()}
    return ", ".join(sorted(named))


def main() -> None:
    """Write the page, and what `doctor` knows of it."""
    PAGE.write_text(render(), encoding="utf-8")
    trace_recorders.MEASURED.write_text(list_scopes(), encoding="utf-8")


if __name__ == "__main__":
    main()
