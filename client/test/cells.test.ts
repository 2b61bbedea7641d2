import assert from "node:assert/strict";
import { test } from "node:test";

import { CellFindings } from "../src/cells.ts";

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
