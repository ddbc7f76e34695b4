import type { Call } from '../../../memory/call.ts';
import { digestOf, keyRecordId, normalValue } from '../../../memory/facts/fact-key.ts';
import { factOf, isFactOrKey, isKeyRecord, KEY_TYPE, timelineOf } from '../../../memory/facts/fact-record.ts';
import { counts, type Timeline } from '../../../memory/facts/timeline.ts';
import type { Memory, Micros } from '../../../memory/memory.ts';
import { SERVER_ITSELF } from '../../../memory/principal.ts';
import type { ListPage, ListPosition, NewMemory, StoreWrite, WriteOutcome } from '../../../storage/records.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { asServer } from '../visibility/visibility.ts';
import { erasedMemory, getAll } from './change-keys.ts';
import { isFactFilter } from './fact-filters.ts';
import { reconcileFacts, reconcileRestored } from './reconcile-facts.ts';

const MARK = Buffer.from('mneme.fact.');

/** True of memories that may have a fact or the timeline of a key; contents of other memories are not parsed. */
function mayBeFact({ type, content }: NewMemory): boolean {
  if (type === KEY_TYPE) return true;
  if (type !== 'fact' || !content) return false;
  const { buffer, byteOffset, byteLength } = content.data;
  return Buffer.from(buffer, byteOffset, byteLength).includes(MARK);
}

/**
 * Memories as they may be stored: existing timelines and known facts stay unchanged, and of forgotten facts only an
 * empty memory is stored. Imports and repeated requests restore nothing.
 */
export async function guardedFacts(
  deps: MemoryDeps,
  { namespace, memories, atUs }: Pick<StoreWrite, 'namespace' | 'memories' | 'atUs'>,
): Promise<readonly NewMemory[]> {
  const guarded = memories.filter((memory) => mayBeFact(memory) && isFactOrKey(memory));
  if (guarded.length === 0) return memories;
  const recordIds = guarded.map(recordIdOf);
  const wanted = [...new Set([...recordIds, ...guarded.map(({ id }) => id)])];
  const stored = new Map<string, Memory>();
  for (const memory of await getAll(withRecords(deps), namespace, wanted, atUs))
    if (memory) stored.set(memory.id, memory);
  const replacements = new Map(
    guarded.map((memory, at) => [memory, guardedMemory(memory, stored, recordIds[at] ?? '', atUs)]),
  );
  return memories.map((memory) => replacements.get(memory) ?? memory);
}

function recordIdOf(memory: NewMemory): string {
  const fact = factOf(memory);
  return fact ? keyRecordId(fact.key) : memory.id;
}

function guardedMemory(
  memory: NewMemory,
  stored: ReadonlyMap<string, Memory>,
  recordId: string,
  atUs: Micros,
): NewMemory {
  const present = stored.get(memory.id);
  const record = stored.get(recordId);
  if (memory.type === KEY_TYPE) return present && isKeyRecord(present) ? asStored(present) : memory;
  const fact = factOf(memory);
  if (!(fact && record)) return memory;
  const timeline: Timeline = timelineOf(record);
  const entry = timeline.entries.find(({ id }) => id === fact.id);
  const last = entry ?? timeline.entries.findLast(({ value }) => value === digestOf(normalValue(fact.value)));
  // Deleting the memory of a known fact forgets the fact.
  if (last?.forgottenAtUs !== undefined || (entry && !present)) return erasedMemory({ ...memory, atUs });
  return entry && counts(entry) && present ? asStored(present) : memory;
}

/** A stored memory as a write that does not change it. */
function asStored({ namespace: _, revision: __, embedding, ...fields }: Memory): NewMemory {
  return { ...fields, embedding, embeddingPending: false };
}

/** Adds facts that were stored as memories to the timelines of their keys. */
export async function adoptStored(
  deps: MemoryDeps,
  { namespace, memories }: Pick<StoreWrite, 'namespace' | 'memories'>,
  outcome: WriteOutcome,
): Promise<void> {
  const ids = memories.flatMap((memory, at) =>
    outcome.memories[at]?.written && mayBeFact(memory) && factOf(memory) ? [memory.id] : [],
  );
  if (ids.length > 0) await reconcileFacts(withRecords(deps), namespace, ids, UNBOUNDED);
}

/** Records of keys belong to no scope; operations on facts leave out what the caller may not see. */
function withRecords(deps: MemoryDeps): MemoryDeps {
  return { ...deps, ...deps.whole };
}

const PAGE = 500;

/**
 * Brings the facts of a namespace in line with their timelines after memories were restored or copied, whatever the caller
 * sees of them.
 */
export function factsRestored(deps: MemoryDeps, namespace: string): Promise<void> {
  return asServer(() => reconcileAll(deps, namespace));
}

async function reconcileAll(deps: MemoryDeps, namespace: string): Promise<void> {
  let after: ListPosition | undefined;
  do {
    const page: ListPage = await deps.view.list({
      namespace,
      filter: isFactFilter(),
      order: 'create_time_asc',
      limit: PAGE,
      bytesMax: Number.MAX_SAFE_INTEGER,
      after,
      view: 'basic',
      nowUs: deps.clock.nowUs(),
    });
    await reconcileRestored(deps, namespace, page.memories, UNBOUNDED);
    after = page.next;
  } while (after);
}

/** A call of the server itself. */
const UNBOUNDED: Call = {
  signal: new AbortController().signal,
  deadlineAtMs: Number.POSITIVE_INFINITY,
  callId: 'facts',
  principal: SERVER_ITSELF,
  caller: '',
};
