import type { Attempt, Bar, Call, Exchange } from "./data.ts";
import { placeSpans } from "./draw.ts";
import { Section, Text } from "./parts.tsx";
import { indent, plural, writeCount, writeDuration } from "./text.ts";

const NOT_KEPT =
  "This report has no conversation: it was made from a report.json, or keep-traces of the action keeps none. Run agentevals run -o html over the recording to see it.";

/** What was said and done, turn by turn, beside what was expected. */
export function Conversation({ attempt }: { attempt: Attempt }) {
  const found = attempt.transcript;
  if (!found) {
    return (
      <Section title="Conversation" id="conversation">
        {attempt.question && (
          <p class="said">
            <Text>{attempt.question}</Text>
          </p>
        )}
        {attempt.calls && attempt.calls.length > 0 && (
          <ol class="path">
            {attempt.calls.map((call) => (
              <li>
                <code>
                  <Text>{call}</Text>
                </code>
              </li>
            ))}
          </ol>
        )}
        <p class="quiet">{NOT_KEPT}</p>
      </Section>
    );
  }
  const turns = found.turns ?? [];
  const expected = found.expected;
  const count = Math.max(turns.length, expected?.length ?? 0);
  return (
    <Section title="Conversation" id="conversation">
      {found.unpaired && (
        <p class="quiet">
          Nothing is expected of it: <Text>{found.unpaired}</Text>
        </p>
      )}
      {Array.from({ length: count }, (_, at) => (
        <Turn at={at} count={count} turn={turns[at]} wanted={expected?.[at]} compared={expected !== undefined} />
      ))}
      {(found.left_out ?? []).map((said) => (
        <p class="quiet">
          <Text>{said}</Text>
        </p>
      ))}
    </Section>
  );
}

function Turn({ at, count, turn, wanted, compared }: { at: number; count: number; turn: Exchange | undefined; wanted: Exchange | undefined; compared: boolean }) {
  const [input, output] = turn?.tokens ?? [null, null];
  const facts = [
    turn?.milliseconds === undefined ? "" : writeDuration(turn.milliseconds),
    input === null && output === null ? "" : `${writeCount(input ?? 0)} tokens in, ${writeCount(output ?? 0)} out`,
  ];
  return (
    <div class={compared ? "turn compared" : "turn"}>
      <h3 class={count > 1 || facts.some(Boolean) ? "" : "hidden"}>
        {`Turn ${at + 1}`} <span class="quiet">{facts.filter(Boolean).join(" · ")}</span>
      </h3>
      <div class="side">
        {compared && <h4>Recorded</h4>}
        {turn ? <Said turn={turn} expected={false} /> : <p class="quiet">There is no such turn in the recording.</p>}
      </div>
      {compared && (
        <div class="side wanted">
          <h4>Expected</h4>
          {wanted ? <Said turn={wanted} expected={true} /> : <p class="quiet">Nothing more is expected.</p>}
        </div>
      )}
    </div>
  );
}

function Said({ turn, expected }: { turn: Exchange; expected: boolean }) {
  const calls = turn.calls ?? [];
  return (
    <>
      {turn.user && <Message who="User" text={turn.user} />}
      {(turn.intermediate ?? []).map((text) => (
        <Message who="Agent, on the way" text={text} />
      ))}
      {calls.length > 0 && (
        <ol class="made">
          {calls.map((call) => (
            <CallView call={call} />
          ))}
        </ol>
      )}
      {turn.answer ? (
        <Message who="Agent" text={turn.answer} />
      ) : (
        <p class="quiet">{expected ? "No answer is stated." : turn.answer === undefined ? "No answer was recorded." : "The answer is empty."}</p>
      )}
    </>
  );
}

function Message({ who, text }: { who: string; text: string }) {
  return (
    <div class={`message ${who === "User" ? "user" : "agent"}`}>
      <span class="who">{who}</span>
      <div class="words">
        <Text>{text}</Text>
      </div>
    </div>
  );
}

function CallView({ call }: { call: Call }) {
  const args = call.args === undefined ? "" : indent(call.args);
  const short = args.replace(/\s+/g, " ").slice(0, 140);
  return (
    <li>
      <details>
        <summary>
          <code>
            <Text>{call.name}</Text>
          </code>{" "}
          <span class="quiet small">
            {call.args === undefined ? "arguments not known" : <Text>{short}</Text>}
            {call.agent && (
              <>
                {" "}
                by <Text>{call.agent}</Text>
              </>
            )}
          </span>
          {call.error && <span class="kind bad">failed</span>}
        </summary>
        {args && (
          <pre tabIndex={0}>
            <Text>{args}</Text>
          </pre>
        )}
        {call.error && (
          <p>
            <Text>{call.error}</Text>
          </p>
        )}
        {call.response !== undefined && (
          <>
            <span class="who">Result</span>
            <pre tabIndex={0}>
              <Text>{indent(call.response)}</Text>
            </pre>
          </>
        )}
      </details>
    </li>
  );
}

/** The spans below each other, by depth, along the time. */
export function Timeline({ spans }: { spans: Bar[] }) {
  if (!spans.length) return null;
  return (
    <Section title="Timeline" id="timeline">
      <div class="scroll tall" role="region" tabIndex={0} aria-label="timeline of spans">
        <table class="timeline">
          <thead>
            <tr>
              <th scope="col">{plural(spans.length, "span")}</th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col">
                <span class="hidden">When</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {placeSpans(spans).map((one) => (
              <tr class={one.failed ? "bad" : ""}>
                <th scope="row" style={{ paddingLeft: `${Math.min(one.depth, 12) * 14 + 4}px` }}>
                  <Text>{one.name}</Text>
                  {one.failed && <span class="kind bad">failed</span>}
                </th>
                <td class="number">{writeDuration(one.milliseconds)}</td>
                <td class="lane">
                  <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect class={`depth-${one.depth % 4}`} x={one.left} y="1" width={one.width} height="8" />
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
