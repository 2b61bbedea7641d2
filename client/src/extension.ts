// The door to VS Code: commands, the status item, and what makes the server start anew. Analysis is the server's.
import * as vscode from "vscode";

import { EXPLAIN, GRADIENTS, pageOf, type Page } from "./panel.ts";
import { onOtherEnvironment } from "./pythonSources.ts";
import { debugInformation, type State, statusOf, toastOf } from "./report.ts";
import { Server } from "./server.ts";
import { RESTARTING } from "./settings.ts";
import { Debounced } from "./timing.ts";

const CALM = 1_000; // milliseconds; environment managers announce one choice of the user several times over

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("devls", { log: true });
  const running = new Server(context.extensionPath, log);
  server = running;

  const restart = new Debounced(CALM, () => void running.restart());
  const reconsider = new Debounced(CALM, () => void running.reconsider());
  context.subscriptions.push(
    log,
    restart,
    reconsider,
    statusItem(running),
    running.onState(toast),
    running.onPage((page) => void showPage(page)),
    vscode.commands.registerCommand("devls.explain", explainAtCursor),
    vscode.commands.registerCommand("devls.checkWorkspace", () => checkWorkspace(running)),
    vscode.commands.registerCommand("devls.clearWorkspaceCheck", () => running.clearWorkspaceCheck()),
    vscode.commands.registerCommand("devls.openExample", () => openExample(context)),
    vscode.commands.registerCommand("devls.showGradients", async () => {
      const editor = await lastEditor();
      if (editor) await vscode.commands.executeCommand(GRADIENTS, editor.document.uri.toString());
    }),
    vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (editor?.document.languageId === "python") lastCode = editor.document;
    }),
    vscode.commands.registerCommand("devls.restart", () => running.restart()),
    vscode.commands.registerCommand("devls.showLogs", () => log.show()),
    vscode.commands.registerCommand("devls.debugInformation", () => showDebugInformation(context, running)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (RESTARTING.some((name) => event.affectsConfiguration(name))) restart.trigger();
    }),
    vscode.window.tabGroups.onDidChangeTabs(() => running.tabsChanged()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restart.trigger()),
    onOtherEnvironment(() => reconsider.trigger()),
  );
  // Not awaited: looking for an interpreter may take seconds, in which the editor goes on.
  void running.restart();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

function statusItem(running: Server): vscode.Disposable {
  const severities = {
    information: vscode.LanguageStatusSeverity.Information,
    warning: vscode.LanguageStatusSeverity.Warning,
    error: vscode.LanguageStatusSeverity.Error,
  };
  const item = vscode.languages.createLanguageStatusItem("devls.status", [
    { language: "python", scheme: "file" },
    { language: "python", scheme: "untitled" },
    { language: "python", scheme: "vscode-notebook-cell" },
  ]);
  item.name = "devls";
  const show = (state: State) => {
    const status = statusOf(state);
    item.text = status.text;
    item.detail = status.detail;
    item.severity = severities[status.severity];
    item.busy = status.busy;
    item.command = { ...status.action, arguments: [...(status.action.arguments ?? [])] };
  };
  show(running.state);
  return vscode.Disposable.from(item, running.onState(show));
}

async function checkWorkspace(running: Server): Promise<void> {
  const shown = { location: vscode.ProgressLocation.Notification, title: "devls: checking the workspace", cancellable: true };
  const found = await vscode.window.withProgress(shown, (progress, cancellation) => {
    let before = 0;
    return running.checkWorkspace((percentage, message) => {
      progress.report({ increment: percentage - before, message });
      before = percentage;
    }, cancellation);
  });
  if (!found) return;
  vscode.window.setStatusBarMessage(`devls: ${found.files} files checked, ${found.findings} findings`, CALM * 10);
  if (found.findings > 0) await vscode.commands.executeCommand("workbench.panel.markers.view.focus");
}

let toasted = ""; // what has popped up last: told once, until somebody starts the server anew

