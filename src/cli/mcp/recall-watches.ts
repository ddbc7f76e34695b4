import type { Mneme, StandingAnswer } from '../../../clients/typescript/src/index.ts';
import { queryOf } from './memory-answer.ts';
import { parseResourceUri, type RecallUri, ResourceUriError } from './resource-uris.ts';
import { clientFor, type ServedNamespaces } from './served-namespaces.ts';

/** Maximum number of concurrent standing recalls, of all callers. */
const WATCHES_MAX = 200;
/** Changes within this time are one notification. */
const GAP_MS = 250;
/** Longest time without a sign of the server before a recall ends with an error. */
const PATIENCE_MS = 15_000;
/** Pause before it is asked again. */
const RESTART_MS = 5_000;

export type OnChange = (uri: string) => void;

/** Standing recalls, each once however many listeners it has. */
export class RecallWatches {
  private readonly served: ServedNamespaces;
  private readonly onError: (error: unknown) => void;
  private readonly watches = new Map<string, Watch>();

  constructor(served: ServedNamespaces, onError: (error: unknown) => void) {
    this.served = served;
    this.onError = onError;
  }

  /**
   * Calls `onChange` when the answer of the recall of this URI changes, from the moment that this resolves; returns the
   * function that ends it. Fails when the URI names no recall of a served namespace, when there are too many, or when
   * the server is unreachable.
   */
  async add(uri: string, onChange: OnChange): Promise<() => void> {
    const recall = parseResourceUri(uri);
    if (recall?.kind !== 'recall') {
      throw new ResourceUriError(
        `${uri}: only recalls can be subscribed to: mneme://namespaces/NAMESPACE/recall?text=TEXT`,
      );
    }
    const watch = this.watches.get(uri) ?? this.start(uri, recall);
    const listener = () => onChange(uri);
    watch.listeners.add(listener);
    const remove = () => {
      if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
      watch.ended.abort();
      if (this.watches.get(uri) === watch) this.watches.delete(uri);
    };
    try {
      await watch.ready;
    } catch (error) {
      remove();
      throw error;
    }
    return remove;
  }

  close(): void {
    for (const { ended } of this.watches.values()) ended.abort();
    this.watches.clear();
  }

  private start(uri: string, recall: RecallUri): Watch {
    if (this.watches.size >= WATCHES_MAX) {
      throw new ResourceUriError(`${uri}: at most ${WATCHES_MAX} recalls can be subscribed to at the same time`);
    }
    const client = clientFor(this.served, recall.namespace);
    const watch = new Watch();
    this.watches.set(uri, watch);
    void watch.run(client, recall, this.onError);
    return watch;
  }
}

class Watch {
  readonly listeners = new Set<() => void>();
  readonly ended = new AbortController();
  private readonly started = Promise.withResolvers<void>();
  private timer: NodeJS.Timeout | undefined;

  /** Resolves with the first answer; later changes are notified. */
  get ready(): Promise<void> {
    return this.started.promise;
  }

  async run(mneme: Mneme, recall: RecallUri, onError: (error: unknown) => void): Promise<void> {
    // Callers that wait for it get the error; without one it must not end the process.
    this.started.promise.catch(() => {});
    const { signal } = this.ended;
    let isReady = false;
    let isLost = false;
    while (!signal.aborted) {
      try {
        for await (const answer of mneme.subscribe(queryOf(recall), { signal, patienceMs: PATIENCE_MS })) {
          // Changes during an interruption are unknown.
          if (isReady && (isLost || hasChanged(answer))) this.notify();
          isReady = true;
          isLost = false;
          this.started.resolve();
        }
      } catch (error) {
        if (signal.aborted) break;
        if (!isReady) return this.started.reject(error);
        onError(error);
        isLost = true;
        await pause(signal);
      }
    }
    clearTimeout(this.timer);
  }

  private notify(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const listener of this.listeners) listener();
    }, GAP_MS);
  }
}

function hasChanged({ entered, updated, leftIds }: StandingAnswer): boolean {
  return entered.length + updated.length + leftIds.length > 0;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RESTART_MS);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });
}
