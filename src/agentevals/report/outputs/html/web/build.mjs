// Builds ../page.html: one file with its script and its style, and a policy that allows only these.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";

const made = await build({
  entryPoints: ["src/main.tsx"],
  bundle: true,
  minify: true,
  write: false,
  outdir: "out",
  format: "iife",
  target: "es2022",
  charset: "ascii",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});

function find(suffix) {
  const text = made.outputFiles.find((file) => file.path.endsWith(suffix)).text.trim();
  if (/<\/(script|style)/i.test(text)) throw new Error(`${suffix} would end its own element`);
  return text;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const script = find(".js");
const style = find(".css");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Agent evaluation</title>
<style>${style}</style>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript. Without it, read the same results in comment.md or junit.xml of the report folder.</noscript></div>
<!--top--><script>${script}</script>
<!--cases--></body>
</html>
`;
const target = process.argv[2] ?? "../page.html";
writeFileSync(target, page);
console.log(`${target}: ${Buffer.byteLength(page).toLocaleString("en-US")} bytes`);
