import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Config, Line } from "./data.ts";
import { change, listFilters, selectLines } from "./list.ts";
import type { Query, SortKey } from "./list.ts";
import { Badge, Text } from "./parts.tsx";
import { plural, writeChange, writeCost, writeDuration, writeScore } from "./text.ts";
import { findWindow, moveTo, scrollTo } from "./window.ts";

const ROW = 56;
const PRINTED = 500;

const COLUMNS: { key: SortKey; label: string; down: boolean }[] = [
  { key: "worst", label: "Verdict", down: false },
  { key: "id", label: "Case", down: false },
  { key: "score", label: "Score", down: false },
  { key: "change", label: "Change", down: false },
  { key: "latency", label: "Time", down: true },
  { key: "cost", label: "Cost", down: true },
];

type Column = (typeof COLUMNS)[number];

/** Return the columns in which some case has a value. */
function chooseColumns(lines: readonly Line[]): Column[] {
  const known: Partial<Record<SortKey, (line: Line) => number | null>> = {
    change,
    latency: (line) => line.latency,
    cost: (line) => line.cost,
  };
  return COLUMNS.filter(({ key }) => {
    const find = known[key];
    return !find || lines.some((line) => find(line) !== null);
  });
}

interface Props {
  lines: readonly Line[];
  configs: readonly Config[];
  query: Query;
  onQuery: (query: Query) => void;
  onOpen: (line: Line, among: readonly Line[]) => void;
  focused: number;
}

