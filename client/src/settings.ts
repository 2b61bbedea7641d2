// The settings the server is told, made from those of the editor.

export interface ServerSettings {
  readonly levels: Readonly<Record<string, string>>;
  readonly select: readonly string[];
  readonly ignore: readonly string[];
  readonly codeLens: boolean;
  readonly inlayHints: string;
  readonly logLevel: string;
  /** The interpreter whose packages the project uses; empty where none is known. */
  readonly interpreter: string;
  /** Whether programs inside the workspace may be started; the server starts none in one that is not trusted. */
  readonly trusted: boolean;
  readonly probe: { readonly enable: boolean };
  /** Whether hovers show the signatures of what installed packages define. */
  readonly signatures: boolean;
}

/** Extensions that bring a Python server with hovers of its own. */
export const PYTHON_SERVERS = [
  "ms-python.vscode-pylance", "ms-pyright.pyright", "detachhead.basedpyright", "anysphere.cursorpyright", "astral-sh.ty",
  "meta.pyrefly", "ms-python.python",
] as const;

/** Reads one setting below `devls.`. */
export type Read = <T>(name: string, otherwise: T) => T;

export function serverSettings(read: Read, interpreter: string, trusted: boolean, alone: boolean): ServerSettings {
  const signatures = read<string>("signatures", "auto");
  return {
    levels: read("levels", {}),
    select: read("select", []),
    ignore: read("ignore", []),
    codeLens: read("codeLens", true),
    inlayHints: read("inlayHints", "off"),
    logLevel: read("logLevel", "info"),
    interpreter,
    trusted,
    probe: { enable: trusted && read("probe.enable", true) },
    signatures: trusted && (signatures === "on" || (signatures === "auto" && alone)),
  };
}

/** The settings whose change means another server process; all others the running server asks for anew. */
export const RESTARTING = ["devls.enable", "devls.interpreter"] as const;
