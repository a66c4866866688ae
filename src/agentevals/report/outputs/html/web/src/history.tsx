// The history of the base branch: its figures run by run, and a strip for each case.

import type { Point, Trend } from "./data.ts";
import { drawLine, placePoints } from "./draw.ts";
import { Text } from "./parts.tsx";
import { plural } from "./text.ts";

const WIDTH = 160;
const HEIGHT = 44;
const STEP = 9;

/** Name a run; the last one is the run that the page is about. */
function nameRun(points: readonly Point[], at: number): string {
  const point = points[at];
  if (at === points.length - 1) return "this run";
  return [point?.commit, point?.made_at.slice(0, 10)].filter(Boolean).join(", ") || `run ${at + 1}`;
}

function Chart({ name, at, points }: { name: string; at: number; points: readonly Point[] }) {
  const found = points.map((point) => point.figures[at]);
  const values = found.map((one) => one?.value ?? null);
  const told = found.map((one, run) => `${nameRun(points, run)}: ${one?.text}`);
  const known = found.filter((one) => one && one.value !== null);
  const sorted = [...known].sort((one, other) => (one?.value ?? 0) - (other?.value ?? 0));
  const now = found[found.length - 1];
  const ends = `${sorted[0]?.text} to ${sorted[sorted.length - 1]?.text}`;
  return (
    <figure class="spread">
      <figcaption>
        <strong>{name}</strong>
        <span class="quiet">
          {now && now.value !== null && `${now.text} in this run, `}
          {ends}
        </span>
      </figcaption>
      <svg viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`} role="img" aria-label={`${name}: ${told.join("; ")}`}>
        <path class="trend" d={drawLine(values, WIDTH, HEIGHT)} />
        {placePoints(values, WIDTH, HEIGHT).map(
          (place, run) =>
            place && (
              <circle class={run === points.length - 1 ? "run this" : "run"} cx={place[0]} cy={place[1]} r="2.6">
                <title>{told[run]}</title>
              </circle>
            ),
        )}
      </svg>
      <span class="ends quiet" aria-hidden="true">
        <span>{nameRun(points, 0)}</span>
        <span>this run</span>
      </span>
    </figure>
  );
}

const WORDS: Record<string, string> = { p: "passed", f: "failed", e: "error", n: "not evaluated", "-": "no such case" };
const HIGH: Record<string, number> = { p: 6, f: 16, e: 16, n: 11 };

/** How one case ended in each run: low if it passed, high if it failed. */
export function Strip({ letters, points }: { letters: string; points: readonly Point[] }) {
  const told = [...letters].map((letter, run) => `${nameRun(points, run)}: ${WORDS[letter]}`);
  return (
    <svg class="strip" width={letters.length * STEP} height="16" role="img" aria-label={told.join("; ")}>
      {[...letters].map((letter, run) => {
        const high = HIGH[letter] ?? 0;
        return (
          high > 0 && (
            <rect class={letter} x={run * STEP} y={16 - high} width={STEP - 2} height={high}>
              <title>{told[run]}</title>
            </rect>
          )
        );
      })}
    </svg>
  );
}

/** How the base branch went, run by run and case by case, with this run at the end. */
export function History({ trend }: { trend: Trend }) {
  const { points, strips } = trend;
  if (points.length < 2) return null;
  const names = points[0]?.figures.map((one) => one.name) ?? [];
  const shown = names
    .map((name, at) => ({ name, at }))
    .filter(({ at }) => points.filter((point) => (point.figures[at]?.value ?? null) !== null).length > 1);
  if (!shown.length && !strips.length) return null;
  return (
    <details class="fold history" open>
      <summary>
        History of the base <span class="quiet">{plural(points.length - 1, "run")}, then this one</span>
      </summary>
      <div class="spreads">
        {shown.map(({ name, at }) => (
          <Chart key={name} name={name} at={at} points={points} />
        ))}
      </div>
      {strips.length > 0 && (
        <p class="quiet small">
          Cases that did not always pass: a high bar failed, a low one passed.
          {trend.even > 0 && ` Always passed: ${plural(trend.even, "case")}.`}
        </p>
      )}
      {strips.length > 0 && (
        <table class="strips" aria-label="Cases that did not always pass">
          <tbody>
            {strips.map(({ id, letters }) => (
              <tr>
                <th scope="row">
                  <Text>{id}</Text>
                </th>
                <td>
                  <Strip letters={letters} points={points} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {trend.more > 0 && <p class="quiet small">and {plural(trend.more, "more case")}</p>}
    </details>
  );
}
