// Drives VS Code in a browser through one editing session, and writes what was seen to OUT/seen.json.
//
// usage: node session.mjs SESSION ADDRESS FILE CHROMIUM OUT SCRATCH
//
// SESSION is `fix` (find a mistake and mend it), `notebook` (the same in a cell), `pages` (hints, the story of a finding and the map of
// gradients beside the code, and the walkthrough), `project` (a finding of another file at its call, hovers in time, the check of
// the workspace, actions for the whole file, settings that are wrong), `nowhere` (no Python that can run the server) or `restricted`
// (look at a file in a workspace that is not trusted).
// SCRATCH is an empty folder, for the browser. The window shows the folder that FILE lies in. Each step waits for its condition; a step whose condition does not come
// about ends the session with `trouble` in seen.json and the page as it then was in OUT/trouble.png. What was seen is
// judged by the test that called.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { chromium } from "playwright-core";

const [session, address, file, executablePath, out, scratch] = process.argv.slice(2);
const PATIENCE = 60_000; // milliseconds; the first window shows after five seconds on two cores

const ROWS = {
  files: ".explorer-folders-view .monaco-list-row",
  problems: ".markers-panel .monaco-list-row",
  actions: ".action-widget .monaco-list-row",
};

const seen = { steps: [] };
const began = Date.now();
const context = await chromium.launchPersistentContext(scratch, {
  executablePath,
  headless: true,
  viewport: { width: 1100, height: 800 },
  deviceScaleFactor: 2, // screenshots are shown in documentation
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
});
context.setDefaultTimeout(PATIENCE);
const page = context.pages()[0] ?? await context.newPage();
const log = [];
page.on("console", (message) => log.push(`${message.type()} ${message.text()}`));
page.on("pageerror", (error) => log.push(`error on the page: ${error.message}`));

const picture = (name) => page.screenshot({ path: path.join(out, `${name}.png`) });
// VS Code draws spaces as no-break spaces.
const texts = async (locator) => (await locator.allInnerTexts()).map((text) => text.replace(/\u00a0/g, " "));
const line = (text) => page.locator(".view-lines .view-line").filter({ hasText: text }).first();
const command = async (title) => {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first().click();
};

async function debugInformation() {
  const lines = page.locator(".editor-instance .view-lines .view-line");
  await command("devls: Show Debug Information");
  await line("devls debug information").waitFor();
  const first = await texts(lines);
  await page.keyboard.press("Control+End"); // only what is in view is in the page
  await line("Last lines of its log").waitFor();
  return [...first, "...", ...await texts(lines)];
}

// What the hover says of a word in the first line that shows a text; its picture, if that is named.
async function hovered(text, word, name) {
  const there = line(text).locator("span > span").filter({ hasText: word }).first();
  await there.hover({ position: { x: 8 * Math.max(0, (await there.innerText()).indexOf(word)) + 6, y: 8 } });
  const hover = page.locator(".monaco-hover:not(.hidden) .monaco-hover-content").filter({ hasText: word });
  await hover.first().waitFor();
  const said = (await texts(hover)).join("\n");
  if (name) await picture(name);
  await page.keyboard.press("Escape");
  await page.mouse.move(700, 500); // off the word: the next one is not to be taken for this one
  await hover.first().waitFor({ state: "detached" });
  return said;
}

// The page beside the code; the editor puts it into two frames.
const story = () => page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");

