"""What is wrong with programs in JavaScript and TypeScript: Node parses them, and runs none."""

import json
import subprocess
from functools import lru_cache
from pathlib import Path

from agentevals.model.errors import Extent
from agentevals.sandbox.runtimes import find_node, node_version
from agentevals.text.terminal import plain
from registry_tools.manifests.registry import Registry

Mistakes = dict[str, tuple[str, Extent]]

ENDINGS = (".js", ".ts")
_LARGEST = 1 << 20
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


@lru_cache(maxsize=1)
def mistakes(registry: Registry) -> Mistakes | None:
    """By path, all programs in one go; None when there is no Node that could tell."""
    programs = [
        {"name": f"{entry.folder}/{file}", "text": _text(entry.bytes_of(file, _LARGEST))}
        for entry in registry.chosen
        for file in entry.files
        if file.endswith(ENDINGS)
    ]
    answer = _asked(json.dumps(programs))
    if answer is None:
        return None
    told = zip(programs, json.loads(answer), strict=True)
    return {program["name"]: _mistake(found) for program, found in told if found}


def _mistake(found: dict[str, object]) -> tuple[str, Extent]:
    line, column = int(str(found["line"])), int(str(found["column"]))
    return f"not valid: {plain(str(found['message']))}", Extent(line, column, line, column)


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _asked(programs: str) -> str | None:
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
