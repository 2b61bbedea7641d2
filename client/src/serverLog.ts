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