const STEPS = {
  async "open the window"() {
    await page.goto(`${address}/?folder=${path.dirname(file)}`, { waitUntil: "domcontentloaded" });
    await page.locator(ROWS.files).filter({ hasText: path.basename(file) }).dblclick();
    await page.locator(".view-lines .view-line").first().waitFor();
  },

  async "see the squiggle"() {
    await page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
    seen.squiggles = await page.locator(".squiggly-warning, .squiggly-error").count();
  },

  async "read the Problems panel"() {
    await page.keyboard.press("Control+B"); // the side bar has done its work
    await command("Problems: Focus on Problems View");
    await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).waitFor();
    seen.problems = await texts(page.locator(ROWS.problems));
  },

  async "read the hover"() {
    // The markers' own text is transparent to the pointer; the first letter of the marked call is hovered.
    await line("x.to(").locator("span > span").first().hover({ position: { x: 4, y: 8 } });
    const hover = page.locator(".monaco-hover:not(.hidden) .monaco-hover-content").filter({ hasText: "discarded-transfer" });
    await hover.waitFor();
    // The server's own part may come after the diagnostic's.
    await hover.filter({ hasText: /cpu/ }).locator(".rendered-markdown").first().waitFor();
    seen.hover = await texts(page.locator(".monaco-hover:not(.hidden) .monaco-hover-content"));
    await picture("hover");
    await page.keyboard.press("Escape");
  },

  async "read the language status"() {
    await page.locator("#status\\.languageStatus").hover();
    const status = page.locator(".monaco-hover .hover-language-status").filter({ hasText: "devls" });
    await status.filter({ hasText: "Python" }).first().waitFor();
    seen.status = await texts(status);
    await page.keyboard.press("Escape");
  },

  async "open the quick fixes"() {
    await line("x.to(").click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Control+.");
    await page.locator(ROWS.actions).filter({ hasText: /\S/ }).nth(1).waitFor(); // the first is a heading
    seen.actions = (await texts(page.locator(ROWS.actions))).map((text) => text.trim());
    await picture("quick-fix");
  },

  async "apply the preferred fix"() {
    await page.keyboard.press("Enter");
    await line("x = x.to(").waitFor();
    await page.locator(".squiggly-warning, .squiggly-error").first().waitFor({ state: "detached" });
  },

  async "save"() {
    await page.keyboard.press("Control+S");
    await page.locator(".tabs-container .tab.dirty").waitFor({ state: "detached" });
    await page.locator(".markers-panel").getByText("No problems have been detected in the workspace.").waitFor();
    seen.saved = readFileSync(file, "utf8");
    seen.left = await page.locator(".squiggly-warning, .squiggly-error").count();
    await picture("fixed");
  },

  async "apply the preferred fix in the cell"() {
    await page.keyboard.press("Enter");
    await line("x = x.to(").waitFor();
    await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).waitFor({ state: "detached" });
  },

  async "save the notebook"() {
    await page.keyboard.press("Control+S");
    await page.locator(".tabs-container .tab.dirty").waitFor({ state: "detached" });
    seen.saved = readFileSync(file, "utf8");
    seen.problemsAfter = await texts(page.locator(ROWS.problems));
    await picture("fixed");
  },

  async "close the notebook"() {
    await command("View: Close Editor");
    await page.locator(".markers-panel").getByText("No problems have been detected in the workspace.").waitFor();
  },

  async "open the notebook again"() {
    await command("View: Reopen Closed Editor");
    await page.locator(ROWS.problems).filter({ hasText: "mixed-devices" }).waitFor();
    seen.problemsAgain = await texts(page.locator(ROWS.problems));
  },

  async "restart the server"() {
    await command("devls: Restart Server");
    await page.keyboard.press("Control+1"); // back from the Problems panel to the file
    await page.keyboard.press("Control+Z");
    await page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
    await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).waitFor();
    seen.afterRestart = await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).count();
  },

  async "ignore the rule by a setting"() {
    const folder = path.join(path.dirname(file), ".vscode");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "settings.json"), JSON.stringify({ "devls.ignore": ["discarded-transfer"] }));
    await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).first().waitFor({ state: "detached" });
    seen.ignored = await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).count();
  },

  async "read the hints"() {
    await line("torch.randn").filter({ hasText: "cpu" }).waitFor();
    await page.keyboard.press("Control+B"); // room for the pages beside the code
    seen.hints = await texts(page.locator(".view-lines .view-line"));
    await picture("hints");
  },

  async "explain the finding"() {
    await line("x.to(").click();
    await command("devls: Explain the Finding at the Cursor");
    await story().getByText("How it comes about").waitFor();
    seen.story = await story().locator("body").innerText();
    await picture("explanation");
  },

  async "follow a step"() {
    await story().getByRole("button", { name: "train.py:8" }).click();
    await page.locator("#status\\.editor\\.selection").filter({ hasText: "Ln 8" }).waitFor();
  },

  async "apply the fix of the page"() {
    await story().getByRole("button", { name: "Apply" }).first().click();
    await line("x = x.to(").waitFor();
  },

  async "open the map"() {
    await page.locator(".codelens-decoration a").filter({ hasText: "where gradients flow" }).click();
    await story().locator("svg path.reached").first().waitFor({ state: "attached" });
    seen.map = await story().locator("body").innerText();
    seen.mapFits = await story().locator("svg").evaluate((drawn) =>
      drawn.getBoundingClientRect().right <= drawn.parentElement.getBoundingClientRect().right);
    await picture("map");
  },

  async "open the rule's page by its link"() {
    await line("torch.randn").click();
    await page.keyboard.press("Control+Z");
    await page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
    await line("x.to(").locator("span > span").first().hover({ position: { x: 4, y: 8 } });
    const link = page.locator(".monaco-hover:not(.hidden) a").filter({ hasText: "discarded-transfer" }).first();
    await link.click();
    await page.locator(".tabs-container .tab").filter({ hasText: "discarded_transfer.md" }).waitFor();
  },

  async "complete the name of a rule in pyproject"() {
    const project = path.join(path.dirname(file), "pyproject.toml");
    writeFileSync(project, "[tool.devls]\nignore = [\"\"]\n");
    await page.keyboard.press("Control+P");
    await page.locator(".quick-input-widget input").fill("pyproject.toml");
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "pyproject.toml" }).first().click();
    await line("ignore = ").click();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.type("mixed");
    await command("Trigger Suggest");
    const suggestion = page.locator(".suggest-widget .monaco-list-row").filter({ hasText: "mixed-devices" });
    await suggestion.first().click();
    await line('"mixed-devices"').waitFor();
    await page.keyboard.press("Control+S");
    await page.locator(".tabs-container .tab.dirty").filter({ hasText: "pyproject" }).waitFor({ state: "detached" });
    seen.project = readFileSync(project, "utf8");
  },

  async "walk through"() {
    await command("Welcome: Open Walkthrough...");
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Find and mend a mistake" }).first().click();
    await page.getByText("It trains a classifier").waitFor();
    await picture("walkthrough");
    await page.locator(".getting-started-step a, .getting-started-step button").filter({ hasText: "Open the example" }).click();
    await line("images.to(device)").waitFor();
    await page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
    await command("Welcome: Open Walkthrough...");
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Find and mend a mistake" }).first().click();
    await page.locator(".getting-started-step").filter({ hasText: "See how it comes about" }).click();
    await page.locator(".getting-started-step a, .getting-started-step button").filter({ hasText: "Explain the finding" }).click();
    await story().getByText("How it comes about").waitFor();
    seen.explained = await story().locator("h1").innerText();
    seen.example = await page.locator(".squiggly-warning, .squiggly-error").count();
  },

  async "read the case at the call"() {
    await page.keyboard.press("Control+B");
    await command("Problems: Focus on Problems View");
    await page.locator(ROWS.problems).filter({ hasText: "helpers.py, line" }).first().waitFor();
    seen.problems = await texts(page.locator(ROWS.problems));
    await picture("case");
  },

  async "hover before and after the move"() {
    seen.before = await hovered("model = nn.Linear", "model");
    seen.after = await hovered("print(model(x)", "model", "hover-after");
  },

  async "check the workspace"() {
    await command("View: Toggle Maximized Panel"); // only what is in view is in the page
    await command("devls: Check Workspace");
    await page.locator(ROWS.problems).filter({ hasText: "unused.py" }).first().waitFor();
    await page.locator(ROWS.problems).filter({ hasText: "helpers.py, line" }).first().waitFor({ state: "detached" });
    seen.checked = await texts(page.locator(ROWS.problems));
    await picture("workspace");
  },

  async "clear the check"() {
    await command("devls: Clear the Check of the Workspace");
    await page.locator(ROWS.problems).filter({ hasText: "unused.py" }).first().waitFor({ state: "detached" });
    await page.locator(ROWS.problems).filter({ hasText: "helpers.py, line" }).first().waitFor();
    await command("View: Toggle Maximized Panel");
  },

  async "fix all"() {
    await line("x.to(").click();
    await command("Fix All");
    await line("x = x.to(").waitFor();
    await line("y = y.to(").waitFor();
    seen.fixed = await texts(page.locator(".view-lines .view-line"));
    await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).first().waitFor({ state: "detached" });
    await page.keyboard.press("Control+Z");
    await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).first().waitFor();
  },

  async "disable for the file"() {
    await line("x.to(").click();
    await page.keyboard.press("Home");
    await page.locator("[class*=codicon-gutter-lightbulb]").first().waitFor();
    await page.keyboard.press("Control+.");
    await page.locator(ROWS.actions).filter({ hasText: "for this file" }).filter({ hasText: "disable" }).click();
    await line("devls: ignore-file").waitFor();
    await page.locator(ROWS.problems).filter({ hasText: "discarded-transfer" }).first().waitFor({ state: "detached" });
    await page.keyboard.press("Control+S");
    await page.locator(".tabs-container .tab.dirty").waitFor({ state: "detached" });
    seen.saved = readFileSync(file, "utf8");
  },

  async "spoil the settings"() {
    writeFileSync(path.join(path.dirname(file), "pyproject.toml"), '[tool.devls]\nselect = []\nignore = ["no-such-rule"]\n');
    await page.locator(ROWS.problems).filter({ hasText: "no-such-rule" }).first().waitFor();
    seen.settings = await texts(page.locator(ROWS.problems));
    await picture("settings");
  },

  async "read what pops up"() {
    const toast = page.locator(".notification-toast").filter({ hasText: "devls" });
    await toast.waitFor();
    seen.toast = (await texts(toast)).join("\n");
    seen.toasts = await toast.count();
    await picture("no-python");
    await toast.locator(".monaco-button").filter({ hasText: "Choose Interpreter" }).click();
    await page.locator(".settings-editor").getByText("Interpreter", { exact: false }).first().waitFor();
  },

  async "show debug information"() {
    seen.debugInformation = await debugInformation();
  },
};

