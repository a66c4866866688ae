// The rows of a long list that are within sight.

export interface Window {
  first: number;
  last: number;
}

/** Return the rows to draw: those within sight, and some around them. */
export function findWindow(top: number, height: number, row: number, count: number): Window {
  const around = 8;
  const first = Math.max(0, Math.floor(top / row) - around);
  return { first, last: Math.min(count, Math.ceil((top + height) / row) + around) };
}

/** Return the row that a key moves to; null for other keys. */
export function moveTo(key: string, at: number, count: number, page: number): number | null {
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined || !count ? null : Math.max(0, Math.min(count - 1, next));
}

/** Return where to scroll so that a row is within sight. */
export function scrollTo(at: number, top: number, height: number, row: number): number {
  if (at * row < top) return at * row;
  return Math.max(top, (at + 1) * row - height);
}
