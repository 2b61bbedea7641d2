// The server process: found, started, stopped, one change at a time.
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import * as vscode from "vscode";
import {
  ExecuteCommandRequest, LanguageClient, RevealOutputChannelOn, State as ClientState, vsdiag, WorkDoneProgress,
  WorkDoneProgressCancelNotification,
} from "vscode-languageclient/node";

import { CellFindings } from "./cells.ts";
import { findInterpreter, inspect, type Search } from "./interpreters.ts";
import { launch, liesInside } from "./paths.ts";
import { sources } from "./pythonSources.ts";
import { rejectionText, ServerLog, type State } from "./report.ts";
import { PYTHON_SERVERS, serverSettings, type ServerSettings } from "./settings.ts";
import { EXPLAIN, type Explanation, GRADIENTS, type Gradients } from "./panel.ts";
import { messageOf, Queue, within } from "./timing.ts";

const CELL = "vscode-notebook-cell";
const PATIENCE = 5_000; // milliseconds; a cold Python on a slow disk takes one or two seconds to start

const CHECK = "devls.server.checkWorkspace";

/** What a check of the workspace came to. */
interface Checked {
  readonly files: number;
  readonly findings: number;
}

export class Server {
  private client: LanguageClient | undefined;
  private cells: CellFindings<vscode.Uri, vscode.Diagnostic> | undefined;
  private current: State = { kind: "off" };
  private serverLog = new ServerLog();
  private readonly queue = new Queue();
  private readonly listener = new vscode.EventEmitter<State>();
  readonly onState = this.listener.event;
  private readonly pages = new vscode.EventEmitter<Explanation | Gradients>();
  /** Tells what is to be shown as a page. */
  readonly onPage = this.pages.event;

  constructor(
    private readonly extensionFolder: string,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get state(): State {
    return this.current;
  }

  get logTail(): readonly string[] {
    return this.serverLog.tail;
  }

  /** Brings the process into line with the settings: stops what runs, and starts it anew unless switched off. */
  restart(): Promise<void> {
    return this.queue.add(async () => {
      await this.halt();
      if (vscode.workspace.getConfiguration("devls").get("enable", true)) await this.begin();
      else this.become({ kind: "off" });
    });
  }

  /** Restarts only where the search now ends at another interpreter than the one that runs. */
  async reconsider(): Promise<void> {
    const state = this.current;
    const before = "search" in state ? state.search.interpreter?.path : undefined;
    const found = (await this.search()).interpreter?.path;
    if (found !== before && this.current.kind !== "off") await this.restart();
  }

  /** Shows what there is in notebooks whose tabs were opened, and hides what is in those that have none any more. */
  tabsChanged(): void {
    this.cells?.tabsChanged();
  }

  stop(): Promise<void> {
    return this.queue.add(() => this.halt());
  }

  /** What the running server says of itself. */
  async ownAccount(): Promise<string | undefined> {
    if (this.current.kind !== "running" || !this.client) return undefined;
    const asked = this.client.sendRequest(ExecuteCommandRequest.type, { command: "devls.server.debugInformation" });
    return await within(PATIENCE, asked) as string | undefined;
  }

  /** Has all files of the workspace checked; what is in those that are not open is published until it is cleared. */
  async checkWorkspace(report: (percentage: number, message: string) => void, cancellation: vscode.CancellationToken): Promise<Checked | undefined> {
    const client = this.client;
    if (this.current.kind !== "running" || !client) return undefined;
    const token = `check-${Math.random().toString(36).slice(2)}`;
    const told = client.onProgress(WorkDoneProgress.type, token, (step) => {
      if (step.kind === "report") report(step.percentage ?? 0, step.message ?? "");
    });
    const cancel = cancellation.onCancellationRequested(() =>
      void client.sendNotification(WorkDoneProgressCancelNotification.type, { token }));
    try {
      return await client.sendRequest(ExecuteCommandRequest.type, { command: CHECK, arguments: [token] }) as Checked | undefined;
    } finally {
      told.dispose();
      cancel.dispose();
    }
  }

  async clearWorkspaceCheck(): Promise<void> {
    if (this.current.kind !== "running" || !this.client) return;
    await this.client.sendRequest(ExecuteCommandRequest.type, { command: "devls.server.clearWorkspaceCheck" });
  }

  settingsFor(resource: vscode.Uri | undefined): ServerSettings {
    const configuration = vscode.workspace.getConfiguration("devls", resource ?? null);
    const interpreter = "search" in this.current ? this.current.search.interpreter?.path : undefined;
    return serverSettings((name, otherwise) => configuration.get(name, otherwise), interpreter ?? "",
      vscode.workspace.isTrusted, !PYTHON_SERVERS.some((name) => vscode.extensions.getExtension(name)));
  }

  private become(state: State): void {
    this.current = state;
    this.listener.fire(state);
  }

  private async search(): Promise<Search> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const trusted = vscode.workspace.isTrusted;
    const forbidden = (program: string) =>
      !trusted && liesInside(program, folders) ? "lies inside a workspace that is not trusted" : undefined;
    const asked = vscode.workspace.workspaceFolders?.length ? vscode.workspace.workspaceFolders : [undefined];
    const rejected = [];
    // One server serves all folders; a folder without an interpreter must not leave the others without a server.
    for (const folder of asked) {
      const search = await findInterpreter(sources(folder), {
        forbidden,
        inspect: (candidate) => inspect(candidate, PATIENCE),
        milliseconds: PATIENCE,
      });
      rejected.push(...search.rejected);
      if (search.interpreter) return { interpreter: search.interpreter, rejected };
    }
    return { interpreter: undefined, rejected };
  }

