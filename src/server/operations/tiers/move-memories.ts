import { checksumOf, readable } from '../../../memory/checksum.ts';
import { deriveText } from '../../../memory/derive-text.ts';
import { type ErrorReason, isDamage, MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import { type Memory, TIERS, type Tier } from '../../../memory/memory.ts';
import { compact } from '../../../memory/resolution/compact.ts';
import type { Compaction } from '../../../memory/resolution/resolution.ts';
import type { MemoryChanges } from '../../../storage/records.ts';
import type { MoveOutcome } from '../../../storage/tiers.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { policyOf, type TierDeps } from './tier-config.ts';

export interface MoveRequest {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly direction: 'down' | 'up';
  /** Absent: the next tier in the direction. */
  readonly to?: Tier;
}

/**
 * Moves memories down or up; a memory that is already there stays. Fails with MEMORY_NOT_FOUND, and moves nothing, when
 * one of them does not exist.
 */
export async function moveMemories(
  deps: TierDeps,
  { namespace, ids, direction, to }: MoveRequest,
): Promise<MoveOutcome> {
  const { store, clock } = deps;
  const policy = await policyOf(deps, namespace);
  const memories = await store.get({ namespace, ids, view: 'metadata', nowUs: clock.nowUs() });
  const byTarget = new Map<Tier, { ids: string[]; from: Set<Tier> }>();
  for (const [at, memory] of memories.entries()) {
    if (!memory) throw memoryNotFound(namespace, ids[at] ?? '');
    const target = targetOf(memory.tier, direction, to);
    if (target === undefined) continue;
    const group = byTarget.get(target) ?? { ids: [], from: new Set() };
    group.ids.push(memory.id);
    group.from.add(memory.tier);
    byTarget.set(target, group);
  }
  const moved: MoveOutcome['moved'][number][] = [];
  const damagedIds: string[] = [];
  for (const [target, group] of byTarget) {
    const { resolution } = policy.rules[target];
    const lossy = direction === 'down' ? resolution.lossy : undefined;
    const compacted = await compactMemories(deps, namespace, group.ids, lossy);
    const write = { namespace, ids: compacted.ids, to: target, from: [...group.from], resolution, atUs: clock.nowUs() };
    const outcome = await store.write({ kind: 'move', ...write });
    moved.push(...outcome.moved);
    damagedIds.push(...compacted.damagedIds, ...outcome.damagedIds);
  }
  return { revision: store.revision, moved, damagedIds };
}

function targetOf(tier: Tier, direction: 'down' | 'up', to: Tier | undefined): Tier | undefined {
  const at = TIERS.indexOf(tier);
  const target = to === undefined ? at + (direction === 'down' ? 1 : -1) : TIERS.indexOf(to);
  const isFurther = direction === 'down' ? target > at : target < at;
  return isFurther ? TIERS[target] : undefined;
}

export interface Compacted {
  /** Ids that can be moved: all except damaged ones, in their order. */
  readonly ids: readonly string[];
  readonly damagedIds: readonly string[];
}

/**
 * Permanently removes data that the namespace's policy allows to drop, before memories enter a tier that requires it.
 * Each memory gets a new state with a record of the loss; the former state is not kept. A memory that changes in the
 * meantime is left unchanged until its next move; so is one in a read-only scope. A damaged memory is reported.
 */
export async function compactMemories(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  namespace: string,
  ids: readonly string[],
  lossy: Compaction | undefined,
): Promise<Compacted> {
  if (!lossy) return { ids, damagedIds: [] };
  // Reads vectors too: a memory with a damaged vector cannot be rewritten either.
  const read = { namespace, view: 'full', nowUs: clock.nowUs() } as const;
  const { memories, damagedIds } = await readable(ids, (some) => store.get({ ...read, ids: some }));
  const damaged = new Set(damagedIds);
  for (const memory of memories) {
    const changes = memory && changesOf(memory, lossy);
    if (!memory || !changes) continue;
    const write = { namespace, id: memory.id, expectedRevision: memory.revision, changes, dropsFormer: true };
    try {
      await store.write({ kind: 'update', ...write, atUs: clock.nowUs() });
    } catch (error) {
      if (isDamage(error)) damaged.add(memory.id);
      else if (!staysAsItIs(error)) throw error;
    }
  }
  return { ids: ids.filter((id) => !damaged.has(id)), damagedIds: [...damaged] };
}

/** `undefined` when nothing can be dropped. Derived text follows the content. */
function changesOf(memory: Memory, lossy: Compaction): MemoryChanges | undefined {
  const result = compact(memory.content, lossy);
  if (!result) return undefined;
  const { content, loss } = result;
  const text = memory.textDerived ? deriveText(content) : memory.text;
  const earlier = memory.compaction;
  const compaction = {
    checksum: earlier?.checksum ?? memory.checksum,
    contentBytes: earlier?.contentBytes ?? loss.contentBytes,
    droppedKeys: [...new Set([...(earlier?.droppedKeys ?? []), ...loss.droppedKeys])].sort(),
    ...(loss.decimals === undefined ? earlierDecimals(memory) : { decimals: loss.decimals }),
  };
  return { content, text, checksum: checksumOf(text, content), compaction };
}

function earlierDecimals({ compaction }: Memory): { readonly decimals?: number } {
  return compaction?.decimals === undefined ? {} : { decimals: compaction.decimals };
}

const LEFT_ALONE: ReadonlySet<ErrorReason> = new Set(['VERSION_MISMATCH', 'MEMORY_NOT_FOUND', 'SCOPE_READ_ONLY']);

function staysAsItIs(error: unknown): boolean {
  return error instanceof MnemeError && LEFT_ALONE.has(error.reason);
}