export function Cases({ lines, configs, query, onQuery, onOpen, focused }: Props) {
  const filters = useMemo(() => listFilters(lines), [lines]);
  const found = useMemo(() => selectLines(lines, query), [lines, query]);
  const columns = useMemo(() => chooseColumns(lines), [lines]);
  const evaluators = configs[Math.max(0, query.config)]?.evaluators ?? [];
  const set = (changed: Partial<Query>) => onQuery({ ...query, ...changed });
  return (
    <section aria-labelledby="cases">
      <h2 id="cases">Cases</h2>
      <div class="tools">
        <label class="search">
          <span class="hidden">Search cases</span>
          <input
            type="search"
            id="search"
            placeholder="Search cases, questions, reasons"
            value={query.words}
            onInput={(event) => set({ words: event.currentTarget.value })}
            onKeyDown={(event) => event.key === "Escape" && set({ words: "" })}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        {configs.length > 1 && (
          <label>
            <span>Config</span>
            <select value={query.config} onChange={(event) => set({ config: Number(event.currentTarget.value), evaluator: -1 })}>
              <option value={-1}>all</option>
              {configs.map((config, at) => (
                <option value={at}>{config.name}</option>
              ))}
            </select>
          </label>
        )}
        {(configs.length === 1 || query.config >= 0) && evaluators.length > 0 && (
          <label>
            <span>Failed by</span>
            <select value={query.evaluator} onChange={(event) => set({ evaluator: Number(event.currentTarget.value) })}>
              <option value={-1}>any or none</option>
              {evaluators.map((name, at) => (
                <option value={at}>{name}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <div class="filters" role="group" aria-label="Show cases">
        {filters.map((one) => (
          <button type="button" aria-pressed={query.filter === one.key} onClick={() => set({ filter: one.key })}>
            {one.label} <span class="count">{one.count.toLocaleString("en-US")}</span>
          </button>
        ))}
      </div>
      <p class="quiet small" role="status">
        {found.length === lines.length ? plural(found.length, "case") : `${found.length.toLocaleString("en-US")} of ${plural(lines.length, "case")}`}
      </p>
      <Grid found={found} columns={columns} configs={configs} query={query} set={set} onOpen={onOpen} focused={focused} />
    </section>
  );
}

interface GridProps {
  found: readonly Line[];
  columns: Column[];
  configs: readonly Config[];
  query: Query;
  set: (changed: Partial<Query>) => void;
  onOpen: Props["onOpen"];
  focused: number;
}

function Grid({ found, columns, configs, query, set, onOpen, focused }: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const start = found.findIndex((line) => line.at === focused);
  const [active, setActive] = useState(Math.max(0, start));
  const [printing, setPrinting] = useState(false);
  const wants = useRef(start >= 0);
  const at = Math.min(active, Math.max(0, found.length - 1));

  useLayoutEffect(() => {
    const measure = () => box.current && setView({ top: box.current.scrollTop, height: box.current.clientHeight });
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    measure();
    addEventListener("resize", measure);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("resize", measure);
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    setActive(0);
    if (box.current) box.current.scrollTop = 0;
  }, [query]);
  useLayoutEffect(() => {
    if (!wants.current || !box.current) return;
    wants.current = false;
    const { scrollTop, clientHeight } = box.current;
    box.current.scrollTop = scrollTo(at, scrollTop, clientHeight, ROW);
    setView({ top: box.current.scrollTop, height: clientHeight });
    box.current.querySelector<HTMLElement>(`[data-at="${at}"]`)?.focus({ preventScroll: true });
  }, [at]);

  const press = (event: KeyboardEvent) => {
    const line = found[at];
    if (event.key === "Enter" && line) {
      event.preventDefault();
      onOpen(line, found);
      return;
    }
    const next = moveTo(event.key, at, found.length, Math.max(1, Math.floor(view.height / ROW) - 1));
    if (next === null) return;
    event.preventDefault();
    wants.current = next !== at;
    setActive(next);
  };
  const sort = (key: SortKey, down: boolean) =>
    set({ sort: query.sort.key === key ? { key, down: !query.sort.down } : { key, down } });
  const shown = printing ? { first: 0, last: Math.min(PRINTED, found.length) } : findWindow(view.top, view.height, ROW, found.length);
  const rows = found.slice(shown.first, shown.last);
  if (found.length && !rows.some((_, place) => shown.first + place === at) && !printing) {
    // the row that has the keyboard stays in the page, wherever people scroll
    rows.push(found[at] as Line);
  }
  return (
    <div class="grid" role="grid" aria-labelledby="cases" aria-rowcount={found.length + 1} aria-colcount={columns.length}>
      <div class="row head" role="row" aria-rowindex={1}>
        {columns.map(({ key, label, down }) => {
          const sorted = query.sort.key === key;
          return (
            <div role="columnheader" class={key} aria-sort={sorted ? (query.sort.down ? "descending" : "ascending") : "none"}>
              <button type="button" onClick={() => sort(key, down)}>
                {label}
                <span aria-hidden="true">{sorted ? (query.sort.down ? " ↓" : " ↑") : ""}</span>
              </button>
            </div>
          );
        })}
      </div>
      <div
        class="body"
        role="rowgroup"
        ref={box}
        tabIndex={-1}
        onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
        onKeyDown={press}
      >
        <div class="rows" role="presentation" style={{ height: printing ? "auto" : `${found.length * ROW}px` }}>
          {rows.map((line, place) => {
            const number = place < shown.last - shown.first ? shown.first + place : at;
            return (
              <Row
                key={line.at}
                line={line}
                number={number}
                active={number === at}
                columns={columns}
                config={configs.length > 1 ? (configs[line.config]?.name ?? "") : ""}
                top={printing ? null : number * ROW}
                onOpen={() => onOpen(line, found)}
                onFocus={() => setActive(number)}
              />
            );
          })}
        </div>
        {!found.length && <p class="empty">No case fits. Clear the search, or choose another filter.</p>}
        {printing && found.length > PRINTED && <p class="empty">{plural(found.length - PRINTED, "more case")} not printed.</p>}
      </div>
    </div>
  );
}

const STATUSES: Record<string, string> = { p: "passed", f: "failed", e: "in error", n: "not evaluated" };

/** One mark for each evaluator; more than fit are counted in words for a screen reader. */
function Marks({ marks }: { marks: string }) {
  const counts = Object.entries(STATUSES).map(([mark, word]) => [marks.split(mark).length - 1, word] as const);
  const told = counts.filter(([count]) => count).map(([count, word]) => `${count} ${word}`);
  if (!marks.replaceAll("-", "")) return null;
  return (
    <span class="marks" title={told.join(", ")}>
      <span class="hidden">evaluators: {told.join(", ")}</span>
      {[...marks].slice(0, 24).map((mark) => (
        <i class={mark} aria-hidden="true" />
      ))}
    </span>
  );
}

function findTone(moved: number | null): string {
  return moved === null || Math.abs(moved) < 0.005 ? "" : moved < 0 ? "bad" : "good";
}

interface RowProps {
  columns: Column[];
  line: Line;
  number: number;
  active: boolean;
  config: string;
  top: number | null;
  onOpen: () => void;
  onFocus: () => void;
}

function Row({ columns, line, number, active, config, top, onOpen, onFocus }: RowProps) {
  const moved = change(line);
  const said = line.why || line.question;
  return (
    <div
      class={active ? "row active" : "row"}
      role="row"
      aria-rowindex={number + 2}
      tabIndex={active ? 0 : -1}
      data-at={number}
      style={top === null ? {} : { transform: `translateY(${top}px)` }}
      onClick={onOpen}
      onFocus={onFocus}
    >
      <div role="gridcell" class="worst">
        <Badge verdict={line.verdict} />
        {line.attempts > 1 && (
          <span class="quiet small">
            {line.passed} of {line.attempts}
          </span>
        )}
      </div>
      <div role="gridcell" class="id">
        <span class="name">
          <Text>{line.id}</Text>
          {line.kinds.filter((kind) => kind !== "failing" && kind !== line.verdict).map((kind) => (
            <span class={`kind ${kind}`}>{kind}</span>
          ))}
          {line.accepted && <span class="kind">accepted</span>}
        </span>
        <span class="quiet why">
          {config && (
            <>
              <Text>{config}</Text> ·{" "}
            </>
          )}
          <Text>{said}</Text>
        </span>
      </div>
      <div role="gridcell" class="score">
        <span>{line.score === null ? "–" : writeScore(line.score)}</span>
        <Marks marks={line.marks} />
      </div>
      {columns.slice(3).map(({ key }) => (
        <div role="gridcell" class={`${key} ${key === "change" ? findTone(moved) : ""}`}>
          {key === "change" && moved !== null && writeChange(moved)}
          {key === "latency" && line.latency !== null && writeDuration(line.latency)}
          {key === "cost" && line.cost !== null && writeCost(line.cost)}
        </div>
      ))}
    </div>
  );
}
