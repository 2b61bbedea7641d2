// Waiting with a bound: nothing another extension or program does may keep the server from starting.

/** What a promise gave, or `undefined` where it failed or took longer than `milliseconds`; `onFailure` learns why. */
export async function within<T>(
  milliseconds: number,
  promise: PromiseLike<T>,
  onFailure: (reason: string) => void = () => undefined,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      onFailure(`no answer within ${milliseconds / 1000} s`);
      resolve(undefined);
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, limit]);
  } catch (error) {
    onFailure(messageOf(error));
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs `action` once `milliseconds` after the last call of many. */
export class Debounced {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly milliseconds: number,
    private readonly action: () => void,
  ) {}

  trigger(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.action, this.milliseconds);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}

/** Runs asynchronous actions one after the other, in the order they were given. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  add<T>(action: () => Promise<T>): Promise<T> {
    const result = this.last.then(action, action);
    this.last = result.catch(() => undefined);
    return result;
  }
}
