// The address of a case inside of the page.

import type { Line } from "./data.ts";

/** Return the part of the address after `#`. */
export function writeRoute(line: Line): string {
  return `#/${line.config}/${encodeURIComponent(line.id)}`;
}

/** Return the case of an address; undefined for the list, and for an address of no case. */
export function readRoute(hash: string, lines: readonly Line[]): Line | undefined {
  const found = /^#\/(\d+)\/(.+)$/s.exec(hash);
  if (!found) return undefined;
  let id: string;
  try {
    id = decodeURIComponent(found[2] ?? "");
  } catch {
    return undefined;
  }
  return lines.find((line) => line.config === Number(found[1]) && line.id === id);
}
