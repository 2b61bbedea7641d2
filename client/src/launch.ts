// How the bundled server is started.
import path from "node:path";

export interface Launch {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * `-I -S` keeps everything of the user's out of the server: PYTHONPATH, the working folder, user and environment
 * site-packages with their start-up hooks. It runs on the standard library and the bundled libraries alone.
 */
export function launch(interpreter: string, extensionFolder: string, environment: Launch["environment"]): Launch {
  const start = path.join(extensionFolder, "bundled", "tool", "devls_server.py");
  return { command: interpreter, arguments: ["-I", "-S", "-X", "utf8", start], environment };
}
