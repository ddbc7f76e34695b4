import type { Connection } from '../connection.ts';
import { type HistoryCalls, historyCalls } from '../history-calls.ts';
import { type SessionLives, sessionLives } from '../lifecycle-calls.ts';
import type { MemoryCalls } from '../memory-calls.ts';
import { memoryService } from '../memory-service.ts';
import { type RecallCalls, recallService } from '../recall-calls.ts';
import type { WorkingMemory } from '../working-memory-calls.ts';
import { workingMemoryCalls } from '../working-memory-service.ts';
import { PipelineCaller } from './pipeline-caller.ts';

/**
 * The calls of an agent's loop (memories, recall, working memory, session lifecycles) over one stream: faster than
 * separate calls, and otherwise equal.
 */
export interface Pipeline extends MemoryCalls, HistoryCalls, RecallCalls {
  readonly lifecycle: SessionLives;
  /** Working memory of a session, by its id. */
  session(id: string): Omit<WorkingMemory, 'watch'>;
  /**
   * Processes items, several at a time, and yields each result when it is available, not in the order of the items. A
   * failed item has its `error`; the others continue.
   */
  each<Item, Result>(
    items: AsyncIterable<Item> | Iterable<Item>,
    operation: (pipeline: Pipeline, item: Item) => Promise<Result>,
    options?: { /** Most at a time. Default 64. */ readonly concurrency?: number },
  ): AsyncGenerator<PipelineOutcome<Item, Result>, void, undefined>;
  /** Refuses more calls; resolves when all are answered, and ends the stream. */
  close(): Promise<void>;
  /** `close`, at the end of a block that says `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export type PipelineOutcome<Item, Result> =
  | { readonly item: Item; readonly result: Result }
  | { readonly item: Item; readonly error: unknown };

export interface PipelineCalls {
  /**
   * Opens a stream for calls (PipelineService.Pipeline). When the stream breaks, unanswered calls are repeated over
   * another one. Every call has the timeouts and signals of a separate call; `signal` ends all of them.
   */
  pipeline(options?: { readonly signal?: AbortSignal }): Pipeline;
}

export function pipelineCalls(connection: Connection, namespace: string): PipelineCalls {
  return {
    pipeline({ signal } = {}) {
      const caller = new PipelineCaller(connection, signal);
      const pipeline: Pipeline = {
        ...memoryService(caller, namespace),
        ...historyCalls(caller, namespace),
        ...recallService(caller, namespace),
        lifecycle: sessionLives(caller, namespace),
        session: (id) => workingMemoryCalls(caller, namespace, id),
        each: (items, operation, { concurrency = 64 } = {}) => each(pipeline, items, operation, concurrency),
        close: () => caller.close(),
        [Symbol.asyncDispose]: () => caller.close(),
      };
      return pipeline;
    },
  };
}

async function* each<Item, Result>(
  pipeline: Pipeline,
  items: AsyncIterable<Item> | Iterable<Item>,
  operation: (pipeline: Pipeline, item: Item) => Promise<Result>,
  concurrency: number,
): AsyncGenerator<PipelineOutcome<Item, Result>, void, undefined> {
  const running = new Set<Promise<PipelineOutcome<Item, Result>>>();
  const nextDone = async () => {
    const [outcome, promise] = await Promise.race([...running].map(async (each) => [await each, each] as const));
    running.delete(promise);
    return outcome;
  };
  for await (const item of items) {
    while (running.size >= concurrency) yield await nextDone();
    running.add(
      operation(pipeline, item).then(
        (result) => ({ item, result }),
        (error: unknown) => ({ item, error }),
      ),
    );
  }
  while (running.size > 0) yield await nextDone();
}
