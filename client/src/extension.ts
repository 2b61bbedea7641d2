// The door to VS Code: commands, the status item, and what makes the server start anew. Analysis is the server's.
import * as vscode from "vscode";

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
