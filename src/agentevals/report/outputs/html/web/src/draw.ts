// The arithmetic of pictures.

import type { Bar } from "./data.ts";

export const BINS = 20;

/** Count scores from 0 to 1 in bins; the last holds exactly 1 as well. */
export function countBins(scores: Iterable<number | null | undefined>): number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const score of scores) {
    if (score === null || score === undefined) continue;
    const at = Math.max(0, Math.min(BINS - 1, Math.floor(score * BINS)));
    bins[at] = (bins[at] ?? 0) + 1;
  }
  return bins;
}

export interface Scale {
  (value: number): number;
}

/** Return a scale from values to a width, with room on both sides of all of them. */
export function makeScale(values: readonly number[], width: number): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = (high - low || 1) * 0.12;
  return (value) => ((value - low + room) / (high - low + 2 * room)) * width;
}

/** Place values in a picture, the highest on top; null where one is missing. */
export function placePoints(values: readonly (number | null)[], width: number, height: number): ([number, number] | null)[] {
  const known = values.filter((value): value is number => value !== null);
  const low = Math.min(...known);
  const range = Math.max(...known) - low;
  return values.map((value, at) => {
    if (value === null) return null;
    const share = range ? (value - low) / range : 0.5;
    return [(at / (values.length - 1 || 1)) * width, height - share * height];
  });
}

/** Return a line as SVG writes it, in pieces where values are missing. */
export function drawLine(values: readonly (number | null)[], width: number, height: number): string {
  let pen = "M";
  return placePoints(values, width, height)
    .map((place) => {
      const piece = place ? `${pen}${place[0].toFixed(1)} ${place[1].toFixed(1)}` : "";
      pen = place ? "L" : "M";
      return piece;
    })
    .join("");
}

export interface Placed {
  name: string;
  depth: number;
  left: number;
  width: number;
  milliseconds: number;
  failed: boolean;
}

/** Place each span between 0 and 100; one without a length stays visible. */
export function placeSpans(spans: readonly Bar[]): Placed[] {
  const ends = spans.map((one) => (one.start_ms ?? 0) + (one.milliseconds ?? 0));
  const all = ends.reduce((most, end) => Math.max(most, end), 0) || 1;
  return spans.map((one) => {
    const width = Math.max(0.4, ((one.milliseconds ?? 0) / all) * 100);
    const left = Math.min(100 - width, ((one.start_ms ?? 0) / all) * 100);
    return {
      ...{ name: one.name, depth: one.depth ?? 0, left: Math.max(0, left), width },
      ...{ milliseconds: one.milliseconds ?? 0, failed: one.failed ?? false },
    };
  });
}
