// Paths: variables in settings, programs on PATH, and whether a program lies inside a folder.
import { readlinkSync, realpathSync, statSync } from "node:fs";
import path from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

/** Replaces `${workspaceFolder}`, `${userHome}`, `${env:NAME}` and a leading `~`; an unknown variable stays as it is. */
export function expand(text: string, home: string, folder: string | undefined, environment: Variables): string {
  const replaced = text.replace(/\$\{([^}]+)\}/g, (whole, name: string) => {
    if (name === "workspaceFolder") return folder ?? whole;
    if (name === "userHome") return home;
    if (name.startsWith("env:")) return environment[name.slice("env:".length)] ?? "";
    return whole;
  });
  return replaced === "~" || /^~[/\\]/.test(replaced) ? home + replaced.slice(1) : replaced;
}

/**
 * The program a setting names, as an absolute path: a path relative to the folder, or a bare name to be found on PATH.
 * `undefined` where a bare name is on no folder of PATH, or a relative path has no folder to start from.
 */
export function programNamed(text: string, folder: string | undefined, environment: Variables): string | undefined {
  if (path.isAbsolute(text)) return text;
  if (!/[/\\]/.test(text)) return onPath([text], environment)[0];
  return folder === undefined ? undefined : path.resolve(folder, text);
}

/** Every program on PATH with one of these names: all places of the first name, then all of the second, ... */
export function onPath(
  names: readonly string[],
  environment: Variables,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const windows = platform === "win32";
  const value = environment["PATH"] ?? (windows ? environment["Path"] : undefined) ?? "";
  const endings = windows ? [".exe"] : [""];
  const found: string[] = [];
  for (const name of names) {
    for (const folder of value.split(windows ? ";" : ":")) {
      // A relative entry would make what runs depend on the folder that happens to be open.
      if (!path.isAbsolute(folder)) continue;
      for (const ending of endings) {
        const candidate = path.join(folder, name.endsWith(ending) ? name : name + ending);
        if (isProgram(candidate, windows) && !found.includes(candidate)) found.push(candidate);
      }
    }
  }
  return found;
}

function isProgram(candidate: string, windows: boolean): boolean {
  try {
    const status = statSync(candidate);
    return status.isFile() && (windows || (status.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

/**
 * Whether a program lies inside one of the folders, by its own path or by any link on the way to the file that runs.
 * Virtual environments are links to an interpreter outside, so the end of the chain alone would not tell.
 */
export function liesInside(program: string, folders: readonly string[]): boolean {
  const places = linkChain(program);
  return folders.some((folder) => {
    const roots = [path.resolve(folder), realOr(folder)];
    return roots.some((root) => places.some((place) => place === root || place.startsWith(root + path.sep)));
  });
}

function linkChain(program: string): string[] {
  const places = [path.resolve(program)];
  let current = path.resolve(program);
  for (let step = 0; step < 40; step++) { // as many links as systems follow before they call it a loop
    current = path.join(realOr(path.dirname(current)), path.basename(current));
    places.push(current);
    try {
      current = path.resolve(path.dirname(current), readlinkSync(current));
    } catch {
      break; // not a link: the chain ends here
    }
    places.push(current);
  }
  return places;
}

function realOr(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return path.resolve(place);
  }
}

/** How the bundled server is started. */
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
