// What people read: the status item's words and the debug information.
import { type Interpreter, OLDEST, type Rejection, type Search, versionText } from "./interpreters.ts";

export type State =
  | { readonly kind: "off" }
  | { readonly kind: "searching" }
  | { readonly kind: "starting"; readonly search: Search }
  | { readonly kind: "running"; readonly search: Search; readonly server: string }
  | { readonly kind: "no-interpreter"; readonly search: Search }
  | { readonly kind: "failed"; readonly search: Search; readonly reason: string };

export interface Status {
  readonly text: string;
  readonly detail: string;
  readonly severity: "information" | "warning" | "error";
  readonly busy: boolean;
  readonly action: { readonly title: string; readonly command: string; readonly arguments?: readonly unknown[] };
}

const RESTART = { title: "Restart", command: "devls.restart" };
const LOGS = { title: "Show Logs", command: "devls.showLogs" };

function settings(title: string, name: string) {
  return { title, command: "workbench.action.openSettings", arguments: [name] };
}

/** The name that the setting's source has in a search; a rejection from it is a mistake of the user's to be told. */
export const SETTING = "setting devls.interpreter";

export function statusOf(state: State): Status {
  const shown = { text: "devls", severity: "information", busy: false, action: LOGS } as const;
  switch (state.kind) {
    case "off":
      return { ...shown, detail: "off by the setting devls.enable", action: settings("Enable", "devls.enable") };
    case "searching":
      return { ...shown, detail: "looking for a Python", busy: true };
    case "starting":
      return { ...shown, detail: `starting with ${described(state.search.interpreter)}`, busy: true };
    case "running": {
      const refused = state.search.rejected.find((rejection) => rejection.source === SETTING);
      const detail = `${state.server}, ${described(state.search.interpreter)}`;
      if (refused === undefined) return { ...shown, detail, action: RESTART };
      return {
        ...shown,
        severity: "warning",
        detail: `${rejectionText(refused)}; runs with ${described(state.search.interpreter)} instead`,
        action: settings("Open Setting", "devls.interpreter"),
      };
    }
    case "no-interpreter":
      return {
        ...shown,
        text: "devls: no Python",
        severity: "error",
        detail: `needs Python ${OLDEST.major}.${OLDEST.minor} or later and found none`,
        action: settings("Choose Interpreter", "devls.interpreter"),
      };
    case "failed":
      return { ...shown, text: "devls: stopped", severity: "error", detail: state.reason, action: RESTART };
  }
}

function described(interpreter: Interpreter | undefined): string {
  return interpreter === undefined ? "no Python" : `Python ${versionText(interpreter.version)} (${interpreter.path})`;
}

export interface Toast {
  readonly message: string;
  readonly button: Status["action"];
}

/** The one message that pops up where there is no server, so that it does not look like clean code; none elsewhere. */
export function toastOf(state: State): Toast | undefined {
  if (state.kind !== "no-interpreter" && state.kind !== "failed") return undefined;
  const status = statusOf(state);
  if (state.kind === "failed") return { message: `devls: ${status.detail}.`, button: LOGS };
  const found = state.search.rejected.map(rejectionText).join("; ");
  return { message: `devls ${status.detail}${found ? ` that it can use (${found})` : ""}.`, button: status.action };
}

export function rejectionText(rejection: Rejection): string {
  return [rejection.source, rejection.program].filter(Boolean).join(" ") + ": " + rejection.reason;
}

export interface Facts {
  readonly versions: Readonly<Record<string, string>>;
  readonly state: State;
  readonly trusted: boolean;
  readonly settings: unknown;
  /** The server's own account; `undefined` where none runs, or it does not answer. */
  readonly server: string | undefined;
  /** The last lines of the server's log. */
  readonly log: readonly string[];
}

/** Markdown to read or to paste into a report of a problem. */
export function debugInformation(facts: Facts): string {
  const search = "search" in facts.state ? facts.state.search : undefined;
  const status = statusOf(facts.state);
  const lines = [
    "# devls debug information",
    "",
    ...Object.entries(facts.versions).map(([name, version]) => `- ${name}: ${version}`),
    `- server: ${facts.state.kind}, ${status.detail}`,
    `- workspace trusted: ${facts.trusted ? "yes" : "no"}`,
    "",
    "## Interpreter",
    "",
    search?.interpreter
      ? `${described(search.interpreter)}, from: ${search.interpreter.source}`
      : "none found",
    "",
    ...(search?.rejected ?? []).map((rejection) => `- passed over: ${rejectionText(rejection)}`),
    "",
    "## Settings",
    "",
    "```json",
    JSON.stringify(facts.settings, undefined, 2),
    "```",
    "",
    "## Server",
    "",
    "```text",
    facts.server ?? "no answer",
    "```",
    "",
    "## Last lines of its log",
    "",
    "```text",
    ...facts.log,
    "```",
    "",
  ];
  return lines.join("\n");
}

// What the server writes to its standard error, line by line: which level a line has, and the last lines.

export type Level = "error" | "warn" | "info" | "debug";

const LEVELS: Readonly<Record<string, Level>> = {
  CRITICAL: "error",
  ERROR: "error",
  WARNING: "warn",
  INFO: "info",
  DEBUG: "debug",
};
const KEPT = 40; // lines; enough for a traceback with what led to it

/** Reads lines as Python's logging writes them: "2026-01-31 12:00:00,123 WARNING devls.lsp: ...". */
export class ServerLog {
  private readonly lines: string[] = [];
  // What comes before the first logged line is an interpreter that cannot start, or a library that complains.
  private level: Level = "error";

  /** Takes a line and tells its level. A line without one goes on with the line before: tracebacks have many. */
  add(line: string): Level {
    const [, name = ""] = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* ([A-Z]+) /.exec(line) ?? [];
    this.level = LEVELS[name] ?? this.level;
    this.lines.push(line);
    if (this.lines.length > KEPT) this.lines.shift();
    return this.level;
  }

  get tail(): readonly string[] {
    return this.lines;
  }
}
