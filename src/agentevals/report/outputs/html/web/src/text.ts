// Texts and numbers as people read them.

// characters that a reader does not see, or that change the direction of writing
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** Return third-party text with every hidden character visible. */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(HIDDEN, (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `\\u{${code.toString(16)}}`;
  });
}

export function writeDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Write a score with two digits; what is not quite 1 never looks like 1. */
export function writeScore(score: number): string {
  const text = score.toFixed(2);
  return text === "1.00" && score < 1 ? "0.99" : text;
}

export function writeChange(change: number): string {
  const text = Math.abs(change).toFixed(2);
  if (text === "0.00") return "±0";
  return `${change < 0 ? "−" : "+"}${text}`;
}

export function writeCost(dollars: number): string {
  return dollars >= 0.1 || dollars === 0 ? `$${dollars.toFixed(2)}` : `$${dollars.toPrecision(2)}`;
}

export function writeCount(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

export function plural(count: number, noun: string): string {
  return `${writeCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Write JSON in lines; what was cut or is none stays as it is. */
export function indent(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : JSON.stringify(value, null, 2);
  } catch {
    return json;
  }
}
