import type { Base, Judgement, Row } from "./data.ts";
import { Section, Text } from "./parts.tsx";
import { plural } from "./text.ts";

const STATUSES: Record<Judgement["status"], [sign: string, tone: string, word: string]> = {
  PASSED: ["✓", "good", "passed"],
  FAILED: ["✗", "bad", "failed"],
  ERROR: ["!", "odd", "error"],
  NOT_EVALUATED: ["–", "odd", "not evaluated"],
};

/** What each evaluator found, those that decide first. */
export function Judgements({ judgements, base }: { judgements: Judgement[]; base: Base | null }) {
  const rank = (one: Judgement) => (one.decides ? 0 : one.status === "PASSED" ? 2 : 1);
  const sorted = [...judgements].sort((a, b) => rank(a) - rank(b));
  if (!sorted.length) return null;
  return (
    <Section title="Evaluators" id="evaluators">
      <ul class="judgements">
        {sorted.map((one) => (
          <JudgementView one={one} base={base} />
        ))}
      </ul>
    </Section>
  );
}

function JudgementView({ one, base }: { one: Judgement; base: Base | null }) {
  const [sign, tone, word] = STATUSES[one.status];
  const before = base?.scores[one.name];
  return (
    <li class={tone}>
      <h3>
        <span class={`sign ${tone}`} aria-hidden="true">
          {sign}
        </span>
        <span class="hidden">{word}: </span>
        <Text>{one.name}</Text>
        {one.decides && <span class="kind bad">decides</span>}
      </h3>
      <p class="score">
        {one.share !== null && <Meter share={one.share} threshold={one.threshold} tone={tone} />}
        <strong>{one.status === "ERROR" || one.status === "NOT_EVALUATED" ? word : one.score}</strong>
        <span class="quiet">
          {one.needs && ` needs ${one.needs}`}
          {before && ` · base ${before.score}`}
          {one.weight !== 1 && ` · weight ${one.weight}`}
          {one.type && one.type !== one.name && (
            <>
              {" · "}
              <Text>{one.type}</Text>
            </>
          )}
        </span>
      </p>
      {[...one.problems, one.reasoning].filter(Boolean).map((said) => (
        <p class="said">
          <Text>{said}</Text>
        </p>
      ))}
      {one.hits.length > 0 && (
        <details>
          <summary>{plural(one.hits.length, "thing")} found right</summary>
          <ul>
            {one.hits.map((said) => (
              <li>
                <Text>{said}</Text>
              </li>
            ))}
          </ul>
        </details>
      )}
      {one.turns.map((turn) => (
        <Calls turn={turn} several={one.turns.length > 1} />
      ))}
    </li>
  );
}

function Meter({ share, threshold, tone }: { share: number; threshold: number | null; tone: string }) {
  const width = 80;
  return (
    <svg class={`meter ${tone}`} width={width} height="10" viewBox={`0 0 ${width} 10`} aria-hidden="true">
      <rect class="track" x="0" y="3" width={width} height="4" rx="2" />
      <rect class="level" x="0" y="3" width={Math.max(0, Math.min(1, share)) * width} height="4" rx="2" />
      {threshold !== null && <line x1={threshold * width} x2={threshold * width} y1="0" y2="10" />}
    </svg>
  );
}

const KINDS: Record<Row["kind"], [sign: string, word: string]> = {
  same: ["=", "the same"],
  changed: ["≠", "other arguments"],
  missing: ["−", "not called"],
  extra: ["+", "not expected"],
  moved: ["~", "in another place"],
};

/** Expected and actual calls of one turn, argument by argument where they differ. */
function Calls({ turn, several }: { turn: Judgement["turns"][number]; several: boolean }) {
  return (
    <div class="scroll" role="region" tabIndex={0} aria-label={`calls of turn ${turn.turn}`}>
      <table class="calls">
        <caption>
          {several ? `Calls of turn ${turn.turn}` : "Calls"}
          {turn.before > 0 && <span class="quiet"> · {plural(turn.before, "call")} before are the same</span>}
          {turn.after > 0 && <span class="quiet"> · {plural(turn.after, "more call")}</span>}
        </caption>
        <thead>
          <tr>
            <th scope="col">Call</th>
            <th scope="col">Expected</th>
            <th scope="col">Actual</th>
          </tr>
        </thead>
        <tbody>
          {turn.rows.flatMap((row) => writeRow(row))}
        </tbody>
      </table>
    </div>
  );
}

function writeRow(row: Row) {
  const [sign, word] = KINDS[row.kind];
  const code = (text: string) => (text ? <code><Text>{text}</Text></code> : <span class="quiet">–</span>);
  const head = (
    <th scope="row">
      <span class="sign" aria-hidden="true">
        {sign}
      </span>{" "}
      <code>
        <Text>{row.name}</Text>
      </code>
      <span class="quiet small"> {row.elsewhere ? "in another place" : row.kind === "same" ? "" : word}</span>
    </th>
  );
  if (!row.arguments.length || (row.arguments.length === 1 && !row.arguments[0]?.name)) {
    return [
      <tr class={row.kind}>
        {head}
        <td>{code(row.expected)}</td>
        <td>{code(row.actual)}</td>
      </tr>,
    ];
  }
  return [
    <tr class={row.kind}>
      {head}
      <td colSpan={2} class="quiet small">
        {plural(row.arguments.length, "argument")} differ{row.arguments.length === 1 ? "s" : ""}
      </td>
    </tr>,
    ...row.arguments.map((one) => (
      <tr class="argument">
        <th scope="row">
          <code>
            <Text>{one.name}</Text>
          </code>
        </th>
        <td class="gone">{code(one.expected)}</td>
        <td class="new">{code(one.actual)}</td>
      </tr>
    )),
  ];
}
