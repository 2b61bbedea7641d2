import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";

import { CellFindings } from "../src/cells.ts";
import { Debounced, Queue, within } from "../src/timing.ts";
import { ServerLog } from "../src/report.ts";
import { expand, liesInside, onPath, programNamed } from "../src/paths.ts";

function bed(...open: string[]) {
  const tabs = new Set(open);
  const shown: [string, readonly string[]][] = [];
  const cells = new CellFindings<string, string>(
    (cell) => tabs.has(cell.split("#")[0] ?? ""),
    (cell, findings) => shown.push([cell, findings]),
  );
  return { cells, tabs, news: () => shown.splice(0) };
}

test("what is found in a notebook with a tab is shown", () => {
  const { cells, news } = bed("a");
  cells.take("a#1", ["x"]);
  cells.take("a#1", []);
  assert.deepEqual(news(), [["a#1", ["x"]], ["a#1", []]]);
});

test("closing the tab hides it, and opening it again shows it", () => {
  const { cells, tabs, news } = bed("a", "b");
  cells.take("a#1", ["x"]);
  cells.take("b#1", ["y"]);
  news();
  tabs.delete("a");
  cells.tabsChanged();
  assert.deepEqual(news(), [["a#1", []]]);
  cells.tabsChanged();
  assert.deepEqual(news(), []);
  tabs.add("a");
  cells.tabsChanged();
  assert.deepEqual(news(), [["a#1", ["x"]]]);
});

test("what is found later, without a tab, waits for one", () => {
  const { cells, tabs, news } = bed();
  cells.take("a#1", ["x"]);
  assert.deepEqual(news(), [["a#1", []]]);
  tabs.add("a");
  cells.tabsChanged();
  assert.deepEqual(news(), [["a#1", ["x"]]]);
  cells.take("a#1", []);
  news();
  tabs.delete("a");
  cells.tabsChanged();
  assert.deepEqual(news(), []);
});

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

test("an answer in time is given on", async () => {
  assert.equal(await within(10_000, Promise.resolve(7)), 7);
});

test("a promise that never settles is given up, and the reason told", async () => {
  const reasons: string[] = [];
  assert.equal(await within(5, new Promise(() => undefined), (reason) => reasons.push(reason)), undefined);
  assert.deepEqual(reasons, ["no answer within 0.005 s"]);
});

test("a failure becomes a reason", async () => {
  const reasons: string[] = [];
  assert.equal(await within(10_000, Promise.reject(new Error("broken")), (reason) => reasons.push(reason)), undefined);
  assert.deepEqual(reasons, ["broken"]);
});

test("many triggers make one run", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let runs = 0;
  const debounced = new Debounced(1_000, () => runs++);
  debounced.trigger();
  context.mock.timers.tick(900);
  debounced.trigger();
  context.mock.timers.tick(900);
  assert.equal(runs, 0);
  context.mock.timers.tick(100);
  assert.equal(runs, 1);
});

test("queued actions do not overlap, and one that fails does not stop the next", async () => {
  const queue = new Queue();
  const seen: string[] = [];
  let release: () => void = () => undefined;
  const first = queue.add(async () => {
    seen.push("first begins");
    await new Promise<void>((resolve) => (release = resolve));
    seen.push("first ends");
    throw new Error("first");
  });
  const second = queue.add(async () => {
    seen.push("second");
    return 2;
  });
  await Promise.resolve();
  release();
  await assert.rejects(first, /first/);
  assert.equal(await second, 2);
  assert.deepEqual(seen, ["first begins", "first ends", "second"]);
});

const place = realpathSync(mkdtempSync(path.join(tmpdir(), "devls-paths-")));
after(() => rmSync(place, { recursive: true }));

function program(...parts: string[]): string {
  const file = path.join(place, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

test("variables are replaced, unknown ones kept", () => {
  const environment = { CONDA: "/opt/conda" };
  const expanded = (text: string, folder?: string) => expand(text, "/home/me", folder, environment);
  assert.equal(expanded("${workspaceFolder}/.venv/bin/python", "/src/a"), "/src/a/.venv/bin/python");
  assert.equal(expanded("${workspaceFolder}/python"), "${workspaceFolder}/python");
  assert.equal(expanded("${env:CONDA}/bin/python"), "/opt/conda/bin/python");
  assert.equal(expanded("${env:NONE}x"), "x");
  assert.equal(expanded("${userHome}/p"), "/home/me/p");
  assert.equal(expanded("~/p"), "/home/me/p");
  assert.equal(expanded("~other/p"), "~other/p");
  assert.equal(expanded("${command:x}"), "${command:x}");
});

test("programs are found on PATH by name first, then by folder; files that cannot run are not", () => {
  const first = program("one", "python");
  const second = program("two", "python3");
  writeFileSync(path.join(place, "one", "python3"), "no program", { mode: 0o644 });
  mkdirSync(path.join(place, "three", "python3"), { recursive: true });
  const value = ["relative", path.join(place, "one"), path.join(place, "two"), path.join(place, "three")].join(":");
  assert.deepEqual(onPath(["python3", "python"], { PATH: value }, "linux"), [second, first]);
  assert.deepEqual(onPath(["python3"], {}, "linux"), []);
});

test("a setting names an absolute path, a path in the folder, or a program on PATH", () => {
  const python = program("bin", "python3.12");
  assert.equal(programNamed("/opt/python", undefined, {}), "/opt/python");
  assert.equal(programNamed(".venv/bin/python", "/src", {}), path.resolve("/src/.venv/bin/python"));
  assert.equal(programNamed(".venv/bin/python", undefined, {}), undefined);
  assert.equal(programNamed("python3.12", undefined, { PATH: path.dirname(python) }), python);
  assert.equal(programNamed("python9", undefined, { PATH: path.dirname(python) }), undefined);
});

test("a program lies inside a folder by its path or by any link to it", () => {
  const outside = program("system", "python3");
  const inside = program("project", "tools", "python");
  const project = path.join(place, "project");
  const environment = path.join(project, ".venv", "bin");
  mkdirSync(environment, { recursive: true });
  const ofEnvironment = path.join(environment, "python");
  symlinkSync(outside, ofEnvironment);
  const disguised = path.join(place, "disguised");
  symlinkSync(inside, disguised);
  const twice = path.join(place, "twice");
  symlinkSync(ofEnvironment, twice);
  const folderLink = path.join(place, "folder-link");
  symlinkSync(project, folderLink);

  assert.equal(liesInside(inside, [project]), true);
  assert.equal(liesInside(ofEnvironment, [project]), true, "an environment's link leads out, but is inside");
  assert.equal(liesInside(disguised, [project]), true, "a link from outside to a file inside");
  assert.equal(liesInside(twice, [project]), true, "a chain of links through the inside");
  assert.equal(liesInside(path.join(folderLink, "tools", "python"), [project]), true, "through a linked folder");
  assert.equal(liesInside(inside, [folderLink]), true, "the workspace itself opened through a link");
  assert.equal(liesInside(outside, [project]), false);
  assert.equal(liesInside(`${project}-other/python`, [project]), false, "a longer name is another folder");
  assert.equal(liesInside(inside, []), false);
});

test("links in a circle end", () => {
  symlinkSync(path.join(place, "b"), path.join(place, "a"));
  symlinkSync(path.join(place, "a"), path.join(place, "b"));
  assert.equal(liesInside(path.join(place, "a"), [path.join(place, "project")]), false);
});
