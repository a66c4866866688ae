// The same as supervisor.py, for images that have Node and no Python. The first process of the
// container is the engine's own init, which takes in orphans.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");

if (process.ppid !== 1 || !__dirname.startsWith("/agentevals")) {
  console.error("this ends every process around it; only a container may start it");
  process.exit(1);
}
const SCRATCH = "/scratch";
const MOST = 64; // connections at a time
let waiting = Buffer.alloc(0), message = null, number = 0, running = false, last = 0;
const links = new Map(), listeners = [];

function send(said, content = Buffer.alloc(0)) {
  const written = Buffer.from(JSON.stringify({ ...said, size: content.length }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(written.length);
  let left = Buffer.concat([length, written, content]);
  while (left.length) {
    try {
      left = left.subarray(fs.writeSync(1, left));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function readOutput(file, most) {
  const content = fs.readFileSync(file);
  if (content.length <= most) return content;
  return Buffer.concat([content.subarray(0, most >> 1), content.subarray(-(most - (most >> 1) + 1))]);
}

function endAll() {
  try {
    process.kill(-1, "SIGKILL");
  } catch {} // nothing is left
}

// Connections of the program, as relay.py passes them on: a piece at a time.
function takeIn(end) {
  if (links.size >= MOST) return end.destroy();
  const link = ++last;
  const tell = (what, content) => send({ link, what }, content);
  links.set(link, end.pause());
  tell("open");
  end.setNoDelay(true);
  end.on("data", (piece) => { end.pause(); tell("piece", piece); });
  end.on("end", () => tell("end"));
  end.on("error", () => { if (links.delete(link)) tell("lost"); });
  end.on("close", () => links.delete(link));
  end.resume();
}

function pass({ link, what }, content) {
  const end = links.get(link);
  if (!end) return;
  if (what === "piece") end.write(content, () => { if (links.get(link) === end) send({ link, what: "taken" }); });
  else if (what === "taken") end.resume();
  else if (what === "end") end.end();
  else { links.delete(link); end.destroy(); }
}

async function listen(ports) {
  for (const port of ports) {
    const listener = net.createServer({ allowHalfOpen: true }, takeIn);
    listeners.push(listener);
    await new Promise((done, failed) => listener.on("error", failed).listen(port, "127.0.0.1", done));
  }
}

function endLinks() {
  listeners.splice(0).forEach((listener) => listener.close());
  links.forEach((end) => end.destroy());
  links.clear();
}

async function run({ argv, env, timeout, most, links: granted, ports }, stdin) {
  await listen(ports);
  const folder = `${SCRATCH}/${number++}`;
  const files = ["in", "out", "err"].map((name) => `${folder}.${name}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  for (const [name, goal] of Object.entries(granted)) {
    fs.mkdirSync(path.dirname(`${folder}/${name}`), { recursive: true });
    fs.symlinkSync(goal, `${folder}/${name}`);
  }
  fs.writeFileSync(files[0], stdin);
  const stdio = files.map((file, at) => fs.openSync(file, at ? "w" : "r"));
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
    endLinks();
    stdio.forEach((file) => fs.closeSync(file));
    const outputs = files.slice(1).map((file) => readOutput(file, most));
    if (failed) outputs[1] = Buffer.from(failed);
    for (const name of fs.readdirSync(SCRATCH)) fs.rmSync(`${SCRATCH}/${name}`, { recursive: true, force: true });
    running = false;
    send({ exit, late, sizes: outputs.map((content) => content.length) }, Buffer.concat(outputs));
  }
}

function take(size) {
  const taken = waiting.subarray(0, size);
  waiting = waiting.subarray(size);
  return taken;
}

function obey(content) {
  const asked = message;
  message = null;
  if ("link" in asked) return pass(asked, content);
  if (running) process.exit(1);
  running = true;
  run(asked, content);
}

process.stdin.on("data", (piece) => {
  waiting = Buffer.concat([waiting, piece]);
  for (;;) {
    if (!message && waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0))
      message = JSON.parse(take(4 + waiting.readUInt32BE(0)).subarray(4));
    if (!message || waiting.length < message.size) return;
    obey(take(message.size));
  }
});
process.stdin.on("end", () => process.exit());
send({ version: process.versions.node });
