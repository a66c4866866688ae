// The same as supervisor.py, for images that have Node and no Python. The first process of the
// container is the engine's own init, which takes in orphans.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");

if (process.ppid !== 1 || !__dirname.startsWith("/agentevals")) {
  console.error("this ends every process around it; only a container may start it");
  process.exit(1);
}
const SCRATCH = "/scratch";
let waiting = Buffer.alloc(0), order = null, number = 0, running = false;

function send(message, ...pieces) {
  const content = Buffer.from(JSON.stringify(message));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  let left = Buffer.concat([length, content, ...pieces]);
  while (left.length) {
    try {
      left = left.subarray(fs.writeSync(1, left));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function readOutput(path, most) {
  const content = fs.readFileSync(path);
  if (content.length <= most) return content;
  return Buffer.concat([content.subarray(0, most >> 1), content.subarray(-(most - (most >> 1) + 1))]);
}

function endAll() {
  try {
    process.kill(-1, "SIGKILL");
  } catch {} // nothing is left
}

function run({ argv, env, timeout, most }, stdin) {
  const folder = `${SCRATCH}/${number++}`;
  const files = ["in", "out", "err"].map((name) => `${folder}.${name}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  fs.writeFileSync(files[0], stdin);
  const stdio = files.map((path, at) => fs.openSync(path, at ? "w" : "r"));
  const child = spawn(argv[0], argv.slice(1), {
    cwd: folder, detached: true, stdio,
    env: { ...process.env, ...env, HOME: folder, TMPDIR: folder },
  });
  let late = false, failed = "";
  const timer = setTimeout(() => { late = true; endAll(); }, timeout * 1000);
  child.on("error", (error) => { failed = `${argv[0]} cannot be started: ${error.message}\n`; finish(127); });
  child.on("exit", (code, signal) => finish(code ?? -require("node:os").constants.signals[signal]));
  function finish(exit) {
    clearTimeout(timer);
    endAll();
    stdio.forEach((file) => fs.closeSync(file));
    const outputs = files.slice(1).map((path) => readOutput(path, most));
    if (failed) outputs[1] = Buffer.from(failed);
    for (const name of fs.readdirSync(SCRATCH)) fs.rmSync(`${SCRATCH}/${name}`, { recursive: true, force: true });
    running = false;
    send({ exit, late, sizes: outputs.map((content) => content.length) }, ...outputs);
  }
}

function take(size) {
  const taken = waiting.subarray(0, size);
  waiting = waiting.subarray(size);
  return taken;
}

process.stdin.on("data", (piece) => {
  if (running) process.exit(1);
  waiting = Buffer.concat([waiting, piece]);
  if (!order && waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0))
    order = JSON.parse(take(4 + waiting.readUInt32BE(0)).subarray(4));
  if (order && waiting.length >= order.stdin) {
    const asked = order;
    order = null;
    running = true;
    run(asked, take(asked.stdin));
  }
});
process.stdin.on("end", () => process.exit());
send({ version: process.versions.node });
