// The sources of interpreters, in the order they are asked. None of the extensions named here has to be installed.
import { homedir } from "node:os";

import * as vscode from "vscode";

import type { Candidate, Source } from "./interpreters.ts";
import { expand, onPath, programNamed } from "./paths.ts";
import { SETTING } from "./report.ts";

// The parts used of what the extensions export.
interface PythonEnvironments {
  getEnvironment(scope: vscode.Uri | undefined): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
  onDidChangeEnvironment?: vscode.Event<unknown>;
}

interface Python {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

const ENVIRONMENTS = "ms-python.vscode-python-envs";
const PYTHON = "ms-python.python";

async function exportsOf<T>(id: string): Promise<T | undefined> {
  return vscode.extensions.getExtension<T>(id)?.activate();
}

function candidates(program: string | undefined): Candidate[] {
  return program ? [{ program, arguments: [] }] : [];
}

export function sources(folder: vscode.WorkspaceFolder | undefined): Source[] {
  return [
    {
      name: SETTING,
      async candidates() {
        const text = vscode.workspace.getConfiguration("devls", folder).get("interpreter", "").trim();
        if (!text) return [];
        const expanded = expand(text, homedir(), folder?.uri.fsPath, process.env);
        const program = programNamed(expanded, folder?.uri.fsPath, process.env);
        if (program === undefined) throw new Error(`no program ${text} found`);
        return candidates(program);
      },
    },
    {
      name: "Python Environments extension",
      async candidates() {
        const api = await exportsOf<PythonEnvironments>(ENVIRONMENTS);
        const environment = await api?.getEnvironment(folder?.uri);
        return candidates(environment?.execInfo?.run?.executable);
      },
    },
    {
      name: "Python extension",
      async candidates() {
        const api = await exportsOf<Python>(PYTHON);
        if (!api) return [];
        const active = api.environments.getActiveEnvironmentPath(folder?.uri);
        const resolved = await api.environments.resolveEnvironment(active);
        return candidates(resolved?.executable.uri?.fsPath);
      },
    },
    {
      name: "PATH",
      async candidates() {
        const launcher = process.platform === "win32" ? onPath(["py"], process.env) : [];
        return [
          ...onPath(["python3", "python"], process.env).map((program) => ({ program, arguments: [] })),
          ...launcher.map((program) => ({ program, arguments: ["-3"] })),
        ];
      },
    },
  ];
}

/**
 * Tells when either extension has another interpreter chosen. It waits for them to be activated by themselves, since
 * listening is no reason to start them.
 */
export function onOtherEnvironment(changed: () => void): vscode.Disposable {
  const listeners: vscode.Disposable[] = [];
  const heard = new Set<string>();
  const listen = () => {
    for (const id of [ENVIRONMENTS, PYTHON]) {
      const extension = vscode.extensions.getExtension<Partial<PythonEnvironments & Python>>(id);
      if (!extension?.isActive || heard.has(id)) continue;
      heard.add(id);
      const event = extension.exports?.onDidChangeEnvironment
        ?? extension.exports?.environments?.onDidChangeActiveEnvironmentPath;
      if (event) listeners.push(event(changed));
    }
  };
  listen();
  listeners.push(vscode.extensions.onDidChange(listen), vscode.window.onDidChangeActiveTextEditor(listen));
  return { dispose: () => listeners.forEach((listener) => listener.dispose()) };
}