const OPENING = ["open the window", "see the squiggle"];
const LOOKING = ["read the Problems panel", "read the hover"];

const SESSIONS = {
  fix: [...OPENING, ...LOOKING, "read the language status", "open the quick fixes", "apply the preferred fix", "save",
    "restart the server", "ignore the rule by a setting", "show debug information"],
  notebook: [...OPENING, ...LOOKING, "open the quick fixes",
    "apply the preferred fix in the cell", "save the notebook", "close the notebook", "open the notebook again"],
  pages: [...OPENING, "read the hints", "explain the finding", "follow a step", "apply the fix of the page", "open the map",
    "open the rule's page by its link", "complete the name of a rule in pyproject", "walk through"],
  project: [...OPENING, "read the case at the call", "hover before and after the move", "check the workspace", "clear the check",
    "fix all", "disable for the file", "spoil the settings"],
  nowhere: ["open the window", "read what pops up"],
  restricted: [...OPENING, "read the language status"],
};

try {
  for (const name of SESSIONS[session]) {
    seen.steps.push({ name, at: (Date.now() - began) / 1000 });
    await STEPS[name]();
  }
} catch (error) {
  seen.trouble = `step "${seen.steps.at(-1)?.name}": ${error.message}`;
  seen.text = (await page.locator("body").innerText().catch(() => "")).replace(/\u00a0/g, " ").slice(0, 4000);
  await picture("trouble").catch(() => undefined);
  page.setDefaultTimeout(10_000); // whatever went wrong has been waited for already
  await page.keyboard.press("Escape");
  seen.log = await debugInformation().catch((error) => [`none: ${error.message}`]);
}
seen.steps.push({ name: "end", at: (Date.now() - began) / 1000 });
await context.close();
writeFileSync(path.join(out, "seen.json"), JSON.stringify(seen, undefined, 2));
writeFileSync(path.join(out, "console.log"), log.join("\n"));
