import type { Config, Figure, Finding, Line, Top } from "./data.ts";
import { Link, Section, Sign, Text } from "./parts.tsx";
import { History } from "./history.tsx";
import { Difference, Spreads } from "./pictures.tsx";
import { plural } from "./text.ts";

/** The verdict, why, and what to do next. */
export function Verdict({ top }: { top: Top }) {
  return (
    <header class={`verdict ${top.tone}`}>
      <p class="about">
        {top.about.map((fact) => (
          <span>
            <Text>{fact}</Text>
          </span>
        ))}
        {top.run && <Link url={top.run}>run</Link>}
        <Link url={top.help}>how to read this</Link>
      </p>
      <h1 tabIndex={-1}>
        <Sign tone={top.tone} /> <Text>{top.sentence}</Text>
      </h1>
      {top.facts.map((fact) => (
        <p class="fact">
          <Text>{fact}</Text>.
        </p>
      ))}
      {top.step && (
        <p class="fact">
          <strong>Next:</strong> <Text>{top.step.text}</Text> (<Link url={top.step.url}>help</Link>).
        </p>
      )}
    </header>
  );
}

const NOTHING = "–";

function FigureRow({ figure, compared }: { figure: Figure; compared: boolean }) {
  return (
    <tr class={figure.tone}>
      <th scope="row">
        <Text>{figure.name}</Text>
      </th>
      {compared && <td class="number">{figure.cases}</td>}
      {compared && <td class="number">{figure.base}</td>}
      <td class="number strong">{figure.head}</td>
      {compared && (
        <td>
          {figure.picture && <Difference picture={figure.picture} tone={figure.tone} />}
          <span class="difference">{figure.difference}</span>
          {figure.moved && <span class="quiet small"> {figure.moved}</span>}
        </td>
      )}
      <td>
        <Text>{figure.limit}</Text>
      </td>
      <td class={`outcome ${figure.tone}`}>
        {figure.tone !== "plain" && <Sign tone={figure.tone} />} <Text>{figure.verdict}</Text>
      </td>
    </tr>
  );
}

/** A table of figures; without a base it has no columns about one. */
function Figures({ figures, title }: { figures: Figure[]; title: string }) {
  const compared = figures.some((one) => [one.cases, one.base, one.difference].some((text) => text !== NOTHING));
  return (
    <div class="scroll" role="region" aria-label={title} tabIndex={0}>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Figure</th>
            {compared && (
              <th scope="col" class="number">
                Cases
              </th>
            )}
            {compared && (
              <th scope="col" class="number">
                Base
              </th>
            )}
            <th scope="col" class="number">
              This run
            </th>
            {compared && <th scope="col">Difference (95 % interval)</th>}
            <th scope="col">Limit</th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {figures.map((figure) => (
            <FigureRow figure={figure} compared={compared} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const TONES = { error: "bad", warning: "warn", note: "plain" } as const;

export function Findings({ found }: { found: Finding[] }) {
  const open = found.filter((one) => one.severity !== "note");
  const notes = found.filter((one) => one.severity === "note");
  const write = (one: Finding) => (
    <li>
      <Sign tone={TONES[one.severity]} />
      <span>
        <span class="hidden">{one.severity}: </span>
        {one.where && (
          <>
            <Link url={one.url}>
              <code>
                <Text>{one.where}</Text>
              </code>
            </Link>{" "}
          </>
        )}
        <Text>{one.message}</Text> {one.help && <Link url={one.help}>what to do</Link>}
      </span>
    </li>
  );
  return (
    <>
      {open.length > 0 && <ul class="findings">{open.map(write)}</ul>}
      {notes.length > 0 && (
        <details class="fold">
          <summary>{plural(notes.length, "note")}</summary>
          <ul class="findings">{notes.map(write)}</ul>
        </details>
      )}
    </>
  );
}

/** One config: its figures, what was found, and how the scores are spread. */
export function ConfigView({ config, lines, at, alone }: { config: Config; lines: readonly Line[]; at: number; alone: boolean }) {
  const first = config.figures.filter((one) => one.notable);
  const rest = config.figures.filter((one) => !one.notable);
  const title = alone ? "Figures" : `${config.name}: ${config.headline}`;
  return (
    <Section title={title} id={`config-${at}`}>
      {config.base && (
        <p class="quiet">
          Compared with <Text>{config.base}</Text>.
        </p>
      )}
      {config.uncompared && (
        <p>
          Not compared with the base: <Text>{config.uncompared}</Text>.
        </p>
      )}
      <Findings found={config.findings} />
      {first.length > 0 && <Figures figures={first} title={`figures of ${config.name}`} />}
      {config.told.map((sentence) => (
        <p class="quiet">
          <Text>{sentence}</Text>
        </p>
      ))}
      {rest.length > 0 && (
        <details class="fold">
          <summary>{plural(rest.length, "more figure")}</summary>
          <Figures figures={rest} title={`more figures of ${config.name}`} />
        </details>
      )}
      <Spreads config={config} lines={lines} />
      <History trend={config.trend} />
      {config.used.length > 0 && (
        <details class="fold">
          <summary>What the agent used</summary>
          <dl class="facts">
            {config.used.map(([name, text]) => (
              <>
                <dt>{name}</dt>
                <dd>
                  <Text>{text}</Text>
                </dd>
              </>
            ))}
          </dl>
        </details>
      )}
      {config.reproduce && (
        <details class="fold">
          <summary>Reproduce on your machine</summary>
          <pre tabIndex={0}>
            <Text>{config.reproduce}</Text>
          </pre>
        </details>
      )}
    </Section>
  );
}
