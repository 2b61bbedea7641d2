import assert from "node:assert/strict";
import { test } from "node:test";

import { Debounced, Queue, within } from "../src/timing.ts";

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
