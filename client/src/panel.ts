// The pages that are shown beside the code: the story of a finding, and where gradients flow. Nothing is loaded from elsewhere.

export const EXPLAIN = "devls.server.explain";
export const GRADIENTS = "devls.server.gradients";
const ASK_TORCH = "devls.server.askTorch";
const MEND = "devls.server.mend";

/** What the server tells of a finding. */
export interface Explanation {
  /** The arguments with which it was asked. */
  readonly arguments: readonly unknown[];
  readonly rule: string;
  readonly level: string;
  readonly message: string;
  readonly steps: readonly Step[];
  readonly fixes: readonly Fix[];
  /** The rule's page, in Markdown. */
  readonly page: string;
  /** Whether torch can be asked. */
  readonly torch: boolean;
  readonly offset: number;
}

export interface Step {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
  readonly place: string;
  readonly code: string;
  readonly message: string;
}

export interface Fix {
  readonly title: string;
  /** The file that it edits, where that is another one. */
  readonly file: string;
  readonly safe: boolean;
  /** Whether it can be applied as it is. */
  readonly offered: boolean;
  readonly diff: readonly string[];
}

export interface Gradients {
  readonly title: string;
  /** A drawing as SVG and HTML, escaped by the server; empty where there is nothing to draw. */
  readonly drawing: string;
}

export type Page = Explanation | Gradients;

/** A whole page. `rendered` is the rule's page as HTML; the Markdown is shown where there is none. */
export function pageOf(page: Page, rendered: string | undefined, nonce: string): string {
  const body = "rule" in page ? explanation(page, rendered) : map(page);
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">${STYLE}</style></head>
<body>${body}<script nonce="${nonce}">${SCRIPT}</script></body></html>`;
}

function explanation(told: Explanation, rendered: string | undefined): string {
  const [uri, rule] = told.arguments;
  const steps = told.steps.map(({ uri, line, character, place, code, message }) =>
    `<li><button class="link" data-go="${attribute({ uri, line, character })}">${escape(place)}</button> ` +
    `${prose(message)}<pre>${escape(code)}</pre></li>`);
  const fixes = told.fixes.map((fix, number) => {
    const apply = fix.offered
      ? `<button data-run="${attribute({ run: MEND, arguments: [...told.arguments, number] })}">Apply</button>` : "";
    const how = fix.safe ? "" : " <small>to be looked at</small>";
    const file = fix.file ? ` <small>in ${escape(fix.file)}</small>` : "";
    return `<section class="fix"><h3>${prose(fix.title)}${file}${how} ${apply}</h3>${diff(fix.diff)}</section>`;
  });
  const ask = attribute({ run: ASK_TORCH, arguments: [uri, rule, told.offset] });
  return [
    `<h1><span class="${escape(told.level)}">${escape(told.level)}</span> ${escape(told.rule)}</h1>`,
    `<p class="message">${prose(told.message)}</p>`,
    steps.length ? `<h2>How it comes about</h2><ol>${steps.join("")}</ol>` : "",
    fixes.length ? `<h2>Fix</h2>${fixes.join("")}` : "",
    told.torch ? `<h2>torch</h2><p><button data-run="${ask}">Ask torch</button></p><pre id="said" hidden></pre>` : "",
    told.page ? `<hr><article>${rendered ?? `<pre>${escape(told.page)}</pre>`}</article>` : "",
  ].join("\n");
}

function map({ title, drawing }: Gradients): string {
  const empty = "<p>No backward of this file reaches parameters that are known.</p>";
  return `<h1>Where gradients flow in ${escape(title)}</h1><div class="map">${drawing || empty}</div>`;
}

function diff(lines: readonly string[]): string {
  const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };
  const rows = lines.map((line) => `<span class="${kinds[line[0] ?? ""] ?? "same"}">${escape(line)}</span>`);
  return rows.length ? `<pre class="diff">${rows.join("\n")}</pre>` : "";
}

/** Text in which backticks mark code. */
function prose(text: string): string {
  return escape(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

function attribute(value: unknown): string {
  return escape(JSON.stringify(value));
}

function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

const SCRIPT = `
const editor = acquireVsCodeApi();
document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.go) editor.postMessage({ go: JSON.parse(button.dataset.go) });
  if (button?.dataset.run) editor.postMessage(JSON.parse(button.dataset.run));
});
window.addEventListener("message", ({ data }) => {
  const place = document.getElementById("said");
  if (place && data.said) { place.textContent = data.said; place.hidden = false; }
});`;

const STYLE = `
body { max-width: 60rem; padding: 0 1.5rem 2rem; line-height: 1.5; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 1.6rem; } h3 { font-size: 1rem; font-weight: normal; }
h1 span { padding: 0 .4rem; border-radius: 4px; font-size: 1rem; color: #fff; background: #1d4ed8; }
h1 .error { background: #b91c1c; } h1 .warning { background: #b45309; }
.message { font-size: 1.1rem; } li { margin: .5rem 0; } hr { margin: 2rem 0; opacity: .3; }
pre { padding: .5rem .8rem; overflow-x: auto; background: var(--vscode-textCodeBlock-background); border-radius: 4px; }
code, pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
button { padding: .15rem .7rem; border: 0; border-radius: 3px; cursor: pointer;
  color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button.link { padding: 0; color: var(--vscode-textLink-foreground); background: none; }
.diff span { display: inline-block; min-width: 100%; }
.added { background: var(--vscode-diffEditor-insertedTextBackground); }
.removed { background: var(--vscode-diffEditor-removedTextBackground); }
.hunk { opacity: .5; }
.map { overflow-x: auto; } svg { max-width: 100%; height: auto; min-width: 320px; font: 13px var(--vscode-font-family); }
svg rect { fill: var(--vscode-editorWidget-background); stroke: var(--vscode-editorWidget-border, currentColor); }
svg .loss rect { stroke: var(--vscode-textLink-foreground); stroke-width: 2; }
svg text { fill: var(--vscode-foreground); } svg .below { opacity: .7; font-size: 12px; }
svg path { fill: none; stroke: var(--vscode-charts-green, #15803d); stroke-width: 2; }
svg .cut { stroke: var(--vscode-charts-red, #b91c1c); stroke-dasharray: 7 5; } svg .unknown { stroke-dasharray: 2 4; opacity: .6; }
`;
