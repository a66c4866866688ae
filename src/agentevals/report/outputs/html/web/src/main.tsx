import { render } from "preact";
import { App } from "./app.tsx";
import { readLines } from "./data.ts";
import type { Line, Top } from "./data.ts";
import "./page.css";

const read = (kind: string) => [...document.querySelectorAll(`script.${kind}`)];
const top = JSON.parse(read("top")[0]?.textContent ?? "{}") as Top;
const page = document.getElementById("page") as HTMLElement;
page.textContent = "";

const draw = (lines: Line[] | null) => render(<App top={top} lines={lines} />, page);
draw(null);
// the cases stand below this script: the verdict is drawn before they are read
document.addEventListener("DOMContentLoaded", () => {
  requestAnimationFrame(() => setTimeout(() => draw(readLines(read("lines").map((one) => one.textContent ?? "")))));
});
