import { setTimeout as delay } from 'node:timers/promises';
import type { Memory as MemoryMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import {
  type ImportMemoriesRequest,
  MemoryServiceService as methods,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { batchesOf } from './batches.ts';
import { refuseBrokenTexts } from './broken-texts.ts';
import type { Connection } from './connection.ts';
import { CONFLICT_CODES, type ConflictPolicy } from './enums.ts';
import { MnemeError } from './errors.ts';
import { type RefusedMemory, refusedPlaces } from './import-refusals.ts';
import { sendOverOneStream } from './import-stream.ts';
import type { ImportedMemory, Memory } from './memory.ts';
import { messageOfMemory } from './memory-to-message.ts';
import { namespaceName } from './names.ts';
import type { CallOptions } from './options.ts';
import { SendQueue } from './send-queue.ts';
import { isBroken } from './streams/is-broken.ts';
import { newUuidV7 } from './uuid-v7.ts';

/** Streams in a row that broke without a single acknowledgement. */
const FAILURES_MAX = 4;
const FIRST_BACKOFF_MS = 100;

export interface ImportProgress {
  readonly storedCount: number;
  /** Memories that already existed, including those sent twice after an interruption. */
  readonly skippedCount: number;
}

export interface ImportResult extends ImportProgress {
  readonly revision: number;
}

export interface ImportOptions extends CallOptions {
  /** Handling of a memory that already exists. Default `keep`. */
  readonly conflictPolicy?: ConflictPolicy;
  /** Called after each acknowledgement of the server. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /**
   * Called for each memory that cannot be stored, such as one whose text is too long; the others are stored. Without it
   * the first refusal ends the import with its error.
   */
  readonly onRefused?: (refused: RefusedMemory) => void;
}

export interface ImportCalls {
  /**
   * Stores memories unchanged, with their ids, times and counts, reading them no faster than the server stores them.
   * After an interruption it continues after the last acknowledged message, unless `conflictPolicy` is `fail`. After an
   * error, acknowledged memories stay stored; importing the same memories again with the same ids changes nothing.
   */
  importMemories(
    memories: AsyncIterable<ImportedMemory | Memory> | Iterable<ImportedMemory | Memory>,
    options?: ImportOptions,
  ): Promise<ImportResult>;
}

type Total = { -readonly [K in keyof ImportResult]: ImportResult[K] };

export function importCalls(connection: Connection, namespace: string): ImportCalls {
  return {
    async importMemories(memories, { conflictPolicy = 'keep', onProgress, onRefused, ...provided } = {}) {
      const { finished, signal } = connection.finishingBySignal(methods.importMemories, provided.signal);
      const options = { ...provided, signal };
      const originals = new WeakMap<MemoryMessage, ImportedMemory>();
      const queue = new SendQueue(requestsOf(memories, { namespace, conflictPolicy, originals }));
      const total: Total = { storedCount: 0, skippedCount: 0, revision: 0 };
      let failures = 0;
      try {
        await queue.ready();
        while (!queue.isDone) {
          const before = { ...total };
          try {
            await sendOverOneStream(connection, queue, options, ({ storedCount, skippedCount, revision }) => {
              failures = 0;
              total.storedCount = before.storedCount + storedCount;
              total.skippedCount = before.skippedCount + skippedCount;
              total.revision = connection.seen(revision);
              const { storedCount: stored, skippedCount: skipped } = total;
              onProgress?.({ storedCount: stored, skippedCount: skipped });
            });
          } catch (error) {
            if (
              onRefused &&
              withoutRefused(queue, error, (memory, refusal) => {
                onRefused({ memory: originals.get(memory) ?? {}, error: refusal });
              })
            )
              continue;
            failures += 1;
            const mayResume = connection.retries && conflictPolicy !== 'fail' && failures <= FAILURES_MAX;
            if (!mayResume || !isBroken(error, options.signal)) throw error;
            await delay(FIRST_BACKOFF_MS * 2 ** failures, undefined, options);
          }
        }
        return total;
      } finally {
        finished();
        await queue.close();
      }
    },
  };
}

/** Each memory gets its id here at the latest, so that resending a message stores nothing twice. */
async function* requestsOf(
  memories: AsyncIterable<ImportedMemory> | Iterable<ImportedMemory>,
  { namespace, conflictPolicy, originals }: Target,
): AsyncGenerator<ImportMemoriesRequest, void, undefined> {
  for await (const batch of batchesOf(memories)) {
    const messages = batch.map((memory) => {
      const message = messageOfMemory({ ...memory, id: memory.id ?? newUuidV7() }, namespace);
      refuseBrokenTexts(message);
      originals.set(message, memory);
      return message;
    });
    yield { parent: namespaceName(namespace), memories: messages, conflictPolicy: CONFLICT_CODES[conflictPolicy] };
  }
}

interface Target {
  readonly namespace: string;
  readonly conflictPolicy: ConflictPolicy;
  /** The memories of each message. */
  readonly originals: WeakMap<MemoryMessage, ImportedMemory>;
}

/**
 * Removes the refused memories from the first unacknowledged message, which the error is about; where the error does
 * not name them, its memories are sent one by one. False for errors that no memory caused.
 */
function withoutRefused(
  queue: SendQueue<ImportMemoriesRequest>,
  error: unknown,
  onRefused: (memory: MemoryMessage, refusal: MnemeError) => void,
): boolean {
  const places = refusedPlaces(error);
  const [request] = queue.unacknowledged;
  if (!places || !request || !(error instanceof MnemeError)) return false;
  const { memories } = request;
  const isAlone = memories.length === 1;
  memories.forEach((memory, place) => {
    const refusal = places.get(place) ?? (isAlone ? error : undefined);
    if (refusal) onRefused(memory, refusal);
  });
  const kept = isAlone ? [] : memories.filter((_, place) => !places.has(place));
  const rest = places.size === 0 ? kept.map((memory) => [memory]) : kept.length > 0 ? [kept] : [];
  queue.unacknowledged.splice(0, 1, ...rest.map((some) => ({ ...request, memories: some })));
  return true;
}
