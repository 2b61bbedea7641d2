import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";

import { expand, liesInside, onPath, programNamed } from "../src/paths.ts";

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
