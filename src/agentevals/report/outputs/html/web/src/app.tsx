import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Cases } from "./cases.tsx";
import { CaseView } from "./case.tsx";
import type { Line, Top } from "./data.ts";
import type { Query } from "./list.ts";
import { readRoute, writeRoute } from "./route.ts";
import { ConfigView, Findings, Verdict } from "./summary.tsx";

const START: Query = { words: "", filter: "", config: -1, evaluator: -1, sort: { key: "worst", down: false } };

/** Return the case of the address, and listen to its changes. */
function useRoute(lines: Line[] | null): Line | undefined {
  const [hash, setHash] = useState(location.hash);
  // listens from the moment that the page is drawn; with an ordinary effect, what comes within the next frame is lost
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return lines ? readRoute(hash, lines) : undefined;
}

export function App({ top, lines }: { top: Top; lines: Line[] | null }) {
  const [query, setQuery] = useState(START);
  const line = useRoute(lines);
  const among = useRef<readonly Line[]>([]);
  const focused = useRef(-1);
  const scrolled = useRef(0);

  const open = useCallback((chosen: Line, found: readonly Line[]) => {
    if (!/^#\//.test(location.hash)) scrolled.current = scrollY;
    among.current = found;
    focused.current = chosen.at;
    location.hash = writeRoute(chosen);
  }, []);
  const close = useCallback(() => {
    location.hash = "#";
  }, []);

  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
      if (event.key === "/" && !line) {
        event.preventDefault();
        document.getElementById("search")?.focus();
      } else if (event.key === "Escape" && line) {
        close();
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [line, close]);
  useLayoutEffect(() => {
    document.title = line ? `${line.id} · agent evaluation` : top.sentence;
    scrollTo(0, line ? 0 : scrolled.current);
  }, [line, top]);

  if (line && lines) {
    const found = among.current.length ? among.current : lines;
    return (
      <main>
        <CaseView key={line.at} line={line} among={found} config={top.configs[line.config]} onOpen={open} onClose={close} />
      </main>
    );
  }
  return (
    <main>
      <Verdict top={top} />
      <Findings found={top.findings} />
      {top.configs.map((config, at) => (
        <ConfigView key={at} config={config} at={at} alone={top.configs.length === 1} lines={lines ? lines.filter((one) => one.config === at) : []} />
      ))}
      {lines && lines.length > 0 && (
        <Cases lines={lines} configs={top.configs} query={query} onQuery={setQuery} onOpen={open} focused={focused.current} />
      )}
      {!lines && <p class="quiet">Reading the cases…</p>}
    </main>
  );
}
