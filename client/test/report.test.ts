import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { launch } from "../src/paths.ts";
import { pageOf } from "../src/panel.ts";
import { debugInformation, SETTING, type State, statusOf, toastOf } from "../src/report.ts";
import { RESTARTING, serverSettings } from "../src/settings.ts";

const interpreter = { path: "/usr/bin/python3", version: { major: 3, minor: 11, micro: 2 }, source: "PATH" };
const search = { interpreter, rejected: [] };
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { default: unknown; scope: string }> };
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
};
const properties = manifest.contributes.configuration.properties;

test("each state has its words, and each action is a command that exists", () => {
  const states: State[] = [
    { kind: "off" },
    { kind: "searching" },
    { kind: "starting", search },
    { kind: "running", search, server: "devls 0.1.0" },
    { kind: "no-interpreter", search: { interpreter: undefined, rejected: [] } },
    { kind: "failed", search, reason: "gone" },
  ];
  const commands = [...manifest.contributes.commands.map(({ command }) => command), "workbench.action.openSettings"];
  for (const state of states) {
    const status = statusOf(state);
    assert.ok(commands.includes(status.action.command), state.kind);
    for (const name of status.action.arguments ?? []) assert.ok(String(name) in properties, String(name));
  }
  assert.deepEqual(states.map((state) => statusOf(state).severity),
    ["information", "information", "information", "information", "error", "error"]);
  assert.deepEqual(states.map((state) => statusOf(state).busy), [false, true, true, false, false, false]);
  assert.equal(statusOf(states[3]!).detail, "devls 0.1.0, Python 3.11.2 (/usr/bin/python3)");
});

test("a setting that could not be used is a warning that says so", () => {
  const rejected = [{ source: SETTING, program: "/old/python", reason: "is Python 3.8.0, older than 3.10" }];
  const status = statusOf({ kind: "running", search: { interpreter, rejected }, server: "devls" });
  assert.equal(status.severity, "warning");
  assert.match(status.detail, /\/old\/python: is Python 3\.8\.0/);
  assert.match(status.detail, /runs with Python 3\.11\.2/);
});

test("only where there is no server something pops up, with what was found and one button", () => {
  const rejected = [{ source: "PATH", program: "/usr/bin/python3", reason: "is Python 3.8.0, older than 3.10" }];
  const toast = toastOf({ kind: "no-interpreter", search: { interpreter: undefined, rejected } });
  assert.match(toast?.message ?? "", /needs Python 3\.10 or later and found none.*\/usr\/bin\/python3: is Python 3\.8\.0/);
  assert.equal(toast?.button.title, "Choose Interpreter");
  const failed = toastOf({ kind: "failed", search: { interpreter, rejected: [] }, reason: "it did not start" });
  assert.equal(failed?.button.title, "Show Logs");
  assert.equal(toastOf({ kind: "off" }), undefined);
  assert.equal(toastOf({ kind: "running", search: { interpreter, rejected }, server: "devls" }), undefined);
});

test("debug information names versions, interpreter, what was passed over, and settings", () => {
  const rejected = [{ source: "Python extension", program: "", reason: "no answer within 5 s" }];
  const text = debugInformation({
    versions: { devls: "0.1.0" },
    state: { kind: "running", search: { interpreter, rejected }, server: "devls 0.1.0" },
    trusted: false,
    settings: { select: ["device"] },
    server: "Open files: none",
    log: ["a last word"],
  });
  for (const part of ["- devls: 0.1.0", "workspace trusted: no", "/usr/bin/python3", "from: PATH",
    "- passed over: Python extension: no answer within 5 s", '"device"', "Open files: none", "a last word"]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
});

test("the server is told the settings' values; the probe is off in a workspace that is not trusted", () => {
  const values: Record<string, unknown> = { ignore: ["host-read-on-device"], "probe.enable": true };
  const read = <T>(name: string, otherwise: T) => (values[name] as T | undefined) ?? otherwise;
  assert.deepEqual(serverSettings(read, "/p", true, true), {
    levels: {}, select: [], ignore: ["host-read-on-device"], codeLens: true, inlayHints: "off", logLevel: "info", interpreter: "/p",
    trusted: true, probe: { enable: true }, signatures: true,
  });
  assert.equal(serverSettings(read, "/p", false, true).probe.enable, false);
  assert.equal(serverSettings(read, "/p", false, true).trusted, false);
});

test("signatures are told where no other server tells them, or where somebody wants them", () => {
  const told = (value: string, trusted: boolean, alone: boolean): boolean =>
    serverSettings(<T>(name: string, otherwise: T) => (name === "signatures" ? value as T : otherwise), "/p", trusted, alone).signatures;
  assert.deepEqual([told("auto", true, true), told("auto", true, false), told("auto", false, true)], [true, false, false]);
  assert.deepEqual([told("on", true, false), told("on", false, true), told("off", true, true)], [true, false, false]);
});

test("every setting read stands in the manifest with the same default", () => {
  const asked: Record<string, unknown> = {};
  serverSettings((name, otherwise) => {
    asked[`devls.${name}`] = otherwise;
    return otherwise;
  }, "", true, true);
  for (const [name, otherwise] of Object.entries(asked)) {
    assert.deepEqual(properties[name]?.default, otherwise, name);
  }
  for (const name of RESTARTING) assert.ok(name in properties, name);
});

test("a workspace that is not trusted cannot choose the interpreter", () => {
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  assert.ok(restricted.includes("devls.interpreter"));
  for (const name of restricted) assert.ok(name in properties, name);
});

test("the server starts isolated from the user's packages", () => {
  const started = launch("/usr/bin/python3", "/ext", { PYTHONPATH: "/mine" });
  assert.deepEqual(started.arguments.slice(0, 4), ["-I", "-S", "-X", "utf8"]);
  assert.equal(started.arguments[4], path.join("/ext", "bundled", "tool", "devls_server.py"));
});

test("the page of a finding has steps, fixes and nothing unescaped", () => {
  const page = pageOf({
    arguments: ["file:///a.py", "mixed-devices", 4, 2],
    rule: "mixed-devices",
    level: "error",
    message: "`x` < `y`",
    steps: [{ uri: "file:///a.py", line: 2, character: 0, place: "a.py:3", code: "x = f('<b>')", message: "made `here`" }],
    fixes: [{ title: "Move `x`", file: "", safe: true, offered: true, diff: ["@@ -1 +1 @@", "-x = 1", "+x = <2>"] }],
    page: "# mixed-devices <script>",
    torch: true,
    offset: 9,
  }, undefined, "n");
  assert.ok(page.includes("<p class=\"message\"><code>x</code> &lt; <code>y</code></p>"));
  assert.ok(page.includes("<li><button class=\"link\" data-go=\"{&quot;uri&quot;:&quot;file:///a.py&quot;,&quot;line&quot;:2"));
  assert.ok(page.includes("x = f(&#39;&lt;b&gt;&#39;)"));
  assert.ok(page.includes("<span class=\"added\">+x = &lt;2&gt;</span>"));
  assert.ok(page.includes("&quot;arguments&quot;:[&quot;file:///a.py&quot;,&quot;mixed-devices&quot;,4,2,0]"));
  assert.ok(page.includes("# mixed-devices &lt;script&gt;"));
  assert.ok(page.includes("default-src 'none'"));
});

test("a map without gradients says so", () => {
  assert.match(pageOf({ title: "a.py", drawing: "" }, undefined, "n"), /No backward of this file/);
});
