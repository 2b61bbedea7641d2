// Finds a Python that can run the server: asks each source in turn, tries what it names, takes the first that will do.
import { execFile } from "node:child_process";

import { within } from "./timing.ts";

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly micro: number;
}

export const OLDEST: Version = { major: 3, minor: 10, micro: 0 };

/** How to start a Python, before anything is known of it. */
export interface Candidate {
  readonly program: string;
  readonly arguments: readonly string[];
}

/** A Python that was started and is recent enough. `path` is its own word for itself. */
export interface Interpreter {
  readonly path: string;
  readonly version: Version;
  readonly source: string;
}

export interface Rejection {
  readonly source: string;
  readonly program: string;
  readonly reason: string;
}

export interface Source {
  readonly name: string;
  /** May fail or hang; the search goes on without it. */
  candidates(): PromiseLike<readonly Candidate[]>;
}

export interface Search {
  readonly interpreter: Interpreter | undefined;
  /** What was passed over before, in order. */
  readonly rejected: readonly Rejection[];
}

export interface Inspected {
  readonly path: string;
  readonly version: Version;
}

export interface SearchOptions {
  /** Why a program must not even be started, or `undefined` where it may. */
  readonly forbidden: (program: string) => string | undefined;
  readonly inspect: (candidate: Candidate) => Promise<Inspected>;
  /** The longest wait for one source or one program. */
  readonly milliseconds: number;
}

export async function findInterpreter(sources: readonly Source[], options: SearchOptions): Promise<Search> {
  const rejected: Rejection[] = [];
  for (const source of sources) {
    const reject = (program: string, reason: string) => rejected.push({ source: source.name, program, reason });
    const candidates = await within(options.milliseconds, source.candidates(), (reason) => reject("", reason));
    for (const candidate of candidates ?? []) {
      const why = options.forbidden(candidate.program);
      if (why !== undefined) {
        reject(candidate.program, why);
        continue;
      }
      const inspected = await within(options.milliseconds, options.inspect(candidate), (reason) => {
        reject(candidate.program, reason);
      });
      if (inspected === undefined) continue;
      if (atLeast(inspected.version, OLDEST)) {
        return { interpreter: { ...inspected, source: source.name }, rejected };
      }
      reject(candidate.program, `is Python ${versionText(inspected.version)}, older than ${OLDEST.major}.${OLDEST.minor}`);
    }
  }
  return { interpreter: undefined, rejected };
}

const INSPECTION = "import sys; print(*sys.version_info[:3], sys.executable)";

/** Starts a Python, isolated from its environment, and has it say its version and path. */
export function inspect(candidate: Candidate, milliseconds: number): Promise<Inspected> {
  const command = [...candidate.arguments, "-I", "-S", "-X", "utf8", "-c", INSPECTION];
  return new Promise((resolve, reject) => {
    execFile(candidate.program, command, { timeout: milliseconds, windowsHide: true }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim().split("\n").pop() || `did not run: ${error.code ?? error.message}`));
      else {
        const inspected = parseInspection(stdout);
        if (inspected) resolve(inspected);
        else reject(new Error("did not answer as Python does"));
      }
    });
  });
}

export function parseInspection(output: string): Inspected | undefined {
  const match = /^(\d+) (\d+) (\d+) (\S.*?)\r?\n?$/.exec(output);
  const [, major, minor, micro, path] = match ?? [];
  if (path === undefined) return undefined;
  return { path, version: { major: Number(major), minor: Number(minor), micro: Number(micro) } };
}

export function atLeast(version: Version, least: Version): boolean {
  if (version.major !== least.major) return version.major > least.major;
  if (version.minor !== least.minor) return version.minor > least.minor;
  return version.micro >= least.micro;
}

export function versionText(version: Version): string {
  return `${version.major}.${version.minor}.${version.micro}`;
}
