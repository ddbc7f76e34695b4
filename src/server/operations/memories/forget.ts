import type { Call } from '../../../memory/call.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Tier } from '../../../memory/memory.ts';
import type { DeleteOutcome } from '../../../storage/records.ts';
import { checkWhole } from './list-memories.ts';
import { expectedRevision, type MemoryDeps, onceFor } from './operation-deps.ts';

export interface ForgetRequest {
  readonly namespace: string;
  /** Absent: every memory. */
  readonly filter?: Filter;
  /** Deletes only memories that are still in this tier when they are processed. */
  readonly onlyIn?: Tier;
  /** Only counts. */
  readonly dryRun: boolean;
}

type ForgetDeps = Pick<MemoryDeps, 'store' | 'view' | 'clock'>;

const BATCH = 1000;
const IDS_MAX = 1000;

/**
 * Deletes the memories that the filter admits; the outcome lists the first thousand ids. Up to one batch is atomic;
 * beyond, an interrupted call has deleted some memories and continues when it is repeated.
 */
export async function forget(deps: ForgetDeps, request: ForgetRequest, call: Call): Promise<DeleteOutcome> {
  const { store, clock } = deps;
  if (request.dryRun) return counted(deps, request, call);
  const { namespace, onlyIn } = request;
  const earlier = call.idempotency && (await store.outcomeOf(namespace, call.idempotency));
  if (earlier) return earlier as DeleteOutcome;

  const erase = (ids: readonly string[], repeatable: object) =>
    store.write({
      kind: 'delete',
      namespace,
      ids,
      cause: 'deleted',
      mustExist: false,
      ...(onlyIn ? { onlyIn } : {}),
      atUs: clock.nowUs(),
      ...repeatable,
    });
  let outcome: DeleteOutcome | undefined;
  for await (const { ids, isOnly } of batches(deps, request, call)) {
    if (isOnly) return erase(ids, onceFor(call));
    if (ids.length > 0) outcome = joined(outcome, await erase(ids, {}));
  }
  outcome ??= { revision: store.revision, deletedIds: [], tiers: [] };
  if (call.idempotency) await erase([], { ...onceFor(call), outcomeToKeep: outcome });
  return outcome;
}

/** `isOnly`: the list is short and has one batch. */
async function* batches({ view, clock }: ForgetDeps, { namespace, filter }: ForgetRequest, call: Call) {
  const read = { namespace, ...(filter ? { filter } : {}), order: 'create_time_asc', limit: BATCH } as const;
  const unbounded = { bytesMax: Number.MAX_SAFE_INTEGER, view: 'metadata' } as const;
  let page = await view.list({ ...read, ...unbounded, nowUs: clock.nowUs() });
  let isOnly = page.next === undefined;
  for (;;) {
    // A filter cannot decide on what is damaged; without one, damaged memories are erased with the rest.
    if (filter) checkWhole(namespace, page);
    yield { ids: [...page.memories.map(({ id }) => id), ...(page.damagedIds ?? [])], isOnly };
    if (!page.next) return;
    call.signal.throwIfAborted();
    isOnly = false;
    page = await view.list({ ...read, ...unbounded, after: page.next, nowUs: clock.nowUs() });
  }
}

async function counted(deps: ForgetDeps, request: ForgetRequest, call: Call): Promise<DeleteOutcome> {
  const { store, view, clock } = deps;
  const { namespace, filter } = request;
  const { revision } = store;
  const tiers = await view.count({ namespace, filter, nowUs: clock.nowUs() });
  const deletedIds: string[] = [];
  for await (const { ids } of batches(deps, request, call)) {
    deletedIds.push(...ids.slice(0, IDS_MAX - deletedIds.length));
    if (deletedIds.length === IDS_MAX) break;
  }
  return { revision, deletedIds, tiers: [...tiers] };
}

function joined(before: DeleteOutcome | undefined, last: DeleteOutcome): DeleteOutcome {
  if (!before) return last;
  const tiers = new Map<Tier, number>(before.tiers);
  for (const [tier, count] of last.tiers) tiers.set(tier, (tiers.get(tier) ?? 0) + count);
  const deletedIds = [...before.deletedIds, ...last.deletedIds].slice(0, IDS_MAX);
  return { revision: last.revision, deletedIds, tiers: [...tiers] };
}

export interface DeleteRequest {
  readonly namespace: string;
  readonly id: string;
  /** Empty: any. */
  readonly ifVersion?: number;
  /** A missing memory counts as deleted. */
  readonly allowMissing: boolean;
}

/** Erases a memory with its revisions. */
export function deleteMemory(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, id, ifVersion, allowMissing }: DeleteRequest,
  call: Call,
): Promise<DeleteOutcome> {
  return store.write({
    kind: 'delete',
    namespace,
    ids: [id],
    cause: 'deleted',
    mustExist: !allowMissing,
    atUs: clock.nowUs(),
    ...expectedRevision(ifVersion),
    ...onceFor(call),
  });
}

const EXPIRED_BATCH = 500;

/** Erases the memories whose time has come, at most one batch; returns how many and whether there may be more. */
export async function eraseExpired({ store, clock }: Pick<MemoryDeps, 'store' | 'clock'>): Promise<{
  erasedCount: number;
  isDone: boolean;
}> {
  const nowUs = clock.nowUs();
  const expired = await store.expired({ limit: EXPIRED_BATCH, nowUs });
  let erasedCount = 0;
  for (const { namespace, ids } of expired) {
    const write = { namespace, ids, cause: 'expired', mustExist: false, atUs: nowUs } as const;
    erasedCount += (await store.write({ kind: 'delete', ...write })).deletedIds.length;
  }
  return { erasedCount, isDone: expired.reduce((sum, { ids }) => sum + ids.length, 0) < EXPIRED_BATCH };
}
