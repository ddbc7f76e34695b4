import type { Call } from '../../../memory/call.ts';
import { bodyBytesOf, type Readable, readable } from '../../../memory/checksum.ts';
import { MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import type { Memory, MemoryView } from '../../../memory/memory.ts';
import type { Records } from '../../../storage/records.ts';
import { focusOn } from '../tiers/focus.ts';
import type { TierDeps } from '../tiers/tier-config.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { waitForRevision } from './wait-for-revision.ts';

export interface GetRequest {
  readonly namespace: string;
  readonly id: string;
  readonly view: MemoryView;
  /** Counts the read. */
  readonly touch: boolean;
  /** As `touch`, and moves the memory up when it has earned it. */
  readonly focus: boolean;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

export interface BatchGetRequest extends Pick<GetRequest, 'namespace' | 'view' | 'minRevision'> {
  readonly ids: readonly string[];
  /** Maximum total of texts and contents; beyond it the call fails. */
  readonly bytesMax: number;
}

type GetDeps = Pick<MemoryDeps, 'store' | 'clock'>;

/** Memories are up to a megabyte each: so many are read at once. */
const CHUNK = 64;

/** Reads one memory; with `touch` and `focus` counts the read, which the memory returned then shows. */
export async function getMemory(
  deps: GetDeps & TierDeps,
  { namespace, id, view, touch, focus, minRevision }: GetRequest,
  call: Call,
): Promise<{ memory: Memory; revision: number }> {
  const { store, clock } = deps;
  if (minRevision > store.revision) await waitForRevision(store, minRevision, call);
  if (focus) {
    const [found] = await store.get({ namespace, ids: [id], view: 'basic', nowUs: clock.nowUs() });
    if (found) await focusOn(deps, namespace, [found]);
  } else if (touch) await store.write({ kind: 'touch', namespace, ids: [id], atUs: clock.nowUs() });
  const { revision } = store;
  const [memory] = await store.get({ namespace, ids: [id], view, nowUs: clock.nowUs() });
  if (!memory) throw memoryNotFound(namespace, id);
  return { memory, revision };
}

/** Reads memories in the order of the ids, with `undefined` for missing ones. */
export async function getMemories(
  { store, clock }: GetDeps,
  { namespace, ids, view, minRevision, bytesMax }: BatchGetRequest,
  call: Call,
): Promise<Readable & { readonly revision: number }> {
  if (minRevision > store.revision) await waitForRevision(store, minRevision, call);
  const { revision } = store;
  const nowUs = clock.nowUs();
  return { ...(await readWithin(store, { namespace, ids, view, nowUs }, bytesMax)), revision };
}

/**
 * Reads memories in parts, and fails with MESSAGE_TOO_LARGE once texts and contents, with those of memories that have
 * been read already, exceed `bytesMax`.
 */
export async function readWithin(
  store: Pick<Records, 'get'>,
  { ids, ...read }: Parameters<Records['get']>[0],
  bytesMax: number,
  alreadyRead: readonly Memory[] = [],
): Promise<Readable> {
  const memories: (Memory | undefined)[] = [];
  const damagedIds: string[] = [];
  let bytes = alreadyRead.reduce((sum, memory) => sum + bodyBytesOf(memory), 0);
  if (bytes > bytesMax) throw tooLarge(bytesMax);
  for (let from = 0; from < ids.length; from += CHUNK) {
    const part = await readable(ids.slice(from, from + CHUNK), (some) => store.get({ ...read, ids: some }));
    for (const memory of part.memories) bytes += memory ? bodyBytesOf(memory) : 0;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    memories.push(...part.memories);
    damagedIds.push(...part.damagedIds);
  }
  return { memories, damagedIds };
}

function tooLarge(bytesMax: number): MnemeError {
  return new MnemeError(
    'MESSAGE_TOO_LARGE',
    `the memories make more than the ${bytesMax} bytes of an answer; ask for fewer, or without texts (view METADATA)`,
    {
      metadata: { limit_bytes: String(bytesMax) },
    },
  );
}
