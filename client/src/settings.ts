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
}

/** Reads one setting below `devls.`. */
export type Read = <T>(name: string, otherwise: T) => T;

export function serverSettings(read: Read, interpreter: string, trusted: boolean): ServerSettings {
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
  };
}

/** The settings whose change means another server process; all others the running server asks for anew. */
export const RESTARTING = ["devls.enable", "devls.interpreter"] as const;
