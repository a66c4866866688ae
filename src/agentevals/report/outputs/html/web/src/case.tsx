import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Strip } from "./history.tsx";
import { Conversation, Timeline } from "./conversation.tsx";
import { readDetails } from "./data.ts";
import type { Attempt, Config, Details, Line } from "./data.ts";
import { Judgements } from "./judgements.tsx";
import { Badge, Link, Section, Text } from "./parts.tsx";
import { plural, writeCost, writeCount, writeDuration } from "./text.ts";

type State = { found: Details | null } | { wrong: string } | null;

/** Read the details of a case out of its block. */
function useDetails(line: Line): State {
  const [state, setState] = useState<State>(null);
  useEffect(() => {
    const packed = document.querySelectorAll("script.details")[line.block]?.textContent ?? "";
    readDetails(packed).then(
      (block) => setState({ found: block[line.place] ?? null }),
      (error: unknown) => setState({ wrong: String(error) }),
    );
  }, [line]);
  return state;
}

interface Props {
  line: Line;
  among: readonly Line[];
  config: Config | undefined;
  onOpen: (line: Line, among: readonly Line[]) => void;
  onClose: () => void;
}

export function CaseView({ line, among, config, onOpen, onClose }: Props) {
  const state = useDetails(line);
  const [chosen, setChosen] = useState(0);
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus({ preventScroll: true }), []);
  const at = among.findIndex((one) => one.at === line.at);
  const previous = among[at - 1];
  const next = at < 0 ? undefined : among[at + 1];
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
      const goal = event.key === "j" ? next : event.key === "k" ? previous : undefined;
      if (goal) onOpen(goal, among);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [next, previous, among, onOpen]);
  const details = state && "found" in state ? state.found : undefined;
  const attempt = details?.attempts[chosen];
  return (
    <article class="case">
      <nav aria-label="Cases">
        <button type="button" onClick={onClose}>
          ← All cases <kbd aria-hidden="true">Esc</kbd>
        </button>
        <span class="spacer" />
        <button type="button" disabled={!previous} onClick={() => previous && onOpen(previous, among)}>
          Previous <kbd aria-hidden="true">k</kbd>
        </button>
        <span class="quiet small">
          {at + 1} of {writeCount(among.length)}
        </span>
        <button type="button" disabled={!next} onClick={() => next && onOpen(next, among)}>
          Next <kbd aria-hidden="true">j</kbd>
        </button>
      </nav>
      <header class="case-head">
        <Badge verdict={line.verdict} />
        <h1 tabIndex={-1} ref={title}>
          <Text>{line.id}</Text>
        </h1>
      </header>
      {line.accepted && (
        <p>
          <Text>{line.accepted}</Text>
        </p>
      )}
      <Facts line={line} details={details} config={config} attempt={attempt} />
      {!state && <p class="quiet">Reading…</p>}
      {state && "wrong" in state && <p>The details cannot be read: {state.wrong}</p>}
      {details === null && <p>This file is full, and has no details of this case. Run agentevals explain with report.json.</p>}
      {details && details.attempts.length > 1 && <Attempts details={details} chosen={chosen} onChoose={setChosen} />}
      {details && attempt && <AttemptView details={details} attempt={attempt} />}
    </article>
  );
}

