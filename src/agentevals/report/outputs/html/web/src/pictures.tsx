import type { Config, Figure, Line } from "./data.ts";
import { BINS, countBins, makeScale } from "./draw.ts";
import { Text } from "./parts.tsx";
import { plural, writeScore } from "./text.ts";

/** The difference of a figure with its interval, beside nought and the limit of the change. */
export function Difference({ picture, tone }: { picture: NonNullable<Figure["picture"]>; tone: string }) {
  const [low, high] = picture.ends;
  const limits = picture.margin === null ? [] : [picture.nought - picture.margin];
  const width = 120;
  const place = makeScale([low, high, picture.nought, picture.at, ...limits], width);
  return (
    <svg class={`interval ${tone}`} width={width} height="18" viewBox={`0 0 ${width} 18`} aria-hidden="true">
      <line class="nought" x1={place(picture.nought)} x2={place(picture.nought)} y1="1" y2="17" />
      {limits.map((at) => (
        <line class="limit" x1={place(at)} x2={place(at)} y1="1" y2="17" />
      ))}
      <line class="range" x1={place(low)} x2={place(high)} y1="9" y2="9" />
      <circle cx={place(picture.at)} cy="9" r="3.5" />
    </svg>
  );
}

const BAR = 8;
const HEIGHT = 44;

/** How the scores of one evaluator are spread: now as bars, in the base as an outline. */
function Spread({ name, lines, at }: { name: string; lines: readonly Line[]; at: number }) {
  const scores = lines.map((line) => line.scores[at] ?? null).filter((one): one is number => one !== null);
  const now = countBins(scores);
  const before = countBins(lines.map((line) => line.before[at]));
  const most = Math.max(...now, ...before, 1);
  const mean = scores.length ? scores.reduce((sum, one) => sum + one, 0) / scores.length : null;
  const high = (count: number) => (count ? Math.max(2, (count / most) * HEIGHT) : 0);
  const passed = lines.filter((line) => line.marks[at] === "p").length;
  const judged = lines.filter((line) => "pf".includes(line.marks[at] ?? "-")).length;
  const told = mean === null ? "no score" : `mean ${writeScore(mean)}, ${passed}/${judged} passed`;
  const known = before.some(Boolean);
  return (
    <figure class="spread">
      <figcaption>
        <strong>
          <Text>{name}</Text>
        </strong>
        <span class="quiet">{told}</span>
      </figcaption>
      <svg viewBox={`0 0 ${BINS * BAR} ${HEIGHT + 2}`} role="img" aria-label={`scores of ${name}: ${told}`}>
        {now.map((count, bin) => (
          <rect class="now" x={bin * BAR} y={HEIGHT - high(count)} width={BAR - 1} height={high(count)} />
        ))}
        {known &&
          before.map((count, bin) =>
            count ? <path class="before" d={`M${bin * BAR} ${HEIGHT - high(count)}h${BAR - 1}`} /> : null,
          )}
        <line class="axis" x1="0" x2={BINS * BAR} y1={HEIGHT + 1} y2={HEIGHT + 1} />
      </svg>
      <span class="ends quiet" aria-hidden="true">
        <span>0</span>
        <span>1</span>
      </span>
    </figure>
  );
}

export function Spreads({ config, lines }: { config: Config; lines: readonly Line[] }) {
  const found = config.evaluators.map((name, at) => ({ name, at }));
  const judged = found.filter(({ at }) => lines.some((line) => (line.scores[at] ?? null) !== null));
  if (lines.length < 2 || !judged.length) return null;
  const compared = lines.some((line) => line.before.some((one) => one !== null));
  return (
    <details class="fold" open={judged.length <= 8}>
      <summary>
        Distribution of scores <span class="quiet">{plural(judged.length, "evaluator")}</span>
      </summary>
      {compared && <p class="quiet small">Bars are this run, dashes are the base.</p>}
      <div class="spreads">
        {judged.slice(0, 60).map(({ name, at }) => (
          <Spread key={at} name={name} lines={lines} at={at} />
        ))}
      </div>
    </details>
  );
}