function toast(state: State): void {
  if (state.kind === "searching") toasted = "";
  const told = toastOf(state);
  if (told === undefined || told.message === toasted) return;
  toasted = told.message;
  const { title, command, arguments: given } = told.button;
  void vscode.window.showErrorMessage(told.message, title).then((chosen) => {
    if (chosen === title) void vscode.commands.executeCommand(command, ...(given ?? []));
  });
}

/** A text of its own, so that whoever mends it changes nothing that is installed. */
async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const place = vscode.Uri.joinPath(context.extensionUri, "media", "example.py");
  const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(place));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "python", content }));
}

let lastCode: vscode.TextDocument | undefined; // in which somebody was before they went to a page or a walkthrough

/** The editor with code that somebody is in, or was last. */
async function lastEditor(): Promise<vscode.TextEditor | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId === "python") return editor;
  return lastCode && !lastCode.isClosed ? vscode.window.showTextDocument(lastCode, vscode.ViewColumn.One) : undefined;
}

async function explainAtCursor(): Promise<void> {
  const editor = await lastEditor();
  if (!editor) return;
  const { active } = editor.selection;
  const findings = vscode.languages.getDiagnostics(editor.document.uri).filter(({ source }) => source === "devls");
  const found = findings.find(({ range }) => range.contains(active)) ??
    findings.find(({ range }) => range.start.line <= active.line && active.line <= range.end.line) ??
    findings.find(({ range }) => range.start.line > active.line) ?? findings[0];
  if (!found) {
    void vscode.window.showInformationMessage("devls has found nothing in this file.");
    return;
  }
  const code = typeof found.code === "object" ? found.code.value : found.code;
  const { line, character } = found.range.start;
  await vscode.commands.executeCommand(EXPLAIN, editor.document.uri.toString(), code, line, character);
}

let panel: vscode.WebviewPanel | undefined; // one for all pages: each takes the place of the one before

async function showPage(page: Page): Promise<void> {
  const text = "page" in page ? page.page.replace(/^# .*\n/, "") : ""; // its name is the heading already
  // The renderer of the editor's own preview; without it the text is shown as it is.
  const rendered = await Promise.resolve(vscode.commands.executeCommand<string>("markdown.api.render", text))
    .catch(() => undefined);
  if (!panel) {
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    panel = vscode.window.createWebviewPanel("devls.page", "devls", beside, { enableScripts: true });
    panel.onDidDispose(() => panel = undefined);
    panel.webview.onDidReceiveMessage((message) => void answer(message as Message));
  }
  panel.title = "rule" in page ? `devls: ${page.rule}` : `devls: gradients of ${page.title}`;
  const nonce = Math.random().toString(36).slice(2);
  panel.webview.html = pageOf(page, rendered, nonce);
  panel.reveal(undefined, true);
}

type Message =
  | { readonly go: { readonly uri: string; readonly line: number; readonly character: number } }
  | { readonly run: string; readonly arguments: readonly unknown[] };

async function answer(message: Message): Promise<void> {
  if ("go" in message) {
    const place = new vscode.Position(message.go.line, message.go.character);
    const uri = vscode.Uri.parse(message.go.uri, true);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(place, place), viewColumn: vscode.ViewColumn.One });
  } else {
    const said = await vscode.commands.executeCommand(message.run, ...message.arguments);
    if (typeof said === "string") await panel?.webview.postMessage({ said });
  }
}

async function showDebugInformation(context: vscode.ExtensionContext, running: Server): Promise<void> {
  const manifest = context.extension.packageJSON as { version: string };
  const content = debugInformation({
    versions: {
      devls: manifest.version,
      [vscode.env.appName]: vscode.version,
      Node: process.versions.node,
      system: `${process.platform} ${process.arch}`,
    },
    state: running.state,
    trusted: vscode.workspace.isTrusted,
    settings: running.settingsFor(vscode.window.activeTextEditor?.document.uri),
    server: await running.ownAccount(),
    log: running.logTail,
  });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "markdown", content }));
}
