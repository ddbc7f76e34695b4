import { MemoryServiceService as methods } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Connection } from './connection.ts';
import { type FilterLike, filterFields } from './filter.ts';
import type { Memory } from './memory.ts';
import { memoryOfMessage } from './message-to-memory.ts';
import { namespaceName, partsOfName } from './names.ts';
import type { CallOptions } from './options.ts';
import { damageTold } from './paging.ts';

export interface ExportQuery {
  /** Which memories. Default: all that have not expired. */
  readonly filter?: FilterLike;
  /**
   * Called after each message of the server: number of memories sent so far, and the initial number in the namespace.
   */
  readonly onProgress?: (progress: { readonly sentCount: number; readonly totalCount: number }) => void;
  /** Called with memories that cannot be read. Default: `DataLossError` after all others. */
  readonly onDamaged?: (ids: readonly string[]) => void;
}

export interface ExportCalls {
  /**
   * Every memory of the namespace with its vector, in the order of storing. No deadline unless `timeoutMs` is set; the
   * server waits while the reader is slow.
   */
  exportMemories(query?: ExportQuery, options?: CallOptions): AsyncGenerator<Memory, void, undefined>;
}

export function exportCalls(connection: Connection, namespace: string): ExportCalls {
  return {
    async *exportMemories({ filter, onProgress, onDamaged } = {}, options = {}) {
      const told = damageTold(onDamaged);
      const request = { parent: namespaceName(namespace), ...filterFields(filter) };
      for await (const message of connection.readStream(methods.exportMemories, request, options)) {
        onProgress?.({ sentCount: message.sentCount, totalCount: message.totalCount });
        told.note(message.damaged.map((name) => partsOfName(name).id));
        for (const memory of message.memories) yield memoryOfMessage(memory);
      }
      told.finish();
    },
  };
}
