import assert from "node:assert/strict";
import { test } from "node:test";

import { ServerLog } from "../src/serverLog.ts";

test("lines have the level they name, and lines without one that of the line before", () => {
  const log = new ServerLog();
  assert.deepEqual([
    "python: can't open file",
    "2026-01-31 12:00:00,123 INFO devls.lsp.server: started",
    "2026-01-31 12:00:00,124 WARNING devls: odd",
    "2026-01-31 12:00:00,125 ERROR devls: an analysis failed",
    "Traceback (most recent call last):",
    '  File "x.py", line 1, in INFO',
    "2026-01-31 12:00:00,126 DEBUG devls: done",
  ].map((line) => log.add(line)), ["error", "info", "warn", "error", "error", "error", "debug"]);
});

test("the last lines are kept", () => {
  const log = new ServerLog();
  for (let number = 1; number <= 100; number++) log.add(`line ${number}`);
  assert.equal(log.tail.length, 40);
  assert.equal(log.tail[0], "line 61");
  assert.equal(log.tail.at(-1), "line 100");
});
