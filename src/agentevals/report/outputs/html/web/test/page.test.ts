import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { readDetails, readLines } from "../src/data.ts";
import { countBins, drawLine, makeScale, placeSpans } from "../src/draw.ts";
import { readRoute, writeRoute } from "../src/route.ts";
import { indent, visible, writeChange, writeCost, writeDuration, writeScore } from "../src/text.ts";
import { findWindow, moveTo, scrollTo } from "../src/window.ts";
import { make } from "./lines.ts";

test("only the rows within sight are drawn, and some around them", () => {
  assert.deepEqual(findWindow(0, 560, 56, 10_000), { first: 0, last: 18 });
  assert.deepEqual(findWindow(56_000, 560, 56, 10_000), { first: 992, last: 1018 });
  assert.deepEqual(findWindow(0, 560, 56, 3), { first: 0, last: 3 });
});

test("keys move in the list and stay in it", () => {
  const goals = ["ArrowDown", "ArrowUp", "PageDown", "Home", "End", "a"].map((key) => moveTo(key, 0, 40, 10));
  assert.deepEqual(goals, [1, 0, 10, 0, 39, null]);
  assert.equal(moveTo("End", 0, 0, 10), null);
});

test("a row comes into sight by the shortest way", () => {
  assert.equal(scrollTo(5, 0, 560, 56), 0);
  assert.equal(scrollTo(10, 0, 560, 56), 56);
  assert.equal(scrollTo(2, 560, 560, 56), 112);
});

test("the address of a case leads to it, whatever its name is", () => {
  const lines = make({ id: "a/b c?#%é\n" }, { id: "plain", config: 2 });
  for (const line of lines) assert.equal(readRoute(writeRoute(line), lines), line);
  for (const hash of ["", "#", "#/0/%", "#/7/plain", "#/x"]) assert.equal(readRoute(hash, lines), undefined);
});

test("hidden characters are seen, and lines stay lines", () => {
  assert.equal(visible("a\u001b[31m\u0000b"), "a␛[31m␀b");
  assert.equal(visible("x\u202ey\u200b"), "x\\u{202e}y\\u{200b}");
  assert.equal(visible("one\r\ntwo\tthree"), "one\ntwo\tthree");
  assert.equal(visible("日本 👩‍🚀".replace("\u200d", "")), "日本 👩🚀");
});

test("numbers are written as in every other output", () => {
  assert.deepEqual([0.999, 1, 0.5].map(writeScore), ["0.99", "1.00", "0.50"]);
  assert.deepEqual([0.25, -0.251, 0.001].map(writeChange), ["+0.25", "−0.25", "±0"]);
  assert.deepEqual([12, 1_500, 61_000].map(writeDuration), ["12 ms", "1.5 s", "1 min 1 s"]);
  assert.deepEqual([0, 0.0041, 2.5].map(writeCost), ["$0.00", "$0.0041", "$2.50"]);
});

test("JSON is indented, a text is a text, and what was cut stays as it is", () => {
  assert.equal(indent('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
  assert.equal(indent('"two\\nlines"'), "two\nlines");
  assert.equal(indent('{"a": "cut…'), '{"a": "cut…');
});

test("a score of exactly 1 is in the last bin, and an unknown one in none", () => {
  const bins = countBins([0, 0.049, 1, null, undefined]);
  assert.equal(bins[0], 2);
  assert.equal(bins.at(-1), 1);
  assert.equal(bins.reduce((sum, count) => sum + count), 3);
});

test("a scale keeps everything inside of the picture", () => {
  const place = makeScale([-0.15, 0.01, 0], 120);
  assert.ok(place(-0.15) > 0 && place(0.01) < 120 && place(-0.15) < place(0));
});

test("a line has gaps where nothing is known", () => {
  assert.equal(drawLine([0, null, 1], 10, 10), "M0.0 10.0M10.0 0.0");
  assert.equal(drawLine([2, 2], 10, 10), "M0.0 5.0L10.0 5.0");
});

test("spans are between the begin and the end, and never without a width", () => {
  const [all, late] = placeSpans([{ name: "a", milliseconds: 100 }, { name: "b", depth: 1, start_ms: 100 }]);
  assert.deepEqual([all?.left, all?.width], [0, 100]);
  assert.ok(late && late.width > 0 && late.left + late.width <= 100);
});

test("blocks are read one after the other, and their details by themselves", async () => {
  const text = JSON.stringify([[0, "x", "pass", [], 1, "", "", "p", [1], [null], [1, 1], [1, 2, 3], "pf", ""]]);
  const lines = readLines([text, text]);
  assert.deepEqual(lines.map((line) => [line.at, line.block, line.place]), [[0, 0, 0], [1, 1, 0]]);
  const packed = deflateRawSync(JSON.stringify([{ more: 3 }, null])).toString("base64");
  assert.deepEqual(await readDetails(packed), [{ more: 3 }, null]);
});