function Facts({ line, details, config, attempt }: { line: Line; details: Details | null | undefined; config: Config | undefined; attempt: Attempt | undefined }) {
  const base = details?.base;
  const facts: [string, preact.ComponentChildren][] = [];
  if (config) facts.push(["config", <Text>{config.name}</Text>]);
  if (details?.now.length) facts.push(["change", details.now.join(", ")]);
  if (base) {
    const of = base.attempts > 1 ? `, ${base.passed} of ${base.attempts} attempts passed` : "";
    facts.push(["base", `${base.verdict.replace("-", " ")}, score ${base.score}${of}`]);
  }
  if (attempt) facts.push(["score", attempt.score]);
  if (line.attempts > 1) facts.push(["attempts", `${line.passed} of ${line.attempts} passed`]);
  if (line.history) facts.push(["earlier recordings", <Recordings letters={line.history} />]);
  if (config && details?.strip) facts.push(["runs of the base, then this run", <Strip letters={details.strip} points={config.trend.points} />]);
  if (line.latency !== null) facts.push(["time", writeDuration(line.latency)]);
  if (line.tokens !== null) facts.push(["tokens", writeCount(line.tokens)]);
  if (line.cost !== null) facts.push(["cost", writeCost(line.cost)]);
  const place = details?.line ? `:${details.line}` : "";
  if (attempt?.sources.length) {
    const path = <Text>{`${attempt.sources.join(", ")}${place}`}</Text>;
    facts.push(["recording", <code>{details?.url ? <Link url={details.url}>{path}</Link> : path}</code>]);
  }
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How earlier recordings ended on the base, the oldest first. */
function Recordings({ letters }: { letters: string }) {
  const passed = [...letters].filter((letter) => letter === "p").length;
  return (
    <span class="marks" title="earlier recordings on the base, oldest first">
      <span class="hidden">
        {passed} of {letters.length} earlier recordings passed
      </span>
      {[...letters].map((letter) => (
        <i class={letter} aria-hidden="true" />
      ))}
    </span>
  );
}

function Attempts({ details, chosen, onChoose }: { details: Details; chosen: number; onChoose: (at: number) => void }) {
  return (
    <div class="filters" role="group" aria-label="Attempts">
      {details.attempts.map((attempt, at) => (
        <button type="button" aria-pressed={at === chosen} onClick={() => onChoose(at)}>
          Attempt {at + 1} <Badge verdict={attempt.verdict} />
        </button>
      ))}
      {details.more > 0 && <span class="quiet">and {details.more} more</span>}
    </div>
  );
}

function AttemptView({ details, attempt }: { details: Details; attempt: Attempt }) {
  return (
    <>
      <ul class="because">
        {attempt.because.map((said) => (
          <li>
            <Text>{said}</Text>
          </li>
        ))}
      </ul>
      <Judgements judgements={attempt.judgements} base={details.base} />
      {details.path && (
        <Section title={details.path.expected ? "Calls against the expected ones" : "Calls against the base"} id="path">
          <ol class="path">
            {details.path.lines.map((line) => (
              <li class={line.startsWith("-") ? "gone" : line.startsWith("+") ? "new" : ""}>
                <code>
                  <Text>{line}</Text>
                </code>
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Conversation attempt={attempt} />
      <Timeline spans={attempt.transcript?.spans ?? []} />
      <Unknown attempt={attempt} />
      {attempt.warnings.length > 0 && (
        <Section title="Warnings" id="warnings">
          <ul>
            {attempt.warnings.map((said) => (
              <li>
                <Text>{said}</Text>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** What the recording does not show, by what would record it. */
function Unknown({ attempt }: { attempt: Attempt }) {
  const remedies = new Map<string, Attempt["unknown"]>();
  for (const gap of attempt.unknown) remedies.set(gap.remedy, [...(remedies.get(gap.remedy) ?? []), gap]);
  if (!remedies.size) return null;
  return (
    <Section title="Not recorded" id="unknown">
      {[...remedies].map(([remedy, gaps]) => (
        <>
          <ul>
            {gaps.slice(0, 20).map((gap) => (
              <li>
                Turn {gap.turn}: <Text>{gap.subject}</Text>, because <Text>{gap.evidence}</Text>
              </li>
            ))}
            {gaps.length > 20 && <li>and {plural(gaps.length - 20, "more")}</li>}
          </ul>
          {remedy && (
            <p>
              <strong>To record it:</strong> <Text>{remedy}</Text>
            </p>
          )}
        </>
      ))}
    </Section>
  );
}
