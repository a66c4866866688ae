// Small pieces that every view uses.

import type { ComponentChildren } from "preact";
import type { Tone, Verdict } from "./data.ts";
import { visible } from "./text.ts";

/** Third-party text: hidden characters are visible, and its direction ends with it. */
export function Text({ children }: { children: string }) {
  return <bdi>{visible(children)}</bdi>;
}

export function Link({ url, children }: { url: string; children: ComponentChildren }) {
  if (!/^https?:\/\//.test(url)) return <>{children}</>;
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  );
}

const WORDS: Record<Verdict, [sign: string, word: string, tone: string]> = {
  pass: ["✓", "pass", "good"],
  borderline: ["~", "borderline", "warn"],
  fail: ["✗", "fail", "bad"],
  error: ["!", "error", "odd"],
  "not-evaluated": ["–", "not evaluated", "odd"],
};

export function Badge({ verdict }: { verdict: Verdict }) {
  const [sign, word, tone] = WORDS[verdict] ?? ["?", verdict, "plain"];
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

const SIGNS: Record<Tone, string> = { bad: "✗", warn: "!", good: "✓", plain: "·" };

export function Sign({ tone }: { tone: Tone }) {
  return (
    <span class={`sign ${tone}`} aria-hidden="true">
      {SIGNS[tone]}
    </span>
  );
}

export function Section({ title, id, children }: { title: string; id: string; children: ComponentChildren }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
