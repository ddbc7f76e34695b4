import type { Mneme, StandingAnswer } from '../../clients/typescript/src/index.ts';

/** One standing query and its current answer. */
export interface Subscriber {
  readonly query: string;
  readonly standing: StandingAnswer | undefined;
  /** Changes of the answer that were received. */
  readonly changeCount: number;
  readonly brokenCount: number;
  /** Revisions decreased. */
  readonly isOutOfOrder: boolean;
  /** Waits until it knows the answer at this revision. */
  reached(revision: number): Promise<void>;
}

/** Keeps the answer of a query until the signal is aborted. Fails when the stream cannot be resumed. */
export function standingQuery(mneme: Mneme, query: string, signal: AbortSignal): Subscriber & { run: Promise<void> } {
  let standing: StandingAnswer | undefined;
  let wake = () => {};
  const subscriber = {
    query,
    changeCount: 0,
    brokenCount: 0,
    isOutOfOrder: false,
    get standing() {
      return standing;
    },
    async reached(revision: number) {
      while ((standing?.revision ?? -1) < revision) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    run: Promise.resolve(),
  };
  const follow = async () => {
    const onBroken = () => {
      subscriber.brokenCount += 1;
    };
    for await (const next of mneme.subscribe({ text: query, limit: 10 }, { signal, onBroken })) {
      if (next.revision < (standing?.revision ?? 0)) subscriber.isOutOfOrder = true;
      if (!next.isProgress) subscriber.changeCount += 1;
      standing = next;
      wake();
    }
  };
  subscriber.run = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return subscriber;
}
