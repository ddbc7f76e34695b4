import {
  ExportMemoriesRequest,
  ExportMemoriesResponse,
  ImportMemoriesRequest,
  ImportMemoriesResponse,
  MemoryServiceService as Service,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { MemoryDraft } from '../../memory/memory-draft.ts';
import { exportMemories } from '../../operations/memories/export-memories.ts';
import { importMemories } from '../../operations/memories/import-memories.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import type { StoreRequest } from '../../operations/memories/store-memories.ts';
import { turns } from '../../operations/memories/turns.ts';
import { bidi, type Route, serverStream } from '../edge/handler.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { memoryName } from '../edge/resource-names.ts';
import { CONFLICT_POLICIES } from './conflict-policies.ts';
import { importedDraftOf } from './draft-messages.ts';
import { givenFilter } from './filter-messages.ts';
import { memoryMessage } from './memory-messages.ts';
import { degradedMessages } from './receipt-messages.ts';

const IMPORT_BATCH_MAX = 256;

/** The methods of MemoryService that move memories in and out of a server. */
export function transferMethods(deps: MemoryDeps): Route[] {
  return [
    serverStream(
      Service.exportMemories,
      ExportMemoriesRequest,
      ExportMemoriesResponse,
      async function* (message, call) {
        const checks = new RequestChecks();
        const namespace = checks.namespace('parent', message.parent);
        checks.finish();
        const filter = givenFilter(message);
        const request = { namespace, ...(filter ? { filter } : {}) };
        for await (const { memories, damagedIds, ...counts } of exportMemories(deps, request, call)) {
          const damaged = damagedIds.map((id) => memoryName(namespace, id));
          yield { memories: memories.map(memoryMessage), damaged, ...counts };
        }
      },
    ),
    bidi(Service.importMemories, ImportMemoriesRequest, ImportMemoriesResponse, async function* (messages, call) {
      for await (const { revision, detour, ...counts } of importMemories(deps, importBatches(messages), call)) {
        yield { ...counts, revision: BigInt(revision), degraded: degradedMessages(detour) };
      }
    }),
  ];
}

/** The namespace comes with the first message and holds for all. */
async function* importBatches(messages: AsyncIterable<ImportMemoriesRequest>): AsyncGenerator<StoreRequest> {
  let parent: string | undefined;
  for await (const message of messages) {
    const checks = new RequestChecks();
    const isSame = parent === undefined || message.parent === '' || message.parent === parent;
    if (!isSame) checks.add('parent', `must be empty or ${parent}, as in the first message`);
    parent ??= message.parent;
    const namespace = checks.namespace('parent', parent);
    const { length } = message.memories;
    if (length < 1 || length > IMPORT_BATCH_MAX) {
      checks.add('memories', `must be 1 to ${IMPORT_BATCH_MAX}, got ${length}`);
    }
    const memories: MemoryDraft[] = [];
    for (const [at, memory] of message.memories.slice(0, IMPORT_BATCH_MAX).entries()) {
      await turns.wait();
      memories.push(importedDraftOf({ checks, field: `memories[${at}]`, namespace, memory }));
    }
    const onConflict = checks.choice('conflict_policy', message.conflictPolicy, CONFLICT_POLICIES);
    checks.finish();
    yield { namespace, memories, onConflict };
  }
}
