import { mapCalls } from './check-options.ts';
import { CONNECTION, type Connection } from './connection.ts';
import { DeadlineExceededError, UnavailableError } from './errors.ts';
import type { Mneme } from './index.ts';
import type { CallOptions } from './options.ts';

/** How long calls fail at once after a server was away; then one call finds out whether it is back. */
const OPEN_MS = 5_000;
const PATIENCE_MS = 1_000;
/** Longest time for a server with a connection to answer a question about itself: a busy one is not taken for a silent one. */
const BUSY_MS = 3_000;

/** The servers that are away, for all adapters of the process: an agent pays for one once. */
const breakers = new Map<unknown, Breaker>();

class Breaker {
  #openUntilMs = 0;
  #cause: Error | undefined;

  /** The error for calls that are not made: the server was away a moment ago. */
  failure(isConnected: boolean): Error | undefined {
    if (this.#cause === undefined || isConnected) {
      this.#cause = undefined;
      return undefined;
    }
    const nowMs = performance.now();
    if (nowMs >= this.#openUntilMs) {
      // The caller finds out; others fail until it has.
      this.#openUntilMs = nowMs + OPEN_MS;
      return undefined;
    }
    const { message } = this.#cause;
    return new UnavailableError('UNAVAILABLE', `${message} (no call is made for up to ${OPEN_MS / 1000} s)`, {
      cause: this.#cause,
    });
  }

  open(cause: Error): void {
    this.#cause = cause;
    this.#openUntilMs = performance.now() + OPEN_MS;
  }

  close(): void {
    this.#cause = undefined;
  }
}

const guarded = new WeakSet<object>();
/** Calls that answer with pages: the first one finds out whether the server is there. */
const PAGES = /^(?:list|getAll)/;

/**
 * A client for adapters: a server that is away costs an agent `patienceMs` once, one that is silent 3 seconds more.
 * After that the calls of all adapters in the process fail at once, until there is a connection again or one call in 5
 * seconds has found the server. With `waitForReady: true` calls wait for it as ever.
 */
export function guardedClient(mneme: Mneme, patienceMs = PATIENCE_MS): Mneme {
  const connection = (mneme as { readonly [CONNECTION]?: Connection })[CONNECTION];
  if (guarded.has(mneme) || connection?.isPatient) return mneme;
  const key = connection?.address ?? mneme;
  const breaker = breakers.get(key) ?? new Breaker();
  breakers.set(key, breaker);
  const guard = new Guard(breaker, mneme, connection, patienceMs);
  const client = mapCalls('Mneme', mneme, (name, { parameters, isPromise }, call) => {
    const at = parameters.findIndex(([parameter]) => parameter === 'options?');
    if (at === -1 || !(isPromise || PAGES.test(name))) return call;
    const withOptions = (args: readonly unknown[]) => (options: CallOptions) =>
      call(...Array.from({ length: at }, (_, place) => args[place]), options);
    const optionsOf = (args: readonly unknown[]) => args[at] as CallOptions | undefined;
    if (isPromise) return (...args) => guard.run(optionsOf(args), withOptions(args));
    return (...args) => guard.pages(optionsOf(args), withOptions(args) as (options: CallOptions) => AsyncGenerator);
  });
  guarded.add(client);
  return client;
}

/** Makes the calls of one client. */
class Guard {
  readonly #breaker: Breaker;
  readonly #mneme: Mneme;
  readonly #connection: Connection | undefined;
  readonly #patienceMs: number;

  constructor(breaker: Breaker, mneme: Mneme, connection: Connection | undefined, patienceMs: number) {
    this.#breaker = breaker;
    this.#mneme = mneme;
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  async run(options: CallOptions | undefined, call: (options: CallOptions) => unknown): Promise<unknown> {
    const failure = this.#breaker.failure(this.#isConnected);
    if (failure) throw failure;
    const limit = new Limit(options, () => this.#isSilent(), this.#patienceMs);
    try {
      const answer = await call(limit.options);
      this.#breaker.close();
      return answer;
    } catch (error) {
      const cause = limit.causeOf(error);
      if (isAway(cause)) this.#breaker.open(cause);
      throw cause;
    } finally {
      limit.end();
    }
  }

  async *pages(options: CallOptions | undefined, call: (options: CallOptions) => AsyncGenerator): AsyncGenerator {
    let items: AsyncGenerator | undefined;
    const first = (await this.run(options, (limited) => {
      items = call(limited);
      return items.next();
    })) as IteratorResult<unknown>;
    if (first.done || !items) return;
    try {
      yield first.value;
      yield* items;
    } finally {
      await items.return(undefined);
    }
  }

  get #isConnected(): boolean {
    return this.#connection?.isConnected ?? false;
  }

  async #isSilent(): Promise<boolean> {
    if (!this.#isConnected) return this.#connection !== undefined;
    try {
      await this.#mneme.admin.getServerInfo({ timeoutMs: BUSY_MS });
      return false;
    } catch (error) {
      return isAway(error);
    }
  }
}

/** Ends a call whose server turns out to be away. */
class Limit {
  readonly #controller = new AbortController();
  readonly #patienceMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly options: CallOptions;

  constructor(options: CallOptions = {}, isSilent: () => Promise<boolean>, patienceMs: number) {
    const signals = [this.#controller.signal, ...(options.signal ? [options.signal] : [])];
    this.options = { ...options, signal: AbortSignal.any(signals) };
    this.#patienceMs = patienceMs;
    const ask = () => void isSilent().then((silent) => silent && this.#controller.abort());
    this.#timer = setTimeout(ask, patienceMs / 2);
  }

  causeOf(error: unknown): unknown {
    if (!this.#controller.signal.aborted) return error;
    return new UnavailableError(
      'UNAVAILABLE',
      `the server did not answer within ${this.#patienceMs} ms, nor a question about itself`,
      {
        cause: error,
      },
    );
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function isAway(error: unknown): error is Error {
  if (error instanceof UnavailableError) return error.reason === undefined;
  return error instanceof DeadlineExceededError && error.reason === undefined;
}
