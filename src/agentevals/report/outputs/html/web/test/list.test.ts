import assert from "node:assert/strict";
import { test } from "node:test";
import { change, listFilters, selectLines, sortLines } from "../src/list.ts";
import type { Query } from "../src/list.ts";
import { make, names } from "./lines.ts";

const ALL: Query = { words: "", filter: "", config: -1, evaluator: -1, sort: { key: "worst", down: false } };
const CASES = make(
  { id: "fine", score: 1, latency: 5, question: "Where is my parcel?" },
  { id: "fell", verdict: "fail", kinds: ["regressed"], score: 0.2, marks: "f", why: "called refund" },
  { id: "bad", verdict: "fail", kinds: ["failing"], score: 0, marks: "f", latency: 9, config: 1 },
  { id: "odd", verdict: "error", marks: "e" },
  { id: "known", verdict: "fail", accepted: "accepted until 2027-01-31: later", score: 0.1, marks: "f" },
);

test("the worst is first: what regressed, what fails, what is accepted, errors, what passes", () => {
  assert.deepEqual(names(selectLines(CASES, ALL)), ["fell", "bad", "known", "odd", "fine"]);
});

test("every word has to be in the name, the question or the reason", () => {
  assert.deepEqual(names(selectLines(CASES, { ...ALL, words: "PARCEL where" })), ["fine"]);
  assert.deepEqual(names(selectLines(CASES, { ...ALL, words: "refund parcel" })), []);
});

test("filters: a verdict, what became of a case, a config, an evaluator that did not pass", () => {
  assert.deepEqual(names(selectLines(CASES, { ...ALL, filter: "regressed" })), ["fell"]);
  assert.deepEqual(names(selectLines(CASES, { ...ALL, filter: "accepted" })), ["known"]);
  assert.deepEqual(names(selectLines(CASES, { ...ALL, config: 1 })), ["bad"]);
  assert.deepEqual(names(selectLines(CASES, { ...ALL, evaluator: 0 })), ["fell", "bad", "known", "odd"]);
});

test("only filters that some case fits are there, with how many do", () => {
  const found = listFilters(CASES).map((one) => [one.label, one.count]);
  assert.deepEqual(found, [["all", 5], ["regressed", 1], ["failed", 3], ["error", 1], ["accepted", 1], ["passed", 1]]);
});

test("what is not known is last in either direction", () => {
  for (const down of [false, true]) {
    const found = names(sortLines(CASES, { key: "latency", down }));
    assert.deepEqual(found.slice(0, 2), down ? ["bad", "fine"] : ["fine", "bad"]);
    assert.deepEqual(found.slice(2), ["fell", "odd", "known"]);
  }
});

test("names are sorted as people count", () => {
  const found = sortLines(make({ id: "c10" }, { id: "c9" }, { id: "c1" }), { key: "id", down: false });
  assert.deepEqual(names(found), ["c1", "c9", "c10"]);
});

test("a change is over the evaluators that scored it in both runs", () => {
  const [line] = make({ scores: [1, 0.5, null], before: [0.5, null, 1] });
  assert.equal(line && change(line), 0.5);
  assert.equal(change(make({ scores: [1], before: [null] })[0]!), null);
});
