import assert from "node:assert/strict";
import { test } from "node:test";

import {
  atLeast, type Candidate, findInterpreter, inspect, parseInspection, type SearchOptions, type Source,
} from "../src/interpreters.ts";

const python = (program: string): Candidate => ({ program, arguments: [] });
const source = (name: string, ...programs: string[]): Source => ({
  name,
  candidates: () => Promise.resolve(programs.map(python)),
});
const version = (text: string) => {
  const [major = 0, minor = 0, micro = 0] = text.split(".").map(Number);
  return { major, minor, micro };
};

function options(versions: Record<string, string>, changes: Partial<SearchOptions> = {}): SearchOptions {
  return {
    forbidden: () => undefined,
    milliseconds: 10_000,
    inspect: async ({ program }) => {
      const text = versions[program];
      if (text === undefined) throw new Error("did not run: ENOENT");
      return { path: program, version: version(text) };
    },
    ...changes,
  };
}

test("the first source that has a usable Python wins", async () => {
  const search = await findInterpreter([source("setting"), source("extension", "/a"), source("PATH", "/b")],
    options({ "/a": "3.12.1", "/b": "3.13.0" }));
  assert.deepEqual(search.interpreter, { path: "/a", version: version("3.12.1"), source: "extension" });
  assert.deepEqual(search.rejected, []);
});

test("what is too old or does not run is passed over, with the reason", async () => {
  const search = await findInterpreter([source("setting", "/old"), source("PATH", "/none", "/new")],
    options({ "/old": "3.9.18", "/new": "3.10.0" }));
  assert.equal(search.interpreter?.path, "/new");
  assert.deepEqual(search.rejected, [
    { source: "setting", program: "/old", reason: "is Python 3.9.18, older than 3.10" },
    { source: "PATH", program: "/none", reason: "did not run: ENOENT" },
  ]);
});

test("a source that hangs or fails costs its time and no more", async () => {
  const hanging: Source = { name: "hanging", candidates: () => new Promise(() => undefined) };
  const failing: Source = { name: "failing", candidates: () => Promise.reject(new Error("not activated")) };
  const search = await findInterpreter([hanging, failing, source("PATH", "/p")],
    options({ "/p": "3.11.2" }, { milliseconds: 20 }));
  assert.equal(search.interpreter?.path, "/p");
  assert.deepEqual(search.rejected.map(({ source, reason }) => `${source}: ${reason}`),
    ["hanging: no answer within 0.02 s", "failing: not activated"]);
});

test("a program that hangs costs its time and no more", async () => {
  const base = options({ "/p": "3.11.2" });
  const search = await findInterpreter([source("PATH", "/hangs", "/p")], {
    ...base,
    milliseconds: 20,
    inspect: (candidate) => candidate.program === "/hangs" ? new Promise(() => undefined) : base.inspect(candidate),
  });
  assert.equal(search.interpreter?.path, "/p");
});

test("a forbidden program is never started", async () => {
  const started: string[] = [];
  const base = options({ "/project/.venv/bin/python": "3.12.0", "/usr/bin/python3": "3.11.2" });
  const search = await findInterpreter([source("PATH", "/project/.venv/bin/python", "/usr/bin/python3")], {
    ...base,
    forbidden: (program) => program.startsWith("/project/") ? "lies inside" : undefined,
    inspect: (candidate) => {
      started.push(candidate.program);
      return base.inspect(candidate);
    },
  });
  assert.deepEqual(started, ["/usr/bin/python3"]);
  assert.equal(search.interpreter?.path, "/usr/bin/python3");
  assert.equal(search.rejected[0]?.reason, "lies inside");
});

test("nothing usable is an answer too", async () => {
  const search = await findInterpreter([source("PATH", "/old")], options({ "/old": "2.7.18" }));
  assert.equal(search.interpreter, undefined);
  assert.equal(search.rejected.length, 1);
});

test("versions compare by number, not by text", () => {
  const oldest = version("3.10.0");
  assert.deepEqual(["3.9.99", "3.10.0", "3.11.0", "2.10.5", "4.0.0"].map((text) => atLeast(version(text), oldest)),
    [false, true, true, false, true]);
});

test("only Python's own answer is taken for one", () => {
  assert.deepEqual(parseInspection("3 12 1 C:\\Program Files\\Python\\python.exe\r\n"),
    { path: "C:\\Program Files\\Python\\python.exe", version: version("3.12.1") });
  for (const other of ["", "Python 3.12.1", "3 12 1", "3 12 1 ", "hello\n3 12 1 /p\nmore"]) {
    assert.equal(parseInspection(other), undefined, JSON.stringify(other));
  }
});

test("a real Python says who it is", async () => {
  const inspected = await inspect(python(process.env["PYTHON"] ?? "python3"), 60_000);
  assert.equal(atLeast(inspected.version, version("3.0.0")), true);
  assert.match(inspected.path, /python/i);
});

test("a program that is not Python is refused", async () => {
  await assert.rejects(inspect({ program: process.execPath, arguments: [] }, 60_000));
  await assert.rejects(inspect(python("/nowhere/python"), 60_000), /ENOENT/);
});
