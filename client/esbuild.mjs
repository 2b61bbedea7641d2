// Bundles the extension into client/out/extension.js; with --tests, its unit tests into client/out/test/.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const shared = { bundle: true, platform: "node", target: "node20", logLevel: "warning" };

if (process.argv.includes("--tests")) {
  const tests = path.join(here, "test");
  const out = path.join(here, "out", "test");
  rmSync(out, { recursive: true, force: true }); // a test that was removed must not run from an old build
  await build({
    ...shared,
    entryPoints: readdirSync(tests).filter((name) => name.endsWith(".test.ts")).map((name) => path.join(tests, name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    sourcemap: "inline",
  });
} else {
  const { metafile } = await build({
    ...shared,
    metafile: true,
    entryPoints: [path.join(here, "src", "extension.ts")],
    outfile: path.join(here, "out", "extension.js"),
    format: "cjs",
    external: ["vscode"],
    minify: true,
    legalComments: "none", // the licences are written out below, whole
  });
  writeFileSync(path.join(here, "out", "THIRD_PARTY_LICENSES.txt"), licences(Object.keys(metafile.inputs)));
}

// The licence texts of the packages whose files went into the bundle.
function licences(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) folders.add(match[1]);
  }
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    const text = readFileSync(path.join(folder, file), "utf8").trim();
    return `${"=".repeat(80)}\n${name} ${version} (${license})\n${"=".repeat(80)}\n\n${text}\n`;
  }).join("\n");
}