  private async begin(): Promise<void> {
    this.become({ kind: "searching" });
    const search = await this.search();
    for (const rejection of search.rejected) this.log.warn(`passed over: ${rejectionText(rejection)}`);
    if (!search.interpreter) {
      this.log.error("no Python found that can run the server");
      this.become({ kind: "no-interpreter", search });
      return;
    }
    this.become({ kind: "starting", search });
    const { command, arguments: args, environment } =
      launch(search.interpreter.path, this.extensionFolder, process.env);
    this.log.info(`starting ${command} ${args.join(" ")}`);
    const client = this.newClient({ command, args: [...args], options: { env: environment } });
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === ClientState.Running) {
        const server = client.initializeResult?.serverInfo;
        this.become({ kind: "running", search, server: `${server?.name ?? "devls"} ${server?.version ?? ""}`.trim() });
      } else if (newState === ClientState.Stopped) {
        this.become({ kind: "failed", search, reason: "the server stopped; its log says more" });
      }
    });
    this.client = client;
    this.cells = new CellFindings(isInTab, (cell, findings) => client.diagnostics?.set(cell, findings));
    try {
      await client.start();
    } catch (error) {
      this.log.error(`the server did not start: ${messageOf(error)}`);
      this.become({ kind: "failed", search, reason: `the server did not start: ${messageOf(error)}` });
    }
  }

  private newClient(executable: { command: string; args: string[]; options: { env: unknown } }): LanguageClient {
    return new LanguageClient("devls", "devls", executable, {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "untitled", language: "python" },
        // What is asked about a cell; that they are there, and their texts, is told of the whole notebook.
        { scheme: CELL, language: "python" },
        // For the names of rules and settings; by pattern, since not every editor knows the language.
        { scheme: "file", pattern: "**/{pyproject,devls}.toml" },
      ],
      outputChannel: this.log,
      stdioOptions: { stdout: () => undefined, stderr: (input) => this.listen(input) },
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({
        settings: this.settingsFor(vscode.workspace.workspaceFolders?.[0]?.uri),
        pages: true,
      }),
      initializationFailedHandler: () => false, // the status item says it; asking again would fail again
      middleware: {
        executeCommand: async (command, args, next) => {
          const answer: unknown = await next(command, args);
          if (answer && (command === EXPLAIN || command === GRADIENTS)) {
            this.pages.fire(answer as Explanation | Gradients);
          }
          return answer;
        },
        handleDiagnostics: (uri, diagnostics, next) => {
          if (uri.scheme === CELL) this.cells?.take(uri, diagnostics);
          else next(uri, diagnostics);
        },
        // The findings in cells are pushed.
        provideDiagnostics: (document, previousResultId, token, next) => {
          const uri = "uri" in document ? document.uri : document;
          if (uri.scheme === CELL) return { kind: vsdiag.DocumentDiagnosticReportKind.full, items: [] };
          return next(document, previousResultId, token);
        },
        workspace: {
          // The server gets what it would have read, with what only the editor knows: trust and the interpreter.
          configuration: async (params, token, next) => {
            const answers = await next(params, token);
            if (!Array.isArray(answers)) return answers;
            return params.items.map((item, index) => {
              if (item.section !== "devls") return answers[index] as unknown;
              return this.settingsFor(item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined);
            });
          },
        },
      },
    });
  }

  private listen(input: Readable): void {
    const log = this.serverLog = new ServerLog();
    createInterface({ input, crlfDelay: Infinity }).on("line", (line) => this.log[log.add(line)](line));
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = this.cells = undefined;
    if (!client) return;
    try {
      await client.dispose();
    } catch (error) {
      this.log.warn(`the server did not stop in order: ${messageOf(error)}`);
    }
  }
}

/** Whether a tab shows the notebook of a cell; its address is that of the notebook but for the scheme and the fragment. */
function isInTab(cell: vscode.Uri): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(({ input }) => {
    if (input instanceof vscode.TabInputNotebook) return input.uri.path === cell.path;
    return input instanceof vscode.TabInputNotebookDiff && input.modified.path === cell.path;
  });
}
